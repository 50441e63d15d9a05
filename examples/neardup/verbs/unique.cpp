// `neardup unique`: writes the input without near-duplicates of earlier documents.
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <neardup/dedup/feature_candidates.hpp>
#include <neardup/dedup/group.hpp>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/threads.hpp>
#include <unordered_set>

#include "../compare/check.hpp"
#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/groups.hpp"
#include "../compare/index_search.hpp"
#include "../compare/near_pairs.hpp"
#include "../compare/partitions.hpp"
#include "../documents/changed_index.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "audit.hpp"
#include "changing.hpp"
#include "copying.hpp"
#include "cutting.hpp"
#include "equal_sets.hpp"
#include "repeating.hpp"
#include "run_steps.hpp"
#include "running.hpp"

namespace command {

namespace {

/// Returns true if all documents have to be read before any document can be kept.
bool groups_first(const run_settings& settings) {
  return !settings.output.audit.empty() || settings.grouping.by_components ||
         settings.grouping.keep != preference::first || settings.comparison.checks_containment() ||
         settings.grouping.paired != pairing::all || settings.input.unit == unit_of_input::fingerprints;
}

/// Returns true if the output needs the names of documents.
bool needs_names(const run_settings& settings) {
  return !settings.output.dropped.empty() || !settings.output.audit.empty() || settings.by.kind != source_kind::none ||
         settings.input.unit == unit_of_input::fingerprints;
}

/// Writes a dropped document. Its original is document `by` of `kept`. `place`: the position of the dropped document if
/// an earlier document has the same id, or empty.
void write_dropped(context& c, const std::string& id, const std::string& place, const any_fingerprint& fingerprint,
                   feature_set features, const corpus& kept, std::size_t by,
                   std::optional<shown_passage> passage = std::nullopt) {
  std::optional<int> distance;
  if (!c.settings.comparison.is_exact) distance = hamming_distance(kept.fingerprints[by], fingerprint);
  std::optional<double> similarity;
  if (c.settings.comparison.min_similarity)
    similarity = similarity_at_least(c.settings.comparison.check, kept.check[by], features, 0);
  write_dropped(c, {"id", by < kept.against ? "against" : "kept", id, kept.documents.id(by), distance, similarity,
                    place, kept.documents.place_of_repeated(by), std::move(passage)});
}

/// The index to which kept documents are added, and the documents to add.
struct growing_index {
  std::unique_ptr<changed_index> index;
  index_change change;
  std::unordered_set<std::string> names;  // names of added documents, if existing names are reported
};

/// Decides about few documents at a time, exactly. Compares new documents only with the kept documents that share rare
/// features. A join would read all kept documents again.
class kept_by_features {
 public:
  /// Makes an object without documents.
  /// Precondition: the check compares sets.
  explicit kept_by_features(const comparison_settings& how)
      : how_(how), kept_(neardup::set_threshold{set_measure_of(how), *how.min_similarity}) {}

  /// Returns a number for each document of `next`: the number of its original, or its own number if it has no original.
  /// Document i of `kept` has the number i, and document i of `next` the number kept.size() + i.
  /// `is_compared_within`: true if an earlier document of `next` can be an original, too. `may_pair(a, b)`: false if
  /// the documents with these numbers must not be compared.
  /// Precondition: `kept` begins with the documents of earlier calls.
  template <class MayPair>
  std::vector<std::uint32_t> decide(const document_check& kept, const std::vector<const document*>& next,
                                    bool is_compared_within, const MayPair& may_pair) {
    std::vector<std::uint32_t> label;   // the result
    std::vector<std::uint32_t> places;  // positions in `next` of the documents that this call keeps
    const auto features_of = [&](std::uint32_t number) {
      return number < kept.size() ? kept[number] : next[places[number - kept.size()]]->features;
    };
    for (; size_ < kept.size(); ++size_) kept_.insert(of_set{kept[size_]}, size_, features_of);
    const auto position_of = [&](std::uint32_t number) {
      return number < kept.size() ? number : static_cast<std::uint32_t>(kept.size() + places[number - kept.size()]);
    };
    for (const document* d : next) {
      const auto own = static_cast<std::uint32_t>(kept.size() + label.size());
      neardup::original_choice<std::uint32_t, std::uint32_t> original;
      kept_.for_each(of_set{d->features}, scratch_, [&](std::uint32_t number) {
        if (!may_pair(position_of(number), own)) return;
        original.consider(number, number, std::nullopt, check_documents(how_, features_of(number), d->features));
      });
      const std::optional<std::uint32_t> found = original.result().original;
      if (!found && is_compared_within) {
        places.push_back(static_cast<std::uint32_t>(label.size()));
        kept_.insert(of_set{d->features}, size_++, features_of);
      }
      label.push_back(found ? position_of(*found) : own);
    }
    return label;
  }

 private:
  struct of_set {
    feature_set features;
  };
  using candidates = neardup::feature_candidates;

  const comparison_settings& how_;
  candidates kept_;
  candidates::workspace scratch_;
  std::uint32_t size_ = 0;
};

/// Stores batches until their documents are decided. Documents and features stay in memory. Records stay in memory up to
/// `most_held` bytes. add() moves the records of further batches to a temporary file.
class undecided_batches {
 public:
  void add(finished_batch&& done) {
    stored& added = batches_.emplace_back(stored{std::move(done)});
    byte_buffer& records = added.batch.input.bytes;
    bytes_ += added.batch.documents.size() * sizeof(document) + added.batch.features.size() * sizeof(std::uint32_t);
    if (held_ + records.size() > most_held) put_in_file(added);
    held_ += records.size();
  }

  /// Returns the number of bytes of documents and features in memory.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Returns true if the records in memory exceed `most_held` bytes. Then the temporary file could not be written.
  [[nodiscard]] bool is_full() const noexcept { return held_ > most_held; }

  /// Calls `visit(batch)` for each batch, in the order of add(). If the records of the batch are in the temporary file,
  /// batch.input.bytes is empty.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const stored& one : batches_) visit(one.batch);
  }

