// SPDX-License-Identifier: MIT
// deduplicator: takes documents one by one. It decides for each document whether the document is new, or which earlier
// document it duplicates.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/compiled.hpp"
#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../fingerprint/default_features.hpp"
#include "../fingerprint/feature_extractor.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../sets/engine/common_elements.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../threshold.hpp"
#include "checks.hpp"
#include "decider.hpp"
#include "description.hpp"
#include "feature_candidates.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Receives every change of a deduplicator before the change becomes final. If commit() throws, the change does not
/// happen.
template <class Change>
class change_hook {
 public:
  virtual void commit(const Change& change) = 0;

 protected:
  change_hook() = default;
  change_hook(const change_hook&) = default;
  change_hook& operator=(const change_hook&) = default;
  ~change_hook() = default;
};

/// Makes the descriptions of texts. A description has the features of a text.
template <class Features>
class feature_describer {
 public:
  using feature_type = typename Features::feature_type;
  using fingerprint_type = void;
  using description_type = description<void, feature_type>;

  /// Scratch memory, reused for the next text. Each thread needs its own object.
  class workspace {
    friend feature_describer;
    typename Features::workspace extracting_;
    std::vector<feature_type> all_;
  };

  explicit feature_describer(Features extract) : extract_(std::move(extract)) {}

  /// Returns the description of a text. The features in the description are valid until the next use of the workspace.
  [[nodiscard]] description_type operator()(std::string_view text, workspace& scratch) const {
    return {text, extract_(text, scratch.extracting_)};
  }
  /// Returns the description of a document that consists of several texts. No token spans two texts. The description
  /// has an empty member `text`.
  [[nodiscard]] description_type operator()(std::span<const std::string_view> texts, workspace& scratch) const {
    return {{}, features_of_all(extract_, texts, scratch.extracting_, scratch.all_)};
  }

  /// Returns the descriptions of many texts, in order. The descriptions refer to the texts. The runner `run` spreads
  /// the work over threads. `first` is scratch memory of the first thread, which the caller may reuse in the next call.
  template <text_range Texts>
  [[nodiscard]] auto describe_all(const Texts& texts, const any_runner& run = {}, workspace* first = nullptr) const {
    return detail::describe_all(*this, texts, run, first);
  }

  [[nodiscard]] const Features& check() const noexcept { return extract_; }

 private:
  Features extract_;
};

/// Decides whether two documents are duplicates by the similarity of their features.
class set_judge {
 public:
  /// Makes a judge. Two documents are duplicates if their similarity is at least `least`.
  /// Precondition: 0 < least.similarity <= 1.
  explicit set_judge(const set_threshold& least) : least_(least) {}

  template <class Kept, class Description>
  [[nodiscard]] check_result operator()(const Kept& kept, const Description& document,
                                        std::optional<double> best) const {
    const overlap_bounds bounds({least_.measure, best.value_or(least_.similarity), least_.min_common});
    const std::size_t common = bounds.common_if_similar(kept.features, document.features);
    if (common == 0) return {false, std::nullopt};
    return {true, bounds.similarity(kept.features.size(), document.features.size(), common)};
  }

  [[nodiscard]] const set_threshold& threshold() const noexcept { return least_; }
  [[nodiscard]] double similarity() const noexcept { return least_.similarity; }
  /// Returns `least` for decider::keep_batch(): the least Jaccard similarity, or nullopt for another measure.
  [[nodiscard]] std::optional<double> least_jaccard() const noexcept {
    return least_.measure == set_similarity::jaccard ? std::optional(least_.similarity) : std::nullopt;
  }

 private:
  set_threshold least_;
};

}  // namespace detail

