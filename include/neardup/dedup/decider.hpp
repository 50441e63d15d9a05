// SPDX-License-Identifier: MIT
// decider: keeps documents, and decides for a further document which kept document is its original.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../sets/engine/chunked_array.hpp"
#include "../sets/engine/hash_chains.hpp"
#include "../sets/engine/set_store.hpp"
#include "checks.hpp"
#include "description.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

/// A kept document that is compared with a further document. The members refer to memory of the decider.
template <class Id, class Fingerprint, class Feature = std::uint32_t>
struct kept_document {
  const Id& id;
  std::uint64_t serial;  ///< serial number: the number of documents added before
  Fingerprint fingerprint;
  std::span<const Feature> features;  ///< given if the check compares features
  std::optional<set_digest> digest;   ///< given if the text is short
  /// The time of the document in a stream_deduplicator: when the document was added, or last renewed. In other
  /// deduplicators, the time is 0.
  std::uint64_t time = 0;
};

/// A kept document of a deduplicator that compares features only, not fingerprints.
template <class Id, class Feature>
struct kept_document<Id, void, Feature> {
  const Id& id;
  std::uint64_t serial;
  std::span<const Feature> features;
  std::uint64_t time = 0;
};

namespace detail {

/// An atomic change of a deduplicator, which a change_hook receives before the change becomes final. The change has
/// four parts, in this order: documents in `replaced` are removed; documents in `kept` are added; documents in
/// `renewed` become as young as the added documents; documents in `gone` are removed.
template <class Id, class Fingerprint, class Feature>
struct dedup_change {
  std::span<const verdict<Id>> verdicts = {};  ///< the verdicts about the documents of the call
  std::span<const Id> replaced = {};
  std::span<const kept_document<Id, Fingerprint, Feature>> kept = {};
  std::span<const Id> renewed = {};
  std::span<const Id> gone = {};
  std::uint64_t time = 0;   ///< time of the call; 0 without a stream_deduplicator
  std::uint64_t added = 0;  ///< added() after the change
};

struct digest_hash {
  std::size_t operator()(const set_digest& digest) const noexcept { return static_cast<std::size_t>(digest[0]); }
};

template <class Fingerprint>
struct kept_fingerprint {
  Fingerprint fingerprint;
  std::optional<set_digest> digest;  // given if the text is short
};
template <>
struct kept_fingerprint<void> {};

// These types replace the fingerprints and the digests in a decider that compares features only.
struct no_fingerprints {};
struct no_digests {};

/// Returns an id as messages print it, such as " 7" or " 'name'". Returns an empty text if the id cannot be printed.
template <class Id>
std::string shown_id(const Id& id) {
  if constexpr (std::is_same_v<Id, std::string>) {
    return " '" + id + "'";
  } else if constexpr (std::is_integral_v<Id>) {
    return " " + std::to_string(+id);
  } else {
    static_cast<void>(id);
    return "";
  }
}

}  // namespace detail

/// Keeps the descriptions of documents (see description.hpp), and decides which kept document is the original of a
/// further document.
///
/// `Fingerprint`: the type of the fingerprints, or void if only features are compared. `Source` finds candidates. If
/// fingerprints are compared, the candidates of a short text also include all documents with the same tokens, whatever
/// their fingerprints. `judge(kept, document, best)` returns a check_result, which says whether a kept_document and a
/// description are duplicates. `best` is the similarity of the best original so far; the judge need not compute smaller
/// similarities. Only one thread at a time calls `judge`, except in keep_batch. A document that is not comparable has
/// no original.
///
/// Each kept document has a number, its slot. The slots of erased documents are reused. A source identifies documents
/// by their slots. A source has the members of detail::feature_candidates and detail::fingerprint_candidates: fresh(),
/// insert(), erase(), for_each(), reserve(), memory_usage(), a workspace, and can_join. If can_join is true, a source
/// also has joins() and decide_batch(). If insert() has a fourth parameter, the decider passes the workspace of
/// for_each() to it.
///
/// A deduplicator has a describer, a decider and a judge. Classes with limits, durability or locks wrap a deduplicator.
/// Guarantee: strong.
/// Thread safety: several threads may call const members at once, each with its own workspace, while no thread calls
/// other members.
template <class Fingerprint, class Feature, class Id, class Source>
class decider {
  static constexpr bool compares_fingerprints = !std::is_void_v<Fingerprint>;

 public:
  using id_type = Id;
  using source_type = Source;
  using slot_type = std::uint32_t;
  using verdict_type = verdict<Id>;
  using description_type = description<Fingerprint, Feature>;
  using kept_type = kept_document<Id, Fingerprint, Feature>;
  static constexpr slot_type no_slot = (std::numeric_limits<slot_type>::max)();

