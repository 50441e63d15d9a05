// Measures how long a deduplicator takes to add texts, by the number of kept texts and the size of a batch, in C++ and
// C.
#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/fingerprint/defaults.hpp>
#include <neardup/fingerprint/simhasher.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../examples/c/neardup.h"

namespace {

std::string text() {
  static std::mt19937 random(1);
  std::string result;
  for (int word = 0; word < 20; ++word) result += 'w' + std::to_string(random() % 20'000) + ' ';
  return result;
}

/// A class around the C interface. It has the members of a deduplicator that are measured.
class c_deduplicator {
 public:
  c_deduplicator() { check(neardup_dedup_new(nullptr, nullptr, &dedup_, nullptr)); }
  c_deduplicator(const c_deduplicator&) = delete;
  c_deduplicator& operator=(const c_deduplicator&) = delete;
  ~c_deduplicator() { neardup_dedup_free(dedup_); }

  void add(const std::string& text) { add_batch({&text, 1}); }
  void add_batch(std::span<const std::string> texts) {
    input_.clear();
    for (const std::string& text : texts) input_.push_back({text.data(), text.size()});
    is_new_.resize(texts.size());
    original_.resize(texts.size());
    similarity_.resize(texts.size());
    neardup_input input{};
    input.texts = input_.data();
    input.size = input_.size();
    const neardup_run run{1, nullptr, nullptr, nullptr};
    const neardup_verdicts verdicts{is_new_.data(), original_.data(), similarity_.data()};
    check(neardup_dedup_add(dedup_, &input, nullptr, nullptr, &run, &verdicts, nullptr));
  }

 private:
  static void check(neardup_status status) {
    if (status != NEARDUP_OK) std::abort();
  }

  neardup_dedup* dedup_ = nullptr;
  std::vector<neardup_text> input_;
  std::vector<std::uint8_t> is_new_;
  std::vector<std::uint64_t> original_;
  std::vector<double> similarity_;
};

/// Prints the microseconds of processor time per text: one by one, then in batches of 1, 10, ... 100,000.
template <class Dedup>
void measure(const char* name, Dedup&& dedup, std::size_t kept) {
  std::vector<std::string> texts(kept);
  std::generate(texts.begin(), texts.end(), text);
  dedup.add_batch(std::span<const std::string>(texts));
  std::printf("| %s | %zu |", name, kept);
  for (const std::size_t size : {0U, 1U, 10U, 100U, 1000U, 10'000U, 100'000U}) {
    texts.resize(std::max<std::size_t>(size, 2000));
    std::generate(texts.begin(), texts.end(), text);
    const std::clock_t start = std::clock();
    if (size == 0) {
      for (const std::string& one : texts) dedup.add(one);
    } else {
      for (std::size_t i = 0; i < texts.size(); i += size) {
        dedup.add_batch(std::span<const std::string>(texts).subspan(i, size));
      }
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf(" %.1f |", seconds / static_cast<double>(texts.size()) * 1e6);
    std::fflush(stdout);
  }
  std::puts("");
}

}  // namespace

int main(int count, char** sizes) {
  using neardup::jaccard;
  const auto by_fingerprints = [](const neardup::fingerprint_dedup_options& options) {
    return neardup::fingerprint_deduplicator{neardup::simhasher{neardup::default_tokenizer{}}, jaccard{0.8}, options};
  };
  for (int i = 1; i < count; ++i) {
    const std::size_t kept = std::strtoull(sizes[i], nullptr, 10);
    measure("C++", neardup::deduplicator{jaccard{0.8}}, kept);
    measure("C++, within 3 bits", by_fingerprints({.distance = 3}), kept);
    measure("C++, by fingerprints", by_fingerprints({}), kept);
    measure("C", c_deduplicator(), kept);
  }
}
