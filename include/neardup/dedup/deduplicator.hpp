// SPDX-License-Identifier: MIT
// deduplicator: takes documents one by one, and decides for each whether it is new, or which earlier document it
// duplicates.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../detail/compiled.hpp"
#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../fingerprint/defaults.hpp"  // for users: the default simhasher
#include "../index/layout.hpp"
#include "../index/recall.hpp"
#include "../runner.hpp"
#include "../sets/similarity.hpp"
#include "checks.hpp"
#include "decider.hpp"
#include "describer.hpp"

namespace neardup::inline v0 {

/// Options that define duplicates.
struct dedup_options {
  /// The distance within which fingerprints are candidates. If it is not given: the least distance within which at
  /// least the share `recall` of the pairs with a Jaccard similarity of `similarity` or more is found, see
  /// distance_for(). Without a check and a similarity: 3.
  std::optional<int> distance = std::nullopt;
  /// The least similarity by the check; default_similarity if it is not given. Without a check it only determines
  /// `distance`.
  std::optional<double> similarity = std::nullopt;
  std::optional<double> recall = std::nullopt;  ///< see `distance`; default_recall() if it is not given
  int blocks = 0;                               ///< blocks of the index, see pigeonhole_index; 0 for the usual number
  /// For texts of fewer distinct tokens, near fingerprints alone do not suffice: without a check, such texts are
  /// duplicates only if they have the same tokens.
  std::size_t min_tokens = default_min_tokens;
  /// Whether no duplicate is missed: candidates then come from shared features, whatever their fingerprints. This needs
  /// a check of 32-bit features, and excludes a distance, a recall and blocks. If it is not given: true if the check
  /// permits it and no distance, recall or blocks are given.
  std::optional<bool> exact = std::nullopt;
};

/// The types that can check the candidates of a deduplicator: a callable `check(id, text)` (see check_of), a
/// feature_extractor, or no_check.
template <class T, class Id>
concept duplicate_check = std::copy_constructible<T> &&
    (detail::is_feature_extractor<T> || check_of<T, Id, std::string_view>);

/// An atomic change of a deduplicator. The `commit` callback gets it before the change becomes final. Its steps, in
/// order: the documents in `replaced` are removed; the documents in `kept` are added; the documents in `renewed` become
/// as young as the added ones; the documents in `gone` are removed.
template <class Id, class Fingerprint, class Feature>
struct dedup_change {
  std::span<const verdict<Id>> verdicts = {};  ///< about the documents of the call
  std::span<const Id> replaced = {};
  std::span<const kept_document<Id, Fingerprint, Feature>> kept = {};
  std::span<const Id> renewed = {};
  std::span<const Id> gone = {};
  std::uint64_t time = 0;  ///< of a stream_deduplicator
};

namespace detail {

/// A source of candidates, chosen at run time: by fingerprints, or by 32-bit features.
template <class Fingerprint, class Feature>
class chosen_candidates {
  using by_fingerprints = fingerprint_candidates<Fingerprint>;
  using by_features = feature_candidates;

 public:
  static constexpr bool can_be_exact = std::is_same_v<Feature, std::uint32_t>;
  static constexpr bool can_join = true;
  using workspace = typename by_features::workspace;

  explicit chosen_candidates(by_fingerprints source) : source_(std::move(source)) {}
  explicit chosen_candidates(by_features source) requires can_be_exact : source_(std::move(source)) {}

