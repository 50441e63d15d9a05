// SPDX-License-Identifier: MIT
// Makes the composition of the fingerprints of a simhasher or a minwise_hasher, or of the features of a
// feature_extractor. The composition has the names of the parts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "../fingerprint/feature_extractor.hpp"
#include "../fingerprint/hashers.hpp"
#include "../fingerprint/idf.hpp"
#include "../fingerprint/minwise_hasher.hpp"
#include "../fingerprint/simhasher.hpp"
#include "../fingerprint/weighters.hpp"
#include "../text/tokenizer.hpp"
#include "composition.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class T>
concept describes_itself = requires(const T& part) {
  { part.description() } -> std::convertible_to<std::string>;
};

/// Returns true if a part inherits description() from another part. The part would then have the name of the other
/// part, although it may behave in another way.
template <class Part>
constexpr bool inherits_description() {
  if constexpr (requires { declaring_class(&Part::description); }) {
    using declaring = typename decltype(declaring_class(&Part::description))::type;
    return !std::is_same_v<declaring, Part> && (tokenizer<declaring> || weighter<declaring> || token_hasher<declaring>);
  } else {
    return false;
  }
}

/// Collects the names of the parts of a composition, and the identities of their tables. If several parts have tables
/// of the same kind, the member of the composition lists the identities of all these tables, the outermost part first.
class part_names {
 public:
  explicit part_names(fingerprint_composition& made_of) noexcept : made_of_(made_of) {}

  template <class Part>
  [[nodiscard]] NEARDUP_COLD std::string of(const Part& part) const {
    static_assert(!inherits_description<Part>(),
                  "neardup: this part inherits description() from another part, whose name it must not take; give it a "
                  "member `std::string description() const` of its own, with a name of its own");
    static_assert(describes_itself<Part>,
                  "neardup: no name is known for this part of a composition; give it a member `std::string "
                  "description() const` that tells it, with its settings, from all others, or fill in a "
                  "neardup::fingerprint_composition");
    if constexpr (requires { part.dictionary_identity(); })
      add(made_of_.dictionary, hex_of(part.dictionary_identity()));
    if constexpr (requires { *part.model_identity(); }) {
      const auto identity = part.model_identity();
      add(made_of_.model, identity ? hex_of(*identity) : "");
    }
    if constexpr (std::is_base_of_v<shared_idf_table, Part>) add(made_of_.idf, identity_of(part.table()));
    if constexpr (describes_itself<Part>) return part.description();
    return {};
  }

  /// Returns the name of a tokenizer of the library, with its settings and its inner tokenizers. An example is
  /// "shingles(2, words)".
  template <class Part>
    requires(!part_name<Part>.empty())
  [[nodiscard]] NEARDUP_COLD std::string of(const Part& part) const {
    std::string inside;
    const auto list = [&](const std::string& one) { inside.append(inside.empty() ? "" : ", ").append(one); };
    if constexpr (requires { part.list(); }) {
      const bool has_words = part.list() != nullptr && part.list()->size() > 0;
      add(made_of_.stop_words, has_words ? hex_of(part.list()->identity()) : "");
    }
    if constexpr (requires { part.n; }) list(std::to_string(part.n));
    if constexpr (requires { part.n(); }) list(std::to_string(part.n()));
    if constexpr (requires { part.min_length(); }) list(std::to_string(part.min_length()));
    // The member `idf` identifies a table only by its weights, which are rounded to 1/256. `keywords` ranks by the
    // exact values, so its name has a digest of these values.
    if constexpr (requires { part.idf_identity(); }) list(hex_of(part.idf_identity()));
    if constexpr (requires { part.facts; }) list(of(part.facts));
    if constexpr (requires { part.features; }) list(of(part.features));
    if constexpr (requires { part.inner; }) list(of(part.inner));
    if constexpr (requires { part.inner(); }) list(of(part.inner()));
    const std::string name(part_name<Part>);
    return inside.empty() ? name : name + "(" + inside + ")";
  }

  [[nodiscard]] std::string of(const idf& part) const {
    add(made_of_.idf, identity_of(part.table()));
    return "idf";
  }
  [[nodiscard]] std::string of(const tf_idf& part) const {
    add(made_of_.idf, identity_of(part.table()));
    return "tf_idf";
  }

