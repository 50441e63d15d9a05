// Replaces the text of each record by its words, as Ansj's ToAnalysis cuts it, with a space between words. A term without
// a letter or a digit is no word. Reads and writes JSON Lines.
//
//   mvn -q -f bench/chinese/ansj dependency:copy-dependencies    (Debian: openjdk-17-jdk-headless, maven)
//   java -cp 'build/ansj/*' bench/chinese/ansj/Words.java < pages.jsonl > words.jsonl
//   neardup groups --jsonl --features spaced:words --weights tfidf --top 20 --distance 3 words.jsonl
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;
import java.util.stream.Collectors;
import org.ansj.domain.Term;
import org.ansj.splitWord.analysis.ToAnalysis;
import org.ansj.util.MyStaticValue;

public class Words {
  static String wordsOf(String text) {
    return ToAnalysis.parse(text).getTerms().stream()
        .map(Term::getRealName)
        .filter(word -> word.codePoints().anyMatch(Character::isLetterOrDigit))
        .collect(Collectors.joining(" "));
  }

  public static void main(String[] arguments) throws IOException {
    PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    LogManager.getLogManager().reset();  // Ansj warns if the dictionaries of the user are missing
    MyStaticValue.isRealName = true;     // words as they are in the text, not folded
    ObjectMapper json = new ObjectMapper();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = input.readLine()) != null; ) {
      ObjectNode record = (ObjectNode) json.readTree(line);
      record.put("text", wordsOf(record.get("text").asText()));
      output.println(json.writeValueAsString(record));
    }
    output.flush();
    if (output.checkError()) throw new IOException("standard output cannot be written");
  }
}