  [[nodiscard]] bool compares_fingerprints() const noexcept { return fingerprints() != nullptr; }
  [[nodiscard]] chosen_candidates fresh() const {
    return std::visit([](const auto& source) { return chosen_candidates(source.fresh()); }, source_);
  }
  template <class Description, class FeaturesOf>
  void insert(const Description& document, std::uint32_t number, const FeaturesOf& features_of) {
    std::visit([&](auto& source) { source.insert(document, number, features_of); }, source_);
  }
  template <class Description>
  void erase(const Description& document, std::uint32_t number) noexcept {
    std::visit([&](auto& source) { source.erase(document, number); }, source_);
  }
  template <class Description, class Visit>
  void for_each(const Description& document, workspace& scratch, const Visit& visit) const {
    if constexpr (can_be_exact) {
      const auto* const source = std::get_if<by_features>(&source_);
      if (source != nullptr) return source->for_each(document, scratch, visit);
    }
    typename by_fingerprints::workspace nothing;
    std::get_if<by_fingerprints>(&source_)->for_each(document, nothing, visit);
  }
  template <class Description>
  [[nodiscard]] bool joins(std::size_t kept, std::span<const Description> documents, const any_runner& run) const {
    const by_fingerprints* const source = fingerprints();
    return source != nullptr && source->joins(kept, documents, run);
  }
  template <class Rule>
  void decide(std::span<const std::uint32_t> kept, std::size_t count, Rule& rule, const any_runner& run) const {
    fingerprints()->decide(kept, count, rule, run);
  }
  void reserve(std::size_t count) {
    std::visit([&](auto& source) { source.reserve(count); }, source_);
  }
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return std::visit([](const auto& source) { return source.memory_usage(); }, source_);
  }

  /// Returns: the source by fingerprints; null if candidates come from features.
  [[nodiscard]] const by_fingerprints* fingerprints() const noexcept { return std::get_if<by_fingerprints>(&source_); }

 private:
  std::conditional_t<can_be_exact, std::variant<by_fingerprints, by_features>, std::variant<by_fingerprints>> source_;
};

/// The default `commit`, which does nothing.
struct no_commit {
  template <class Change>
  void operator()(const Change& /*change*/) const noexcept {}
};

}  // namespace detail

/// Keeps the first of similar documents: add() decides whether a text is new, or which kept document it duplicates.
///
/// The check decides. By default, it compares the Jaccard similarity of the features that the fingerprint is made of;
/// another check can be given (duplicate_check). A check of features misses no duplicate (dedup_options::exact), and
/// needs no fingerprints. With a distance or a recall, or another check, candidates are the kept documents whose
/// fingerprints are within `distance` bits. If the check accepts several documents, the original is the closest, and
/// the earliest among equally close ones (original_rank). Only new documents are kept. So each duplicate is similar to
/// its original itself: no chain of small differences connects different texts. Which documents are kept depends on the
/// order of adding.
///
/// If fingerprints are compared, texts of fewer than `min_tokens` distinct tokens are also found by a digest of their
/// set of tokens, regardless of weights. Without a check, they are found only by this digest. A text with nothing to
/// compare (verdict::is_comparable) is new and counted, but not kept.
///
/// A deduplicator consists of a describer and a decider. All operations also accept descriptions, which other threads
/// can make in advance. The last step of an operation calls `commit` with the dedup_change; if `commit` throws, nothing
/// has changed. stream_deduplicator and durable_deduplicator are based on `commit`.
///
/// Memory: for each kept document an entry of the index (see pigeonhole_index), 48 bytes here with 64 bits and ids of 4
/// bytes, and about 40 for the map from its id; 4.5 bytes for each feature that the check keeps, and 12 more. Arrays that
/// have just grown have twice that; memory of erased documents is used again. Measured on 113,222 sections of statutes
/// with 59 distinct words on average: 520 bytes each including the allocator, 225 without a check. If no duplicate may
/// be missed, posting lists replace the index and the fingerprints: 24 bytes, about 15 for each of the
/// n - ceil(similarity n) + 1 rarest features of n, and one for four features.
/// Id: see document_id; found by std::hash if there is one, otherwise by its order. A string is stored once. Types
/// other than std::uint32_t are named with make_deduplicator.
/// Guarantee: strong. The check must not change the deduplicator. It is movable, not copyable; a moved-from one may
/// only be destroyed or assigned to.
/// Thread safety: const members may be called from many threads while no thread writes, each with its own workspace.
/// Example: `deduplicator dedup{simhasher{words{}}, {.similarity = 0.8}};  bool is_new = dedup.add(text).is_new();`
template <class Simhasher, class Check = feature_extractor_of<Simhasher>, class Id = std::uint32_t>
class deduplicator {
  static_assert(document_id<Id>,
                "neardup: an Id is regular, ordered and trivially copyable, and no floating-point number; or it is "
                "std::string");
  static_assert(duplicate_check<Check, Id>,
                "neardup: a check is a feature_extractor, a callable check(id, text) that gives a number or a bool, or "
                "no_check");

