// SPDX-License-Identifier: MIT
// Finds repeated passages: runs of words or bytes that occurred before, wherever they begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../detail/xxh3.hpp"
#include "../error.hpp"
#include "../partition_store.hpp"
#include "../runner.hpp"
#include "../text/ngrams.hpp"
#include "../text/tokenizer.hpp"
#include "../text/utf8.hpp"
#include "../text/words.hpp"
#include "engine/passage_search.hpp"

namespace neardup::inline v0 {

/// A run of repeated passages: the units [begin, end) of a text. A passage of the run is any `length` consecutive units
/// in [begin, end). The passage that begins at unit begin + i occurred first at unit first_begin + i of the text
/// (first_document, first_field). Runs are as long as possible. Two runs of one text may overlap;
/// passage_views() joins them.
struct passage {
  std::size_t document, field, begin, end;
  std::size_t first_document, first_field, first_begin;

  friend constexpr bool operator==(const passage&, const passage&) = default;
};

/// The conditions that a passage must satisfy to count as repeated.
struct passage_options {
  /// The number of units of a passage, from 1 to 2^20.
  std::size_t length = 50;

  /// The least number of documents that contain the passage. With 1, a passage that is repeated within one document
  /// counts, too.
  std::size_t least_documents = 1;

  /// The number of documents that belong to an earlier corpus. These documents come first, and no passages of these
  /// documents are reported.
  std::size_t earlier_documents = 0;

  /// Spreads the work over threads: `threads{8}`, or a runner of your own. The runner does not change the result.
  any_runner run = {};
};

namespace detail {

/// Calls `visit(unit, bytes)` for each unit of a text. `unit` is the token that is compared, and `bytes` is a view of
/// the part of the text that the token comes from.
/// Throws: std::invalid_argument if a token is not a part of the text.
template <tokenizer Tokenizer, class Visit>
void for_each_unit(std::string_view text, const Tokenizer& tokenizer, const Visit& visit) {
  if constexpr (std::is_same_v<Tokenizer, words>) {
    for_each_word(text, visit);
  } else {
    tokenizer(text, [&](std::string_view token) {
      const std::less<const char*> precedes;
      if (precedes(token.data(), text.data()) || precedes(text.data() + text.size(), token.data() + token.size())) {
        fail<std::invalid_argument>("passages need a tokenizer whose tokens are views of the text, such as words{}");
      }
      visit(token, token);
    });
  }
}

/// Returns true if the units are bytes. The search then needs no tokenizer.
template <class Tokenizer>
[[nodiscard]] bool has_bytes_as_units(const Tokenizer& tokenizer) noexcept {
  if constexpr (std::is_same_v<Tokenizer, byte_ngrams>) return tokenizer.n == 1;
  return false;
}

/// A partition_store in memory.
class held_partitions {
 public:
  void append(std::uint32_t partition, std::span<const std::byte> bytes) {
    if (partition >= partitions_.size()) partitions_.resize(partition + std::size_t{1});
    partitions_[partition].emplace_back(bytes.begin(), bytes.end());
  }
  void read(std::uint32_t partition, std::span<std::byte> to) {
    for (const std::vector<std::byte>& bytes : partitions_[partition]) {
      to = to.subspan(static_cast<std::size_t>(std::copy(bytes.begin(), bytes.end(), to.begin()) - to.begin()));
    }
  }

