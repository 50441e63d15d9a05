// Finds groups of documents. The members of a group are near-duplicates of its representative, or form a component.
#pragma once

#include <neardup/dedup/group.hpp>
#include <neardup/dedup/group_sets.hpp>
#include <neardup/dedup/group_texts.hpp>

#include "context.hpp"
#include "corpus.hpp"

namespace command {

/// Returns the options of neardup::group() for sets or texts. Of each group, the document with the highest value in
/// `preference` is kept.
neardup::group_options exact_grouping(const run_settings& settings, std::span<const double> preference);

/// Returns the least edit similarity that --similarity gives, with a callback that shows the progress.
neardup::edit edit_threshold(context& c);

/// Converts the labels of texts to the type of the labels that find_groups() returns.
std::vector<std::uint32_t> labels_of_texts(const std::vector<std::size_t>& labels);

/// The distinct documents of another corpus, or of an index: the first document of each group of equal documents.
/// Documents are equal if their fingerprints, compared features and values of --across are equal. Equal documents are
/// equally close to any other document, and the first of equally close documents is preferred. Without this class, a
/// join of n equal documents with n documents close to them would consider n^2 pairs.
class distinct_documents {
 public:
  /// Finds the distinct documents among n documents of a corpus. They are numbered from 0 to n - 1.
  /// Precondition: the corpus has fingerprints.
  /// Complexity: O(n log n).
  /// Memory: 4 bytes per distinct document if any are equal; up to 12 bytes per document during the construction.
  distinct_documents(const corpus& all, const document_numbers& documents);

  [[nodiscard]] bool has_repeats() const noexcept { return repeats_ > 0; }
  /// Returns the numbers of the distinct documents, ascending.
  /// Precondition: has_repeats().
  [[nodiscard]] std::span<const std::uint32_t> numbers() const noexcept { return numbers_; }
  /// Converts a position to the number of a document. The first positions are the distinct documents. The next
  /// positions are documents numbered n and above.
  [[nodiscard]] std::size_t number_at(std::size_t position) const noexcept {
    return position < numbers_.size() ? numbers_[position] : position + repeats_;
  }
  /// Returns n, or 0 if has_repeats() is false.
  [[nodiscard]] std::size_t count() const noexcept { return numbers_.size() + repeats_; }

 private:
  std::vector<std::uint32_t> numbers_;  // empty if all are distinct
  std::size_t repeats_ = 0;
};

/// A check of the documents at two positions, for neardup::group() and neardup::extend_groups().
using position_check = neardup::at_least<std::function<neardup::check_result(std::size_t, std::size_t)>>;

/// Returns the result of neardup::extend_groups(). Of equal documents among the first known.count() representatives,
/// only the first is passed to that function. `check`: nullptr if fingerprints alone decide.
std::vector<std::uint32_t> extend_groups_of_distinct(const distinct_documents& known,
                                                     const fingerprint_part& representatives,
                                                     const fingerprint_part& fingerprints, const neardup::bits& within,
                                                     const position_check* check, neardup::group_options how);

/// Returns the representative of each document. Without `originals`, the call takes less time, and only decides which
/// documents are kept; see neardup::group_options.
std::vector<std::uint32_t> find_groups(context& c, const corpus& all, bool originals = true);

struct group_member {
  std::uint64_t document;
  std::string id;
  bool is_against;              // belongs to the other corpus
  std::optional<int> distance;  // distance to the representative, if fingerprints are compared
  double similarity;            // similarity to the representative: exact if checked, otherwise estimated
};

/// Returns a group as text, in the format that --format names.
std::string text_of_group(const run_settings& settings, std::uint64_t number_of_group,
                          const std::vector<group_member>& members);

struct group_counts {
  std::uint64_t groups = 0, documents = 0;
};

/// The groups of at least two documents, ordered by first member.
/// Thread safety: several threads may call const members at once.
class document_groups {
 public:
  /// Makes the groups of a corpus.
  /// Precondition: the corpus outlives this object.
  document_groups(context& c, const corpus& all);

  [[nodiscard]] std::size_t size() const noexcept { return begins_.size(); }
  [[nodiscard]] group_counts counts() const noexcept { return {size(), size() + members_.size()}; }

  [[nodiscard]] std::size_t members_of(std::size_t i) const noexcept {
    return 1 + (i + 1 < size() ? begins_[i + 1] : members_.size()) - begins_[i];
  }

  /// Calls `visit(document)` for each member of a group: first for the representative, then in the order of the input.
  template <class Visit>
  void visit_members(std::size_t i, const Visit& visit) const {
    const std::size_t begin = begins_[i];
    visit(members_[begin].a);
    for (std::size_t m = begin; m + 1 < begin + members_of(i); ++m) visit(members_[m].b);
  }

  [[nodiscard]] group_member original_of(std::size_t i) const;
  /// Returns a member of a group. `document` is the number of its document.
  /// Complexity: O(log members).
  [[nodiscard]] group_member member(std::size_t i, std::size_t document) const;

  /// If --by is given, counts the members of groups, except representatives, as dropped documents of `all.sources`.
  void count_by_source(corpus& all) const;

  /// Returns the members of a group: first the representative, then the other members in the order of the input.
  [[nodiscard]] std::vector<group_member> operator[](std::size_t i) const;

 private:
  [[nodiscard]] group_member member_of(std::uint32_t document, std::optional<int> distance,
                                       const std::optional<double>& similarity) const;

  const run_settings& settings_;
  const corpus& all_;
  std::vector<candidate> members_;                   // group by group; `a` is the first member, `b` is another member
  std::vector<std::size_t> begins_;                  // begin of each group in members_
  std::vector<std::optional<double>> similarities_;  // similarity of each member, if there is a check
};

/// Prints the counts by source, if --by is given.
void say_by_source(const context& c, const corpus& all);

void finish_groups(context& c, const group_counts& counts);

}  // namespace command
