// Classes that are derived from parts of the library and behave differently. The library must call their own members,
// and not the inherited ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <neardup/fingerprint/hashers.hpp>
#include <neardup/fingerprint/weighters.hpp>

namespace support {

/// Yields only tokens of at least four bytes.
template <class Base>
struct long_tokens : Base {
  explicit long_tokens(Base base) : Base(std::move(base)) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    Base::operator()(text, [&](std::string_view token) {
      if (token.size() > 3) sink(token);
    });
  }
};

/// Each hash is the inverse of the XXH3 hash.
template <std::size_t Bits>
struct inverted_xxh3 : neardup::xxh3<Bits> {
  auto operator()(std::string_view token) const {
    auto hash = neardup::xxh3<Bits>::operator()(token);
    if constexpr (Bits <= 64) {
      return ~hash;
    } else {
      for (auto& word : hash) word = ~word;
      return hash;
    }
  }
};

/// Weighs a token by its length, whatever the base class does.
template <class Base>
struct weighs_length : Base {
  using Base::Base;
  neardup::weight operator()(std::string_view token, std::uint64_t /*count*/) const {
    return neardup::weight(static_cast<double>(token.size()));
  }
};

/// Weighs each occurrence of a token by its length.
template <class Base>
struct weighs_length_each_time : Base {
  using Base::Base;
  neardup::weight per_occurrence(std::string_view token) const {
    return neardup::weight(static_cast<double>(token.size()));
  }
};

}  // namespace support