/// The members that deduplicator and fingerprint_deduplicator have in common.
///
/// A deduplicator keeps the first of several similar documents. add() decides whether a text is new, or which kept
/// document it duplicates. If several kept documents match a text, the original is the closest of them; of equally
/// close documents, the earliest (see original_choice). Only new documents are kept. So each duplicate is similar to
/// its original, and no chain of small differences connects different texts. Which documents are kept depends on the
/// order in which they are added. A text without anything to compare (see verdict::is_comparable) is new and is
/// counted, but is not kept.
///
/// A deduplicator consists of a describer, a decider and a judge. Each operation also accepts descriptions, so that
/// other threads can make descriptions in advance. stream_deduplicator and durable_deduplicator derive from a
/// deduplicator. They receive each change before the change becomes final.
///
/// `Id`: an index_id, or std::string. Ids are found by hash if std::hash<Id> exists, otherwise by order. A string is
/// stored once.
/// Guarantee: strong. A deduplicator is movable, not copyable. A moved-from deduplicator may only be destroyed or
/// assigned to.
/// Thread safety: several threads may call const members at once, each with its own workspace, while no thread calls
/// other members.
template <class Describer, class Judge, class Source, class Id>
class basic_deduplicator {
  static_assert(index_id<Id> || std::same_as<Id, std::string>,
                "neardup: an Id is regular, ordered and trivially copyable, and no floating-point number; or it is "
                "std::string");

 public:
  using id_type = Id;
  using verdict_type = verdict<Id>;
  using describer_type = Describer;
  using fingerprint_type = typename Describer::fingerprint_type;
  using feature_type = typename Describer::feature_type;
  using description_type = typename Describer::description_type;
  using batch_type = detail::described_batch<description_type>;
  using decider_type = decider<fingerprint_type, feature_type, Id, Source>;
  using kept_type = typename decider_type::kept_type;
  using change_type = detail::dedup_change<Id, fingerprint_type, feature_type>;

  /// Scratch memory, reused for the next text. Each thread needs its own object.
  class workspace {
    friend basic_deduplicator;
    typename describer_type::workspace describing_;
    typename decider_type::workspace deciding_;
  };

  /// Decides about a document. Keeps the document if it is new and comparable.
  /// Returns: the verdict: the document is new, or a duplicate of an original.
  /// Throws: std::invalid_argument if a document with this id is kept (use replace() to replace it); the message names
  /// the id. std::length_error if there are more documents than the index or 32 bits can number; std::bad_alloc;
  /// exceptions of the check; std::invalid_argument if the check returns NaN.
  /// Complexity: near-linear in the text, linear in the candidates, and amortised O(1) for the id (O(log n) for an id
  /// without std::hash). All memory grows in pieces: the slowest of a million calls took .4 ms.
  verdict_type add(std::string_view text, id_argument<Id> id);
  verdict_type add(const description_type& document, id_argument<Id> id) {
    return add_with(document, id, [this](const change_type& change) { commit(change); });
  }

  /// Adds a document. The document's id is the number of documents added before, duplicates included.
  /// Throws: the exceptions of add(text, id); std::length_error if Id cannot represent the number.
  verdict_type add(std::string_view text) requires counting_id<Id> { return add(text, next_id()); }

  // An id of another type does not compile. The message of the compiler says what to write.
  template <class Other>
    requires(!std::convertible_to<const Other&, id_argument<Id>>)
  verdict_type add(std::string_view /*text*/, const Other& /*id*/) {
    static_assert(
        sizeof(Other) == 0,
        "neardup: this deduplicator has ids of another type: for strings write "
        "make_deduplicator<std::string>(jaccard{0.8}), or make_fingerprint_deduplicator<std::string>(hash, bits{3})");
    return {};
  }

  /// Removes the document that is kept under this id, if there is one. Then adds the new document, as add() does. So
  /// the removed document cannot be the original of the new document. If the new document is a duplicate of another
  /// document, no document is kept under the id.
  /// Throws: the exceptions of add().
  verdict_type replace(std::string_view text, id_argument<Id> id);
  verdict_type replace(const description_type& document, id_argument<Id> id) {
    return replace_with(document, id, [this](const change_type& change) { commit(change); });
  }

