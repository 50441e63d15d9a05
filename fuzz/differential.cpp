// Many random texts under every composition: compares the kernels of each instruction set of the machine with a bag,
// which processes token by token, and the bag with the oracle on a sample. README.md tells how to run it.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <neardup/detail/bits.hpp>
#include <neardup/fingerprint.hpp>

#include "composition.hpp"
#include "oracle/fingerprint.hpp"
#include "support/instruction_sets.hpp"

namespace {

constexpr std::size_t batch_size = 1024;
constexpr std::size_t longest_text = 600;

/// SplitMix64. A case takes only a few numbers, so they have to be cheap.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return neardup::detail::mix(state_ += neardup::detail::golden_ratio); }
  std::size_t below(std::size_t end) { return next() % end; }

 private:
  std::uint64_t state_;
};

/// Texts of one kind, concatenated; a case is a substring. So cases cost nothing to make, may begin and end inside a
/// character, and a kernel that reads past the end finds more letters there.
std::string pool_of_texts(random_source& random) {
  using namespace std::string_view_literals;
  static constexpr std::string_view spaces[] = {" "sv, " "sv, " "sv, ", "sv, ".\n"sv, "\0"sv, "-"sv, "\x1f"sv};
  static constexpr std::string_view pieces[] = {
      "a"sv,          "B"sv,      "7"sv,          "\u00e9"sv,     "\u0130"sv,
      "\u0416"sv,     "\u0301"sv, "\u05d0"sv,     "\u0628"sv,     "\u0915\u093f"sv,
      "\u0e01"sv,     "\u0e48"sv, "\u3042"sv,     "\u3099"sv,     "\u4e2d"sv,
      "\U00020000"sv, "\uac00"sv, "\U00010400"sv, "\U0001f600"sv, "\xe4\xb8"sv,
      "\xf0"sv,       "\x80"sv,   "\xed\xa0"sv,   " "sv,          "_"sv};
  constexpr std::size_t size = 64 * longest_text;
  std::string pool;
  const std::size_t kind = random.below(6);
  const std::size_t letters = 1 + random.below(26);
  const std::size_t first_letter = random.below(27 - letters);
  const std::size_t longest_word = 1 + random.below(random.below(8) == 0 ? 90 : 10);
  const auto add_word = [&] {
    for (std::size_t left = 1 + random.below(longest_word); left > 0; --left) {
      const std::uint64_t kind_of_letter = random.below(16);
      const char first = kind_of_letter == 0 ? '0' : kind_of_letter < 3 ? 'A' : 'a';
      const std::size_t offset = random.below(letters) + first_letter;
      pool += static_cast<char>(first + static_cast<char>(first == '0' ? offset % 10 : offset));
    }
    pool += spaces[random.below(std::size(spaces))];
  };
  const auto add_han = [&] { pool += oracle::encode(static_cast<std::uint32_t>(0x4e00 + random.below(20 * letters))); };
  while (pool.size() < size) {
    switch (kind) {
      case 0: add_word(); break;
      case 1: random.below(12) == 0 ? void(pool += "\u3002") : add_han(); break;
      case 2: pool += pieces[random.below(std::size(pieces))]; break;
      case 3: pool += static_cast<char>(random.next()); break;
      case 4: random.below(8) == 0 ? add_han() : add_word(); break;
      default: {  // the same stretch repeated, with a typo now and then
        const std::size_t begin = pool.size();
        const std::size_t length = 1 + random.below(40);
        for (std::size_t i = 0; i < length; ++i) add_word();
        const std::string stretch = pool.substr(begin);
        while (pool.size() < size) {
          pool += stretch;
          if (random.below(4) == 0) add_word();
        }
      }
    }
  }
  return pool;
}

struct options {
  std::uint64_t cases = 1'000'000;
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::size_t oracle_every = 1000;  // ask the oracle once in so many cases; 0 for never
};

/// Switches through the instruction levels, the portable one first. The level is a setting of the whole program, so all
/// threads switch together.
class level_clock {
 public:
  explicit level_clock(std::size_t threads) : barrier_(static_cast<std::ptrdiff_t>(threads), next_level{this}) {}

  [[nodiscard]] std::size_t levels() const { return levels_.size(); }

  /// Waits for the other threads; then the next level is active. Returns: its name.
  std::string_view tick() {
    barrier_.arrive_and_wait();
    return to_string(neardup::active_instruction_set());
  }

 private:
  struct next_level {
    level_clock* clock;
    void operator()() noexcept {
      neardup::set_instruction_set(clock->levels_[clock->ticks_++ % clock->levels_.size()]);
    }
  };

  std::vector<neardup::instruction_set> levels_ = support::instruction_sets();
  std::size_t ticks_ = 0;
  std::barrier<next_level> barrier_;
};