  /// Calls `visit(batch)` for each batch, in the order of add(). First reads the records of the batch from the temporary
  /// file. Removes all batches.
  template <class Visit>
  void take_all(const Visit& visit) {
    for (stored& one : batches_) {
      if (one.filed != 0) read_from_file(one);
      visit(std::as_const(one.batch));
      one.batch = {};
    }
    *this = {};
  }

 private:
  struct stored {
    finished_batch batch;
    std::uint64_t offset = 0;  // place of the records in the file
    std::size_t filed = 0;     // number of bytes in the file; 0 if the records are in memory
  };

  void put_in_file(stored& one) {
    if (is_file_bad_) return;
    byte_buffer& records = one.batch.input.bytes;
    try {
      if (file_ == nullptr) file_ = std::make_unique<temporary_file>();
      one.offset = file_->append(records.view());
    } catch (const output_error&) {
      is_file_bad_ = true;
      return;
    }
    one.filed = records.size();
    records = {};
  }

  void read_from_file(stored& one) const {
    byte_buffer& records = one.batch.input.bytes;
    records.reserve(one.filed);
    file_->read_at(one.offset, records.data(), one.filed);
    records.resize(one.filed);
  }

  static constexpr std::uint64_t most_held = std::uint64_t{3} << 25;

  std::vector<stored> batches_;
  std::unique_ptr<temporary_file> file_;
  bool is_file_bad_ = false;
  std::uint64_t bytes_ = 0, held_ = 0;  // in memory: documents and features; records
};

/// Keeps each document unless it is a near-duplicate of a document that was kept before. Decides in rounds. Most rounds
/// join all kept documents again, so there are few rounds. A round ends when the input pauses or ends, when the memory
/// is full, or when the join would take little time in comparison with the time since the last round. With several
/// threads, decisions are written while the documents of the next round are read.
class first_come_filter {
 public:
  /// Makes a filter. `grown`: the index whose documents count as kept before the input, or null.
  first_come_filter(context& c, record_writer& writer, growing_index* grown)
      : context_(c),
        writer_(writer),
        grown_(grown),
        kept_(c.settings, needs_names(c.settings)),
        next_(c.settings.fingerprint.bits),
        decided_(c.settings.fingerprint.bits) {}

  /// Adds a document of the other corpus. Call this function before the first document of the input.
  void take_against(const placed_document& d) {
    if (!d.facts.has_tokens) return;
    kept_.add(d);
    kept_.end_against();
    kept_size_ = kept_.against;
  }

  void take(finished_batch&& done) {
    const bool is_live = done.input.live;
    for (const document& d : done.documents) {
      if (is_compared(d)) next_.add(d, kept_.has_fingerprints);
    }
    next_.batches.add(std::move(done));
    next_.is_early = is_live;
    const bool is_urgent = is_live || is_due();
    if (is_urgent || is_full()) decide();
    if (!is_urgent) return;
    finish_writing();
    flush_outputs(context_);
  }

  void decide() {
    finish_writing();
    if (is_broken_) return;
    std::swap(decided_, next_);
    std::vector<const document*> compared;
    std::vector<std::string_view> values;  // values of the compared documents, for --within and --across
    compared.reserve(decided_.size);
    decided_.batches.for_each([&](const finished_batch& done) {
      for (std::size_t i = 0; i < done.documents.size(); ++i) {
        if (!is_compared(done.documents[i])) continue;
        compared.push_back(&done.documents[i]);
        if (is_paired()) values.push_back(done.sources[i]);
      }
    });
    if (grown_ == nullptr) {
      take_labels(decide_on(compared, values));
    } else {
      decide_with_index(compared, values);
    }
    decided_at_ = std::chrono::steady_clock::now();
  }

  /// Prints the counts by source if --by is given.
  void say_by_source() const {
    if (!kept_.sources) return;
    say_sources(
        *kept_.sources,
        [&](std::uint64_t group) {
          return group >= of_index ? grown_->index->name(static_cast<std::uint32_t>(group - of_index))
                                   : kept_.documents.id(group);
        },
        context_.settings.output.quiet);
  }

  /// Waits until decisions are written.
  /// Throws: the exception that writing threw. After an exception, no document is decided, because some kept documents
  /// are unknown.
  void finish_writing() {
    if (!writing_.valid()) return;
    is_broken_ = true;
    writing_.get();
    is_broken_ = false;
  }

 private:
  /// Documents that are decided together.
  struct round {
    explicit round(std::size_t bits) : fingerprints(bits) {}

    void add(const document& d, bool has_fingerprints) {
      ++size;
      features += d.features.size();
      if (has_fingerprints) fingerprints.push_back(d.fingerprint);
    }

    undecided_batches batches;        // the batches that contain the documents of the round
    std::size_t size = 0;             // number of documents that are compared
    std::uint64_t features = 0;       // number of features of these documents
    fingerprint_vector fingerprints;  // fingerprints of these documents; may be empty
    bool is_early = false;            // true if the input pauses after the round
  };

  static bool is_compared(const document& d) { return d.counts && d.has_tokens; }

  /// Returns true if the next round has no memory for further documents.
  [[nodiscard]] bool is_full() const {
    const std::uint64_t most = std::max(std::uint64_t{1} << 28, context_.settings.grouping.memory / 8);
    return next_.batches.is_full() || next_.batches.bytes() >= most;
  }

  /// Returns true if deciding about the next round would take less than 1/16 of the time since the last round. So the
  /// documents of a slow input that never pauses do not wait for its end.
  [[nodiscard]] bool is_due() const {
    constexpr std::chrono::nanoseconds a_document(1000), a_feature(100);
    constexpr int share = 16;
    const auto cost = (kept_size_ + next_.size) * a_document + (kept_features_ + next_.features) * a_feature;
    return std::chrono::steady_clock::now() - decided_at_ > share * cost;
  }

  [[nodiscard]] bool names_originals() const { return context_.dropped || kept_.sources; }
  [[nodiscard]] bool is_compared_within() const {
    return !context_.settings.against.any() || context_.settings.against.also_within;
  }

