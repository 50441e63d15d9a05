// Takes documents one by one and says for each: new, or a duplicate of which earlier one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "../fingerprint/feature_extractor.hpp"
#include "../index/keyed_index.hpp"
#include "../index/pigeonhole_index.hpp"
#include "../runner.hpp"
#include "checks.hpp"
#include "join/sequential_decider.hpp"
#include "recall.hpp"
#include "similarity.hpp"

namespace neardup::inline v0 {

/// What makes two documents duplicates.
struct dedup_options {
  /// The most bits in which the fingerprints differ. If it is not given: the least that finds the share `recall` of the
  /// pairs of that Jaccard similarity and above, see distance_for(); without a check and a similarity, 3.
  std::optional<int> distance = std::nullopt;
  /// The least similarity by the check; default_similarity if it is not given. Without a check it does no more than
  /// choose `distance`.
  std::optional<double> similarity = std::nullopt;
  std::optional<double> recall = std::nullopt;  ///< see `distance`; default_recall() if it is not given
  int blocks = 0;  ///< how the index cuts fingerprints, see pigeonhole_index; 0 for what usually suits
  /// Texts of fewer distinct tokens are never duplicates by the distance of fingerprints alone: without a check only if
  /// their tokens are the same.
  std::size_t min_tokens = default_min_tokens;
};

/// What a deduplicator says of a text.
template <class Id>
struct verdict {
  std::optional<Id> original;        ///< the kept document that the text duplicates; nothing if it is new
  int distance = 0;                  ///< of the two fingerprints, in bits
  std::optional<double> similarity;  ///< by the check; nothing without one
  bool has_fingerprint = true;       ///< false if there is nothing to compare: no tokens, or all have weight 0

  [[nodiscard]] bool is_new() const noexcept { return !original.has_value(); }