 public:
  static constexpr bool has_check = !std::is_same_v<Check, no_check>;
  static constexpr bool checks_features = detail::is_feature_extractor<Check>;

  using id_type = Id;
  using verdict_type = verdict<Id>;
  using describer_type = neardup::describer<Simhasher, Check>;
  using fingerprint_type = typename describer_type::fingerprint_type;
  using feature_type = typename describer_type::feature_type;
  using description_type = typename describer_type::description_type;
  using batch_type = described_batch<description_type>;
  using decider_type =
      decider<fingerprint_type, feature_type, Id, detail::chosen_candidates<fingerprint_type, feature_type>>;
  using kept_type = typename decider_type::kept_type;
  using change_type = dedup_change<Id, fingerprint_type, feature_type>;

  /// Scratch memory, reused from text to text. Each thread needs its own object.
  class workspace {
    friend deduplicator;
    typename describer_type::workspace describing_;
    typename decider_type::workspace deciding_;
  };

  /// Throws: std::invalid_argument if an option is out of range: a similarity that is not above 0 and at most 1 (for a
  /// callable with a distance: NaN), a recall outside 0..1, or a distance that fingerprints of Bits bits cannot have or
  /// for which there is no index with that many blocks.
  explicit deduplicator(
      Simhasher hash, const dedup_options& options = {}) requires std::is_same_v<Check, feature_extractor_of<Simhasher>>
      : deduplicator(describer_type(std::move(hash), options.min_tokens), options) {}
  deduplicator(Simhasher hash, Check check, const dedup_options& options = {})
      : deduplicator(describer_type(std::move(hash), std::move(check), options.min_tokens), options) {}

  /// Decides about a document, and keeps it if it is new and comparable.
  /// Throws: std::invalid_argument, which names the id, if a document with this id is kept (replace() replaces it);
  /// std::length_error if the index or 32 bits cannot number the kept documents; std::bad_alloc; exceptions of the
  /// check, or std::invalid_argument if it returns NaN.
  verdict_type add(std::string_view text, const Id& id);
  template <class Commit = detail::no_commit>
  verdict_type add(const description_type& document, const Id& id, const Commit& commit = {}) {
    if (contains(id)) refuse(id);
    return add_in_place_of(decider_type::no_slot, document, id, commit);
  }

  /// Adds a document under the number of documents added before, including duplicates, as its id.
  /// Throws: as add(text, id); std::length_error if Id cannot represent the number.
  verdict_type add(std::string_view text) requires counting_id<Id> { return add(text, next_id()); }

  /// As add(), but first removes the document that is kept under this id, if any. So that document cannot be the
  /// original of the new one. If the text is a duplicate of another document, nothing is kept under the id.
  verdict_type replace(std::string_view text, const Id& id);
  template <class Commit = detail::no_commit>
  verdict_type replace(const description_type& document, const Id& id, const Commit& commit = {}) {
    return add_in_place_of(core_.slot_of(id), document, id, commit);
  }

