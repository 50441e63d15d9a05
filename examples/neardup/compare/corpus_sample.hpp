// Samples a corpus, and finds the near-duplicates of the sampled documents in the whole corpus. Advice is based on this
// sample.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <neardup/fingerprint/any_tokenizer.hpp>
#include <neardup/fingerprint/feature_extractor.hpp>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/fingerprint/minwise_hasher.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/fingerprint/weighters.hpp>
#include <neardup/runner.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/simhash.hpp>
#include <neardup/text/feature_choice.hpp>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../ground/pipeline.hpp"
#include "sample_join.hpp"

namespace command {

/// The fingerprints of one text, for advice: SimHash and min-wise codes, each with 64 and with 128 bits.
class fingerprints_of_text {
 public:
  fingerprints_of_text(const neardup::simhash<128>& fingerprint, std::span<const std::uint64_t> features)
      : fingerprint_(fingerprint), narrow_code_(code_of<64>(features)), wide_code_(code_of<128>(features)) {}

  /// Returns the fingerprint of `kind` with 64 or 128 bits. A min-wise code has the type simhash, too, so the search is
  /// compiled once for both kinds.
  template <std::size_t Bits>
  [[nodiscard]] neardup::simhash<Bits> get(neardup::fingerprint_kind kind) const {
    const bool is_minwise = kind == neardup::fingerprint_kind::minwise;
    if constexpr (Bits == 64) {
      return is_minwise ? narrow_code_ : neardup::simhash<64>(fingerprint_.to_words()[0]);
    } else {
      return is_minwise ? wide_code_ : fingerprint_;
    }
  }

 private:
  template <std::size_t Bits>
  static neardup::simhash<Bits> code_of(std::span<const std::uint64_t> features) {
    neardup::minwise_sketch<Bits> sketch;
    sketch.add(features);
    return neardup::simhash<Bits>(sketch.result().value_or(neardup::minwise<Bits>()).to_words());
  }