  friend bool operator==(const verdict&, const verdict&) = default;
};

/// An Id that documents can be numbered with.
template <class Id>
concept counting_id =
    std::integral<Id> && !std::same_as<Id, bool> && !std::same_as<Id, char> && !std::same_as<Id, wchar_t> &&
    !std::same_as<Id, char8_t> && !std::same_as<Id, char16_t> && !std::same_as<Id, char32_t>;

namespace detail {

/// Takes a candidate that a check has judged into the verdict. Candidates come by distance and age, so of equally
/// similar ones the first is right, and of accepted ones if similarities are not told.
/// Returns: whether a later candidate may be better.
template <class Id>
bool judge(verdict<Id>& best, const Id& id, int distance, const check_result& found) {
  if (!found.accepts || (best.similarity && !(*found.similarity > *best.similarity))) return true;
  best.original = id;
  best.distance = distance;
  best.similarity = found.similarity;
  return found.similarity.has_value();
}

}  // namespace detail

/// Which stored document a new one duplicates: of those within k bits of its fingerprint that `check(id)` accepts (see
/// check_of), the most similar, then the nearest, then that of the smallest id. This is how a deduplicator decides;
/// it serves programs whose fingerprints come from elsewhere, from several threads or from a database.
/// Throws: std::invalid_argument if k is not what the index serves, or a similarity is NaN; what the check throws.
/// Example: `if (find_original(index, fingerprint, 3).is_new()) index.insert(fingerprint, id);`
template <class Index, class Check = no_check>
  requires check_of<Check, typename Index::id_type>
[[nodiscard]] verdict<typename Index::id_type> find_original(const Index& index,
                                                             const typename Index::fingerprint_type& fingerprint, int k,
                                                             const Check& check = {},
                                                             double similarity = default_similarity) {
  if (std::isnan(similarity)) detail::fail<std::invalid_argument>("find_original: the similarity is not a number");
  verdict<typename Index::id_type> result;
  for (const auto& match : index.search(fingerprint, k)) {
    const auto found = detail::result_of_check(check(match.id), similarity);
    if (!detail::judge(result, match.id, match.distance, found)) break;
  }
  return result;
}

namespace detail {

template <class T>
inline constexpr bool is_feature_extractor = false;
template <class Tokenizer, class Hasher, class Feature>
inline constexpr bool is_feature_extractor<feature_extractor<Tokenizer, Hasher, Feature>> = true;

template <class Simhasher>
using tokenizer_of = std::remove_cvref_t<decltype(std::declval<const Simhasher&>().tokenizer)>;
template <class Simhasher>
using hasher_of = std::remove_cvref_t<decltype(std::declval<const Simhasher&>().hasher)>;

/// Stands for a set of hashes: two words, so that no two of 2^50 sets have the same one by chance.
using set_digest = std::array<std::uint64_t, 2>;

template <std::size_t Words>
set_digest digest_of(const std::vector<std::array<std::uint64_t, Words>>& sorted) noexcept {
  set_digest digest{sorted.size(), ~std::uint64_t{sorted.size()}};
  for (const auto& hash : sorted) {
    for (const std::uint64_t word : hash) {
      digest[0] = mix(digest[0] ^ word);
      digest[1] = mix(digest[1] * golden_ratio + word);
    }
  }
  return digest;
}

/// What storage/ keeps of a deduplicator is defined there.
struct deduplicator_access;

struct digest_hash {
  std::size_t operator()(const set_digest& digest) const noexcept { return static_cast<std::size_t>(digest[0]); }
};

}  // namespace detail

/// The features that a simhasher or a minwise_hasher makes its fingerprints of.
template <class Simhasher>
using feature_extractor_of = feature_extractor<detail::tokenizer_of<Simhasher>, detail::hasher_of<Simhasher>>;

/// What can check the candidates of a deduplicator: a callable `check(id, text)` (see check_of), a feature_extractor,
/// or no_check.
template <class T, class Id>
concept duplicate_check = std::copy_constructible<T> &&
    (detail::is_feature_extractor<T> || check_of<T, Id, std::string_view>);

/// Keeps the first document of each kind: `add` says whether a text is new, or a duplicate of which kept one.
///
/// Candidates are the kept documents whose fingerprints are within `distance` bits; the check decides among them. It is
/// the Jaccard similarity of the features that the fingerprint is made of, unless another is given (duplicate_check).
/// Of several that pass, the original is the most similar, then the nearest, then the earliest added.
/// Only new documents are kept. So each duplicate is similar to its original itself, and no chain of small steps joins
/// what differs; and what is kept depends on the order of adding.
///
/// Texts of fewer than `min_tokens` distinct tokens are also found by a digest of the set of these, whatever the
/// weights; without a check by nothing else. A text without a fingerprint is new, counted, and kept nowhere.
///
/// Memory: for each kept document an entry of the index (see pigeonhole_index), 44 bytes here with 64 bits and ids of 4
/// bytes, and about 40 for the map from its id; 4 bytes for each feature that the check keeps, and 24 more. Arrays that
/// just grew have twice that; what erased documents leave is used again. Measured on 113,222 sections of statutes with
/// 59 distinct words on average: 520 bytes each by the allocator, without a check 225.
/// Id: see index_id; with a std::hash it is found by that, otherwise by its order.
/// Guarantee: const members may run in many threads while no thread writes, each with its own workspace; what throws
/// leaves the deduplicator as it was. The check must not write to it. It can be moved, not copied; one that was moved
/// from may only be destroyed or assigned to.
/// Example: `deduplicator dedup{simhasher{words{}}, {.similarity = 0.8}};  bool is_new = dedup.add(text).is_new();`
template <class Simhasher, class Check = feature_extractor_of<Simhasher>, class Id = std::uint32_t>
class deduplicator {
  friend struct detail::deduplicator_access;

  static_assert(index_id<Id>,
                "neardup: an Id is regular, ordered and trivially copyable, and no floating-point number");
  static_assert(duplicate_check<Check, Id>,
                "neardup: a check is a feature_extractor, a callable check(id, text) that gives a number or a bool, or "
                "no_check");