  /// Decides about many documents in order, with the same verdicts and the same kept documents as calling add() one
  /// after the other. The threads of `run` describe the texts. An exact deduplicator then searches for each document, as
  /// add() does. If fingerprints are compared, the batch is either searched for in this way, or joined with the kept
  /// documents, whichever is estimated to cost less. A join pays for large batches and distances. It calls a callable
  /// check from several threads (of `run`), for any two texts whose fingerprints are within the distance. If the earlier
  /// text is in the batch, the check gets the id under which it would be kept. `texts` has size(), and texts[i] converts
  /// to std::string_view.
  /// Throws: as add(); std::invalid_argument if the numbers of ids and texts differ, or two ids are equal. If an
  /// exception is thrown, nothing was added.
  /// Memory: temporarily about 100 bytes per text of the batch, and its features. A join takes about 150 bytes per kept
  /// document as well.
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, std::span<const Id> ids, const any_runner& run = {}) {
    check_ids(texts.size(), ids);
    return add_batch(describe_batch(texts, run, own_), ids, run);
  }
  /// Adds a batch under the numbers of documents added before, including duplicates, as ids.
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, const any_runner& run = {}) requires counting_id<Id> {
    return add_batch(texts, next_ids(texts.size()), run);
  }
  template <class Commit = detail::no_commit>
  std::vector<verdict_type> add_batch(const batch_type& batch, std::span<const Id> ids, const any_runner& run = {},
                                      const Commit& commit = {}) {
    return add_descriptions(batch.documents, ids, run, commit);
  }
  /// As add_batch(), for descriptions that the caller keeps alive during the call.
  template <class Commit = detail::no_commit>
  std::vector<verdict_type> add_descriptions(std::span<const description_type> documents, std::span<const Id> ids,
                                             const any_runner& run = {}, const Commit& commit = {}) {
    check_ids(documents.size(), ids);
    std::vector<kept_type> kept;
    kept.reserve(documents.size());
    std::vector<verdict_type> verdicts =
        core_.keep_batch(documents, ids, added_, judge(), checks_features ? std::optional(similarity_) : std::nullopt,
                         own_.deciding_, run);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (verdicts[i].is_new() && verdicts[i].is_comparable) kept.push_back(kept_of(documents[i], ids[i], added_ + i));
    }
    detail::undo keeping{[&] {
      for (const kept_type& one : kept) core_.erase(one.id);
    }};
    commit(change_type{.verdicts = verdicts, .kept = kept});
    keeping.is_due = false;
    added_ += documents.size();
    return verdicts;
  }

  /// Throws: std::invalid_argument if add_batch() would refuse `ids` for so many texts: their number differs, two are
  /// equal, or a document is kept under one of them.
  void check_ids(std::size_t texts, std::span<const Id> ids) const;

  /// The verdict that add() would return for a text. Keeps nothing.
  [[nodiscard]] verdict_type find(std::string_view text) const {
    workspace scratch;
    return find(text, scratch);
  }
  /// The verdict of find(), with scratch memory that is reused.
  [[nodiscard]] verdict_type find(std::string_view text, workspace& scratch) const {
    return find(describe(text, scratch), scratch);
  }
  [[nodiscard]] verdict_type find(const description_type& document, workspace& scratch) const;

  /// The description of a text; valid until the next use of the workspace.
  [[nodiscard]] description_type describe(std::string_view text, workspace& scratch) const {
    return (*describer_)(text, scratch.describing_);
  }
  /// The descriptions of many texts, made on the threads of `run`; they refer to the texts.
  template <text_range Texts>
  [[nodiscard]] batch_type describe_batch(const Texts& texts, const any_runner& run, workspace& scratch) const {
    return describe_all(*describer_, texts, run, &scratch.describing_);
  }
  /// The describer. It never changes and can outlive the deduplicator, so texts can be described while other threads
  /// write.
  [[nodiscard]] const std::shared_ptr<const describer_type>& describer() const noexcept { return describer_; }

  /// Keeps a document without deciding about it, with the serial number `serial`; added() is serial + 1 then.
  /// Throws: as add(); std::invalid_argument if the document is not comparable, if a document with this id is kept, or
  /// if `serial` is below added().
  void keep(const Id& id, const description_type& document, std::uint64_t serial);
  /// Counts documents as added, without keeping them.
  void count(std::uint64_t documents) noexcept { added_ += documents; }

  /// Erases a kept document. Returns: whether a document with this id was kept. (Duplicates are not kept.)
  bool erase(const Id& id) noexcept;

  /// Frees the memory that erased documents have left, and the reserve for growth. Nothing else changes.
  /// Throws: std::bad_alloc. Guarantee: strong.
  /// Complexity: O(size()): that of keeping all kept documents again.
  void shrink_to_fit();

  /// Whether a document with this id is kept.
  [[nodiscard]] bool contains(const Id& id) const noexcept { return core_.slot_of(id) != decider_type::no_slot; }

  /// Calls `visit(document)` with each kept_document, in the order of adding, until `visit` returns false. A
  /// kept_document refers to memory of the deduplicator. Precondition: `visit` does not change the deduplicator.
  template <class Visit>
  void for_each_kept(Visit&& visit) const {
    for (const auto slot : core_.slots_by_age()) {
      if (!detail::visit_goes_on(visit, core_.kept_at(slot))) return;
    }
  }

  /// The number of kept documents.
  [[nodiscard]] std::size_t size() const noexcept { return core_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// The number of added documents: new ones, duplicates, and those with nothing to compare.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// The id that add(text) gives to the next document, or to the document `more` documents later: the number of
  /// documents added before that.
  /// Throws: std::length_error if Id cannot represent it.
  [[nodiscard]] Id next_id(std::size_t more = 0) const requires counting_id<Id> {
    if (!std::in_range<Id>(added_ + more))
      detail::fail<std::length_error>("the Id of the deduplicator is too narrow for the number of the next document");
    return static_cast<Id>(added_ + more);
  }

  /// Whether candidates come from shared features, so that none is missed.
  [[nodiscard]] bool is_exact() const noexcept { return !core_.source().compares_fingerprints(); }
  /// The largest distance between the fingerprints of a duplicate and its original; nullopt if the deduplicator is
  /// exact, which compares no fingerprints. Only short texts with the same tokens (see min_tokens) may be farther
  /// apart, if a weighter counts tokens.
  [[nodiscard]] std::optional<int> distance() const noexcept {
    const auto* const source = core_.source().fingerprints();
    return source == nullptr ? std::nullopt : std::optional(source->distance());
  }
  /// The least similarity of duplicates by the check.
  [[nodiscard]] double similarity() const noexcept requires has_check { return similarity_; }
  /// The options. Options that were not given have the values that were chosen.
  [[nodiscard]] dedup_options options() const noexcept {
    dedup_options result{.similarity = similarity_, .min_tokens = describer_->min_tokens()};
    if (const auto* const source = core_.source().fingerprints()) {
      result.distance = source->distance();
      result.blocks = source->blocks();
    }
    result.exact = is_exact();
    return result;
  }

  /// The decider, which contains all kept documents.
  [[nodiscard]] const decider_type& kept() const noexcept { return core_; }

  /// The number of allocated bytes, without workspaces. For maps it is an estimate.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return core_.memory_usage(); }

 private:
  deduplicator(describer_type describe, const dedup_options& options);

  static bool leaves_open(const dedup_options& options) noexcept {
    return checks_features && decider_type::source_type::can_be_exact && !options.exact && !options.distance &&
           !options.recall && options.blocks == 0;
  }

  static typename decider_type::source_type source_of(const dedup_options& options) {
    using source = typename decider_type::source_type;
    if (!options.exact.value_or(leaves_open(options))) return source(fingerprint_source_of(options));
    if constexpr (checks_features && source::can_be_exact) {
      if (options.distance || options.recall || options.blocks != 0) {
        detail::fail<std::invalid_argument>("exact deduplication takes no distance, recall or blocks");
      }
      const double similarity = options.similarity.value_or(default_similarity);
      detail::check_jaccard(similarity);
      return source(feature_candidates(similarity));
    } else {
      detail::fail<std::invalid_argument>("exact deduplication needs a check of features of 32 bits");
    }
  }

  static fingerprint_candidates<fingerprint_type> fingerprint_source_of(const dedup_options& options) {
    constexpr std::size_t bits = Simhasher::bits;
    // Options are checked even if they have no effect, so that mistakes are noticed.
    const double recall = options.recall.value_or(default_recall(fingerprint_type::kind));
    detail::check_recall(recall);
    if (!has_check && options.similarity) detail::check_jaccard(*options.similarity);
    int k = 3;
    if (options.distance) {
      k = *options.distance;
    } else if (has_check || options.similarity) {
      k = distance_for(bits, options.similarity.value_or(default_similarity),
                       {.min_recall = recall, .kind = fingerprint_type::kind});
      k = (std::min)(k, static_cast<int>(bits) - 1);  // the greatest distance of an index
    }
    const int blocks = options.blocks == 0 ? default_blocks(bits, k) : options.blocks;
    if (!options.distance && (has_check || options.similarity) && !layout::is_valid(bits, k, blocks)) {
      detail::fail<std::invalid_argument>(
          "similarity " + std::to_string(options.similarity.value_or(default_similarity)) + " takes a distance of " +
          std::to_string(k) + " of " + std::to_string(bits) + " bits, for which there is no index of " +
          std::to_string(blocks) + " blocks: it needs 1 to " + std::to_string(bits) + " blocks and at most 256 tables");
    }
    return {k, blocks};
  }

  [[nodiscard]] auto judge() const {
    return [this](const kept_type& kept, const description_type& document,
                  [[maybe_unused]] std::optional<double> best) -> check_result {
      if constexpr (checks_features) {
        const auto similarity = jaccard_at_least(kept.features, document.features, best.value_or(similarity_));
        return {similarity.has_value(), similarity};
      } else {
        return detail::result_of_check(describer_->check()(kept.id, document.text), similarity_);
      }
    };
  }

  static kept_type kept_of(const description_type& document, const Id& id, std::uint64_t serial) {
    return {id, serial, document.fingerprint, document.features, document.digest};
  }

  template <class Commit>
  verdict_type add_in_place_of(typename decider_type::slot_type old, const description_type& document, const Id& id,
                               const Commit& commit) {
    const bool replaces = old != decider_type::no_slot;
    const verdict_type result = core_.find(document, judge(), own_.deciding_, old);
    change_type change{.verdicts = {&result, 1}};
    if (replaces) change.replaced = {&id, 1};
    if (result.is_new() && result.is_comparable) {
      const auto slot = replaces ? core_.keep_unnamed(document, added_) : core_.keep(id, document, added_);
      detail::undo keeping{[&] { replaces ? core_.drop(slot) : static_cast<void>(core_.erase(id)); }};
      const kept_type kept = kept_of(document, id, added_);
      change.kept = {&kept, 1};
      commit(change);
      keeping.is_due = false;
      if (replaces) core_.rename(id, slot);
    } else {
      commit(change);
      if (replaces) core_.erase(id);
    }
    ++added_;
    return result;
  }

  [[noreturn]] static void refuse(const Id& id) {
    detail::fail<std::invalid_argument>("a document of the id" + detail::shown_id(id) +
                                        " is kept already; replace() takes another in its place");
  }

  [[nodiscard]] std::vector<Id> next_ids(std::size_t count) const requires counting_id<Id> {
    std::vector<Id> ids(count);
    if (count == 0) return ids;
    static_cast<void>(next_id(count - 1));
    std::iota(ids.begin(), ids.end(), static_cast<Id>(added_));
    return ids;
  }

  std::shared_ptr<const describer_type> describer_;
  double similarity_;
  decider_type core_;
  std::uint64_t added_ = 0;
  workspace own_;
};