  [[nodiscard]] bool is_paired() const { return kept_.paired != pairing::all; }
  [[nodiscard]] bool lets_pair(std::string_view a, std::string_view b) const {
    return context_.settings.grouping.lets_pair(a, b);
  }

  /// Returns the number of the representative of each document of `compared`. If n documents were kept before, these
  /// documents have the numbers below n, and compared[i] has the number n + i.
  [[nodiscard]] std::vector<std::uint32_t> decide_on(const std::vector<const document*>& compared,
                                                     const std::vector<std::string_view>& values) {
    const run_settings& settings = context_.settings;
    const std::size_t kept = kept_.size();
    if (is_paired()) return decide_by_pairs(compared, values);
    if (settings.comparison.is_exact) return decide_exactly(compared);
    const auto features = [&](std::size_t i) { return i < kept ? kept_.check[i] : compared[i - kept]->features; };
    const auto check = [&](std::size_t i, std::size_t j) {
      return check_documents(settings.comparison, features(i), features(j));
    };
    if (!distinct_) distinct_.emplace(kept_, document_numbers(0, kept_.against));
    const neardup::group_options how{.among_themselves = is_compared_within(),
                                     .originals = names_originals(),
                                     .run = neardup::threads{settings.threads}};
    position_check::features_type joined;
    if (kept_.check.can_join()) joined = features;
    const position_check by_features{settings.comparison.min_similarity.value_or(0), check, joined};
    return extend_groups_of_distinct(*distinct_, kept_.fingerprints.part(0, kept_.fingerprints.size()),
                                     decided_.fingerprints.part(0, decided_.fingerprints.size()),
                                     within_of(settings.comparison), &by_features, how);
  }

  /// Decides like decide_on(), for --within and --across. The documents kept before are passed as another corpus.
  std::vector<std::uint32_t> decide_by_pairs(const std::vector<const document*>& compared,
                                             const std::vector<std::string_view>& values) {
    const auto kept = static_cast<std::uint32_t>(kept_.size());
    if (is_early(compared)) {
      const auto value_of = [&](std::uint32_t number) {
        return number < kept ? kept_.value(number) : values[number - kept];
      };
      return kept_features().decide(kept_.check, compared, is_compared_within(), [&](std::uint32_t a, std::uint32_t b) {
        return lets_pair(value_of(a), value_of(b));
      });
    }
    corpus all(context_.settings, false);
    const auto nowhere = std::make_shared<source>();
    const auto add = [&](const document& d, std::string_view value) {
      all.add({.facts = d, .from = nowhere, .line = 0, .offset = 0, .raw = {}, .id = {}, .by = value});
    };
    document before;
    for (std::uint32_t i = 0; i < kept; ++i) {
      before.features = kept_.check[i];
      if (kept_.has_fingerprints) before.fingerprint = kept_.fingerprints[i];
      add(before, is_paired() ? kept_.value(i) : "");
    }
    all.end_against();
    for (std::size_t i = 0; i < compared.size(); ++i) add(*compared[i], is_paired() ? values[i] : "");
    std::vector<std::uint32_t> label = find_groups(context_, all, names_originals());
    label.erase(label.begin(), label.begin() + kept);
    return label;
  }

