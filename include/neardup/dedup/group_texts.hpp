// SPDX-License-Identifier: MIT
// Groups texts by their edit similarity, exactly: the result is the same as if every two texts were compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "../detail/compiled.hpp"
#include "../edits/engine/distinct_texts.hpp"
#include "../edits/engine/edit_join.hpp"
#include "../edits/pairs.hpp"
#include "engine/label_documents.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Returns labels for groups of texts. A label is a position. The first `known` texts are representatives of earlier
/// calls. `q`: the length of the q-grams, see edit_join.
std::vector<std::size_t> label_similar_texts(const text_source& source, std::size_t known, const edit& least,
                                             const group_options& options, std::size_t q);

#if NEARDUP_BODIES

/// A matcher that uses edit_join. A document's number is its place in the order of decision (see document_order). A
/// search finds only texts that were added before, so each document is decided before the next search. closeness() gets
/// the edit distance as `known`. Equal texts share one search.
class edit_matcher final : public matcher<std::uint32_t> {
 public:
  /// Makes a matcher. `places`: the number of texts, with copies. texts.members(rank) are places in the order of
  /// decision. `values`: the value of each text by its place, or empty if all texts may match; see
  /// group_options::across.
  /// Precondition: the arguments outlive the object.
  edit_matcher(const distinct_texts& texts, std::size_t places, const edit& least, const group_options& options,
               std::span<const std::uint32_t> values, std::size_t q)
      : texts_(texts),
        values_(values),
        least_(least),
        options_(options),
        join_(texts, least.similarity, q),
        memory_(join_, [this] { tell(); }),
        at_{0, 0, join_.q() == 0},
        rank_at_(places, none),
        found_(texts.size()) {
    for (std::uint32_t rank = 0; rank < texts.size(); ++rank) {
      for (const std::uint32_t place : texts.members(rank)) rank_at_[place] = rank;
    }
  }

  [[nodiscard]] std::size_t parts(std::size_t /*documents*/) const override { return 1; }

  bool find_candidates(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take,
                       const left_out& left) override {
    if (left.classes != nullptr) {
      find_components(*left.classes);
      return true;
    }
    for (const std::uint32_t document : documents.first(kept)) keep(document);
    if (options_.among_themselves) return true;  // passes no candidates, because find_more() finds all matches
    for (std::size_t i = kept; i < documents.size(); ++i) {
      find_more(documents[i], [&](std::uint32_t original, int distance) {
        const candidate found{original, static_cast<std::uint32_t>(i), distance};  // kept document d is at position d
        take(0, {&found, 1});
      });
    }
    return true;
  }

  [[nodiscard]] std::optional<double> closeness(std::uint32_t earlier, std::uint32_t later, int known,
                                                std::optional<double> /*best*/) const override {
    const std::size_t longer = (std::max)(texts_.length(rank_at_[earlier]), texts_.length(rank_at_[later]));
    return edit_similarity_of(static_cast<std::size_t>(known), longer);
  }

  [[nodiscard]] bool finds_more() const override { return true; }

  /// Calls `consider` with the kept text that is closest to `document`, if its similarity reaches the threshold. If a
  /// copy of `document` was searched for before, `document` is compared only with the texts that were kept since that
  /// search.
  void find_more(std::uint32_t document, const std::function<void(std::uint32_t, int)>& consider) const override {
    advance(document, rank_at_.size());
    const std::uint32_t rank = rank_at_[document];
    if (rank == none) return;
    search& own = found_[rank];
    // An equal text is the closest possible.
    if (own.kept_at != none && values_.empty()) return consider(own.kept_at, 0);
    const auto is_done = [&] { return own.best && !options_.originals; };
    if (own.until < kept_ && !is_done()) {
      const auto least = [&](std::size_t other) -> double {
        if (are_excluded(rank, other) || found_[other].number < own.until || is_done()) return 2;
        return own.best ? own.best->closeness : least_.similarity;
      };
      join_.visit_similar(rank, texts_.size(), false, memory_, least, [&](std::size_t other, std::size_t distance) {
        const std::uint32_t kept_at = found_[other].kept_at;
        const original_rank<std::uint32_t> one{*closeness(kept_at, document, static_cast<int>(distance), std::nullopt),
                                               kept_at};
        if (own.best && !one.is_better_than(*own.best)) return;
        own.best = one;
        own.distance = static_cast<int>(distance);
      });
    }
    own.until = kept_;
    if (own.best) consider(own.best->age, own.distance);
  }

  void keep(std::uint32_t document) override {
    const std::uint32_t rank = rank_at_[document];
    if (rank == none || found_[rank].kept_at != none) return;
    found_[rank].kept_at = document;
    found_[rank].number = kept_++;
    join_.add(rank);
  }

 private:
  static constexpr auto none = static_cast<std::uint32_t>(-1);

  /// The search results of a distinct text. `number` and `until`: how many texts were kept when this text was kept, and
  /// when it was last searched for.
  struct search {
    std::uint32_t kept_at = none;  // the place of the text if it is kept
    std::size_t number = 0, until = 0;
    std::optional<original_rank<std::uint32_t>> best;  // the closest of the kept texts
    int distance = 0;                                  // distance to `best`
  };