template <class Simhasher>
deduplicator(Simhasher) -> deduplicator<Simhasher>;
template <class Simhasher>
deduplicator(Simhasher, dedup_options) -> deduplicator<Simhasher>;
template <class Simhasher, class Check>
deduplicator(Simhasher, Check) -> deduplicator<Simhasher, Check>;
template <class Simhasher, class Check>
deduplicator(Simhasher, Check, dedup_options) -> deduplicator<Simhasher, Check>;

/// Makes a deduplicator whose documents have ids of another type than std::uint32_t.
/// Example: `auto seen = make_deduplicator<std::string>(simhasher{words{}}, {.similarity = 0.9});
///          seen.add(text, url);`
template <class Id, class Simhasher>
[[nodiscard]] deduplicator<Simhasher, feature_extractor_of<Simhasher>, Id> make_deduplicator(
    Simhasher hash, const dedup_options& options = {}) {
  return deduplicator<Simhasher, feature_extractor_of<Simhasher>, Id>(std::move(hash), options);
}
template <class Id, class Simhasher, duplicate_check<Id> Check>
[[nodiscard]] deduplicator<Simhasher, Check, Id> make_deduplicator(Simhasher hash, Check check,
                                                                   const dedup_options& options = {}) {
  return deduplicator<Simhasher, Check, Id>(std::move(hash), std::move(check), options);
}