  /// Decides about `compared`. The documents of the index count as decided before all other documents.
  void decide_with_index(const std::vector<const document*>& compared, const std::vector<std::string_view>& values) {
    const comparison_settings& comparison = context_.settings.comparison;
    by_index_.assign(compared.size(), std::nullopt);
    const auto is_allowed = [&](std::size_t i, std::uint32_t number) {
      return !is_paired() || lets_pair(values[i], grown_->index->value(number));
    };
    if (comparison.is_exact) {
      find_exactly(compared, is_allowed);
    } else {
      run_parallel(context_.settings.threads, compared.size(), [&](std::size_t i) {
        const auto check = [&](std::uint32_t number) -> neardup::check_result {
          if (!is_allowed(i, number)) return {false, std::nullopt};
          return check_documents(comparison, grown_->index->features(number), compared[i]->features);
        };
        by_index_[i] = grown_->index->closest(compared[i]->fingerprint, comparison.distance, check);
      });
    }
    std::vector<std::size_t> places;  // positions of the remaining documents
    std::vector<const document*> rest;
    std::vector<std::string_view> values_of_rest;
    decided_.fingerprints = fingerprint_vector(context_.settings.fingerprint.bits);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (by_index_[i]) continue;
      places.push_back(i);
      rest.push_back(compared[i]);
      if (is_paired()) values_of_rest.push_back(values[i]);
      decided_.fingerprints.push_back(compared[i]->fingerprint);
    }
    const std::size_t kept = kept_.size();
    const std::vector<std::uint32_t> label_of_rest = decide_on(rest, values_of_rest);
    std::vector<std::uint32_t> label(compared.size(), ~std::uint32_t{0});
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const std::uint32_t by = label_of_rest[i];
      label[places[i]] = by < kept ? by : static_cast<std::uint32_t>(kept + places[by - kept]);
    }
    if (is_compared_within() && names_originals()) prefer_closer_kept(compared, values, label);
    take_labels(std::move(label));
  }

  /// Changes `label` for documents whose original is in the index: if an earlier kept document of this run is closer,
  /// that document becomes the original.
  void prefer_closer_kept(const std::vector<const document*>& compared, const std::vector<std::string_view>& values,
                          std::vector<std::uint32_t>& label) {
    const comparison_settings& comparison = context_.settings.comparison;
    const std::size_t kept = kept_.check.size();
    std::vector<std::uint32_t> others, dropped;  // kept documents, by label; positions of dropped documents
    for (std::uint32_t i = 0; i < kept; ++i) others.push_back(i);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (by_index_[i]) {
        dropped.push_back(static_cast<std::uint32_t>(i));
      } else if (label[i] == kept + i) {
        others.push_back(label[i]);
      }
    }
    if (dropped.empty() || others.empty()) return;
    const auto features_of = [&](std::uint32_t other) {
      return other < kept ? kept_.check[other] : compared[other - kept]->features;
    };
    using original = neardup::original_choice<std::uint32_t, std::uint32_t>;
    std::vector<original> closest(dropped.size());
    const auto may_pair = [&](std::uint32_t i, std::uint32_t other) {
      return !is_paired() || lets_pair(values[i], other < kept ? kept_.value(other) : values[other - kept]);
    };
    const auto consider = [&](std::size_t i, std::size_t j, std::optional<int> distance,
                              const neardup::check_result& found) {
      if (others[j] < kept + dropped[i] && may_pair(dropped[i], others[j]))
        closest[i].consider(others[j], others[j], distance, found);
    };
    if (comparison.is_exact) {
      std::vector<feature_set> sets, other_sets;
      for (const std::uint32_t i : dropped) sets.push_back(compared[i]->features);
      for (const std::uint32_t other : others) other_sets.push_back(features_of(other));
      neardup::visit_pairs(sets, other_sets, set_threshold_of(comparison),
                           [&](const neardup::similar_pair<std::size_t>& pair) {
                             consider(pair.first, pair.second, std::nullopt, {true, pair.similarity});
                           },
                           {.run = neardup::threads{context_.settings.threads}});
    } else {
      fingerprint_vector prints(context_.settings.fingerprint.bits), other_prints(context_.settings.fingerprint.bits);
      for (const std::uint32_t i : dropped) prints.push_back(compared[i]->fingerprint);
      for (const std::uint32_t other : others) {
        other_prints.push_back(other < kept ? kept_.fingerprints[other] : compared[other - kept]->fingerprint);
      }
      const fingerprint_part all_others = other_prints.part(0, other_prints.size());
      visit_fingerprint_pairs(
          context_, prints.part(0, prints.size()), &all_others, [&](std::size_t i, std::size_t j, int distance) {
            consider(i, j, distance,
                     check_documents(comparison, features_of(others[j]), compared[dropped[i]]->features));
          });
    }
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      const auto& found = closest[i].result();
      if (found.is_new()) continue;
      const double closeness = neardup::closeness_of({true, found.similarity}, found.distance);
      if (closeness <= by_index_[dropped[i]]->closeness) continue;  // in a tie, the index is preferred
      by_index_[dropped[i]].reset();
      label[dropped[i]] = *found.original;
    }
  }

  /// Sets by_index_[i] to the document of the index that is most similar to compared[i] by features, among the
  /// documents that is_allowed() accepts.
  void find_exactly(const std::vector<const document*>& compared,
                    const std::function<bool(std::size_t, std::uint32_t)>& is_allowed) {
    const changed_index& index = *grown_->index;
    const auto first =
        closest_in_index(context_.settings, index.sets(), sets_of(compared), is_paired() ? is_allowed : nullptr);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (!first[i]) continue;
      const double similarity =
          similarity_at_least(context_.settings.comparison.check, index.features(*first[i]), compared[i]->features, 0)
              .value_or(0);
      by_index_[i] = {*first[i], std::nullopt, similarity};
    }
  }

  static std::vector<feature_set> sets_of(const std::vector<const document*>& documents) {
    std::vector<feature_set> sets;
    sets.reserve(documents.size());
    for (const document* d : documents) sets.push_back(d->features);
    return sets;
  }

  std::vector<std::uint32_t> decide_exactly(const std::vector<const document*>& compared) {
    if (compared.empty()) return {};
    const std::size_t kept = kept_.check.size();
    if (context_.settings.comparison.checks_edits()) {
      std::vector<std::string_view> kept_texts, texts;
      kept_texts.reserve(kept);
      texts.reserve(compared.size());
      for (std::size_t i = 0; i < kept; ++i) kept_texts.push_back(normalised_text(kept_.check[i]));
      for (const document* d : compared) texts.push_back(normalised_text(d->features));
      return labels_of_texts(
          neardup::extend_groups(kept_texts, texts, edit_threshold(context_), exact_grouping(context_.settings, {})));
    }
    if (is_early(compared)) {
      return kept_features().decide(kept_.check, compared, is_compared_within(),
                                    [](std::uint32_t, std::uint32_t) { return true; });
    }
    neardup::group_options how = exact_grouping(context_.settings, {});
    how.originals = names_originals();
    return extend_groups_of_sets(context_, kept_.check, sets_of(compared), how);
  }

  /// Returns true if the input pauses, and `compared` has so few documents that kept_features() decides sooner than a
  /// join.
  [[nodiscard]] bool is_early(const std::vector<const document*>& compared) const {
    const comparison_settings& how = context_.settings.comparison;
    return decided_.is_early && how.is_exact && !how.checks_edits() && compared.size() < kept_.check.size() / 2;
  }
  kept_by_features& kept_features() {
    if (!kept_by_features_) kept_by_features_.emplace(context_.settings.comparison);
    return *kept_by_features_;
  }

  /// Writes decisions. With several threads, the next documents are read meanwhile.
  void take_labels(std::vector<std::uint32_t> label) {
    if (is_compared_within()) {
      const std::size_t kept = kept_.size();
      for (std::size_t i = 0; i < label.size(); ++i) kept_size_ += label[i] == kept + i ? 1 : 0;
      kept_features_ += decided_.features;
    }
    if (context_.settings.threads == 1) return write(label);
    label_ = std::move(label);
    writing_ = std::async([this] { write(label_); });
  }

  /// Writes decisions, and stores the kept documents.
  void write(const std::vector<std::uint32_t>& label) {
    const std::size_t kept_before = kept_.size();
    std::vector<std::size_t> places(label.size());  // positions among the kept documents
    std::size_t next = 0;
    const auto write_document = [&](const placed_document& d) {
      if (!d.facts.counts) return;
      const bool is_new = !d.facts.has_tokens || label[next] == kept_before + next;
      kept_.come(d);
      if (d.facts.has_tokens) {
        if (!is_new && kept_.sources) count_dropped(next, kept_before, label, places);
        if (!is_new && context_.dropped && !by_index_.empty() && by_index_[next]) {
          write_dropped_by_index(d, *by_index_[next]);
        } else if (!is_new && context_.dropped) {
          const std::size_t by = label[next] < kept_before ? label[next] : places[label[next] - kept_before];
          write_dropped(context_, d.name(), d.facts.repeats_id ? d.from->id_of(d.line) : "", d.facts.fingerprint,
                        d.facts.features, kept_, by);
        } else if (is_new && is_compared_within()) {
          places[next] = kept_.size();
          kept_.add(d);
          if (grown_ != nullptr) {
            if (!context_.settings.output.quiet) grown_->names.insert(d.name());
            const changed_index& index = *grown_->index;
            grown_->change.add(d.name(), d.facts.fingerprint, d.facts.features,
                               index.keeps_postings() ? place_of(d) : std::nullopt, d.by);
          }
        }
        ++next;
      }
      writer_.write(is_new, d.from, d.line, d.raw);
    };
    decided_.batches.take_all([&](const finished_batch& done) { for_each_in(done, write_document); });
    decided_ = round(context_.settings.fingerprint.bits);
  }

  /// Counts the document that was read last, number `next` of the compared documents, as a dropped document of its
  /// source.
  void count_dropped(std::size_t next, std::size_t kept_before, const std::vector<std::uint32_t>& label,
                     const std::vector<std::size_t>& places) {
    const std::uint32_t source = kept_.source_numbers.back();
    if (!by_index_.empty() && by_index_[next]) {
      kept_.sources->drop(source, of_index + by_index_[next]->number);
    } else {
      kept_.sources->drop(source, label[next] < kept_before ? label[next] : places[label[next] - kept_before]);
    }
  }

  void write_dropped_by_index(const placed_document& d, const changed_index::near_document& by) {
    const run_settings& settings = context_.settings;
    std::optional<double> similarity;
    if (settings.comparison.min_similarity) {
      similarity =
          similarity_at_least(settings.comparison.check, grown_->index->features(by.number), d.facts.features, 0);
    }
    write_dropped(context_, {"id", "against", d.name(), grown_->index->name(by.number), by.distance, similarity,
                             d.facts.repeats_id ? d.from->id_of(d.line) : ""});
  }

  // A group whose representative is document i of the index has the number of_index + i.
  static constexpr std::uint64_t of_index = std::uint64_t{1} << 32;

  context& context_;
  record_writer& writer_;
  growing_index* grown_;
  corpus kept_;
  std::optional<distinct_documents> distinct_;        // distinct documents of the other corpus; made when needed
  std::optional<kept_by_features> kept_by_features_;  // made when needed
  std::size_t kept_size_ = 0;                         // number of kept documents after all decisions are written
  std::uint64_t kept_features_ = 0;                   // upper bound of the number of their features
  std::chrono::steady_clock::time_point decided_at_ = std::chrono::steady_clock::now();  // end of the last decision
  round next_, decided_;
  bool is_broken_ = false;
  std::vector<std::uint32_t> label_;  // labels of the decided documents
  // For each compared document, its original in the index. nullopt: the index has none.
  std::vector<std::optional<changed_index::near_document>> by_index_;
  std::future<void> writing_;  // last member, because it uses all others except next_
};