  using slot_type = std::uint32_t;  // the number of a kept document; those of erased ones are used again
  static constexpr bool has_check = !std::is_same_v<Check, no_check>;
  static constexpr bool checks_features = detail::is_feature_extractor<Check>;
  // What the check compares: sets of features, or nothing that is kept here.
  using extractor_type = std::conditional_t<checks_features, Check, feature_extractor_of<Simhasher>>;
  using feature_type = typename extractor_type::feature_type;

  struct candidate {
    int distance;
    std::uint64_t serial;
    slot_type slot;

    auto operator<=>(const candidate&) const = default;
  };

 public:
  using id_type = Id;
  using verdict_type = verdict<Id>;
  using fingerprint_type = typename Simhasher::fingerprint_type;

  /// Memory that is reused from text to text: one for each thread.
  class workspace {
    friend deduplicator;

    typename Simhasher::workspace hashing_;
    typename feature_extractor_of<Simhasher>::workspace counting_;
    typename extractor_type::workspace checking_;
    std::span<const feature_type> features_;  // of the text, for a check of these
    std::vector<typename Simhasher::hash_type> tokens_;
    std::vector<candidate> candidates_;
  };

  /// Throws: std::invalid_argument if an option is out of its range: a similarity that is not above 0 and at most 1
  /// (NaN, for a callable with a distance), a recall that is not in 0..1, a distance that fingerprints of Bits
  /// bits cannot have or no index serves.
  explicit deduplicator(
      Simhasher hash, const dedup_options& options = {}) requires std::is_same_v<Check, feature_extractor_of<Simhasher>>
      : deduplicator(hash, Check(hash.tokenizer, hash.hasher), options, true) {}
  deduplicator(Simhasher hash, Check check, const dedup_options& options = {})
      : deduplicator(std::move(hash), std::move(check), options, false) {}

  /// Decides about a document, and keeps it if it is new and has a fingerprint.
  /// Throws: std::invalid_argument if a document of this id is kept; std::length_error if the index or 32 bits cannot
  /// number the kept documents; std::bad_alloc; what the check throws, or std::invalid_argument if it gives NaN.
  verdict_type add(std::string_view text, const Id& id) {
    if (slot_of_.contains(id)) detail::fail<std::invalid_argument>("a document with this id is kept already");
    const finding found = look(text, own_);
    if (found.result.is_new() && found.result.has_fingerprint) keep(id, found.text, own_.features_);
    ++added_;
    return found.result;
  }

  /// The same for a document whose id is the number of those added before, duplicates and all.
  /// Throws: as above; std::length_error if Id cannot hold the number.
  verdict_type add(std::string_view text) requires counting_id<Id> {
    if (!std::in_range<Id>(added_))
      detail::fail<std::length_error>("the Id of the deduplicator is too narrow for the number of the next document");
    return add(text, static_cast<Id>(added_));
  }

  /// Decides about many documents, in their order: the same verdicts as add() gives for one after the other, and the
  /// same is kept. From some thousands on it is far faster, because it joins documents and does not search for each. A
  /// check that is a callable is called from several threads (of `run`), for any two texts whose fingerprints are near
  /// each other; for an original within the batch with the id that it is to have.
  /// Throws: as add(), and std::invalid_argument if there are not as many ids as texts, or two are the same; then
  /// nothing was added.
  /// Memory: about 150 bytes per text of the batch and per kept document, and the features of the batch, for a time.
  std::vector<verdict_type> add_batch(std::span<const std::string_view> texts, std::span<const Id> ids,
                                      const any_runner& run = {}) {
    check_ids(texts.size(), ids);
    std::vector<finding> found(texts.size());
    std::vector<std::vector<feature_type>> features(checks_features ? texts.size() : 0);
    describe_batch(texts, found, features, run);
    decide_batch(texts, ids, found, features, run);

    std::vector<verdict_type> verdicts;
    verdicts.reserve(texts.size());
    detail::undo adding{[&, before = added_] {
      for (std::uint64_t i = 0; i < added_ - before; ++i) erase(ids[static_cast<std::size_t>(i)]);
      added_ = before;
    }};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const verdict_type& result = verdicts.emplace_back(found[i].result);
      if (result.is_new() && result.has_fingerprint) {
        keep(ids[i], found[i].text, checks_features ? std::span<const feature_type>(features[i]) : own_.features_);
      }
      ++added_;
    }
    adding.is_due = false;
    return verdicts;
  }

