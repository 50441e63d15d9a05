// hash4j: MinHash of 128 values of 16 bits. It has no index: 16 hash maps, each keyed on a band of 8 values, are ours.
// INPUT OUTPUT
import com.dynatrace.hash4j.hashing.Hashing;
import com.dynatrace.hash4j.similarity.ElementHashProvider;
import com.dynatrace.hash4j.similarity.SimilarityHasher;
import com.dynatrace.hash4j.similarity.SimilarityHashing;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

public class Hash4jPairs {
  static final int BANDS = 16, BYTES = 16;

  static long[] features(String text) {
    String[] words = text.split(" ");
    return IntStream.range(0, Math.max(words.length - 1, 1))
        .mapToObj(i -> i + 1 < words.length ? words[i] + ' ' + words[i + 1] : words[i])
        .mapToLong(Hashing.xxh3_64()::hashCharsToLong).distinct().toArray();
  }

  public static void main(String[] arguments) throws IOException {
    ObjectMapper json = new ObjectMapper();
    SimilarityHasher hasher = SimilarityHashing.minHash(BANDS * 8, 16).createHasher();
    List<Map<Long, List<Integer>>> tables = new ArrayList<>();
    for (int band = 0; band < BANDS; ++band) tables.add(new HashMap<>());
    try (var lines = Files.newBufferedReader(Path.of(arguments[0])); var output = new PrintWriter(arguments[1])) {
      String line;
      for (int i = 0; (line = lines.readLine()) != null; ++i) {
        byte[] hash = hasher.compute(ElementHashProvider.ofValues(features(json.readTree(line).get("text").asText())));
        var found = new TreeSet<Integer>();
        for (int band = 0; band < BANDS; ++band) {
          long key = Hashing.xxh3_64().hashBytesToLong(hash, band * BYTES, BYTES);
          List<Integer> bucket = tables.get(band).computeIfAbsent(key, unused -> new ArrayList<>());
          found.addAll(bucket);
          bucket.add(i);
        }
        for (int j : found) output.println(j + "\t" + i);
      }
    }
  }
}