[[noreturn]] void fail(const fuzz::input& in, std::string_view what) {
  std::string bytes(in.header.begin(), in.header.end());
  bytes += in.text;
  std::printf("%s\ndiffers: %.*s\ninput: %s\n", fuzz::describe(in).c_str(), static_cast<int>(what.size()), what.data(),
              fuzz::hex(bytes).c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

/// Asks the oracle once in `every` cases, if it knows the characters.
struct oracle_sample {
  std::size_t every;
  std::uint64_t cases = 0;
  std::uint64_t asked = 0;

  bool takes(const fuzz::input& in) {
    const bool taken = every != 0 && ++cases % every == 0 && fuzz::oracle_knows(in);
    asked += taken ? 1 : 0;
    return taken;
  }
};

/// Runs a batch of cases of one composition, each under all levels.
template <class Composition>
void check_batch(const std::vector<fuzz::input>& batch, oracle_sample& sample, level_clock& clock) {
  using simhasher = decltype(Composition::make(batch.front()));
  using fingerprint = std::optional<typename simhasher::fingerprint_type>;
  std::vector<fingerprint> expected;
  for (std::size_t level = 0; level < clock.levels(); ++level) {
    const std::string_view name = clock.tick();
    typename simhasher::workspace workspace;  // keeps the level that was active when it was made
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const simhasher hash = Composition::make(batch[i]);
      if (level == 0) {
        expected.push_back(hash(hash.bag(batch[i].text), workspace));
        if (sample.takes(batch[i]) &&
            oracle::digits(expected[i]) != fuzz::expected_fingerprint(batch[i], Composition::bits)) {
          fail(batch[i], "oracle");
        }
      }
      if (hash(batch[i].text, workspace) != expected[i]) fail(batch[i], name);
    }
  }
}

struct totals {
  std::atomic<std::uint64_t> cases{0};
  std::atomic<std::uint64_t> asked{0};
};

void run_thread(const options& chosen, std::size_t thread, std::uint64_t batches, level_clock& clock, totals& sums) {
  random_source random(neardup::detail::mix(chosen.seed * 1000 + thread));
  oracle_sample sample{chosen.oracle_every};
  std::vector<fuzz::input> batch;
  for (; batches > 0; --batches) {
    const std::string pool = pool_of_texts(random);
    const std::uint64_t composition = random.next();
    batch.clear();
    while (batch.size() < batch_size) {
      const std::size_t size = random.below(random.below(2) == 0 ? longest_text + 1 : 80);
      const std::string_view text = std::string_view(pool).substr(random.below(pool.size() - size), size);
      fuzz::input in{{}};
      const std::uint64_t settings = random.next();
      std::memcpy(in.header.data(), &settings, in.header.size());
      std::memcpy(in.header.data(), &composition, 2);  // tokenizer and weighter
      in.text = text;
      batch.push_back(in);
    }
    fuzz::visit_composition(batch.front(), [&](auto kind) { check_batch<decltype(kind)>(batch, sample, clock); });
    sums.cases += batch.size();
    sums.asked += std::exchange(sample.asked, 0);
  }
}

options parse(int count, char** arguments) {
  options chosen;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    char* end = nullptr;
    const std::uint64_t value = i + 1 < count ? std::strtoull(arguments[i + 1], &end, 10) : 0;
    const bool is_number = end != nullptr && *end == '\0' && end != arguments[i + 1];
    if (is_number && name == "--cases") {
      chosen.cases = value;
    } else if (is_number && name == "--seed") {
      chosen.seed = value;
    } else if (is_number && name == "--threads" && value > 0) {
      chosen.threads = value;
    } else if (is_number && name == "--oracle-every") {
      chosen.oracle_every = value;
    } else {
      std::fprintf(stderr,
                   "usage: %s [--cases N] [--seed N] [--threads N] [--oracle-every N]\n"
                   "Exits with 1 at the first difference, which it prints.\n",
                   arguments[0]);
      std::exit(2);
    }
  }
  return chosen;
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  const std::uint64_t batches = (chosen.cases + batch_size * chosen.threads - 1) / (batch_size * chosen.threads);

  const auto begin = std::chrono::steady_clock::now();
  totals sums;
  const auto report = [&](std::FILE* out, const char* ending) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto cases = static_cast<double>(sums.cases);
    std::fprintf(out, "%.0f cases, %llu of them against the oracle, %.0f s, %.0f cases/s%s\n", cases,
                 static_cast<unsigned long long>(sums.asked), seconds, cases / seconds, ending);
  };

  level_clock clock(chosen.threads);
  std::printf("instruction sets:");
  for (const auto level : support::instruction_sets()) std::printf(" %s", std::string(to_string(level)).c_str());
  std::printf("\n");

  std::atomic<bool> done = false;
  std::thread reporter([&] {
    for (int tick = 1; !done; ++tick) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (tick % 100 == 0) report(stderr, " so far");
    }
  });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < chosen.threads; ++i) {
    threads.emplace_back([&, i] { run_thread(chosen, i, batches, clock, sums); });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  reporter.join();
  report(stdout, ", no difference");
}