  /// The same for documents whose ids are the numbers of those added before, duplicates and all.
  std::vector<verdict_type> add_batch(std::span<const std::string_view> texts,
                                      const any_runner& run = {}) requires counting_id<Id> {
    if (!texts.empty() && !std::in_range<Id>(added_ + (texts.size() - 1)))
      detail::fail<std::length_error>("the Id of the deduplicator is too narrow for the number of the next document");
    std::vector<Id> ids(texts.size());
    std::iota(ids.begin(), ids.end(), static_cast<Id>(added_));
    return add_batch(texts, ids, run);
  }

  /// What add() would say of a text; nothing is kept.
  [[nodiscard]] verdict_type find(std::string_view text) const {
    workspace scratch;
    return find(text, scratch);
  }
  /// The same with memory that is reused.
  [[nodiscard]] verdict_type find(std::string_view text, workspace& scratch) const {
    return look(text, scratch).result;
  }

  /// Forgets a kept document. Returns: whether there was one of this id; of duplicates there is none.
  bool erase(const Id& id) noexcept {
    const auto place = slot_of_.find(id);
    if (place == slot_of_.end()) return false;
    const slot_type slot = place->second;
    const document& kept = documents_[slot];
    if (is_in_index(kept.is_short)) index_.erase(kept.fingerprint, slot);
    if (kept.is_short) erase_digest(kept.digest, slot);
    if constexpr (checks_features) {
      kept_count_ -= kept_[slot].size();
      std::vector<feature_type>().swap(kept_[slot]);
    }
    slot_of_.erase(place);
    free_slots_.push_back(slot);  // There is room, see keep().
    return true;
  }

  /// Gives back the memory that erased documents have left, and the room to grow. Nothing else changes.
  /// Throws: std::bad_alloc; then nothing has changed at all.
  /// Complexity: O(size()), as adding them, without their texts.
  void shrink_to_fit() {
    dedup_options options{
        .distance = index_.max_distance(), .blocks = index_.shape().blocks(), .min_tokens = min_tokens_};
    if constexpr (has_check) options.similarity = similarity_;
    deduplicator fresh(hash_, check_, options, checks_own_features_);
    const std::vector<slot_type> slots = slots_by_age();
    fresh.documents_.reserve(slots.size());
    fresh.index_.reserve(slots.size());
    for (const slot_type slot : slots) {
      const document& kept = documents_[slot];
      fresh.added_ = kept.serial;  // keep() takes it for the age
      fresh.keep(kept.id, kept, features_of(slot));
    }
    fresh.added_ = added_;
    *this = std::move(fresh);
  }

  /// Whether the document of this id is kept.
  [[nodiscard]] bool contains(const Id& id) const noexcept { return slot_of_.contains(id); }