 private:
  std::vector<std::vector<std::vector<std::byte>>> partitions_;
};

template <class Documents, class Tokenizer>
[[nodiscard]] passage_source source_of_passages(const Documents& documents, const Tokenizer& tokenizer) {
  passage_source source;
  source.visit_texts = [&documents](const passage_source::sink& take) {
    if constexpr (text_range<Documents>) {
      for (std::size_t i = 0, size = documents.size(); i < size; ++i) take(std::string_view(documents[i]), 0);
    } else {
      documents([&take](std::string_view text, std::size_t field = 0) { take(text, field); });
    }
  };
  if (has_bytes_as_units(tokenizer)) return source;
  source.hash_words = [&tokenizer](std::string_view text, std::uint64_t seed, std::vector<std::uint64_t>& hashes) {
    for_each_unit(text, tokenizer, [&](std::string_view unit, std::string_view /*bytes*/) {
      hashes.push_back(checksum_of(std::as_bytes(std::span(unit.data(), unit.size())), seed));
    });
  };
  return source;
}

[[nodiscard]] inline passage passage_of(const repeated_windows& found, std::size_t length) noexcept {
  return {
      found.document,       found.field,       found.begin,      std::size_t{found.begin} + found.count - 1 + length,
      found.first_document, found.first_field, found.first_begin};
}

}  // namespace detail

/// Calls `visit(passage)` for each longest run of repeated passages, in the order of (document, field, begin). A
/// passage is `options.length` consecutive units of one text. A passage is repeated if an equal passage began before:
/// in an earlier document, in an earlier field of the document, or earlier in the same text. In the same text, the two
/// passages may overlap.
///
/// `documents` is a range of texts, or a callable `documents(sink)`, which calls `sink(text)` for each document. If a
/// document has several texts, the callable calls `sink(text, field)` for each text, with the fields 0, 1, ... A
/// passage does not extend over several texts. The callable is called twice, and must pass the same texts each time.
/// `tokenizer` determines the units. Its tokens must be views of the text: `words{}` for words, or `byte_ngrams{1}` for
/// bytes.
/// If `visit` returns false or throws, the visit ends.
///
/// Two words count as equal if two 64-bit hashes of each are equal. Two passages count as equal if two polynomials
/// modulo 2^61 - 1 of each are equal. So among m different passages, two are mistaken for equal passages with a
/// probability of about m^2 * length^2 / 2^123. For 10^10 passages of 100 bytes this is 1e-13. The hashes do not
/// protect against texts that were crafted to have equal hashes.
///
/// Throws: std::invalid_argument if the length is 0 or above 2^20; std::length_error for a text of 4 GiB or more, or
/// for 2^32 documents or more; exceptions of the callable, the store and the visitor; std::bad_alloc.
/// Complexity: linear. The store gets 8 bytes for each anchor (about 4 anchors in `options.length` units); up to 32
/// bytes, usually at most 16, for each passage whose anchor repeats; and 28 bytes for each run that is found.
/// Memory: about `memory` bytes; for words, also 16 bytes for each word of a text that a thread reads. If one document
/// has a great part of all runs that are found, its runs take 28 bytes each in addition.
/// Example: `visit_passages(read_file, {.length = 100}, byte_ngrams{1}, files, 1 << 30, print);`
template <class Documents, tokenizer Tokenizer, partition_store Store, class Visit>
void visit_passages(const Documents& documents, const passage_options& options, const Tokenizer& tokenizer,
                    Store& store, std::uint64_t memory, Visit&& visit) {
  detail::passage_search search(detail::source_of_passages(documents, tokenizer),
                                {options.length, options.least_documents, options.earlier_documents},
                                detail::any_store_of(store), memory, options.run);
  search.find([&](const detail::repeated_windows& found) {
    return detail::visit_goes_on(visit, detail::passage_of(found, options.length));
  });
}

/// Returns the longest runs of repeated passages, in the order of (document, field, begin).
/// Throws: the exceptions of visit_passages().
/// Memory: the memory of visit_passages(), and all data that its store gets.
/// Example: `for (const passage& p : passages(texts, {.length = 50, .run = threads{8}})) …`
template <class Documents, tokenizer Tokenizer = words>
[[nodiscard]] std::vector<passage> passages(const Documents& documents, const passage_options& options = {},
                                            const Tokenizer& tokenizer = {}) {
  std::vector<passage> result;
  detail::held_partitions store;
  visit_passages(documents, options, tokenizer, store, std::uint64_t{1} << 30,
                 [&](const passage& found) { result.push_back(found); });
  return result;
}

/// The steps of visit_passages() as tasks for many machines. Tasks hand each other *blobs*, which the caller moves and
/// keeps. The texts are in parts. Each blob belongs to one of `partitions` partitions:
///
/// 1. scatter_anchors() reads the texts of a part, and returns a blob for each partition.
/// 2. repeated_anchors() reads the blobs of a partition, and returns one blob.
/// 3. scatter() reads the texts of a part and all blobs of step 2, and returns a blob for each partition.
/// 4. gather() reads the blobs of step 3 of a partition, and returns passages.
/// 5. join() joins the passages of some documents, from all partitions, to the passages of visit_passages().
///
/// Parts, partitions and threads do not change the result. Blobs without data are empty, and need not be moved. A call
/// gets the blobs of its partition in any order.
///
/// Throws: std::invalid_argument if the length, a partition or the number of partitions (at most 4,096) is wrong;
/// std::runtime_error if a blob is damaged, given twice, or of another partition, step or search; the exceptions of
/// visit_passages().
/// Complexity, for each partition: the same as visit_passages().
/// Memory: scatter_anchors() and scatter() take twice the size of the blobs that they return. gather() takes 44 bytes
/// for each record of 16 bytes in its blobs, and repeated_anchors() 16 bytes for each 8 bytes in its blobs.
/// Example: examples/many_machines
template <tokenizer Tokenizer = words>
class passage_shuffle {
 public:
  using blob = std::span<const std::byte>;