  /// Decides about many documents in order. The verdicts and the kept documents are the same as if add() was called for
  /// each document in turn. First the threads of the runner `run` compute the descriptions of all texts (features,
  /// fingerprints). Then the class deduplicator searches for each document, as add() does. A fingerprint_deduplicator
  /// may join the batch with the kept documents instead. `texts` has size(), and texts[i] converts to std::string_view.
  /// Throws: the exceptions of add(); std::invalid_argument if the numbers of ids and texts differ, or two ids are
  /// equal. If the call throws, no document has been added.
  /// Memory: while the call runs, about 100 bytes per text of the batch, and the features of the batch. A join also
  /// takes about 150 bytes per kept document.
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, std::span<const Id> ids, const any_runner& run = {}) {
    check_ids(texts.size(), ids);
    return add_batch(describe_batch(texts, run, own_), ids, run);
  }
  /// Adds a batch. The id of each document is the number of documents added before, duplicates included.
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, const any_runner& run = {}) requires counting_id<Id> {
    return add_batch(texts, next_ids(texts.size()), run);
  }
  std::vector<verdict_type> add_batch(const batch_type& batch, std::span<const Id> ids, const any_runner& run = {}) {
    return add_descriptions(batch.documents, ids, run);
  }
  /// Adds a batch of descriptions, as add_batch() does. The texts and features to which the descriptions refer must
  /// exist until the call returns.
  std::vector<verdict_type> add_descriptions(std::span<const description_type> documents, std::span<const Id> ids,
                                             const any_runner& run = {});

  /// Checks the ids of a batch that has `texts` texts.
  /// Throws: std::invalid_argument if the numbers of ids and texts differ, two ids are equal, or a document is already
  /// kept under one of the ids.
  void check_ids(std::size_t texts, std::span<const Id> ids) const;

  /// Returns the verdict that add() would return for a text, but keeps nothing.
  [[nodiscard]] verdict_type find(std::string_view text) const {
    workspace scratch;
    return find(text, scratch);
  }
  /// Returns the result of find(text), and uses the caller's scratch memory.
  [[nodiscard]] verdict_type find(std::string_view text, workspace& scratch) const {
    return find(describe(text, scratch), scratch);
  }
  [[nodiscard]] verdict_type find(const description_type& document, workspace& scratch) const;

  /// Returns the description of a text: its features, fingerprint and digest, as far as the deduplicator needs them.
  /// The description is valid until the next use of the workspace.
  [[nodiscard]] description_type describe(std::string_view text, workspace& scratch) const {
    return (*describer_)(text, scratch.describing_);
  }
  /// Returns the descriptions of many texts. The threads of the runner `run` compute the descriptions, which refer to
  /// the texts.
  template <text_range Texts>
  [[nodiscard]] batch_type describe_batch(const Texts& texts, const any_runner& run, workspace& scratch) const {
    return describer_->describe_all(texts, run, &scratch.describing_);
  }
  /// Returns the describer. The describer never changes, and may outlive the deduplicator. So you can compute
  /// descriptions of texts while other threads add documents.
  [[nodiscard]] const std::shared_ptr<const describer_type>& describer() const noexcept { return describer_; }

  /// Keeps a document under the serial number `serial`, without a decision about the document. Afterwards added() ==
  /// serial + 1.
  /// Throws: the exceptions of add(); std::invalid_argument if the document is not comparable, if a document with this
  /// id is kept, or if `serial` is below added().
  void keep(id_argument<Id> id, const description_type& document, std::uint64_t serial);
  /// Increases added() by `documents`. No document is kept.
  void count(std::uint64_t documents) noexcept { added_ += documents; }

  /// Erases a kept document.
  /// Returns: true if a document with this id was kept. Duplicates are not kept.
  bool erase(id_argument<Id> id) noexcept;

  /// Frees unused memory: the memory of erased documents, and the memory reserved for growth. Nothing else changes.
  /// Throws: std::bad_alloc.
  /// Guarantee: strong.
  /// Complexity: linear in the features of all kept documents, which are indexed again.
  void shrink_to_fit();

  /// Returns true if a document with this id is kept.
  [[nodiscard]] bool contains(id_argument<Id> id) const noexcept { return core_.slot_of(id) != decider_type::no_slot; }

  /// Calls `visit(document)` for each kept_document, in the order in which they were added, until `visit` returns
  /// false. A kept_document refers to memory of the deduplicator.
  /// Precondition: `visit` does not change the deduplicator.
  template <class Visit>
  void for_each_kept(Visit&& visit) const {
    for (const auto slot : core_.slots_by_age()) {
      const kept_type kept = core_.kept_at(slot);
      if (!detail::visit_goes_on(visit, kept)) return;
    }
  }

  /// Returns the number of kept documents.
  [[nodiscard]] std::size_t size() const noexcept { return core_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Returns the number of added documents: new documents, duplicates, and documents without anything to compare.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// Returns the id that add(text) will give to a document if `more` other documents are added first. The id is the
  /// number of documents added before the document.
  /// Throws: std::length_error if Id cannot represent the number.
  [[nodiscard]] Id next_id(std::size_t more = 0) const requires counting_id<Id> {
    if (!std::in_range<Id>(added_ + more))
      detail::fail<std::length_error>("the Id of the deduplicator is too narrow for the number of the next document");
    return static_cast<Id>(added_ + more);
  }

  /// Returns the decider, which has all kept documents.
  [[nodiscard]] const decider_type& kept() const noexcept { return core_; }

  /// Returns the number of allocated bytes, without workspaces. The bytes of maps are estimated.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return core_.memory_usage(); }

 protected:
  basic_deduplicator(Describer describe, Judge judge, Source source, bool short_by_tokens_only);

  [[nodiscard]] const Judge& judge() const noexcept { return judge_; }

  /// Sets the hook, which receives each change before the change becomes final.
  /// Precondition: `hook` outlives this object, and each object to which this object is moved.
  void commit_to(detail::change_hook<change_type>* hook) noexcept { hook_ = hook; }
  void commit(const change_type& change) {
    if (hook_ != nullptr) hook_->commit(change);
  }

  // The following functions do the same as add(), replace() and add_descriptions(), but call `commit` in place of the
  // hook.
  template <class Commit>
  verdict_type add_with(const description_type& document, const Id& id, const Commit& commit) {
    if (contains(id)) refuse(id);
    return add_in_place_of(decider_type::no_slot, document, id, commit);
  }
  template <class Commit>
  verdict_type replace_with(const description_type& document, const Id& id, const Commit& commit) {
    return add_in_place_of(core_.slot_of(id), document, id, commit);
  }
  template <class Commit>
  std::vector<verdict_type> add_descriptions_with(std::span<const description_type> documents, std::span<const Id> ids,
                                                  const any_runner& run, const Commit& commit) {
    check_ids(documents.size(), ids);
    std::vector<kept_type> kept;
    kept.reserve(documents.size());
    std::vector<verdict_type> verdicts =
        core_.keep_batch(documents, ids, added_, judge_, judge_.least_jaccard(), own_.deciding_, run);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (verdicts[i].is_new() && verdicts[i].is_comparable) kept.push_back(kept_of(documents[i], ids[i], added_ + i));
    }
    detail::undo keeping{[&] {
      for (const kept_type& one : kept) core_.erase(one.id);
    }};
    commit(change_type{.verdicts = verdicts, .kept = kept, .added = added_ + documents.size()});
    keeping.is_due = false;
    added_ += documents.size();
    return verdicts;
  }

 private:
  static kept_type kept_of(const description_type& document, const Id& id, std::uint64_t serial) {
    if constexpr (std::is_void_v<fingerprint_type>) {
      return {id, serial, document.features};
    } else {
      return {id, serial, *document.fingerprint, document.features, document.digest};
    }
  }

  template <class Commit>
  verdict_type add_in_place_of(typename decider_type::slot_type old, const description_type& document, const Id& id,
                               const Commit& commit) {
    const bool replaces = old != decider_type::no_slot;
    const verdict_type result = core_.find(document, judge_, own_.deciding_, old);
    change_type change{.verdicts = {&result, 1}, .added = added_ + 1};
    if (replaces) change.replaced = {&id, 1};
    if (result.is_new() && result.is_comparable) {
      const auto* const searched = &own_.deciding_;
      const auto slot =
          replaces ? core_.keep_unnamed(document, added_, searched) : core_.keep(id, document, added_, searched);
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
    detail::fail<std::invalid_argument>(
        {"a document of the id", detail::shown_id(id), " is kept already; replace() takes another in its place"});
  }

  [[nodiscard]] std::vector<Id> next_ids(std::size_t count) const requires counting_id<Id> {
    std::vector<Id> ids(count);
    if (count == 0) return ids;
    static_cast<void>(next_id(count - 1));
    std::iota(ids.begin(), ids.end(), static_cast<Id>(added_));
    return ids;
  }

  std::shared_ptr<const describer_type> describer_;
  Judge judge_;
  decider_type core_;
  std::uint64_t added_ = 0;
  workspace own_;
  detail::change_hook<change_type>* hook_ = nullptr;
};

