// Finds the kinds of features that suit the lengths of texts.
#pragma once

#include <cstddef>
#include <neardup/text/feature_choice.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../describe/settings.hpp"

namespace command {

/// A way to compare texts exactly: by a kind of features, or by the edit similarity of the texts.
struct compared_by {
  std::optional<neardup::feature_choice> features;  ///< nullopt for the edit similarity

  [[nodiscard]] std::string name() const { return features ? neardup::to_string(*features) : "edit"; }
  /// Returns the settings of an exact run with the least similarity `similarity`.
  [[nodiscard]] comparison_settings settings(double similarity) const;

  friend bool operator==(const compared_by&, const compared_by&) = default;
};

/// Measures whether the way `by` of comparing texts suits the lengths of some texts.
struct feature_fit {
  compared_by by;
  double mean_features;  ///< mean number of distinct features of a text, or of its characters for the edit similarity
  double too_short;      ///< share of texts that are too short: one changed word or character makes them too dissimilar

  /// Returns true if these features may be recommended: after a change of one word or character, most texts are still
  /// similar enough.
  [[nodiscard]] bool is_fit() const noexcept { return too_short < 0.5; }
};

/// Returns the fit of each of the `kinds` for `texts`. At similarity 1, a change makes a text of any length too
/// dissimilar, so no text counts as too short. The number of longest sentences does not depend on the length of a text,
/// so for longest sentences no text is too short.
/// Precondition: there are texts.
std::vector<feature_fit> fits_of(std::span<const std::string_view> texts, std::span<const compared_by> kinds,
                                 double similarity, const fingerprint_settings& settings);

}  // namespace command