template <class Simhasher, class Check, class Id>
auto deduplicator<Simhasher, Check, Id>::add(std::string_view text, const Id& id) -> verdict_type {
  return add(describe(text, own_), id);
}

template <class Simhasher, class Check, class Id>
auto deduplicator<Simhasher, Check, Id>::replace(std::string_view text, const Id& id) -> verdict_type {
  return replace(describe(text, own_), id);
}

template <class Simhasher, class Check, class Id>
auto deduplicator<Simhasher, Check, Id>::find(const description_type& document, workspace& scratch) const
    -> verdict_type {
  return core_.find(document, judge(), scratch.deciding_);
}

template <class Simhasher, class Check, class Id>
void deduplicator<Simhasher, Check, Id>::keep(const Id& id, const description_type& document, std::uint64_t serial) {
  if (!core_.is_comparable(document)) {
    detail::fail<std::invalid_argument>(std::string("a document without ") +
                                        (is_exact() ? "features" : "a fingerprint") + " cannot be kept");
  }
  if (contains(id)) refuse(id);
  if (serial < added_) {
    detail::fail<std::invalid_argument>("document number " + std::to_string(serial) + " comes after " +
                                        std::to_string(added_) + " others");
  }
  core_.keep(id, document, serial);
  added_ = serial + 1;
}