  /// The number of documents that are kept.
  [[nodiscard]] std::size_t size() const noexcept { return slot_of_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// The number of documents that were added: new ones, duplicates, and those without a fingerprint.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }

  /// The most bits in which the fingerprints of duplicates differ. Only short texts of the same tokens (see min_tokens)
  /// may differ in more, if a weighter counts them.
  [[nodiscard]] int distance() const noexcept { return index_.max_distance(); }
  /// The least similarity of duplicates by the check.
  [[nodiscard]] double similarity() const noexcept requires has_check { return similarity_; }

  /// Bytes that are allocated, of the maps about; without those of workspaces.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    constexpr std::size_t node = (is_hashed ? 2 : 5) * sizeof(void*);
    const std::size_t of_ids = slot_of_.size() * (sizeof(typename id_map::value_type) + node);
    const std::size_t of_digests =
        by_digest_.size() * (sizeof(std::pair<detail::set_digest, slot_type>) + 2 * sizeof(void*)) +
        by_digest_.bucket_count() * sizeof(void*);
    return index_.memory_usage() + kept_.capacity() * sizeof(std::vector<feature_type>) +
           kept_count_ * sizeof(feature_type) + documents_.capacity() * sizeof(document) +
           free_slots_.capacity() * sizeof(slot_type) + of_ids + of_digests;
  }

 private:
  struct document {
    Id id{};
    bool is_short = false;
    std::uint64_t serial = 0;  // when it was added
    fingerprint_type fingerprint;
    detail::set_digest digest{};  // of short ones
  };

  struct finding {
    verdict_type result;
    document text;  // as it would be kept
  };

  using index_type = pigeonhole_index_of<fingerprint_type, dynamic_layout, dynamic_layout, slot_type>;
  static constexpr bool is_hashed = detail::hashable_id<Id>;
  using id_map = detail::id_map<Id, slot_type>;

  deduplicator(Simhasher hash, Check check, const dedup_options& options, bool checks_own_features)
      : features_of_(hash.tokenizer, hash.hasher),
        hash_(std::move(hash)),
        check_(std::move(check)),
        similarity_(options.similarity.value_or(default_similarity)),
        min_tokens_(options.min_tokens),
        checks_own_features_(checks_own_features),
        index_(index_of(options)) {
    if (checks_features) detail::check_jaccard(similarity_);
    if (std::isnan(similarity_)) detail::fail<std::invalid_argument>("the similarity of duplicates is not a number");
  }

  static index_type index_of(const dedup_options& options) {
    constexpr std::size_t bits = Simhasher::bits;
    // Also where they choose nothing: a slip should not go unnoticed.
    const double recall = options.recall.value_or(default_recall(fingerprint_type::kind));
    detail::check_recall(recall);
    if (!has_check && options.similarity) detail::check_jaccard(*options.similarity);
    int k = 3;
    if (options.distance) {
      k = *options.distance;
    } else if (has_check || options.similarity) {
      k = distance_for(bits, options.similarity.value_or(default_similarity),
                       {.min_recall = recall, .kind = fingerprint_type::kind});
      k = (std::min)(k, static_cast<int>(bits) - 1);  // the most that an index serves
    }
    return index_type(k, options.blocks == 0 ? default_blocks(bits, k) : options.blocks);
  }

  /// The slots of the kept documents, the oldest first.
  [[nodiscard]] std::vector<slot_type> slots_by_age() const {
    std::vector<bool> is_free(documents_.size());
    for (const slot_type slot : free_slots_) is_free[slot] = true;
    std::vector<slot_type> slots;
    slots.reserve(size());
    for (std::size_t slot = 0; slot < documents_.size(); ++slot) {
      if (!is_free[slot]) slots.push_back(static_cast<slot_type>(slot));
    }
    std::sort(slots.begin(), slots.end(),
              [&](slot_type a, slot_type b) { return documents_[a].serial < documents_[b].serial; });
    return slots;
  }

  [[nodiscard]] static constexpr bool is_in_index(bool is_short) noexcept { return has_check || !is_short; }

  [[nodiscard]] finding look(std::string_view text, workspace& scratch) const {
    finding found = describe(text, scratch);
    if (!found.result.has_fingerprint) return found;
    collect_candidates(found.text, scratch.candidates_);
    for (const candidate& c : scratch.candidates_) {
      const document& kept = documents_[c.slot];
      const auto checked = checked_pair(kept.id, features_of(c.slot), text, scratch.features_, found.result);
      if (!detail::judge(found.result, kept.id, c.distance, checked)) break;
    }
    return found;
  }