template <class Describer, class Judge, class Source, class Id>
auto basic_deduplicator<Describer, Judge, Source, Id>::add(std::string_view text, id_argument<Id> id) -> verdict_type {
  return add(describe(text, own_), id);
}

template <class Describer, class Judge, class Source, class Id>
auto basic_deduplicator<Describer, Judge, Source, Id>::replace(std::string_view text, id_argument<Id> id)
    -> verdict_type {
  return replace(describe(text, own_), id);
}

template <class Describer, class Judge, class Source, class Id>
auto basic_deduplicator<Describer, Judge, Source, Id>::add_descriptions(std::span<const description_type> documents,
                                                                        std::span<const Id> ids, const any_runner& run)
    -> std::vector<verdict_type> {
  return add_descriptions_with(documents, ids, run, [this](const change_type& change) { commit(change); });
}

template <class Describer, class Judge, class Source, class Id>
auto basic_deduplicator<Describer, Judge, Source, Id>::find(const description_type& document, workspace& scratch) const
    -> verdict_type {
  return core_.find(document, judge_, scratch.deciding_);
}

template <class Describer, class Judge, class Source, class Id>
void basic_deduplicator<Describer, Judge, Source, Id>::keep(id_argument<Id> id, const description_type& document,
                                                            std::uint64_t serial) {
  if (!core_.is_comparable(document)) {
    detail::fail<std::invalid_argument>(
        {"a document without ", std::is_void_v<fingerprint_type> ? "features" : "a fingerprint", " cannot be kept"});
  }
  if (contains(id)) refuse(id);
  if (serial < added_) {
    detail::fail<std::invalid_argument>({"document number ", serial, " comes after ", added_, " others"});
  }
  core_.keep(id, document, serial);
  added_ = serial + 1;
}

