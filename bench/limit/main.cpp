// Compares each stage of an exact join with a limit: the time of the work that no version of the stage can avoid, on
// this machine.
//
// usage: neardup_bench_limit CORPUS.jsonl [COMMAND]
//
// CORPUS.jsonl: records with `id` and `text`, as neardup_bench_scale makes them. Prints a table for one thread, in
// nanoseconds of processor time for each text. Each figure is the least of five measurements. COMMAND is the
// command `neardup`; `COMMAND pairs --jsonl CORPUS.jsonl` is measured, too.
#include <fcntl.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <neardup/detail/bits.hpp>
#include <neardup/detail/large_array.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../mixing.hpp"

namespace {

namespace nd = neardup::detail;
using feature_sets = neardup::feature_sets<>;

constexpr int rounds = 5;
constexpr double similarity = 0.8;

/// Prevents the compiler from removing the calculation of `value`.
template <class T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");  // NOLINT(hicpp-no-assembler)
}

/// Returns the processor time of a call in nanoseconds, the least of some calls.
double time_of(const std::function<void()>& call, int times = rounds) {
  double least = 0;
  for (int i = 0; i < times; ++i) {
    timespec begin{}, end{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    call();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    const double took =
        1e9 * static_cast<double>(end.tv_sec - begin.tv_sec) + static_cast<double>(end.tv_nsec - begin.tv_nsec);
    least = i == 0 ? took : (std::min)(least, took);
  }
  return least;
}

struct corpus {
  std::string bytes;  // with padding behind the last line
  std::size_t size = 0;
  std::vector<std::string> texts;
};

/// Calls `visit(id, text)` for each record.
template <class Visit>
void for_each_record(const corpus& all, const Visit& visit) {
  simdjson::ondemand::parser parser;
  const std::string_view lines = std::string_view(all.bytes).substr(0, all.size);
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = (std::min)(lines.find('\n', begin), lines.size());
    simdjson::ondemand::document record;
    std::string_view id, text;
    if (parser.iterate(lines.data() + begin, end - begin, all.bytes.size() - begin).get(record) ||
        record["id"].get(id) || record["text"].get(text)) {
      throw std::runtime_error("a line is no record with id and text");
    }
    visit(id, text);
    begin = end + 1;
  }
}

corpus read_corpus(const char* path) {
  corpus all;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(std::string(path) + ": cannot be read");
  all.bytes.assign(std::istreambuf_iterator<char>(in), {});
  all.size = all.bytes.size();
  all.bytes.append(simdjson::SIMDJSON_PADDING, ' ');
  for_each_record(all, [&](std::string_view, std::string_view text) { all.texts.emplace_back(text); });
  return all;
}

/// Reads a file in blocks of 1 MiB, as fast as the system copies it from its cache.
void read_blocks(const char* path) {
  std::vector<char> block(std::size_t{1} << 20);
  const int file = open(path, O_RDONLY);
  while (file >= 0 && read(file, block.data(), block.size()) > 0) use(block[0]);
  if (file >= 0) close(file);
}

/// Returns the time to read or write a random cache line of a table of `bytes`, if later lines are prefetched.
double time_of_line(std::size_t bytes) {
  constexpr std::size_t count = std::size_t{1} << 22, ahead = 32;
  nd::large_array<std::uint64_t> table((std::max)(bytes / 8, std::size_t{4096}));
  std::memset(table.data(), 0, table.size() * 8);
  const auto place = [&](std::size_t i) {
    return static_cast<std::size_t>((neardup_bench::mix(i) >> 32U) * table.size() >> 32U);
  };
  return time_of([&] {
           for (std::size_t i = 0; i < count; ++i) {
             nd::prefetch(&table[place(i + ahead)]);
             table[place(i)] += i;
           }
         }) /
         static_cast<double>(count);
}

/// Returns the time per record of a pass that moves each Record to one of 2^10 buckets.
template <class Record>
double time_of_pass(std::size_t count) {
  std::vector<Record> from(count), to(count);
  for (std::size_t i = 0; i < count; ++i)
    std::memset(&from[i], static_cast<int>(neardup_bench::mix(i) & 0xffU), sizeof(Record));
  for (std::size_t i = 0; i < count; ++i) {
    const auto key = static_cast<std::uint32_t>(neardup_bench::mix(i));
    std::memcpy(&from[i], &key, sizeof key);
  }
  std::vector<std::uint32_t> next(1024);
  const auto bucket = [](const Record& r) {
    std::uint32_t key = 0;
    std::memcpy(&key, &r, sizeof key);
    return key >> 22U;
  };
  return time_of([&] {
           std::fill(next.begin(), next.end(), 0U);
           for (const Record& r : from) ++next[bucket(r)];
           std::uint32_t sum = 0;
           for (std::uint32_t& n : next) sum += std::exchange(n, sum);
           for (const Record& r : from) to[next[bucket(r)]++] = r;
           use(to[0]);
         }) /
         static_cast<double>(count);
}

