#include "changed_index.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../read/file_header.hpp"
#include "index_file.hpp"

namespace command {

namespace {

constexpr std::size_t share_of_log = 8;     // the log has at most 1 / 8 of the bytes of the file
constexpr std::uint64_t most_matches = 16;  // matches per document of the index; see distinct_search
constexpr std::size_t around_records = 56;  // bytes of the headers of a log and of a record
constexpr std::size_t most_in_record = 0xffffffff;

/// Searches an index of fingerprints. Documents are equal if their fingerprints, their features and their values are
/// equal. Of equal documents, only the first can be the closest. But searches for m documents near n equal documents
/// would find m * n matches. If the searches have found many more matches than the index has documents, an index of the
/// distinct documents is made in memory, and searched instead.
class distinct_search {
 public:
  /// Returns documents within k bits, sorted by (distance, number). Of equal documents, it may return only the first.
  /// Thread safety: callable from any thread.
  /// Throws: input_error if the index file is damaged or was changed in place.
  std::vector<near_number> search(const opened_index<fingerprint_form>& index, const any_fingerprint& fingerprint,
                                  int k) const {
    if (matches_ < most_matches * (index.numbers() + 1)) {
      auto found = index.search(fingerprint, k);
      matches_ += found.size();
      return found;
    }
    std::call_once(is_made_, [&] { make(index); });
    index.check_file();
    return distinct_->search(fingerprint, k);
  }

 private:
  void make(const opened_index<fingerprint_form>& index) const {
    const fingerprint_vector all = index.fingerprints();
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (index.has(i)) numbers.push_back(i);
    }
    const fingerprint_words prints = all.words();
    std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::strong_ordering by_fingerprint = prints.compare(a, b);
      if (by_fingerprint != 0) return by_fingerprint < 0;
      const feature_set of_a = index.features(a), of_b = index.features(b);
      if (!std::ranges::equal(of_a, of_b)) return std::ranges::lexicographical_compare(of_a, of_b);
      const int by_value = index.value(a).compare(index.value(b));
      return by_value != 0 ? by_value < 0 : a < b;
    });
    const auto is_equal = [&](std::uint32_t a, std::uint32_t b) {
      return prints.compare(a, b) == 0 && std::ranges::equal(index.features(a), index.features(b)) &&
             index.value(a) == index.value(b);
    };
    numbers.erase(std::unique(numbers.begin(), numbers.end(), is_equal), numbers.end());
    fingerprint_vector fingerprints(index.bits());
    for (const std::uint32_t number : numbers) fingerprints.push_back(all[number]);
    distinct_ = make_fingerprint_search(index.view().max_distance(), index.view().blocks(), fingerprints, numbers, 1);
  }

  mutable std::atomic<std::uint64_t> matches_ = 0;  // number of matches of all searches
  mutable std::once_flag is_made_;
  mutable std::unique_ptr<const fingerprint_search> distinct_;
};

template <class Form>
class changed_index_of final : public changed_index {
 public:
  changed_index_of(reading& r, const std::string& path, bool compares, unsigned threads)
      : journal_(path), index_(path, false), threads_(threads) {
    if (!compares) return;
    index_.expect_alike(r);
    index_.say_if_unchecked(r.how);
    index_.prepare_search(threads);
  }

  [[nodiscard]] std::size_t size() const override { return index_.size(); }
  [[nodiscard]] std::size_t numbers() const override { return index_.numbers(); }
  [[nodiscard]] std::size_t bits() const override { return index_.bits(); }
  [[nodiscard]] bool has_sets() const override { return command::has_sets<Form>; }
  [[nodiscard]] bool keeps_postings() const override { return index_.keeps_postings(); }
  [[nodiscard]] std::string name(std::uint32_t number) const override { return std::string(index_.name(number)); }
  [[nodiscard]] std::string_view value(std::uint32_t number) const override { return index_.value(number); }
  [[nodiscard]] feature_set features(std::uint32_t number) const override { return index_.features(number); }
  [[nodiscard]] indexed_sets sets() const override {
    if constexpr (command::has_sets<Form>) {
      return index_.sets();
    } else {
      return {};
    }
  }