void run_first_come(context& c, compaction when) {
  record_writer writer(c);
  std::optional<growing_index> grown;
  if (const std::string& path = c.settings.against.grown_index; !path.empty()) {
    check_output(path);
    auto index = open_to_change(c, path, true, c.settings.threads);
    index_change change(index->bits());
    grown.emplace(growing_index{std::move(index), std::move(change), {}});
    c.searched = grown->index->size();
  }
  first_come_filter filter(c, writer, grown ? &*grown : nullptr);
  for_each_against(c, [&](const placed_document& d) { filter.take_against(d); });
  const std::exception_ptr bad = caught([&] {
    for_each_document(
        c, c.settings.input, c.sources, [](const placed_document&) {},
        [&](finished_batch&& done) { filter.take(std::move(done)); });
  });
  filter.decide();  // also decides the documents before bad input
  filter.finish_writing();
  if (bad) std::rethrow_exception(bad);
  if (!grown) {
    writer.finish_run();
    return filter.say_by_source();
  }
  // Kept documents are on the disk before they are added to the index. So a run can be repeated after a kill or a power
  // failure.
  writer.close(true);
  if (!c.settings.output.quiet) say_if_there(*grown->index, grown->names, "");
  const std::string added = grouped(grown->change.size());
  const std::string size = grouped(grown->index->apply(grown->change, when));
  writer.finish_run(0, "; " + added + " added to " + c.settings.against.grown_index + ", which has " + size);
  filter.say_by_source();
}

/// Returns true if only documents with equal sets of features match, and no option asks for their representatives.
bool keeps_first_of_equal(const run_settings& settings) {
  if (settings.comparison.only_copies) return true;
  return settings.comparison.is_exact && settings.comparison.min_similarity.value_or(0) >= 1 &&
         !settings.comparison.checks_edits() && !groups_first(settings) && !needs_names(settings) &&
         !settings.against.any() && settings.against.grown_index.empty();
}

/// Keeps the first document of each group with equal sets of features. Each document is decided when it is read.
void run_by_equal_sets(context& c) {
  record_writer writer(c);
  seen_sets seen;
  // For the file of --dropped: the names of the kept documents, and the number of each document by its features.
  document_table names(false);
  std::map<std::vector<std::uint32_t>, std::size_t> numbers;
  const bool matches = *c.settings.comparison.min_similarity <= 1;
  const auto take = [&](const placed_document& d) {
    if (!d.facts.counts) return;
    const bool is_compared = matches && d.facts.has_tokens && !d.facts.features.empty();
    const bool is_kept = !is_compared || seen.insert(d.facts.features);
    if (c.dropped && is_kept) {
      numbers.emplace(std::vector(d.facts.features.begin(), d.facts.features.end()), numbers.size());
      names.add(d);
    } else if (c.dropped) {
      const std::size_t first = numbers.at({d.facts.features.begin(), d.facts.features.end()});
      write_dropped(c, {"id", "kept", d.name(), names.id(first), std::nullopt, 1.0,
                        d.facts.repeats_id ? d.from->id_of(d.line) : "", names.place_of_repeated(first)});
    }
    writer.write(is_kept, d.from, d.line, d.raw);
  };
  for_each_document(c, c.settings.input, c.sources, take, [&c](const finished_batch& done) {
    if (done.input.live) flush_outputs(c);
  });
  writer.finish_run();
}