 private:
  struct candidate {
    int distance;  // 0 if no fingerprints are compared
    std::uint64_t serial;
    slot_type slot;

    auto operator<=>(const candidate&) const = default;
  };

 public:
  /// Scratch memory, reused for the next document. Each thread needs its own object.
  class workspace {
    friend decider;
    std::vector<candidate> candidates_;
    typename Source::workspace source_;
  };

  /// Makes an empty decider. If `short_by_tokens_only` is true, the candidates of a short text are only the documents
  /// with the same tokens. Pass true if there is no check: the fingerprints of two short texts may be close by chance.
  explicit decider(Source source, bool short_by_tokens_only = false)
      : source_(std::move(source)), short_by_tokens_only_(short_by_tokens_only) {}

  /// Returns true if a document has the data that the decider compares: a fingerprint, or features.
  [[nodiscard]] static bool is_comparable(const description_type& document) noexcept {
    if constexpr (compares_fingerprints) {
      return document.fingerprint.has_value();
    } else {
      return !document.features.empty();
    }
  }

  /// Returns the verdict about `document`: it is new, or a duplicate of a kept document. The kept document in slot
  /// `but` is ignored.
  template <class Judge>
  [[nodiscard]] verdict_type find(const description_type& document, const Judge& judge, workspace& scratch,
                                  slot_type but = no_slot) const {
    verdict_type nothing;
    nothing.is_comparable = is_comparable(document);
    if (!nothing.is_comparable) return nothing;
    collect(document, scratch, but);
    original_choice<Id, std::uint64_t> original;
    for (const candidate& c : scratch.candidates_) {
      const kept_type kept = kept_at(c.slot);
      original.consider(kept.id, c.serial, shown_distance(c.distance),
                        judge(kept, document, original.result().similarity));
      if (original.is_final()) break;  // candidates are sorted by distance, then age
    }
    return original.result();
  }

  /// Decides about many documents in order, and keeps the new documents. A new document i is kept under ids[i], with
  /// the serial number serial + i. If `Source` joins the documents, several threads call `judge` at once, and may pass
  /// two documents of the batch. The earlier document is then passed as a kept document with the serial number 0.
  /// `least`: if given, the judge must reject all pairs whose features have a lower Jaccard similarity.
  /// Precondition: the ids differ, and no document is kept under any of the ids.
  /// Throws: std::length_error if there are more documents than the index or 32 bits can number; std::bad_alloc;
  /// exceptions of the judge and of run.check().
  template <class Judge>
  std::vector<verdict_type> keep_batch(std::span<const description_type> documents, std::span<const Id> ids,
                                       std::uint64_t serial, const Judge& judge, std::optional<double> least,
                                       workspace& scratch, const any_runner& run) {
    bool is_joined = false;
    std::vector<verdict_type> found;
    if constexpr (Source::can_join) {
      is_joined = source_.joins(size(), documents, run);
      if (is_joined) found = source_.decide_batch(*this, documents, ids, judge, least, run);
    }
    found.resize(documents.size());
    const auto stays = [&](std::size_t i) { return found[i].is_new() && found[i].is_comparable; };
    std::size_t done = 0;
    detail::undo keeping{[&] {
      for (std::size_t i = 0; i < done; ++i) {
        if (stays(i)) erase(ids[i]);
      }
    }};
    for (; done < documents.size(); ++done) {
      if (!is_joined) {
        run.check();
        found[done] = find(documents[done], judge, scratch);
      }
      if (stays(done)) keep(ids[done], documents[done], serial + done, is_joined ? nullptr : &scratch);
    }
    keeping.is_due = false;
    return found;
  }

  /// Keeps a document. A document with a lower serial number is older. `searched`: if given, the workspace of find()
  /// for this document, which saves work. Since find(), neither the workspace nor this object was used.
  /// Returns: the slot of the document.
  /// Precondition: the document is comparable, and no document with this id is kept.
  /// Throws: std::length_error if there are more documents than the index or 32 bits can number; std::bad_alloc.
  slot_type keep(id_argument<Id> id, const description_type& document, std::uint64_t serial,
                 const workspace* searched = nullptr) {
    const std::uint32_t entry = ids_.insert(id);
    detail::undo naming{[&] { ids_.erase(entry); }};
    const slot_type slot = keep_unnamed(document, serial, searched);
    naming.is_due = false;
    name(slot, entry);
    return slot;
  }