/// Returns the time per number to sort `size` numbers by one pass, in the first-level cache.
double time_to_sort(std::size_t size) {
  constexpr std::size_t sets = 20'000;
  std::vector<std::uint32_t> from(size), to(size);
  for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::uint32_t>(neardup_bench::mix(i));
  std::array<std::uint8_t, 64> next{};
  return time_of([&] {
           for (std::size_t set = 0; set < sets; ++set) {
             next = {};
             for (const std::uint32_t n : from) ++next[n >> 26U];
             std::uint8_t sum = 0;
             for (std::uint8_t& n : next) {
               const std::uint8_t count = n;
               n = sum;
               sum = static_cast<std::uint8_t>(sum + count);
             }
             for (const std::uint32_t n : from) to[next[n >> 26U]++ % size] = n;
             use(to[0]);
           }
         }) /
         static_cast<double>(sets * size);
}

/// Returns the time to write a byte of memory that the process has not used before.
double time_of_fresh_byte() {
  constexpr std::size_t size = std::size_t{1} << 27;
  return time_of([&] {
           nd::large_array<char> memory(size);
           std::memset(memory.data(), 1, size);
           use(memory[0]);
         }) /
         static_cast<double>(size);
}

/// Returns the processor time of a command, with its output to /dev/null.
double time_of_command(const std::vector<const char*>& words) {
  double least = 0;
  for (int i = 0; i < rounds; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, 1);
      std::vector<char*> arguments;
      for (const char* const word : words) arguments.push_back(const_cast<char*>(word));
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    int status = 0;
    rusage used{};
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) {
      throw std::runtime_error(std::string(words[0]) + " failed");
    }
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    const double took = 1e9 * (seconds(used.ru_utime) + seconds(used.ru_stime));
    least = i == 0 ? took : (std::min)(least, took);
  }
  return least;
}

/// The work of a join of sets: average counts for each text.
struct join_counts {
  double features = 0, looked_up = 0, posted = 0, met = 0, pairs = 0;
};

/// Counts the tokens that a join puts into posting lists or looks up, and the postings that it finds.
join_counts count_join(const nd::distinct_sets<std::uint32_t>& sets, const nd::set_prefixes& prefixes) {
  join_counts counts;
  std::vector<std::uint32_t> posted, looked_up;
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    const nd::prefix_tokens prefix = prefixes[sets.first_of(rank)];
    looked_up.insert(looked_up.end(), prefix.tokens.begin(), prefix.tokens.end());
    posted.insert(posted.end(), prefix.tokens.begin(),
                  prefix.tokens.begin() + static_cast<std::ptrdiff_t>(prefix.posted));
  }
  std::sort(posted.begin(), posted.end());
  for (const std::uint32_t token : looked_up) {
    const auto [first, last] = std::equal_range(posted.begin(), posted.end(), token);
    counts.met += static_cast<double>(last - first) / 2;  // only partners that are not larger are examined
  }
  counts.looked_up = static_cast<double>(looked_up.size());
  counts.posted = static_cast<double>(posted.size());
  return counts;
}

class table {
 public:
  explicit table(std::size_t texts) : texts_(static_cast<double>(texts)) {
    std::puts(
        "| stage | work for each text that no program can avoid | limit, ns | now, ns | ratio "
        "|\n|---|---|--:|--:|--:|");
  }
  /// Prints a row of the table. `limit` and `now` are seconds for all texts.
  void row(const char* stage, const std::string& work, double limit, double now) {
    limits_ += limit;
    now_ += now;
    print(stage, work, limit, now);
  }
  void sum(double now) const { print("the whole command", "", limits_, now); }
  [[nodiscard]] double now() const { return now_; }

 private:
  void print(const char* stage, const std::string& work, double limit, double now) const {
    std::printf("| %s | %s | %.0f | %.0f | %.1f |\n", stage, work.c_str(), limit / texts_, now / texts_, now / limit);
  }

  double texts_, limits_ = 0, now_ = 0;
};

std::string amount(double n, const char* what) {
  char text[64];
  std::snprintf(text, sizeof text, n < 10 ? "%.2f %s" : "%.0f %s", n, what);
  return text;
}