template <class Simhasher, class Check, class Id>
bool deduplicator<Simhasher, Check, Id>::erase(const Id& id) noexcept {
  return core_.erase(id);
}

template <class Simhasher, class Check, class Id>
void deduplicator<Simhasher, Check, Id>::shrink_to_fit() {
  core_ = core_.compact();
}

template <class Simhasher, class Check, class Id>
deduplicator<Simhasher, Check, Id>::deduplicator(describer_type describe, const dedup_options& options)
    : similarity_(options.similarity.value_or(default_similarity)), core_(source_of(options), !has_check) {
  if constexpr (checks_features) {
    if (is_exact()) describe = describe.features_only();
  }
  describer_ = std::make_shared<const describer_type>(std::move(describe));
  if (checks_features) detail::check_jaccard(similarity_);
  if (std::isnan(similarity_)) detail::fail<std::invalid_argument>("the similarity of duplicates is not a number");
}

template <class Simhasher, class Check, class Id>
void deduplicator<Simhasher, Check, Id>::check_ids(std::size_t texts, std::span<const Id> ids) const {
  if (ids.size() != texts) {
    detail::fail<std::invalid_argument>("add_batch: " + std::to_string(ids.size()) + " ids for " +
                                        std::to_string(texts) + " texts");
  }
  std::vector<Id> sorted;
  if (ids.size() > 1) sorted.assign(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    detail::fail<std::invalid_argument>("add_batch: two documents have the id" + detail::shown_id(*twice));
  }
  for (const Id& id : ids) {
    if (contains(id)) refuse(id);
  }
}

#if defined(NEARDUP_COMPILED)
namespace detail {

template <class Id>
using default_deduplicator = deduplicator<default_simhasher<64>, feature_extractor_of<default_simhasher<64>>, Id>;

}  // namespace detail

// Only some members, not the whole class: clang before 16 would also instantiate members whose constraints do not hold.
#define NEARDUP_DEDUPLICATOR(Class, Id)                                                                                \
  NEARDUP_DEDUP_TEMPLATE Class<Id>::deduplicator(Class<Id>::describer_type, const dedup_options&);                     \
  NEARDUP_DEDUP_TEMPLATE verdict<Id> Class<Id>::add(std::string_view, const Id&);                                      \
  NEARDUP_DEDUP_TEMPLATE verdict<Id> Class<Id>::replace(std::string_view, const Id&);                                  \
  NEARDUP_DEDUP_TEMPLATE verdict<Id> Class<Id>::find(const Class<Id>::description_type&, Class<Id>::workspace&) const; \
  NEARDUP_DEDUP_TEMPLATE void Class<Id>::keep(const Id&, const Class<Id>::description_type&, std::uint64_t);           \
  NEARDUP_DEDUP_TEMPLATE bool Class<Id>::erase(const Id&) noexcept;                                                    \
  NEARDUP_DEDUP_TEMPLATE void Class<Id>::shrink_to_fit();                                                              \
  NEARDUP_DEDUP_TEMPLATE void Class<Id>::check_ids(std::size_t, std::span<const Id>) const;                            \
  NEARDUP_DEDUP_TEMPLATE std::vector<verdict<Id>> Class<Id>::add_descriptions(                                         \
      std::span<const Class<Id>::description_type>, std::span<const Id>, const any_runner&, const detail::no_commit&);
NEARDUP_DEDUPLICATOR(detail::default_deduplicator, std::uint32_t)
NEARDUP_DEDUPLICATOR(detail::default_deduplicator, std::string)
#undef NEARDUP_DEDUPLICATOR
#endif

}  // namespace neardup::inline v0