template <class Describer, class Judge, class Source, class Id>
bool basic_deduplicator<Describer, Judge, Source, Id>::erase(id_argument<Id> id) noexcept {
  return core_.erase(id);
}

template <class Describer, class Judge, class Source, class Id>
void basic_deduplicator<Describer, Judge, Source, Id>::shrink_to_fit() {
  core_ = core_.compact();
}

template <class Describer, class Judge, class Source, class Id>
basic_deduplicator<Describer, Judge, Source, Id>::basic_deduplicator(Describer describe, Judge judge, Source source,
                                                                     bool short_by_tokens_only)
    : describer_(std::make_shared<const Describer>(std::move(describe))),
      judge_(std::move(judge)),
      core_(std::move(source), short_by_tokens_only) {}

template <class Describer, class Judge, class Source, class Id>
void basic_deduplicator<Describer, Judge, Source, Id>::check_ids(std::size_t texts, std::span<const Id> ids) const {
  if (ids.size() != texts) {
    detail::fail<std::invalid_argument>(
        {"add_batch: ", ids.size(), " ids for ", texts, " texts; give one id for each text"});
  }
  std::vector<Id> sorted;  // stays empty if the ids ascend
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end()) {
    sorted.assign(ids.begin(), ids.end());
  }
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    detail::fail<std::invalid_argument>({"add_batch: two documents have the id", detail::shown_id(*twice)});
  }
  for (const Id& id : ids) {
    if (contains(id)) refuse(id);
  }
}