  /// Keeps a document that has no id yet. Afterwards call rename() to move an id to the document, or drop().
  slot_type keep_unnamed(const description_type& document, std::uint64_t serial, const workspace* searched = nullptr) {
    if (free_ == no_slot) {
      if (documents_.size() >= no_slot)
        detail::fail<std::length_error>("a deduplicator keeps at most 2^32 - 1 documents");
      documents_.grow_to(documents_.size() + 1);
      free_ = static_cast<slot_type>(documents_.size() - 1);
    }
    const slot_type slot = free_;

    const std::optional<set_digest> digest = digest_of(document);
    const bool in_source = is_in_source(digest.has_value());
    if (in_source) {
      const auto features = [this](slot_type other) { return features_of(other); };
      if constexpr (requires { source_.insert(document, slot, features, &searched->source_); }) {
        source_.insert(document, slot, features, searched == nullptr ? nullptr : &searched->source_);
      } else {
        source_.insert(document, slot, features);
      }
    }
    detail::undo inserting{[&] {
      if (in_source) source_.erase(document, slot);
    }};
    if constexpr (compares_fingerprints) {
      if (digest) by_digest_.emplace(*digest, slot);
    }
    detail::undo digesting{[&] {
      if constexpr (compares_fingerprints) {
        if (digest) erase_digest(*digest, slot);
      }
    }};
    if constexpr (compares_fingerprints) {
      fingerprints_.grow_to(std::size_t{slot} + 1);
      fingerprints_[slot] = {*document.fingerprint, digest};
    }
    if (!document.features.empty()) features_.put(slot, document.features);
    inserting.is_due = digesting.is_due = false;
    free_ = documents_[slot].next_free;
    documents_[slot] = {serial};
    return slot;
  }

  /// Moves an id to the document in `slot`, which has no id. Removes the document that had the id.
  void rename(const Id& id, slot_type slot) noexcept {
    const std::uint32_t entry = ids_.find(id);
    drop(ids_.slot(entry));
    name(slot, entry);
  }

  /// Removes the document in a slot.
  /// Precondition: the document has no id, or the caller removes the id from ids_.
  void drop(slot_type slot) noexcept {
    if constexpr (compares_fingerprints) {
      const std::optional<set_digest> digest = digest_of(slot);
      if (is_in_source(digest.has_value())) source_.erase(described(slot), slot);
      if (digest) erase_digest(*digest, slot);
    } else {
      source_.erase(described(slot), slot);
    }
    features_.erase(slot);
    documents_[slot].next_free = std::exchange(free_, slot);
  }