  [[nodiscard]] std::string of(const any_weighter& part) const {
    const any_weighter::choice& chosen = part.chosen;
    if (part.inner.table()) add(made_of_.idf, identity_of(part.inner.table()->table()));
    constexpr const char* names[] = {"unit", "tf", "log_tf", "idf", "tf_idf"};
    const char* const name = names[static_cast<std::size_t>(chosen.kind)];
    if (chosen.levels == 0) return name;
    return with(chosen.by_rank ? "quantile_levels" : "levels", chosen.levels, name);
  }
  [[nodiscard]] std::string of(const unit&) const { return "unit"; }
  [[nodiscard]] std::string of(const tf&) const { return "tf"; }
  [[nodiscard]] std::string of(const log_tf&) const { return "log_tf"; }
  template <std::size_t Bits>
  [[nodiscard]] std::string of(const xxh3<Bits>& part) const {
    made_of_.seed = seed_identity(part.seed);
    return "xxh3";
  }
  template <class Inner>
  [[nodiscard]] std::string of(const levels<Inner>& part) const {
    return with("levels", part.n, of(part.inner));
  }
  template <class Inner>
  [[nodiscard]] std::string of(const quantile_levels<Inner>& part) const {
    return with("quantile_levels", part.n, of(part.inner));
  }
  template <class Inner>
  [[nodiscard]] std::string of(const top<Inner>& part) const {
    return with("top", part.n, of(part.inner));
  }

 private:
  /// Appends `identity`, which is empty for a part without a table, to the list `identities`. An empty identity is
  /// listed as "none", unless the list is empty.
  NEARDUP_COLD static void add(std::string& identities, const std::string& identity) {
    if (identities.empty()) {
      identities = identity;
    } else {
      identities.append(", ").append(identity.empty() ? "none" : identity);
    }
  }

  /// Returns a digest of the terms and their weights, whatever their order.
  static std::string identity_of(const idf_table& table) {
    std::uint64_t sum = mix(table.median().raw());
    table.for_each([&](std::string_view term, weight value) { sum += mix(xxh3<64>{.seed = value.raw()}(term)); });
    return hex_of(sum);
  }

  NEARDUP_COLD static std::string with(const char* name, std::size_t n, const std::string& inner) {
    return std::string(name) + "(" + std::to_string(n) + ", " + inner + ")";
  }

  fingerprint_composition& made_of_;
};

}  // namespace detail

/// Returns the composition of the fingerprints of a simhasher. If a part is your own, it needs a member `std::string
/// description() const`. Parts that differ in type or settings must have different descriptions.
template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits>
[[nodiscard]] NEARDUP_COLD fingerprint_composition
composition_of(const simhasher<Tokenizer, Weighter, Hasher, Bits>& hash) {
  fingerprint_composition made_of;
  const detail::part_names names(made_of);
  made_of.tokenizer = names.of(hash.tokenizer);
  made_of.weighter = names.of(hash.weighter);
  made_of.hasher = names.of(hash.hasher);
  return made_of;
}

/// Returns the composition of the min-wise codes of a minwise_hasher, which has no weighter.
template <class Tokenizer, class Hasher, std::size_t Bits>
[[nodiscard]] NEARDUP_COLD fingerprint_composition composition_of(const minwise_hasher<Tokenizer, Hasher, Bits>& hash) {
  fingerprint_composition made_of{.kind = fingerprint_kind::minwise};
  const detail::part_names names(made_of);
  made_of.tokenizer = names.of(hash.tokenizer);
  made_of.hasher = names.of(hash.hasher);
  return made_of;
}

/// Returns the composition of the features of a feature_extractor, which has no weighter. The member `kind` has its
/// default value, because features have no kind.
template <class Tokenizer, class Hasher, class Feature>
[[nodiscard]] NEARDUP_COLD fingerprint_composition
composition_of(const feature_extractor<Tokenizer, Hasher, Feature>& extract) {
  fingerprint_composition made_of;
  const detail::part_names names(made_of);
  made_of.tokenizer = names.of(extract.tokenizer);
  made_of.hasher = names.of(extract.hasher);
  return made_of;
}

/// Rejects all other types at compile time. A class that is derived from a simhasher or a minwise_hasher is also
/// rejected, because it may make other fingerprints.
template <class Hasher>
[[nodiscard]] NEARDUP_COLD fingerprint_composition composition_of(const Hasher& /*hash*/) {
  static_assert(
      sizeof(Hasher) == 0,
      "neardup: composition_of takes a simhasher, a minwise_hasher or a feature_extractor itself, and nothing that is "
      "derived from one; fill in a neardup::fingerprint_composition for what makes fingerprints of its own");
  return {};
}

}  // namespace neardup::inline v0