namespace detail {

/// The base class of a deduplicator. If `Features` is not a feature_extractor, the base class uses default_features, so
/// that the compiler prints only the static_assert of deduplicator.
template <class Features, class Id>
using base_of_deduplicator = basic_deduplicator<
    feature_describer<std::conditional_t<is_feature_extractor<Features>, Features, default_features<>>>, set_judge,
    feature_candidates, Id>;

}  // namespace detail

/// Keeps the first of several similar documents, and misses no duplicate. A document is a duplicate if its feature set
/// has at least the given similarity with the feature set of a kept document. The similarity is Jaccard or cosine.
/// basic_deduplicator documents the members.
///
/// `Features`: a feature_extractor, with features of 32 or 64 bits. The default makes pairs of words.
/// Memory for each kept document with an id of 4 bytes: 48 bytes, and about 40 bytes for its entry in the map of ids. A
/// document with n features takes about 15 bytes for the posting of each of its n - ceil(s * n) + 1 rarest features,
/// and one byte for every four features. For Jaccard, s is the similarity; for cosine, s is its square. Each feature
/// takes 4.5 bytes, or 9 bytes if it has 64 bits. An array that has just grown takes twice as much. The memory of
/// erased documents is reused.
/// Use make_deduplicator to choose a type of ids other than std::uint32_t.
/// Members, guarantee, thread safety: see basic_deduplicator.
/// Example: `deduplicator dedup{jaccard{0.8}};  bool is_new = dedup.add(text).is_new();`
template <class Features = default_features<>, class Id = std::uint32_t>
class deduplicator : public detail::base_of_deduplicator<Features, Id> {
  static_assert(detail::is_feature_extractor<Features>,
                "neardup: a deduplicator compares sets of features: write deduplicator{jaccard{0.8}} or "
                "deduplicator{feature_extractor{tokenizer}, jaccard{0.8}}; fingerprints and checks are for a "
                "fingerprint_deduplicator{hash, bits{3}}");
  using base = detail::base_of_deduplicator<Features, Id>;

 public:
  /// Makes an empty deduplicator. `least`: jaccard{…}, cosine{…}, or a set_threshold with one of these measures.
  /// Throws: std::invalid_argument unless 0 < least.similarity <= 1, or if the measure is containment.
  explicit deduplicator(const set_threshold& least) : deduplicator(Features(), least) {}
  deduplicator(Features extract, const set_threshold& least)
      : base(detail::feature_describer<Features>(std::move(extract)), detail::set_judge(least),
             feature_candidates(least), false) {}

  // Containment does not compile. A later document may contain an earlier document. The earlier document would then be
  // the duplicate, and come before its original.
  template <std::same_as<containment> Threshold>
  explicit deduplicator(const Threshold& least) : deduplicator(Features(), least) {}
  template <std::same_as<containment> Threshold>
  deduplicator(Features extract, const Threshold& least) : deduplicator(std::move(extract), set_threshold(least)) {
    static_assert(sizeof(Threshold) == 0,
                  "neardup: a deduplicator cannot decide by containment: the original of a text is the larger one, "
                  "which may come later; write group(sets, containment{0.8}), which takes all texts at once");
  }

  /// Returns the least similarity of duplicates, and its measure.
  [[nodiscard]] const set_threshold& threshold() const noexcept { return this->judge().threshold(); }
};