/// Decides about all documents together, after all documents are read. Then reads all documents again, and writes them.
void run_at_once(context& c) {
  const bool are_lists = c.settings.input.unit == unit_of_input::fingerprints;
  corpus all(c.settings, needs_names(c.settings), c.audit.has_value());
  second_pass documents(c);
  std::exception_ptr bad;
  try {
    read_corpus(c, all, [&](const placed_document& d) {
      if (!are_lists) documents.expect(d);
    });
  } catch (const input_error&) {
    if (groups_first(c.settings) || documents.is_empty()) throw;
    bad = std::current_exception();  // the results before the bad input are written first
  }
  const std::vector<std::uint32_t> label = find_groups(c, all, c.dropped || all.sources || c.audit);

  record_writer writer(c);
  std::size_t i = all.against;
  passage_names passages(c);
  const auto is_dropped = [&](const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    const std::size_t by = label[i];
    if (by != i && c.dropped) {
      std::optional<shown_passage> passage;
      if (by < all.against_pairs.size()) passage = passages.best_in(from, line, raw, all.against_pairs[by]);
      const any_fingerprint fingerprint = all.has_fingerprints ? all.fingerprints[i] : any_fingerprint();
      write_dropped(c, all.documents.id(i), all.documents.place_of_repeated(i), fingerprint, all.check[i], all, by,
                    std::move(passage));
    }
    if (by != i && all.sources) all.drop(i, by);
    return by != i;
  };
  if (are_lists) {
    for (; i < label.size(); ++i) {
      if (!is_dropped(nullptr, 0, {})) writer.print(all.documents.id(i));
    }
  }
  documents.visit_documents(
      [&](bool has_tokens, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
        const bool is_kept = !has_tokens || !is_dropped(from, line, raw);
        if (has_tokens) ++i;
        writer.write(is_kept, from, line, raw);
      });
  if (bad) std::rethrow_exception(bad);
  if (c.audit) write_audit(c, *c.audit, all, label, c.settings.output.audited);
  writer.finish_run();
  say_by_source(c, all);
}

/// Returns true if the command line limits the memory for sets of features. Only a join by partitions observes the
/// limit, and such a join needs all documents. So, with a limit, a stream is read to its end before any document is
/// kept.
bool is_bounded(const typed_options& given, const run_settings& settings) {
  return given.has("--memory") && settings.comparison.is_exact && !settings.comparison.checks_edits() &&
         !settings.against.any() && settings.against.grown_index.empty() && !keeps_first_of_equal(settings);
}

/// Returns true if all input consists of files that can be read twice. A file of the size 0 that has bytes, such as a
/// file in /proc, does not count, because it may change.
bool can_be_read_again(const run_settings& settings) {
  namespace fs = std::filesystem;
  return std::all_of(settings.input.paths.begin(), settings.input.paths.end(), [](const std::string& path) {
    std::error_code error;
    if (path == "-" || fs::is_directory(path, error)) return path != "-";
    return fs::is_regular_file(path, error) &&
           (fs::file_size(path, error) > 0 || std::ifstream(path).peek() == std::ifstream::traits_type::eof());
  });
}

/// Reads the beginning of each regular file, and refuses files of different formats before anything is written.
void check_formats(const context& c) {
  input_settings input = c.settings.input;
  input.is_read_twice = false;  // needs no copies
  source_walker sources(input);
  c.leave_out_outputs(sources);
  std::shared_ptr<source> first;
  while (const auto step = sources.next()) {
    const auto* const from = std::get_if<std::shared_ptr<source>>(&*step);
    std::error_code error;
    if (from == nullptr || (*from)->path == "-" || !std::filesystem::is_regular_file((*from)->path, error)) continue;
    batch beginning;
    if (!source_lines(input, *from, false).next(beginning, std::atomic<bool>(false)) || beginning.bad) continue;
    if (!first) first = *from;
    refuse_other_format(**from, *first);
  }
}

constexpr std::array unique_options{
    option_row{
        "--add-to", "FILE", takes::own, section::comparison,
        "an index. Documents that are near one of its documents are dropped, too. When all output is written, the kept "
        "documents are added to a log beside the index. Each batch reads the features in the index once",
        usual::with_verb, "an index: drop what is near it, too; what is kept is added"},
    compact_option,
    option_row{"--copies", flag, takes::own, section::comparison,
               "drop only copies: records whose texts are equal to those of an earlier record, byte for byte. Texts "
               "without tokens count, too. Texts are compared by a hash of 128 bits: of a billion different texts, two "
               "are taken for copies with a probability of 1.5e-21",
               usual::with_verb, "drop only records with the same texts, byte for byte"},
    option_row{"--lossless", flag, takes::own, section::comparison,
               "lose no feature: drop a record only if a kept record has each of its features at least as often. This "
               "means --check containment and --similarity 1 of counted features, for texts of any size. Large records "
               "are decided first, and records of one size in the order of the input",
               usual::no},
    option_row{"--format", "F", takes::own, section::output,
               "how the paths of kept documents are printed if documents are whole files: text (default) or jsonl",
               usual::with_verb, "paths of whole files as text (default) or jsonl"},
    option_row{
        "--audit", "N FILE", takes::own, section::output,
        "write a page with N random decisions for a person to read: dropped documents beside the ones that stand for "
        "them, and documents that were nearly dropped. --seed chooses other decisions. Files are read twice",
        usual::no},
    option_row{
        "--parts", "KIND", takes::own, section::comparison,
        "compare parts of documents, not whole documents: paragraph, sentence or line. A part that occurs earlier "
        "is removed from the text, and the first one stays. With --similarity, similar parts are removed, too. "
        "Needs --lines or --jsonl, and --output or --dropped",
        usual::with_verb, "remove parts that occur earlier: paragraph, sentence or line"},
    option_row{"--passages", "N", takes::own, section::comparison,
               "remove each run of N words that occurs earlier in the input, or in --against, at any place of a text. "
               "The first one stays. bytes:N counts bytes. Words are compared as they are written. Whole records are "
               "not compared. Needs --lines or --jsonl, and --output or --dropped",
               usual::with_verb, "remove runs of N words that occur earlier, at any place of a text"},
    option_row{
        "--gathered", "PATH…", takes::own, section::machines,
        "for many machines: remove the passages that gather found in the part that --part names. The input is the "
        "part. PATH names the files that gather and features wrote for all partitions and parts, or their folder. "
        "Needs --lines or --jsonl, and --output or --dropped"},
    option_row{"--part", "N", takes::own, section::machines, "with --gathered: the number of the part, from 0"},
    option_row{"--least-length", "N", takes::own, section::comparison,
               "with --parts: keep parts of fewer characters (default: 20)"},
    option_row{"--least-documents", "N", takes::own, section::comparison,
               "with --parts or --passages: keep what occurs in fewer documents (default: 1)"},
    option_row{"--cut-passages", flag, takes::own, section::comparison,
               "with --against and --check containment: remove the passages that occur in the other corpus from the "
               "text, and keep the record. Needs --lines or --jsonl, and --output or --dropped"},
};