void measure(const char* path, const char* command) {
  const corpus all = read_corpus(path);
  const auto n = static_cast<double>(all.texts.size());
  double text_bytes = 0;
  for (const std::string& text : all.texts) text_bytes += static_cast<double>(text.size());
  table out(all.texts.size());

  const double reads = time_of([&] { read_blocks(path); });
  const double parses = time_of([&] { for_each_record(all, [](std::string_view id, std::string_view) { use(id); }); });

  // The features are added in chunks, so that no set is copied twice.
  std::vector<feature_sets> chunks;
  constexpr std::size_t in_chunk = std::size_t{1} << 16;
  const auto extract = [&] {
    chunks.clear();
    const neardup::feature_extractor<neardup::default_tokenizer> features_of;
    decltype(features_of)::workspace memory;
    for (std::size_t i = 0; i < all.texts.size(); ++i) {
      if (i % in_chunk == 0) chunks.emplace_back();
      chunks.back().add(features_of(all.texts[i], memory));
    }
  };
  const double extracts = time_of(extract);
  double features = 0;
  for (const feature_sets& chunk : chunks) features += static_cast<double>(chunk.feature_count());
  const neardup::simhasher hash{neardup::words{}, neardup::tf{}};
  const double hashes = time_of([&] {
    decltype(hash)::workspace memory;
    for (const std::string& text : all.texts) use(hash(text, memory));
  });
  const double sorts = features * time_to_sort(static_cast<std::size_t>(features / n));
  const double stores = 4 * features * time_of_fresh_byte();
  out.row("features", amount(text_bytes / n, "bytes: words hashed, ") + amount(features / n, "numbers sorted, stored"),
          hashes + sorts + stores, extracts);

  const nd::set_source<std::uint32_t> source{all.texts.size(),
                                             [&](std::size_t i) { return chunks[i / in_chunk][i % in_chunk]; }};
  const neardup::any_runner one_thread;
  const nd::overlap_bounds bounds(neardup::set_threshold(neardup::jaccard{similarity}));
  const double pass_of_words = time_of_pass<std::uint64_t>(all.texts.size());
  const double orders = time_of(
      [&] { use(nd::distinct_sets<std::uint32_t>(source, all.texts.size(), bounds.min_common(), one_thread)); });
  const nd::distinct_sets<std::uint32_t> sets(source, all.texts.size(), bounds.min_common(), one_thread);
  out.row("bitmaps, document frequencies, equal sets, order", "4 passes over words of 8 bytes", 4 * n * pass_of_words,
          orders);

  const std::size_t block = nd::set_join_sizes{}.block;
  const double finds = time_of([&] { use(nd::set_prefixes(sets, bounds, one_thread, block)); });
  const nd::set_prefixes prefixes(sets, bounds, one_thread, block);
  double in_prefixes = 0;
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    in_prefixes += static_cast<double>(bounds.prefix(sets.size_of(rank)));
  }
  const double line_of_counts = time_of_line((std::min)(static_cast<std::size_t>(features / 4), std::size_t{1} << 21));
  out.row("prefixes", amount(features / n, "lines of the counts, ") + amount(in_prefixes / n, "prefix features"),
          features * line_of_counts, finds);

  join_counts of = count_join(sets, prefixes);
  const double joins = time_of([&] {
    of.pairs = 0;
    nd::set_join<std::uint32_t> join(sets, prefixes, bounds, one_thread, {});
    join.visit([&](std::size_t, std::span<const nd::similar_ranks> some) {
      of.pairs += static_cast<double>(some.size());
      return true;
    });
  });
  using record = std::array<std::uint32_t, 3>;
  const double pass_of_postings = time_of_pass<record>((std::max)(static_cast<std::size_t>(of.posted), std::size_t{1}));
  const double line_of_postings = time_of_line(static_cast<std::size_t>(of.posted * (sizeof(record) + 4)));
  const double line_of_bitmaps = time_of_line(static_cast<std::size_t>(16 * n));
  const double line_of_sets = time_of_line(static_cast<std::size_t>(4 * features));
  const double lines_a_set = 1 + features / n / 16;
  out.row("postings, look-ups, verification",
          amount(of.posted / n, "postings in 2 passes, ") + amount(2 * of.looked_up / n, "lines looked up, ") +
              amount(of.met / n, "bitmaps, ") + amount(of.pairs / n, "pairs compared"),
          2 * of.posted * pass_of_postings + 2 * of.looked_up * line_of_postings + of.met * line_of_bitmaps +
              of.pairs * 2 * lines_a_set * line_of_sets,
          joins);
  if (command == nullptr) return;
  const double total = time_of_command({command, "pairs", "--jsonl", "--threads", "1", "--quiet", path});
  out.row("the rest: reading, JSON, ids, output", amount(static_cast<double>(all.size) / n, "bytes read, parsed"),
          reads + parses, total - out.now());
  out.sum(total);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fputs("usage: neardup_bench_limit CORPUS.jsonl [COMMAND]\n", stderr);
    return 2;
  }
  try {
    measure(words[1], count == 3 ? words[2] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
