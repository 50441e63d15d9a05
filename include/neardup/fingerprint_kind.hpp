// The kinds of fingerprints, for what is known at run time only.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup::inline v0 {

/// What a bit of a fingerprint is, and so how likely it is to differ. The numbers stand in files.
enum class fingerprint_kind : std::uint8_t {
  simhash = 1,  // a vote of weighted features: it differs with probability acos(cosine) / pi
  minwise = 2,  // of the feature with the least hash: it differs with probability (1 - Jaccard similarity) / 2
};

/// "simhash" or "minwise".
[[nodiscard]] constexpr std::string_view to_string(fingerprint_kind kind) noexcept {
  return kind == fingerprint_kind::minwise ? "minwise" : "simhash";
}

}  // namespace neardup::inline v0