  neardup::simhash<128> fingerprint_;  // word 0 is the 64-bit fingerprint
  neardup::simhash<64> narrow_code_;   // the bits of the min-wise code of 64 bits
  neardup::simhash<128> wide_code_;    // the bits of the min-wise code of 128 bits
};

/// Computes features and fingerprints of texts, for one choice of features. Each thread needs its own reader.
struct sample_reader {
  /// Returns the fingerprints of the distinct features, each with weight 1, or nullopt if the text has no features.
  std::function<std::optional<fingerprints_of_text>(std::string_view text)> fingerprint;
  /// Returns the hashes of the distinct features, ascending. The result is valid until the next call of `features` or
  /// `fingerprint`.
  std::function<std::span<const std::uint64_t>(std::string_view text)> features;
};

[[nodiscard]] inline sample_reader make_sample_reader(const neardup::feature_choice& choice, std::uint64_t seed) {
  const auto tokenizer =
      neardup::with_tokenizer(choice, [](const auto& chosen) { return neardup::any_tokenizer(chosen); });
  const neardup::xxh3<128> wide{seed};
  const neardup::xxh3<64> narrow{seed};
  const auto hash = neardup::make_simhasher<128>(tokenizer, neardup::unit{}, wide);
  const neardup::feature_extractor<neardup::any_tokenizer, neardup::xxh3<64>, std::uint64_t> extract(tokenizer, narrow);
  const auto hash_memory = std::make_shared<typename decltype(hash)::workspace>();
  const auto memory = std::make_shared<typename decltype(extract)::workspace>();
  sample_reader reader;
  reader.features = [=](std::string_view text) { return extract(text, *memory); };
  reader.fingerprint = [=](std::string_view text) -> std::optional<fingerprints_of_text> {
    const auto by_votes = hash(text, *hash_memory);
    if (!by_votes) return std::nullopt;
    return fingerprints_of_text(*by_votes, extract(text, *memory));
  };
  return reader;
}

/// Limits how much of a corpus is examined.
struct sample_limits {
  std::size_t documents;  ///< documents in the sample
  std::size_t bytes;      ///< bytes of the texts in the sample; see corpus_sample
  std::size_t compared;   ///< most documents whose fingerprints are kept
  std::uint64_t seed;     ///< seed of all random choices, and of the hashes
  bool fingerprints;      ///< true if fingerprints are made at all
};

/// SplitMix64: maps the values of a counter to numbers that look random.
inline std::uint64_t spread(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Calls `work(part, i)` for each i below `count`, in `parts` parts of the runner. After a call has thrown, other parts
/// only finish the steps that they have begun.
/// Throws: an exception of `work`.
template <class Work>
void for_each_in_parts(const neardup::any_runner& run, std::size_t parts, std::size_t count, const Work& work) {
  constexpr std::size_t step = 8;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  run(parts, [&](std::size_t part) {
    const std::exception_ptr thrown = caught([&] {
      for (std::size_t first = next.fetch_add(step); first < count; first = next.fetch_add(step)) {
        for (std::size_t i = first; i < std::min(first + step, count); ++i) work(part, i);
      }
    });
    if (thrown == nullptr) return;
    next = count;
    const std::lock_guard lock(mutex);
    failure = thrown;
  });
  if (failure != nullptr) std::rethrow_exception(failure);
}

/// A sample of a corpus. The corpus is read twice in the same order. The sample is uniform, but a text of more than a
/// sixteenth of sample_limits::bytes is left out. If all texts are that long, the sample is the first text. The second
/// pass finds the near-duplicates of the sampled documents in the whole corpus, and keeps the fingerprints of some or
/// all documents.
///
/// If many documents resemble one another, comparing each document with the whole sample takes too long. Then the
/// sample is thinned out before the second pass. A document that would be compared with many others is kept with a
/// probability p < 1. A kept document then represents 1 / p documents.
class corpus_sample {
 public:
  using fingerprints_type = std::vector<std::optional<fingerprints_of_text>>;

  /// The comparison of two texts by one choice of features. The outer index is 0 for SimHash, 1 for min-wise codes.
  struct compared_pair {
    std::array<double, 2> difference;                       // probability that a bit differs
    std::array<std::array<std::uint64_t, 2>, 2> differing;  // the bits that differ, of 128
    std::array<std::array<int, 2>, 2> distance;             // with 64 bits, with 128 bits
  };

  struct neighbour {
    std::uint64_t priority;  // random; the neighbours with the smallest priorities are kept
    std::uint64_t ordinal;
    std::vector<compared_pair> by_features;
  };

  struct sampled {
    std::uint64_t ordinal = 0;
    std::string text;
    double stands_for = 1;        // number of drawn documents that this document represents, including itself
    std::uint64_t copies = 0;     // number of other documents with the same features
    std::uint64_t degree = 0;     // number of near-duplicates that are not copies
    std::vector<neighbour> kept;  // a random selection of these near-duplicates

    /// Returns the weight of the document. With these weights, each family of near-duplicates counts once, and so does
    /// each document without near-duplicates.
    [[nodiscard]] double weight() const noexcept { return stands_for / (1 + static_cast<double>(copies + degree)); }
  };

  /// Makes an empty sample. Two documents are near-duplicates if the Jaccard similarity of their features, by the first
  /// choice of features, is at least `similarity`.
  corpus_sample(double similarity, std::vector<neardup::feature_choice> features, const sample_limits& limits)
      : similarity_(similarity), features_(std::move(features)), limits_(limits), room_(limits.documents) {}

  void add(std::string_view text) {
    const std::uint64_t ordinal = documents_++;
    total_bytes_ += static_cast<double>(text.size());
    // A text above the limit would be a large part of the sample. So it is added only while the sample is empty.
    const bool is_too_long = text.size() > limits_.bytes / max_share;
    if (is_too_long && !sample_.empty()) return;
    if (!is_too_long && eligible_++ == 0) {
      sample_.clear();
      sample_bytes_ = 0;
    }
    std::size_t place = sample_.size();
    if (place == room_) {
      const std::uint64_t chosen = drawn(draws_++, eligible_);
      if (chosen >= room_) return;
      place = static_cast<std::size_t>(chosen);
      sample_bytes_ -= sample_[place].text.size();
    } else {
      sample_.emplace_back();
    }
    sample_[place].ordinal = ordinal;
    sample_[place].text = text;
    sample_bytes_ += text.size();
    while (sample_bytes_ > limits_.bytes && sample_.size() > 1) drop_one();
  }

  [[nodiscard]] bool is_complete() const noexcept { return is_prepared_; }

  template <class Texts>
  void compare(const Texts& texts, const neardup::any_runner& runner) {
    prepare(runner);
    const std::size_t count = texts.size();
    std::vector<std::size_t> slots(count, not_compared);
    for (std::size_t i = 0; i < count; ++i) {
      if (limits_.fingerprints && is_compared(compared_ + i)) slots[i] = fingerprinted_++;
    }
    for (auto& of_features : fingerprints_) of_features.resize(fingerprinted_);

    struct met {
      std::uint32_t place;  // index in the sample
      bool is_copy;
    };
    std::vector<std::vector<met>> neighbours(count);
    for_each(runner, count, [&](worker& own, std::size_t i) {
      const auto& element = texts[i];  // texts[i] may return a temporary that owns the text
      const std::string_view text(element);
      join_.find(own.readers.front().features(text), own.join, [&](std::size_t a, double similarity) {
        // Only equal sets have a similarity of exactly 1, even after rounding. So similarity 1 means a copy.
        if (sample_[a].ordinal != compared_ + i)
          neighbours[i].push_back({static_cast<std::uint32_t>(a), similarity == 1});
      });
      if (slots[i] == not_compared) return;
      for (std::size_t f = 0; f < own.readers.size(); ++f) {
        fingerprints_[f][slots[i]] = own.readers[f].fingerprint(text);
      }
    });

    std::vector<std::size_t> with_news;
    for (std::size_t i = 0; i < count; ++i) {
      for (const met& one : neighbours[i]) {
        if (one.is_copy) {
          ++sample_[one.place].copies;
        } else if (admit(sample_[one.place], compared_ + i) && limits_.fingerprints) {
          with_news.push_back(one.place);
        }
      }
    }
    std::sort(with_news.begin(), with_news.end());
    with_news.erase(std::unique(with_news.begin(), with_news.end()), with_news.end());
    for_each(runner, with_news.size(), [&](worker& own, std::size_t j) {
      sampled& of = sample_[with_news[j]];
      for (std::size_t f = 0; f < own.readers.size(); ++f) {
        const auto features = own.readers[f].features(of.text);
        own.set.assign(features.begin(), features.end());
        for (neighbour& other : of.kept) {
          if (other.ordinal < compared_) continue;
          const auto& element = texts[static_cast<std::size_t>(other.ordinal - compared_)];
          const std::string_view text(element);
          const auto others = own.readers[f].features(text);
          const double similarity = neardup::jaccard_similarity(own.set, others);
          const double angle = std::acos(set_cosine(similarity, own.set.size(), others.size()));
          compared_pair both{{angle / std::numbers::pi, (1 - similarity) / 2}, {}, {}};
          const auto& a = queries_[f][with_news[j]];
          const auto b = own.readers[f].fingerprint(text);
          if (a && b) {
            compare_by(neardup::fingerprint_kind::simhash, *a, *b, 0, both);
            compare_by(neardup::fingerprint_kind::minwise, *a, *b, 1, both);
          }
          other.by_features.push_back(both);
        }
      }
    });
    compared_ += count;
  }

  [[nodiscard]] const std::vector<neardup::feature_choice>& features() const noexcept { return features_; }
  /// Returns the documents for which near-duplicates are counted. Until the first call of compare(), these are all
  /// documents of the sample. That call may remove some of them.
  [[nodiscard]] const std::vector<sampled>& sample() const noexcept { return sample_; }
  [[nodiscard]] std::size_t drawn_documents() const noexcept { return drawn_documents_; }
  [[nodiscard]] double weight() const noexcept {
    double sum = 0;
    for (const sampled& s : sample_) sum += s.stands_for;
    return sum;
  }
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }
  [[nodiscard]] std::uint64_t compared() const noexcept { return compared_; }
  [[nodiscard]] double mean_bytes() const noexcept { return total_bytes_ / static_cast<double>(documents_); }

  /// Returns the fingerprints of the sample, for choice number `f` of features.
  [[nodiscard]] const fingerprints_type& queries(std::size_t f) const { return queries_[f]; }

  /// Returns the fingerprints of the documents for which is_compared() is true. Sampled documents may be among them.
  [[nodiscard]] const fingerprints_type& fingerprints(std::size_t f) const { return fingerprints_[f]; }

  /// Returns true if the fingerprints of document `ordinal` are kept for comparison.
  [[nodiscard]] bool is_compared(std::uint64_t ordinal) const noexcept {
    // A sixteenth of the corpus is compared. If more were compared, computing six kinds of features for each document
    // would take longer than the rest of the advice. If fewer than 4,096 documents were compared, the size of 16-bit
    // buckets would be unknown.
    const std::uint64_t compared =
        (std::min)(std::uint64_t{limits_.compared}, (std::max)(std::uint64_t{4096}, documents_ / 16));
    if (documents_ <= compared) return true;
    const double share = static_cast<double>(compared) / static_cast<double>(documents_);
    return static_cast<double>(spread(~limits_.seed ^ spread(ordinal)) >> 11) < share * 0x1p53;
  }

  [[nodiscard]] double median_bytes() const noexcept { return median_bytes_; }

  /// Returns for each choice of features the number of distinct features of each document in the original sample. In a
  /// small corpus, choices after the first have only some documents, because counting all would take too long.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& feature_counts() const noexcept { return feature_counts_; }

  /// Returns random number i, modulo `limit`. The modulo favours small results, by at most limit / 2^64.
  /// Precondition: limit > 0.
  [[nodiscard]] std::uint64_t drawn(std::uint64_t i, std::uint64_t limit) const noexcept {
    return spread(limits_.seed ^ spread(i)) % limit;
  }

 private:
  static constexpr std::size_t max_neighbours = 16;  // near-duplicates examined in detail per sampled document
  static constexpr std::size_t max_share = 16;       // a text may take 1 / max_share of the bytes of the sample
  static constexpr std::size_t not_compared = ~std::size_t{0};

  struct worker {
    std::vector<sample_reader> readers;
    hash_set set;
    sample_join::workspace join;
  };

  static void compare_by(neardup::fingerprint_kind kind, const fingerprints_of_text& a, const fingerprints_of_text& b,
                         std::size_t place, compared_pair& both) {
    const auto first = a.get<128>(kind), second = b.get<128>(kind);
    both.distance[place] = {neardup::hamming_distance(a.get<64>(kind), b.get<64>(kind)),
                            neardup::hamming_distance(first, second)};
    for (std::size_t i = 0; i < 2; ++i) both.differing[place][i] = first.to_words()[i] ^ second.to_words()[i];
  }

  /// Removes a random document. The remaining documents are a smaller uniform sample.
  void drop_one() {
    sampled& out = sample_[static_cast<std::size_t>(drawn(draws_++, sample_.size()))];
    sample_bytes_ -= out.text.size();
    if (&out != &sample_.back()) out = std::move(sample_.back());
    sample_.pop_back();
    room_ = sample_.size();
  }

  void make_workers(std::size_t count) {
    while (workers_.size() < count) {
      worker next;
      for (const neardup::feature_choice& features : features_) {
        next.readers.push_back(make_sample_reader(features, limits_.seed));
      }
      workers_.push_back(std::move(next));
    }
  }

  template <class Work>
  void for_each(const neardup::any_runner& runner, std::size_t count, const Work& work) {
    const std::size_t parts = (std::min)(runner.parts(), count / 8 + 1);
    make_workers(parts);
    for_each_in_parts(runner, parts, count, [&](std::size_t part, std::size_t i) { work(workers_[part], i); });
  }

  /// Completes the sample in the first call of compare(): makes its sets and fingerprints, and thins it out.
  void prepare(const neardup::any_runner& runner) {
    if (is_prepared_) return;
    drawn_documents_ = sample_.size();
    median_bytes_ = median_size();
    std::vector<hash_set> sets(sample_.size());
    for_each(runner, sample_.size(), [&](worker& own, std::size_t i) {
      const auto features = own.readers.front().features(sample_[i].text);
      sets[i].assign(features.begin(), features.end());
    });
    count_features(sets, runner);
    join_ = sample_join(std::move(sets), similarity_);
    thin_out();
    queries_.assign(features_.size(), fingerprints_type(sample_.size()));
    fingerprints_.resize(features_.size());
    if (limits_.fingerprints) {
      for_each(runner, sample_.size(), [&](worker& own, std::size_t i) {
        for (std::size_t f = 0; f < own.readers.size(); ++f) {
          queries_[f][i] = own.readers[f].fingerprint(sample_[i].text);
        }
      });
    }
    is_prepared_ = true;
  }

  [[nodiscard]] double median_size() const {
    std::vector<std::size_t> sizes;
    for (const sampled& s : sample_) sizes.push_back(s.text.size());
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return static_cast<double>(*middle);
  }

  /// Fills `feature_counts_`. `sets`: the features of the sampled documents, for the first choice of features.
  void count_features(const std::vector<hash_set>& sets, const neardup::any_runner& runner) {
    constexpr std::uint64_t least = 500, share = 16;  // a sixteenth of the corpus, but at least 500 documents
    const auto counted =
        static_cast<std::size_t>((std::min)(std::uint64_t{sets.size()}, (std::max)(least, documents_ / share)));
    feature_counts_.assign(features_.size(), std::vector<std::size_t>(counted));
    feature_counts_.front().clear();
    for (const hash_set& set : sets) feature_counts_.front().push_back(set.size());
    for_each(runner, counted, [&](worker& own, std::size_t i) {
      // The sample of a small corpus has the order of the corpus. Evenly spaced documents represent the whole corpus.
      const std::string& text = sample_[i * sets.size() / counted].text;
      for (std::size_t f = 1; f < features_.size(); ++f) feature_counts_[f][i] = own.readers[f].features(text).size();
    });
  }

  /// Removes sampled documents, so that comparing a document of the corpus with the sample takes a limited number of
  /// steps. To predict this number, some documents of the sample are compared with the whole sample.
  void thin_out() {
    const std::size_t drawn = sample_.size();
    constexpr std::size_t most_queries = 256, most_calls = std::size_t{1} << 21;
    // A step is the time to compare one element of two sets, about 2.5 ns. Reading a posting takes 2 steps. A
    // comparison of two sets takes 8 steps, and one step for each element.
    constexpr double of_posting = 2, of_comparison = 8;
    std::vector<double> steps(drawn, 0);
    std::vector<std::uint32_t> last_query(drawn, 0);
    std::size_t queries = 0, calls = 0;
    while (queries < (std::min)(most_queries, drawn) && calls < most_calls) {
      const hash_set& query = join_[(queries * drawn) / (std::min)(most_queries, drawn)];
      ++queries;
      calls += join_.visit_postings(query, [&](std::uint32_t i) {
        steps[i] += of_posting;
        if (std::exchange(last_query[i], static_cast<std::uint32_t>(queries)) == queries) return;
        steps[i] += of_comparison + static_cast<double>(join_[i].size() + query.size());
      });
    }
    double size = 0;
    for (std::size_t i = 0; i < drawn; ++i) {
      steps[i] /= static_cast<double>(queries);
      size += static_cast<double>(join_[i].size()) / static_cast<double>(drawn);
    }
    // The limit of the steps per document: about three times the time in which `unique` reads a document and extracts
    // its features. For a small corpus, the limit is higher: all documents together may take a tenth of a second, or
    // five seconds if fingerprints are compared.
    constexpr double of_document = 300, of_feature = 80;
    const double at_least = limits_.fingerprints ? 2e9 : 4e7;
    const double most = (std::max)(of_document + of_feature * size, at_least / static_cast<double>(documents_));
    const double limit = limit_within(steps, most);
    std::vector<bool> is_kept(drawn);
    // Systematic sampling: a document is kept if the running sum of the probabilities passes a whole number at this
    // document.
    double sum = static_cast<double>(spread(~limits_.seed) >> 11) * 0x1p-53;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < drawn; ++i) {
      const double probability = steps[i] > limit ? limit / steps[i] : 1, before = std::floor(sum);
      sum += probability;
      is_kept[i] = std::floor(sum) > before || (i + 1 == drawn && kept == 0);
      if (!is_kept[i]) continue;
      sample_[i].stands_for = 1 / probability;
      if (kept != i) sample_[kept] = std::move(sample_[i]);
      ++kept;
    }
    if (kept == drawn) return;
    sample_.resize(kept);
    join_.keep_only(is_kept);
  }

