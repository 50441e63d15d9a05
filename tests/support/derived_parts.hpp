// Parts that are derived from those of the library and do something else: what they inherit must not be taken for what
// they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <neardup/fingerprint/hashers.hpp>
#include <neardup/fingerprint/weight.hpp>

namespace support {

/// Only the tokens of four bytes and more.
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

/// Another hash of each token than that of XXH3.
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

/// Weighs a token by its length, whatever the weighter says that it is derived from.
template <class Base>
struct weighs_length : Base {
  using Base::Base;
  neardup::weight operator()(std::string_view token, std::uint64_t /*count*/) const {
    return neardup::weight(static_cast<double>(token.size()));
  }
};

/// The same for each occurrence.
template <class Base>
struct weighs_length_each_time : Base {
  using Base::Base;
  neardup::weight per_occurrence(std::string_view token) const {
    return neardup::weight(static_cast<double>(token.size()));
  }
};

}  // namespace support