  [[nodiscard]] std::optional<near_document> closest([[maybe_unused]] const any_fingerprint& fingerprint,
                                                     [[maybe_unused]] int k,
                                                     [[maybe_unused]] const check_type& check) const override {
    if constexpr (command::has_sets<Form>) {
      return std::nullopt;
    } else {
      neardup::original_choice<std::uint32_t, std::uint32_t> original;
      for (const auto& match : distinct_.search(index_, fingerprint, k)) {
        original.consider(match.id, match.id, match.distance, check(match.id));
        if (original.is_final()) break;  // matches are sorted by distance, then number
      }
      const auto& found = original.result();
      if (found.is_new()) return std::nullopt;
      return near_document{*found.original, found.distance,
                           neardup::closeness_of({true, found.similarity}, found.distance)};
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> named(const std::unordered_set<std::string>& names) const override {
    std::vector<std::uint32_t> found;
    if (names.empty()) return found;
    std::string name;  // reused, so that no memory is allocated
    for (std::size_t i = 0; i < index_.numbers(); ++i) {
      name = index_.name(i);
      if (names.contains(name) && index_.has(i)) found.push_back(static_cast<std::uint32_t>(i));
    }
    return found;
  }

  std::size_t apply(const index_change& change, compaction when) override {
    const std::size_t size = index_.size() - change.removed.size() + change.size();
    if (index_.numbers() + change.size() > UINT32_MAX - 2) when = compaction::now;
    const std::string record = encode_change(change, form());
    const bool is_long = (index_.log_size() + record.size() + around_records) * share_of_log > index_.bytes();
    const bool has_news = !change.is_empty() || (when == compaction::now && index_.log_size() > 0);
    if (!has_news) return size;
    if (read_header(index_.path()).checksum != index_.file().number) {
      throw input_error({index_.path(), "another file took its place since it was opened; nothing was written to it"});
    }
    if (when == compaction::now || (when == compaction::automatic && is_long) || record.size() > most_in_record) {
      try {
        write_anew(change);
      } catch (const output_error& error) {
        if (when != compaction::automatic) throw;
        throw output_error(error.what() + std::string("; --compact never writes to the log only"));
      }
    } else {
      append(record);
    }
    return size;
  }

 private:
  [[nodiscard]] logged_form form() const {
    return {index_.bits(), index_.keeps_features(), keeps_postings(), index_.keeps_values()};
  }

  void append(const std::string& record) {
    save_whole(journal_->log_path(), link_target(index_.path()), [&](const std::string&) {
      journal_->go_on(index_.file(), index_.log(), [](std::string_view) { return true; });  // index_ replayed the log
      journal_->append(record);
    });
  }

  /// Writes the documents to a new file, as the verb `index` does: the old documents that are not removed, in order,
  /// then the added documents.
  void write_anew(const index_change& change) {
    index_.verify();  // otherwise, damaged data would get a valid checksum
    new_index<Form> all(index_.bits(), index_.keeps_features(), keeps_postings(), index_.keeps_values());
    all.add_all(index_, {change.removed.begin(), change.removed.end()});
    const stored_places places(index_.path(), change.places.bytes()[0], change.places.bytes()[1]);
    for (std::size_t i = 0; i < change.size(); ++i) {
      all.add(change.added.names[i], change.fingerprint(i), change.added.features[i], places[i], change.values[i]);
    }
    index_shape shape{.made_of = index_.made_of(), .settings = index_.view().attachment(0), .threads = threads_};
    if constexpr (command::has_sets<Form>) {
      shape.similarity = index_.view().sets.threshold().similarity;
    } else {
      shape.distance = index_.view().max_distance();
      shape.blocks = index_.view().blocks();
    }
    all.save(*journal_, index_.path(), shape);
  }

  index_journal journal_;
  opened_index<Form> index_;
  unsigned threads_;
  distinct_search distinct_;  // unused in an index of sets
};

}  // namespace

void say_if_there(const changed_index& index, const std::unordered_set<std::string>& names, const std::string& hint) {
  const std::vector<std::uint32_t> there = index.named(names);
  if (there.empty()) return;
  say(counted(there.size(), "document", "documents") + " of the index " + (there.size() == 1 ? "has" : "have") +
      " an id that is added once more (" + (there.size() == 1 ? "" : "one of them: ") +
      printable(index.name(there.front())) + ")" + hint);
}

std::unique_ptr<changed_index> open_to_change(reading& r, const std::string& path, bool compares, unsigned threads) {
  static_cast<void>(read_index_settings(path));  // throws if it is not an index
  return with_form(read_header(path), [&]<class Form>(Form) -> std::unique_ptr<changed_index> {
    return std::make_unique<changed_index_of<Form>>(r, path, compares, threads);
  });
}

}  // namespace command