  /// Makes the tasks of a search. `options.run` determines the threads of scatter_anchors() and scatter(). All tasks
  /// need equal arguments.
  explicit passage_shuffle(passage_options options, std::uint32_t partitions, Tokenizer tokenizer = {})
      : options_(std::move(options)), partitions_(partitions), tokenizer_(std::move(tokenizer)) {}

  /// Returns the anchors of the texts of a part. Blob i belongs to partition i. `documents`: as in visit_passages(),
  /// but a callable is called once.
  template <class Documents>
  [[nodiscard]] std::vector<std::vector<std::byte>> scatter_anchors(const Documents& documents) const {
    return with_search(documents, [&](auto& search) { return search.scatter_anchors_task(partitions_); });
  }
  /// Returns a blob with the anchors that are repeated. `anchors`: the blobs of the partition from all parts.
  [[nodiscard]] std::vector<std::byte> repeated_anchors(std::span<const blob> anchors, std::uint32_t partition) const {
    return with_search(no_texts,
                       [&](auto& search) { return search.repeated_anchors_task(anchors, partition, partitions_); });
  }
  /// Returns the passages of a part that may be repeated. Blob i belongs to partition i. `first_document`: the number
  /// of the first document of the part among the documents of all parts. `repeated`: the blobs of repeated_anchors() of
  /// all partitions, one after the other, in any order. The bytes are not copied if they begin at a multiple of 8.
  template <class Documents>
  [[nodiscard]] std::vector<std::vector<std::byte>> scatter(const Documents& documents, std::uint64_t first_document,
                                                            blob repeated) const {
    return with_search(
        documents, [&](auto& search) { return search.scatter_windows_task(first_document, repeated, partitions_); });
  }
  /// Returns the repeated passages of a partition. `blobs`: the blobs of the partition from scatter() of all parts.
  [[nodiscard]] std::vector<passage> gather(std::span<const blob> blobs, std::uint32_t partition) const {
    return with_search(no_texts, [&](auto& search) {
      std::vector<passage> found;
      search.find_task(blobs, partition, partitions_, [&](const detail::repeated_windows& one) {
        found.push_back(detail::passage_of(one, options_.length));
        return true;
      });
      return found;
    });
  }
  /// Returns the longest runs of repeated passages of some documents, in the order of (document, field, begin).
  /// `found`: all passages that gather() returned for these documents, in any order.
  [[nodiscard]] std::vector<passage> join(std::span<const passage> found) const {
    const auto narrow = [](std::size_t number) { return static_cast<std::uint32_t>(number); };
    std::vector<detail::repeated_windows> windows;
    for (const passage& p : found) {
      if (p.end - p.begin < options_.length)
        detail::fail<std::invalid_argument>("a passage is shorter than its length");
      windows.push_back({narrow(p.document), narrow(p.field), narrow(p.begin),
                         narrow(p.end - p.begin + 1 - options_.length), narrow(p.first_document), narrow(p.first_field),
                         narrow(p.first_begin)});
    }
    std::vector<passage> joined;
    const auto add = [&](const detail::repeated_windows& run) {
      joined.push_back(detail::passage_of(run, options_.length));
      return true;
    };
    detail::repeated_windows last{};
    detail::visit_runs(std::span(windows), last, add);
    if (last.count > 0) add(last);
    return joined;
  }