deduplicator(jaccard)->deduplicator<>;
deduplicator(cosine)->deduplicator<>;
deduplicator(containment)->deduplicator<>;
deduplicator(set_threshold)->deduplicator<>;
template <class Features>
deduplicator(Features) -> deduplicator<Features>;
template <class Features, class Threshold>
deduplicator(Features, Threshold) -> deduplicator<Features>;

/// Makes a deduplicator whose documents have ids of type Id.
/// Throws: std::invalid_argument unless 0 < least.similarity <= 1, or if the measure is containment.
/// Example: `auto seen = make_deduplicator<std::string>(jaccard{0.9});  seen.add(text, url);`
template <class Id, class Threshold>
[[nodiscard]] deduplicator<default_features<>, Id> make_deduplicator(const Threshold& least) {
  return deduplicator<default_features<>, Id>(least);
}
template <class Id, class Features, class Threshold>
[[nodiscard]] deduplicator<Features, Id> make_deduplicator(Features extract, const Threshold& least) {
  return deduplicator<Features, Id>(std::move(extract), least);
}

namespace detail {

/// True if T is a deduplicator or a fingerprint_deduplicator.
template <class T>
inline constexpr bool is_deduplicator = false;
template <class Features, class Id>
inline constexpr bool is_deduplicator<deduplicator<Features, Id>> = true;

}  // namespace detail

#if defined(NEARDUP_COMPILED)
namespace detail {

template <class Id>
using default_deduplicator = deduplicator<default_features<>, Id>;
template <class Id>
using base_of_default_deduplicator = base_of_deduplicator<default_features<>, Id>;

NEARDUP_DEDUP_TEMPLATE described_batch<description<void, std::uint32_t>> describe_all(
    const feature_describer<default_features<>>&, const std::vector<std::string>&, const any_runner&,
    feature_describer<default_features<>>::workspace*);
NEARDUP_DEDUP_TEMPLATE described_batch<description<void, std::uint32_t>> describe_all(
    const feature_describer<default_features<>>&, const std::span<const std::string_view>&, const any_runner&,
    feature_describer<default_features<>>::workspace*);

}  // namespace detail

// Instantiates only some members instead of the whole class. Clang before 16 would also instantiate the members whose
// constraints are not satisfied.
#define NEARDUP_DEDUPLICATOR(Class, Id)                                                                                \
  NEARDUP_DEDUP_TEMPLATE Class<Id>::basic_deduplicator(Class<Id>::describer_type, detail::set_judge,                   \
                                                       feature_candidates, bool);                                      \
  NEARDUP_DEDUP_TEMPLATE verdict<Id> Class<Id>::add(std::string_view, id_argument<Id>);                                \
  NEARDUP_DEDUP_TEMPLATE verdict<Id> Class<Id>::replace(std::string_view, id_argument<Id>);                            \
  NEARDUP_DEDUP_TEMPLATE verdict<Id> Class<Id>::find(const Class<Id>::description_type&, Class<Id>::workspace&) const; \
  NEARDUP_DEDUP_TEMPLATE void Class<Id>::keep(id_argument<Id>, const Class<Id>::description_type&, std::uint64_t);     \
  NEARDUP_DEDUP_TEMPLATE bool Class<Id>::erase(id_argument<Id>) noexcept;                                              \
  NEARDUP_DEDUP_TEMPLATE void Class<Id>::shrink_to_fit();                                                              \
  NEARDUP_DEDUP_TEMPLATE void Class<Id>::check_ids(std::size_t, std::span<const Id>) const;                            \
  NEARDUP_DEDUP_TEMPLATE std::vector<verdict<Id>> Class<Id>::add_descriptions(                                         \
      std::span<const Class<Id>::description_type>, std::span<const Id>, const any_runner&);
NEARDUP_DEDUPLICATOR(detail::base_of_default_deduplicator, std::uint32_t)
NEARDUP_DEDUPLICATOR(detail::base_of_default_deduplicator, std::string)
#undef NEARDUP_DEDUPLICATOR
#endif

}  // namespace neardup::inline v0
