// Groups of documents: near-duplicates of a representative, or documents connected by chains.
#pragma once

#include <neardup/dedup/group_sets.hpp>
#include <neardup/dedup/group_texts.hpp>

#include "context.hpp"
#include "corpus.hpp"

namespace command {

/// The options for groups of documents with similar sets; documents with the highest `preference` are kept.
neardup::set_group_options exact_grouping(const run_settings& settings, std::span<const double> preference);

/// The options for groups of documents by the edit similarity of their texts.
neardup::text_group_options edit_grouping(const run_settings& settings, std::span<const double> preference);

/// Reports the progress of a comparison of texts.
std::function<void(const neardup::text_join_progress&)> progress_of(run_notes& notes);

/// Converts to labels as find_groups() returns them.
std::vector<std::uint32_t> labels_of_texts(const std::vector<std::size_t>& labels);

/// For each document the representative of its group. Without `originals`, only which documents are kept is decided, in
/// less time: see neardup::group_options.
std::vector<std::uint32_t> find_groups(context& c, const corpus& all, bool originals = true);

struct group_member {
  std::uint64_t document;
  std::string id;
  bool is_against;              // belongs to the other corpus
  std::optional<int> distance;  // to the representative, if fingerprints are compared
  double similarity;            // to the representative: exact if checked, else estimated
};

/// A group in the format of --format.
std::string text_of_group(const run_settings& settings, std::uint64_t number_of_group,
                          const std::vector<group_member>& members);

struct group_counts {
  std::uint64_t groups = 0, documents = 0;
};

/// The groups of at least two documents, in the order of their first members. Thread safety: may be used from any
/// thread.
class document_groups {
 public:
  /// The corpus must outlive it.
  document_groups(context& c, const corpus& all);

  [[nodiscard]] std::size_t size() const noexcept { return begins_.size(); }
  [[nodiscard]] group_counts counts() const noexcept { return {size(), size() + members_.size()}; }

  /// The number of members of a group.
  [[nodiscard]] std::size_t members_of(std::size_t i) const noexcept {
    return 1 + (i + 1 < size() ? begins_[i + 1] : members_.size()) - begins_[i];
  }

  /// Counts the members by source, if --by asks for that.
  void count_by_source(corpus& all) const;

  /// The members of a group: the representative first, then in the order of the input.
  [[nodiscard]] std::vector<group_member> operator[](std::size_t i) const;

 private:
  const run_settings& settings_;
  const corpus& all_;
  std::vector<candidate> members_;                   // group by group; `a` is the first member, `b` another one
  std::vector<std::size_t> begins_;                  // begin of each group in members_
  std::vector<std::optional<double>> similarities_;  // similarity of each member, if there is a check
};

/// Prints the counts by source, if --by asks for that.
void say_by_source(const context& c, const corpus& all);

void finish_groups(context& c, const group_counts& counts);

}  // namespace command
