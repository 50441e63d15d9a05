// The functions of both SQL extensions, without the code for a database: comparisons of two texts, joins of rows, and
// the SQL that reads these rows. Every error is a std::invalid_argument that names the argument of the SQL function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace near_duplicates {

inline constexpr const char* default_measure = "jaccard";
inline constexpr const char* default_features = "words:2";

/// Compares and fingerprints single texts. Memory is reused from call to call, so each thread needs its own object.
class text_functions {
 public:
  text_functions();
  ~text_functions();

  /// Returns the similarity, from 0 to 1, or 0 if either text has no features. The features of the last `a` and of the
  /// last `b` are kept. So a text that is compared with many others is read once.
  double similarity(std::string_view a, std::string_view b, std::string_view measure, std::string_view features);

  /// Returns true if a join with the same arguments would yield the pair of these texts.
  bool are_same(std::string_view a, std::string_view b, double least, std::string_view measure,
                std::string_view features);

  /// Returns the SimHash of 64 bits as a signed number, or nullopt if the text has no features.
  std::optional<std::int64_t> simhash(std::string_view text, std::string_view features);

  /// Returns the SimHash of 32, 64, 128 or 256 bits, most significant byte first, or nullopt if the text has no
  /// features.
  std::optional<std::string> simhash(std::string_view text, std::int64_t bits, std::string_view features);

  /// Returns the distinct features of a text as a JSON array of strings, in the order of the text.
  std::string features(std::string_view text, std::string_view features);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Returns the number of bits in which two fingerprints differ.
int distance(std::int64_t x, std::int64_t y);
/// Returns the number of bits in which two fingerprints differ. Throws: std::invalid_argument if their sizes differ.
int distance(std::string_view x, std::string_view y);

// ---- Joins ------------------------------------------------------------------------------------------------------------

/// The arguments of neardup_pairs and neardup_groups. An optional argument that is not given has its default.
struct join_arguments {
  std::optional<std::string> source, id_column, text_column;  // required
  std::optional<double> min_similarity;                       // required
  std::optional<std::string> measure, features;
  std::optional<std::string> against;  // another source, whose columns have the same names
  std::optional<std::int64_t> min_common;
  bool copies_once = false;  // only for neardup_pairs
  bool components = false;   // only for neardup_groups

  friend bool operator==(const join_arguments&, const join_arguments&) = default;
};

struct similar_rows {
  std::uint32_t first, second;  // positions; with `against`, `second` is a position in `against`
  double similarity;
};

/// The group of a row of the source. `original` counts the rows of `against` first, then the rows of the source.
struct row_group {
  std::uint32_t original;
  std::uint32_t size;  // number of rows with this original, the original included
};

/// A join of the rows of one source, or of the rows of two sources.
class row_join {
 public:
  /// Makes a join without rows. Throws: std::invalid_argument for a wrong argument.
  explicit row_join(const join_arguments& arguments);
  ~row_join();

  /// Adds a row to the source, or to `against`. nullopt stands for NULL.
  void add(bool to_against, std::optional<std::string_view> text);

  /// Returns the similar pairs, sorted by (first, second). Calls `check` from time to time. An exception of `check`
  /// ends the join.
  [[nodiscard]] std::vector<similar_rows> pairs(const std::function<void()>& check = {}) const;
  /// Returns the group of each row of the source. Calls `check` from time to time. An exception of `check` ends the
  /// join.
  [[nodiscard]] std::vector<row_group> groups(const std::function<void()>& check = {}) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The values of a column of ids, as bytes. Each extension has its own format of these bytes.
class id_list {
 public:
  void add(std::string_view bytes) {
    bytes_.append(bytes);
    ends_.push_back(bytes_.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

/// Returns the query that reads the ids and texts of a source. A source is a table, a view, or a query, which begins
/// with SELECT, WITH, VALUES or FROM.
/// `error_of`: prepares a statement, and returns the error message of the database, or an empty string.
/// `name`: the argument that has the source, "source" or "against".
/// Throws: std::invalid_argument that names the wrong argument.
std::string query_of_rows(const join_arguments& arguments, const char* name,
                          const std::function<std::string(const std::string& statement)>& error_of);

}  // namespace near_duplicates