  /// What is compared of a text; the features for the check are left in the workspace.
  [[nodiscard]] finding describe(std::string_view text, workspace& scratch) const {
    finding found;
    const auto fingerprint = hash_(text, scratch.hashing_);
    found.result.has_fingerprint = fingerprint.has_value();
    if (!fingerprint) return found;
    found.text.fingerprint = *fingerprint;
    const auto features = features_of_(text, scratch.counting_);
    found.text.is_short = features.size() < min_tokens_;
    if (found.text.is_short) {
      hash_.features(text, scratch.hashing_, scratch.tokens_);
      found.text.digest = detail::digest_of(scratch.tokens_);
    }
    if constexpr (checks_features) scratch.features_ = features_for_check(text, features, scratch);
    return found;
  }

  [[nodiscard]] std::span<const feature_type> features_of(slot_type slot) const {
    if constexpr (checks_features) return kept_[slot];
    return {};
  }

  /// What the check says of a document that is kept, or would be, and a text, of which `best` is known so far.
  detail::check_result checked_pair(const Id& id, std::span<const feature_type> features, std::string_view text,
                                    std::span<const feature_type> features_of_text, const verdict_type& best) const {
    if constexpr (checks_features) {
      const auto similarity = jaccard_at_least(features, features_of_text, best.similarity.value_or(similarity_));
      return {similarity.has_value(), similarity};
    } else {
      return detail::result_of_check(check_(id, text), similarity_);
    }
  }

  /// Those that were counted, if they are what the check compares.
  template <class Features>
  auto features_for_check(std::string_view text, const Features& own, workspace& scratch) const {
    if constexpr (std::is_same_v<Check, feature_extractor_of<Simhasher>>) {
      if (checks_own_features_) return own;
    }
    return check_(text, scratch.checking_);
  }

  /// The kept documents that may be duplicates, by distance, then age.
  void collect_candidates(const document& text, std::vector<candidate>& candidates) const {
    candidates.clear();
    if (is_in_index(text.is_short)) {
      index_.for_each_match(text.fingerprint, index_.max_distance(), [&](const auto& match) {
        candidates.push_back({match.distance, documents_[match.id].serial, match.id});
      });
    }
    if (text.is_short) {
      const auto [first, last] = by_digest_.equal_range(text.digest);
      for (auto i = first; i != last; ++i) {
        const document& kept = documents_[i->second];
        candidates.push_back({hamming_distance(text.fingerprint, kept.fingerprint), kept.serial, i->second});
      }
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }

  void check_ids(std::size_t texts, std::span<const Id> ids) const {
    if (ids.size() != texts) {
      detail::fail<std::invalid_argument>("add_batch: " + std::to_string(ids.size()) + " ids for " +
                                          std::to_string(texts) + " texts");
    }
    std::vector<Id> sorted(ids.begin(), ids.end());
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      detail::fail<std::invalid_argument>("add_batch: two documents have the same id");
    }
    for (const Id& id : ids) {
      if (slot_of_.contains(id)) detail::fail<std::invalid_argument>("a document with this id is kept already");
    }
  }

  void describe_batch(std::span<const std::string_view> texts, std::vector<finding>& found,
                      std::vector<std::vector<feature_type>>& features, const any_runner& run) const {
    constexpr std::size_t step = 64;
    std::vector<workspace> scratch(detail::parts_for(run, texts.size(), step));
    detail::in_steps(run, scratch.size(), texts.size(), step,
                     [&](std::size_t part, std::size_t first, std::size_t last) {
                       workspace& own = scratch[part];
                       for (std::size_t i = first; i < last; ++i) {
                         found[i] = describe(texts[i], own);
                         if (checks_features && found[i].result.has_fingerprint)
                           features[i].assign(own.features_.begin(), own.features_.end());
                       }
                       return true;
                     });
  }