  /// Returns true if the values of two distinct texts are equal, so that they do not match.
  [[nodiscard]] bool are_excluded(std::size_t a, std::size_t b) const {
    return !values_.empty() && values_[texts_.members(a).front()] == values_[texts_.members(b).front()];
  }

  void find_components(set_classes& classes) {
    const auto place_of = [&](std::size_t rank) { return texts_.members(rank).front(); };
    std::vector<bool> is_united(texts_.size());
    const auto unite = [&](std::size_t rank) {
      if (is_united[rank]) return;
      is_united[rank] = true;
      for (const std::uint32_t copy : texts_.members(rank)) classes.add(place_of(rank), copy);
    };
    for (std::size_t rank = 0; rank < texts_.size(); ++rank) {
      advance(rank, texts_.size());
      if (values_.empty()) unite(rank);
      const auto least = [&](std::size_t other) -> double {
        if (are_excluded(rank, other) || classes.leaves_out(place_of(rank), place_of(other))) return 2;
        return least_.similarity;
      };
      join_.visit_similar(rank, rank, true, memory_, least, [&](std::size_t other, std::size_t) {
        unite(rank);  // copies with equal values do not match each other, but they match the same texts
        unite(other);
        classes.add(place_of(rank), place_of(other));
      });
      join_.add(rank);
    }
    advance(texts_.size(), texts_.size());
  }

  void advance(std::size_t done, std::size_t all) const {
    constexpr std::size_t step = 64;
    at_.done = done;
    at_.all = all;
    if (done % step == 0 || done == all) tell();
  }
  void tell() const {
    options_.run.check();
    if (least_.progress) least_.progress(at_);
  }

  const distinct_texts& texts_;
  std::span<const std::uint32_t> values_;
  const edit& least_;
  const group_options& options_;
  edit_join join_;
  mutable edit_join::workspace memory_;  // only one thread searches
  mutable edit_progress at_;
  std::vector<std::uint32_t> rank_at_;  // indexed by place in the order of decision
  mutable std::vector<search> found_;   // indexed by rank
  std::size_t kept_ = 0;                // number of texts in the join
};

NEARDUP_INLINE std::vector<std::size_t> label_similar_texts(const text_source& source, std::size_t known,
                                                            const edit& least, const group_options& options,
                                                            std::size_t q) {
  check_similarity(least.similarity);
  const document_order<std::uint32_t> order(source.size, known, options.preference);
  const std::vector<std::uint32_t> values = values_by_place(order, options);
  const distinct_texts texts({source.size, [&](std::size_t place) { return source.of(order.position(place)); }},
                             source.size, values);
  edit_matcher matcher(texts, source.size, least, options, values, q);
  return label_documents<std::size_t>(matcher, order, options, source.size);
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Groups texts by their edit_similarity. `least`: edit{0.8}. For jaccard{0.8}, cosine{0.8} or containment{0.8} include
/// neardup/dedup/texts.hpp.
///
/// With grouping::representatives, texts are decided in the order of preference. If no earlier representative is
/// similar to a text, the text becomes a representative. Otherwise the closest of the similar representatives
/// represents the text; of equally close representatives, the first. With grouping::components, two texts are in one
/// group if a chain of similar texts connects them.
/// Returns: one label per text: the position of the representative of its group, which is the most preferred member.
/// Throws: the exceptions of visit_pairs of texts; std::invalid_argument if the number of preferences is wrong, or a
/// preference is NaN.
/// Complexity, memory: the same as visit_pairs of texts on one thread, but texts are compared with representatives
/// only. The calling thread does all of the work, whatever `options.run` is. The thread calls check() of the runner
/// from time to time.
template <text_range Texts, class Threshold>
  requires(!threshold_of_sets<Threshold>)
[[nodiscard]] std::vector<std::size_t> group(const Texts& texts, const Threshold& least,
                                             const group_options& options = {}) {
  return detail::label_similar_texts(detail::source_of_texts(texts), 0, detail::edit_of(least), options, 0);
}

/// Groups further texts around the representatives of earlier calls. These representatives do not change. You can pass
/// a corpus in batches, one batch per call. If `options.preference` is empty, the results then equal those of one
/// group() of the whole corpus.
/// Returns: for each text the position of its representative. The representatives have the first positions, and the
/// texts have the next positions. If a text becomes a representative, the result is its own position. Without
/// `options.among_themselves`, a text gets its own position if it matches no representative.
/// Throws: the exceptions of group() of texts; std::invalid_argument if `options.by` is not grouping::representatives.
/// Complexity, memory: the same as group() of the batch and all representatives. So a batch should not be much smaller
/// than the number of representatives.
/// Example: `auto label = extend_groups(kept, batch, edit{0.8});  // label[i] == kept.size() + i: batch[i] is new`
template <text_range Kept, text_range Texts, class Threshold>
  requires(!threshold_of_sets<Threshold>)
[[nodiscard]] std::vector<std::size_t> extend_groups(const Kept& representatives, const Texts& texts,
                                                     const Threshold& least, const group_options& options = {}) {
  detail::check_extended<std::size_t>(representatives.size() + texts.size(), options);
  return detail::label_similar_texts(detail::source_of_texts(representatives, texts), representatives.size(),
                                     detail::edit_of(least), options, 0);
}

}  // namespace neardup::inline v0