 private:
  static constexpr auto no_texts = [](const auto& /*sink*/) {};

  template <class Documents, class Use>
  auto with_search(const Documents& documents, const Use& use) const {
    detail::held_partitions store;
    detail::passage_search search(detail::source_of_passages(documents, tokenizer_),
                                  {options_.length, options_.least_documents, options_.earlier_documents},
                                  detail::any_store_of(store), std::uint64_t{1} << 48, options_.run);
    return use(search);
  }

  passage_options options_;
  std::uint32_t partitions_;
  Tokenizer tokenizer_;
};

namespace detail {

/// Shortens each of `ranges` to whole words. Erases ranges without a whole word.
/// Precondition: the ranges ascend and do not overlap.
inline void keep_whole_words(std::string_view text, std::vector<std::pair<std::size_t, std::size_t>>& ranges) {
  std::vector<std::pair<std::size_t, std::size_t>> whole(ranges.size());  // from first to last whole word
  std::size_t next = 0;
  for_each_word(text, [&](std::string_view /*word*/, std::string_view bytes) {
    const auto begin = static_cast<std::size_t>(bytes.data() - text.data()), end = begin + bytes.size();
    while (next < ranges.size() && ranges[next].second < end) ++next;
    if (next == ranges.size() || ranges[next].first > begin) return;
    if (whole[next].second == 0) whole[next].first = begin;
    whole[next].second = end;
  });
  std::erase_if(whole, [](const auto& range) { return range.second == 0; });
  ranges = std::move(whole);
}

}  // namespace detail

/// Returns the parts to cut out of one text: the union of its passages, as views of the text, in order. If no unit is
/// between two passages, they are joined to one view. If the views of all texts are cut out of the corpus, each unit in
/// the views still occurs elsewhere in the corpus.
///
/// Views begin and end with whole words. Passages of bytes without a whole word have no view.
/// Precondition: `found` has passages of this text only, ordered by `begin`.
/// Complexity: linear.
template <tokenizer Tokenizer = words>
[[nodiscard]] std::vector<std::string_view> passage_views(std::string_view text, std::span<const passage> found,
                                                          const Tokenizer& tokenizer = {}) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const passage& one : found) {
    if (ranges.empty() || one.begin > ranges.back().second) {
      ranges.emplace_back(one.begin, one.end);
    } else {
      ranges.back().second = (std::max)(ranges.back().second, one.end);
    }
  }
  std::vector<std::string_view> views;
  if (detail::has_bytes_as_units(tokenizer)) {
    detail::keep_whole_words(text, ranges);
    for (const auto& [begin, end] : ranges) views.push_back(text.substr(begin, end - begin));
    return views;
  }
  std::size_t unit = 0;
  auto next = ranges.begin();
  detail::for_each_unit(text, tokenizer, [&](std::string_view /*unit*/, std::string_view bytes) {
    if (next != ranges.end() && unit == next->first) views.push_back(bytes);
    ++unit;
    if (next == ranges.end() || unit != next->second) return;
    const std::string_view begin = views.back();
    views.back() = {begin.data(), static_cast<std::size_t>(bytes.data() + bytes.size() - begin.data())};
    ++next;
  });
  return views;
}

}  // namespace neardup::inline v0