  /// Returns the largest limit with sum(min(steps[i], limit)) <= most. If the sum of all steps is at most `most`,
  /// the limit is the greatest of `steps`.
  static double limit_within(std::vector<double> steps, double most) {
    std::sort(steps.begin(), steps.end());
    double below = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double limit = (most - below) / static_cast<double>(steps.size() - i);
      if (steps[i] > limit) return limit;
      below += steps[i];
    }
    return steps.empty() ? 0 : steps.back();
  }

  /// Counts document `ordinal` as a near-duplicate of the sampled document `of`, of which it is not a copy.
  /// Returns: true if the document was added to `of.kept`, so that the pair will be examined in detail.
  bool admit(sampled& of, std::uint64_t ordinal) {
    ++of.degree;
    const std::uint64_t priority = spread(limits_.seed ^ spread(of.ordinal) ^ spread(~ordinal));
    if (of.kept.size() == max_neighbours) {
      const auto last = std::max_element(of.kept.begin(), of.kept.end(), [](const neighbour& a, const neighbour& b) {
        return a.priority < b.priority;
      });
      if (priority >= last->priority) return false;
      of.kept.erase(last);
    }
    of.kept.push_back({priority, ordinal, {}});
    return true;
  }

  /// Returns the cosine similarity of two sets, from their Jaccard similarity and their sizes `a` and `b`.
  static double set_cosine(double similarity, std::size_t a, std::size_t b) {
    if (a == 0 || b == 0) return 0;
    // The Jaccard similarity j gives the overlap: j * (a + b) / (1 + j). The cosine is overlap / sqrt(a * b).
    const double both = static_cast<double>(a) + static_cast<double>(b);
    const double common = similarity * both / (1 + similarity);
    return (std::min)(1.0, common / std::sqrt(static_cast<double>(a) * static_cast<double>(b)));
  }

  double similarity_;
  std::vector<neardup::feature_choice> features_;  // the first defines near-duplicates
  sample_limits limits_;
  std::size_t room_;  // number of documents that the sample may have
  std::uint64_t draws_ = 0;
  bool is_prepared_ = false;

  std::uint64_t documents_ = 0;
  std::uint64_t eligible_ = 0;  // documents not too long for the sample
  double total_bytes_ = 0;
  std::vector<sampled> sample_;
  std::size_t sample_bytes_ = 0;

  std::uint64_t compared_ = 0;
  std::size_t fingerprinted_ = 0;
  sample_join join_;
  std::size_t drawn_documents_ = 0;
  double median_bytes_ = 0;
  std::vector<std::vector<std::size_t>> feature_counts_;  // [features][drawn document]
  std::vector<fingerprints_type> queries_;                // [features][sampled]
  std::vector<fingerprints_type> fingerprints_;           // [features][kept document]
  std::vector<worker> workers_;
};

}  // namespace command