/// Refuses options that cannot be combined with removing parts of texts, because the positions of texts in records must
/// be known.
void refuse_cutting(const typed_options& given, const run_settings& to, const std::string& option) {
  if (to.input.unit != unit_of_input::lines && to.input.unit != unit_of_input::json_lines) {
    throw usage_error(
        option +
        " needs --lines or --jsonl, because it prints changed records; to make records of files: for f in "
        "FOLDER/*; do jq -Rsc --arg id \"$f\" '{id: $id, text: .}' \"$f\"; done > texts.jsonl");
  }
  if (!to.input.encoding.empty()) {
    throw usage_error(
        option + " with --encoding: parts of texts are removed from UTF-8 only; convert the texts first, with iconv");
  }
  refuse_if_given(
      given, {"--fold-chinese"},
      " with " + option +
          ": parts of texts are removed from the original characters; convert the texts first, with opencc");
  if (!given.has("--output") && !given.has("--dropped")) {
    throw usage_error(option +
                      " changes records: name a file for the changed records with --output, or one for the removed "
                      "parts with --dropped");
  }
}

void take_cutting(const typed_options& given, run_settings& to) {
  const std::string option = "--cut-passages";
  if (!given.has(option)) return;
  if (given.has("--parts")) throw usage_error("--parts and --cut-passages do not go together");
  if (!to.comparison.checks_containment() || !to.against.any()) {
    throw usage_error(option + " needs --against and --check containment");
  }
  if (!to.against.indexes.empty()) {
    throw usage_error(option + " with --against " + to.against.indexes.front() +
                      ": an index keeps no texts; name files of texts");
  }
  refuse_if_given(given, {"--also-within", "--audit", "--by", "--same"},
                  " with " + option + ": run neardup once with each");
  refuse_cutting(given, to, option);
}

/// Checks that the index supports the distance of the run.
void check_grown_index(const std::string& path, const comparison_settings& how) {
  const index_settings index = read_index_settings(path);
  if (!how.is_exact && how.distance > index.distance) {
    throw usage_error("--add-to " + path + " finds distances up to " + std::to_string(index.distance) +
                      " bits, and this run needs --distance " + std::to_string(how.distance) + "; make it with " +
                      (index.has_codes() ? "" : "--kind " + index.kind + " ") + "--distance " +
                      std::to_string(how.distance));
  }
}