  /// The rule of find_original for documents that are decided by joins. Numbers: those kept, by age, and behind them
  /// the batch.
  class batch_rule final : public detail::decisions<slot_type> {
   public:
    batch_rule(const deduplicator& from, std::span<const slot_type> kept, std::span<const std::string_view> texts,
               std::span<const Id> ids, std::vector<finding>& found,
               const std::vector<std::vector<feature_type>>& features)
        : from_(from), kept_(kept), texts_(texts), ids_(ids), found_(found), features_(features), best_(found.size()) {}

    bool may_take(slot_type kept, slot_type number) const override {
      // Without a check, short texts are found by their digests only.
      return has_check || !(text_of(kept).is_short || text_of(number).is_short);
    }

    void consider(slot_type kept, slot_type number, int distance) override {
      const std::size_t i = number - kept_.size();
      const bool is_earlier = kept < kept_.size();
      const Id& id = is_earlier ? from_.documents_[kept_[kept]].id : ids_[kept - kept_.size()];
      std::span<const feature_type> features, of_text;
      if constexpr (checks_features) {
        features = is_earlier ? from_.features_of(kept_[kept]) : std::span(features_[kept - kept_.size()]);
        of_text = features_[i];
      }
      std::mutex& mutex = mutexes_[i % mutexes_.size()];
      std::unique_lock lock(mutex);
      const verdict_type known = found_[i].result;
      lock.unlock();
      const detail::check_result checked = from_.checked_pair(id, features, texts_[i], of_text, known);
      if (!checked.accepts) return;
      lock.lock();
      verdict_type& best = found_[i].result;
      // By similarity, distance and age, in whatever order they come.
      const auto rank = [](std::optional<double> similarity, int bits, slot_type age) {
        return std::tuple(-similarity.value_or(0), bits, age);
      };
      if (best.original && !(rank(checked.similarity, distance, kept) < rank(best.similarity, best.distance, best_[i])))
        return;
      best.original = id;
      best.distance = distance;
      best.similarity = checked.similarity;
      best_[i] = kept;
    }

    void decide(slot_type number) override {
      const std::size_t i = number - kept_.size();
      const document& text = found_[i].text;
      if (!text.is_short) return;
      const auto consider_all = [&](const auto& same, const auto& number_of) {
        for (auto j = same.first; j != same.second; ++j) {
          const slot_type kept = number_of(j->second);
          consider(kept, number, hamming_distance(text.fingerprint, text_of(kept).fingerprint));
        }
      };
      consider_all(from_.by_digest_.equal_range(text.digest), [&](slot_type slot) {
        const auto is_older = [&](slot_type a, slot_type b) {
          return from_.documents_[a].serial < from_.documents_[b].serial;
        };
        return static_cast<slot_type>(std::lower_bound(kept_.begin(), kept_.end(), slot, is_older) - kept_.begin());
      });
      consider_all(by_digest_.equal_range(text.digest), [](slot_type earlier) { return earlier; });
      if (is_kept(number)) by_digest_.emplace(text.digest, number);
    }

    bool is_decided_early(slot_type /*number*/) const override { return false; }
    bool is_kept(slot_type number) const override { return found_[number - kept_.size()].result.is_new(); }

   private:
    const document& text_of(slot_type number) const {
      return number < kept_.size() ? from_.documents_[kept_[number]] : found_[number - kept_.size()].text;
    }

    const deduplicator& from_;
    std::span<const slot_type> kept_;
    std::span<const std::string_view> texts_;
    std::span<const Id> ids_;
    std::vector<finding>& found_;
    const std::vector<std::vector<feature_type>>& features_;
    std::vector<slot_type> best_;  // the number of each one's original
    std::array<std::mutex, 64> mutexes_;
    std::unordered_multimap<detail::set_digest, slot_type, detail::digest_hash> by_digest_;  // of the batch, those kept
  };