  /// Erases a kept document.
  /// Returns: true if a document with this id was kept.
  bool erase(id_argument<Id> id) noexcept {
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) return false;
    drop(ids_.slot(entry));
    ids_.erase(entry);
    return true;
  }

  /// Returns a copy of this decider without the unused memory of erased documents. Its documents are in the slots 0, 1,
  /// ..., ordered by age.
  [[nodiscard]] decider compact() const {
    decider fresh(source_.fresh(), short_by_tokens_only_);
    const std::vector<slot_type> slots = slots_by_age();
    fresh.source_.reserve(slots.size());
    for (const slot_type slot : slots) fresh.keep(id_at(slot), described(slot), documents_[slot].serial);
    return fresh;
  }

  /// Returns the slot of the document with this id, or no_slot if no document with this id is kept.
  [[nodiscard]] slot_type slot_of(id_argument<Id> id) const noexcept {
    const std::uint32_t entry = ids_.find(id);
    return entry == ids_type::none ? no_slot : ids_.slot(entry);
  }
  [[nodiscard]] kept_type kept_at(slot_type slot) const noexcept {
    const std::uint64_t serial = documents_[slot].serial;
    if constexpr (compares_fingerprints) {
      return {id_at(slot), serial, fingerprint_of(slot), features_of(slot), digest_of(slot)};
    } else {
      return {id_at(slot), serial, features_of(slot)};
    }
  }

  /// Returns the slots of the kept documents, oldest first.
  [[nodiscard]] std::vector<slot_type> slots_by_age() const {
    std::vector<bool> is_free(documents_.size());
    for (slot_type slot = free_; slot != no_slot; slot = documents_[slot].next_free) is_free[slot] = true;
    std::vector<slot_type> slots;
    slots.reserve(size());
    for (std::size_t slot = 0; slot < documents_.size(); ++slot) {
      if (!is_free[slot]) slots.push_back(static_cast<slot_type>(slot));
    }
    std::sort(slots.begin(), slots.end(),
              [&](slot_type a, slot_type b) { return documents_[a].serial < documents_[b].serial; });
    return slots;
  }

  /// Calls `visit(slot)` for each kept short text whose digest is `digest`.
  template <class Visit>
  void for_each_equal(const set_digest& digest, const Visit& visit) const {
    const auto [first, last] = by_digest_.equal_range(digest);
    for (auto i = first; i != last; ++i) visit(i->second);
  }

  /// Returns true if source() has the short documents (if `is_short` is true) or all other documents (if it is false).
  [[nodiscard]] bool is_in_source(bool is_short) const noexcept { return !(is_short && short_by_tokens_only_); }

  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  /// Returns an upper bound of the slots: slot < slot_count().
  [[nodiscard]] std::size_t slot_count() const noexcept { return documents_.size(); }
  [[nodiscard]] const Source& source() const noexcept { return source_; }

  /// Returns the number of allocated bytes, without workspaces. The bytes of maps are estimated.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum =
        source_.memory_usage() + features_.memory_usage() + documents_.memory_usage() + ids_.memory_usage();
    if constexpr (compares_fingerprints) {
      sum += fingerprints_.memory_usage() + by_digest_.bucket_count() * sizeof(void*) +
             by_digest_.size() * (sizeof(typename digest_map::value_type) + 2 * sizeof(void*));
    }
    return sum;
  }

 private:
  using ids_type = detail::id_table<Id>;
  struct kept_entry {
    std::uint64_t serial = 0;
    std::uint32_t id = ids_type::none;  // the entry of the id in ids_
    slot_type next_free = no_slot;      // of a slot without a document
  };
  using kept_fingerprint = detail::kept_fingerprint<Fingerprint>;
  using digest_map =
      std::conditional_t<compares_fingerprints, std::unordered_multimap<set_digest, slot_type, detail::digest_hash>,
                         detail::no_digests>;

  /// Gives an entry of ids_ to the document in a slot.
  void name(slot_type slot, std::uint32_t entry) noexcept {
    documents_[slot].id = entry;
    ids_.link(entry, slot, ids_type::none);
  }
  [[nodiscard]] const Id& id_at(slot_type slot) const noexcept { return ids_.id(documents_[slot].id); }

  [[nodiscard]] std::span<const Feature> features_of(slot_type slot) const noexcept { return features_[slot]; }

  [[nodiscard]] const auto& fingerprint_of(slot_type slot) const noexcept { return fingerprints_[slot].fingerprint; }
  [[nodiscard]] std::optional<set_digest> digest_of(slot_type slot) const noexcept {
    return fingerprints_[slot].digest;
  }
  /// Returns the digest of a document. If only features are compared, a document has no digest, because a search by
  /// features finds equal sets, too.
  [[nodiscard]] static std::optional<set_digest> digest_of(const description_type& document) noexcept {
    if constexpr (compares_fingerprints) {
      return document.digest;
    } else {
      return std::nullopt;
    }
  }
  [[nodiscard]] static std::optional<int> shown_distance(int distance) noexcept {
    return compares_fingerprints ? std::optional(distance) : std::nullopt;
  }

  [[nodiscard]] description_type described(slot_type slot) const noexcept {
    if constexpr (compares_fingerprints) {
      return {{}, fingerprint_of(slot), features_of(slot), digest_of(slot)};
    } else {
      return {{}, features_of(slot)};
    }
  }

  /// Collects in `scratch` the kept documents that may be duplicates of `document`, sorted by distance, then by age.
  /// Leaves out the document in slot `but`.
  void collect(const description_type& document, workspace& scratch, slot_type but) const {
    std::vector<candidate>& candidates = scratch.candidates_;
    candidates.clear();
    const auto add = [&](slot_type slot) {
      if (slot == but) return;
      int distance = 0;
      if constexpr (compares_fingerprints) distance = hamming_distance(*document.fingerprint, fingerprint_of(slot));
      candidates.push_back({distance, documents_[slot].serial, slot});
    };
    const std::optional<set_digest> digest = digest_of(document);
    if (is_in_source(digest.has_value())) source_.for_each(document, scratch.source_, add);
    if constexpr (compares_fingerprints) {
      if (digest) for_each_equal(*digest, add);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }

  void erase_digest(const set_digest& digest, slot_type slot) noexcept {
    const auto [first, last] = by_digest_.equal_range(digest);
    by_digest_.erase(std::find_if(first, last, [&](const auto& one) { return one.second == slot; }));
  }

  Source source_;
  bool short_by_tokens_only_;
  detail::chunked_array<kept_entry> documents_;  // indexed by slot
  std::conditional_t<compares_fingerprints, detail::chunked_array<kept_fingerprint>, detail::no_fingerprints>
      fingerprints_;                     // indexed by slot
  detail::set_store<Feature> features_;  // indexed by slot; empty for documents without features
  ids_type ids_;
  detail::until_moved<slot_type, no_slot> free_;  // the first slot of the chain of free slots
  digest_map by_digest_;                          // slots of short texts
};

}  // namespace neardup::inline v0