std::optional<part_settings> take_parts(const typed_options& given, run_settings& to) {
  if (!given.has("--parts")) {
    refuse_if_given(given, {"--least-length"}, " needs --parts");
    if (!given.has("--passages")) refuse_if_given(given, {"--least-documents"}, " needs --parts or --passages");
    return std::nullopt;
  }
  part_settings how;
  how.cut = parse_parts(given.text("--parts"));
  refuse_comparing(given, {"--against", "--memory", "--fingerprints"},
                   " has no effect with --parts; leave out one of the two");
  refuse_cutting(given, to, "--parts");
  if (given.has("--similarity")) how.similarity = similarity_of(given);
  if (how.similarity == 1) {
    refuse_if_given(given, {"--features"},
                    " with --parts needs --similarity below 1: only equal parts are removed, whatever their features");
  }
  take_number<std::size_t>(given, "--least-length", how.least_length, 0, 1'000'000'000);
  take_number<std::size_t>(given, "--least-documents", how.least_documents, 1, 1'000'000'000);
  to.choice.reset();
  return how;
}

/// Refuses options that have no effect when repeated passages are removed.
void refuse_with_passages(const typed_options& given, const std::string& option) {
  refuse_comparing(
      given,
      {"--parts", "--similarity", "--features", "--copies", "--cut-passages", "--fingerprints", "--within", "--across"},
      " has no effect with " + option + "; leave out one of the two");
}

std::optional<gathered_setting> take_gathered(const typed_options& given, run_settings& to) {
  if (!given.has("--gathered")) {
    refuse_if_given(given, {"--part"}, " needs --gathered");
    return std::nullopt;
  }
  refuse_with_passages(given, "--gathered");
  refuse_if_given(given, {"--passages", "--least-documents", "--against", "--lossless"},
                  " has no effect with --gathered; leave out one of the two");
  refuse_cutting(given, to, "--gathered");
  to.choice.reset();
  gathered_setting of;
  of.part = required_number(given, "--part", max_part);
  for (const std::string& path : files_of(given.all("--gathered"), run_file::passages, {run_file::texts})) {
    const run_file kind = kind_of(path);
    if (kind == run_file::passages) of.passages.push_back(path);
    if (kind == run_file::texts) of.texts.push_back(path);
  }
  if (of.passages.empty())
    throw usage_error("--gathered: the names lead to no file of passages; gather writes such files");
  return of;
}

std::optional<passage_settings> take_passages(const typed_options& given, run_settings& to) {
  if (!given.has("--passages")) return std::nullopt;
  refuse_indexes(to, "--passages");
  refuse_with_passages(given, "--passages");
  refuse_cutting(given, to, "--passages");
  to.choice.reset();
  return take_passage_settings(given, "--passages");
}

/// Applies --copies. This option compares texts instead of features.
void take_copies(const typed_options& given, run_settings& to) {
  if (!given.has("--copies")) return;
  refuse_comparing(given,
                   {"--against", "--parts", "--cut-passages", "--similarity", "--features", "--memory",
                    "--fingerprints", "--fold-chinese"},
                   " with --copies: only the bytes of texts are compared; leave out one of the two");
  to.comparison = {};
  to.comparison.min_similarity = 1.0;
  to.comparison.reads_features = to.comparison.is_exact = to.comparison.only_copies = true;
  to.choice.reset();
}

/// Applies --lossless. This option implies settings of other options.
void take_lossless(typed_options& typed) {
  if (!typed.has("--lossless")) return;
  refuse_if_given(
      typed, {"--check",  "--similarity",   "--min-similarity", "--distance", "--kind",         "--bits",
              "--blocks", "--weights",      "--weighted-field", "--top",      "--idf-file",     "--check-features",
              "--keep",   "--grouping",     "--against",        "--add-to",   "--fingerprints", "--code-field",
              "--parts",  "--cut-passages", "--passages",       "--copies"},
      " with --lossless: a record is dropped only if a kept record contains all of it; leave out one of the two");
  const std::string features = typed["--features"].value_or("words:2");
  feature_setting counted = parse_feature_setting("--features", features);
  if (counted.needs_dictionary()) {
    throw usage_error("--features " + features + " with --lossless: words of a dictionary have no counts");
  }
  counted.choice.is_counted = true;
  typed.set("--features", {to_string(counted)});
  typed.set("--check", {"containment"});
  typed.set("--similarity", {"1"});
}

/// Sets the number of decisions on the page of --audit.
void take_audit(const typed_options& typed, run_settings& to) {
  if (!typed.has("--audit")) return;
  const std::vector<std::string> values = typed.all("--audit");
  if (values.size() != 2) throw usage_error("--audit takes a number and the name of a file, once");
  to.output.audited = parse_number<std::size_t>("--audit", values.front(), 1, 10'000);
  if (to.input.unit == unit_of_input::fingerprints)
    throw usage_error("--audit with --fingerprints: there are no texts");
  if (!to.against.grown_index.empty()) {
    throw usage_error("--audit with --add-to: run --audit with --against " + to.against.grown_index +
                      " --also-within first, and add afterwards");
  }
}

bool run_unique(typed_options& typed) {
  compaction when = compaction::automatic;
  take_compaction(typed, when);
  if (typed.has("--compact") && !typed.has("--add-to")) throw usage_error("--compact needs --add-to");
  take_lossless(typed);
  std::optional<part_settings> parts;
  std::optional<passage_settings> passages;
  std::optional<gathered_setting> gathered;
  bool reads_all_first = false;
  const bool cuts_passages = typed.has("--cut-passages");
  run_settings settings = take_reading(
      typed,
      {.last =
           [&](const typed_options& given, run_settings& to) {
             to.comparison.is_lossless = given.has("--lossless");
             parts = take_parts(given, to);
             gathered = take_gathered(given, to);
             passages = take_passages(given, to);
             take_cutting(given, to);
             take_copies(given, to);
             if (!to.against.grown_index.empty()) check_grown_index(to.against.grown_index, to.comparison);
             if (given.has("--dropped-records") && to.input.unit == unit_of_input::fingerprints) {
               throw usage_error("--dropped-records with --fingerprints: there are no records");
             }
             if (given.has("--format") && to.input.unit != unit_of_input::files) {
               throw usage_error(
                   "--format is for documents that are whole files: unique prints records as they are; leave it out");
             }
             take_audit(given, to);
             reads_all_first = groups_first(to) || is_bounded(given, to);
             to.input.is_read_twice =
                 reads_all_first || parts.has_value() || passages.has_value() || gathered.has_value();
             to.against.keeps_texts = to.comparison.checks_containment() && !to.against.paths.empty() &&
                                      (cuts_passages || !to.output.dropped.empty());
           },
       .other_files =
           [&] {
             std::vector<std::string> files;
             if (!gathered) return files;
             files = gathered->passages;
             files.insert(files.end(), gathered->texts.begin(), gathered->texts.end());
             return files;
           }});
  return run_on_documents(settings, [&](context& c) {
    // JSON Lines and arrays are not told apart here, because reading many small files twice takes time.
    const unit_of_input unit = c.settings.input.unit;
    if (unit == unit_of_input::automatic || unit == unit_of_input::csv || unit == unit_of_input::tsv) {
      check_formats(c);
    }
    if (parts) return run_without_parts(c, *parts);
    if (passages) return run_without_repeated(c, *passages);
    if (gathered) return run_without_gathered(c, *gathered);
    if (cuts_passages) return run_without_passages(c);
    if (keeps_first_of_equal(c.settings)) return run_by_equal_sets(c);
    // Input that can be read twice needs no rounds. For a stream, each round compares all kept documents again.
    const bool grows = !c.settings.against.grown_index.empty();
    if (!grows && (reads_all_first || can_be_read_again(c.settings))) {
      run_at_once(c);
    } else {
      run_first_come(c, when);
    }
  });
}

}  // namespace

extern const verb unique_verb;
const verb unique_verb{"unique",
                       "PATH…",
                       "the input without its near-duplicates",
                       R"(
Drops each record that is similar to an earlier kept one, and prints the others byte for byte. A table keeps its
header, and a JSON array stays an array. If documents are whole files, prints the paths of those that are kept.
Documents without tokens are kept. Blank lines of JSON Lines are dropped. UTF-16 is written as UTF-8.
With --parts, --passages or --cut-passages, removes parts of the texts, and drops a record if no word is left.
With --add-to FILE, an index, also drops what is near a document in the index, and adds what is kept to it.
)",
                       takes::comparing | takes::codes | takes::exact | takes::same | takes::pairing |
                           takes::far_from_against | takes::grouping,
                       unique_options,
                       run_unique};

}  // namespace command
