// SPDX-License-Identifier: MIT
// Checks the template arguments (parts) of a simhasher, minwise_hasher or feature_extractor. A wrong part gives a
// single error message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "../../detail/bits.hpp"
#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"
#include "../weighters.hpp"

namespace neardup::inline v0::detail {

/// Takes the place of every part of a composition if one part is wrong, so that the compiler reports only the
/// static_assert.
template <std::size_t Bits>
struct any_part {
  any_part() = default;
  template <class... Parts>
  any_part(const Parts&... /*parts*/) {}  // NOLINT(google-explicit-constructor): converts from anything

  template <class Sink>
  void operator()(std::string_view /*text*/, Sink&& /*sink*/) const {}
  std::size_t cut(std::string_view /*text*/) const { return 0; }
  weight operator()(std::uint64_t /*count*/) const { return {}; }
  std::array<std::uint64_t, words_for(Bits)> operator()(std::string_view /*token*/) const { return {}; }
};

/// Returns the number of the first wrong part: 1 for the tokenizer, 2 for the weighter, 3 for the hasher, 4 for the
/// width of the hasher, 5 for a weighter with more than one of operator(), per_occurrence() and adjust(), and 0 if no
/// part is wrong. A part is checked only if the earlier parts are right. The reason is that a check of swapped parts,
/// such as a tokenizer in place of a weighter, may not compile.
template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits>
constexpr int wrong_part() {
  if constexpr (!tokenizer<Tokenizer>) {
    return 1;
  } else if constexpr (!weighter<Weighter>) {
    return many_formed_weighter<Weighter> ? 5 : 2;
  } else if constexpr (!token_hasher<Hasher>) {
    return 3;
  } else {
    return hash_result_of<Hasher>::bits < Bits ? 4 : 0;
  }
}

/// The parts of a simhasher. If one part is wrong, all parts are any_part. `Bits`: the least number of bits of a hash.
template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits = 1>
class checked_parts {
  static constexpr int wrong = wrong_part<Tokenizer, Weighter, Hasher, Bits>();

  template <class Part>
  using sound = std::conditional_t<wrong == 0, Part, any_part<Bits>>;

 public:
  using tokenizer = sound<Tokenizer>;
  using weighter = sound<Weighter>;
  using hasher = sound<Hasher>;

  // The static_asserts are last in the class, because clang skips the members after a failed static_assert.
  static_assert(wrong != 1,
                "neardup: the first part is a tokenizer: words{}, or a callable of (text, sink) that calls sink(token) "
                "for each token");
  static_assert(
      wrong != 2,
      "neardup: the second part is a weighter: unit{}, tf{}, log_tf{}, or a callable that gives the weight of "
      "a count, or of a token and a count");
  static_assert(wrong != 3,
                "neardup: the third part is a hasher: xxh3<64>{}, or a callable that makes of a std::string_view an "
                "unsigned integer or a std::array of std::uint64_t");
  static_assert(wrong != 4,
                "neardup: the hasher is narrower than the fingerprint; name a smaller width, or use xxh3<Bits>");
  static_assert(
      wrong != 5,
      "neardup: this weighter has several forms, one of which it may inherit: of operator(), per_occurrence() "
      "and adjust() a weighter has one; hold the other weighter as a member instead of deriving from it");
};

/// True for simhasher and minwise_hasher themselves. False for a derived class, which may compute other fingerprints.
template <class T>
inline constexpr bool is_text_hasher = false;

/// A value that is created at its first use. After the object was moved from, the next use creates a new value.
template <class T>
class made_when_used {
 public:
  T& get() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace neardup::inline v0::detail