  void decide_batch(std::span<const std::string_view> texts, std::span<const Id> ids, std::vector<finding>& found,
                    const std::vector<std::vector<feature_type>>& features, const any_runner& run) const {
    const std::vector<slot_type> kept = slots_by_age();
    if (kept.size() + texts.size() > (std::numeric_limits<slot_type>::max)()) {
      detail::fail<std::length_error>("a deduplicator keeps at most 2^32 documents");
    }
    batch_rule rule(*this, kept, texts, ids, found, features);
    std::vector<fingerprint_type> fingerprints;  // by number
    std::vector<slot_type> numbers;              // of those that have one
    for (const slot_type slot : kept) {
      numbers.push_back(static_cast<slot_type>(fingerprints.size()));
      fingerprints.push_back(documents_[slot].fingerprint);
    }
    for (const finding& one : found) {
      if (one.result.has_fingerprint) numbers.push_back(static_cast<slot_type>(fingerprints.size()));
      fingerprints.push_back(one.text.fingerprint);
    }
    const detail::fingerprint_words all(std::span<const fingerprint_type>{fingerprints});
    detail::compared_features<slot_type> compared{{}, similarity_};
    if constexpr (checks_features && std::is_same_v<feature_type, std::uint32_t>) {
      compared.of = [&](slot_type number) {
        return number < kept.size() ? features_of(kept[number]) : std::span(features[number - kept.size()]);
      };
    }
    detail::sequential_decider<detail::words_for(Simhasher::bits), slot_type>(
        Simhasher::bits, index_.max_distance(), 0, fingerprints.size(), run, detail::decision_order::strict, rule,
        compared)
        .decide({all, numbers}, kept.size());
  }

  void keep(const Id& id, const document& text, std::span<const feature_type> features) {
    const bool is_reused = !free_slots_.empty();
    const std::size_t place = is_reused ? free_slots_.back() : documents_.size();
    if (place > (std::numeric_limits<slot_type>::max)()) {
      detail::fail<std::length_error>("a deduplicator keeps at most 2^32 documents");
    }
    const auto slot = static_cast<slot_type>(place);
    if (documents_.size() == documents_.capacity()) documents_.reserve(2 * documents_.size() + 16);
    free_slots_.reserve(documents_.capacity());  // for all of them, so that erase() cannot fail

    const auto place_of_id = slot_of_.emplace(id, slot).first;
    detail::undo naming{[&] { slot_of_.erase(place_of_id); }};
    if (is_in_index(text.is_short)) index_.insert(text.fingerprint, slot);
    detail::undo indexing{[&] { index_.erase(text.fingerprint, slot); }};
    if (text.is_short) by_digest_.emplace(text.digest, slot);
    detail::undo digesting{[&] {
      if (text.is_short) erase_digest(text.digest, slot);
    }};
    if constexpr (checks_features) {
      if (slot >= kept_.size()) kept_.resize(place + 1);
      kept_[slot].assign(features.begin(), features.end());
      kept_count_ += features.size();
    }
    naming.is_due = indexing.is_due = digesting.is_due = false;

    if (is_reused) {
      free_slots_.pop_back();
    } else {
      documents_.emplace_back();
    }
    documents_[slot] = text;
    documents_[slot].id = id;
    documents_[slot].serial = added_;
  }

  void erase_digest(const detail::set_digest& digest, slot_type slot) noexcept {
    const auto [first, last] = by_digest_.equal_range(digest);
    by_digest_.erase(std::find_if(first, last, [&](const auto& entry) { return entry.second == slot; }));
  }

  feature_extractor_of<Simhasher> features_of_;
  Simhasher hash_;
  Check check_;
  double similarity_;
  std::size_t min_tokens_;
  bool checks_own_features_;
  index_type index_;
  std::vector<document> documents_;              // by slot
  std::vector<std::vector<feature_type>> kept_;  // by slot, what the check compares
  std::size_t kept_count_ = 0;                   // of all features
  std::vector<slot_type> free_slots_;
  id_map slot_of_;
  std::unordered_multimap<detail::set_digest, slot_type, detail::digest_hash> by_digest_;  // of short texts
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

}  // namespace neardup::inline v0
