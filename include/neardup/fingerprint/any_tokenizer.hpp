// SPDX-License-Identifier: MIT
// any_tokenizer: a type-erased tokenizer, for a choice at run time.
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../text/tokenizer.hpp"
#include "hashers.hpp"
#include "kernels/bit_tally.hpp"
#include "kernels/code_point_windows.hpp"
#include "kernels/token_kernel.hpp"
#include "kernels/window_counts.hpp"

namespace neardup::inline v0 {

namespace detail {

/// True for tokenizers other than Holder. The comparison comes first, because the concept `tokenizer` asks whether T is
/// copyable. For T = Holder this would instantiate the constructor that is being constrained.
template <class T, class Holder>
concept tokenizer_other_than = !std::same_as<T, Holder> && tokenizer<T>;

}  // namespace detail

/// A type-erased tokenizer whose tokens `Hasher` hashes. Code that is generic over a tokenizer chosen at run time, for
/// instance by with_tokenizer, is then instantiated for one type of tokenizer. With t tokenizers and w weighters there
/// are t + w instantiations, not t * w.
///
/// Tokens, hashes and fingerprints come from the held tokenizer. Copies share the held tokenizer. A simhasher,
/// minwise_hasher or feature_extractor with the same `Hasher` makes one virtual call per text, and is as fast as with
/// the held tokenizer. With a different hasher there is a virtual call per token. text_stream and composition_of() do
/// not support it.
/// Example: `auto t = with_tokenizer(parse_features(name), [](const auto& t) { return any_tokenizer<>(t); });
///          simhasher hash{t, tf{}};`
template <class Hasher = xxh3<64>>
class any_tokenizer {
  static constexpr std::size_t words = detail::hasher_words<Hasher>;
  using writer = detail::hash_writer<words>;
  using tallies_type = std::array<detail::bit_tally, words>;

  struct scratch_base {
    virtual ~scratch_base() = default;
  };
  struct model_base {
    virtual ~model_base() = default;
    virtual void tokenize(std::string_view text, detail::sink_reference sink) const = 0;
    [[nodiscard]] virtual std::unique_ptr<scratch_base> make_scratch() const = 0;
    virtual void hash_text(const Hasher& hash, std::string_view text, scratch_base& memory,
                           const writer& out) const = 0;
    virtual bool count(const Hasher& hash, std::string_view text, tallies_type& tallies) const = 0;
  };
  template <class Tokenizer>
  struct model final : model_base {
    using kernel = detail::token_kernel<Tokenizer, Hasher>;
    struct scratch final : scratch_base {
      typename kernel::scratch memory;
    };

    explicit model(Tokenizer t) : tokenizer(std::move(t)) {}
    void tokenize(std::string_view text, detail::sink_reference sink) const override { tokenizer(text, sink); }
    [[nodiscard]] std::unique_ptr<scratch_base> make_scratch() const override { return std::make_unique<scratch>(); }
    void hash_text(const Hasher& hash, std::string_view text, scratch_base& memory, const writer& out) const override {
      kernel::hash_text(tokenizer, hash, text, static_cast<scratch&>(memory).memory, out);
    }
    bool count([[maybe_unused]] const Hasher& hash, [[maybe_unused]] std::string_view text,
               [[maybe_unused]] tallies_type& tallies) const override {
      if constexpr (detail::counts_tokens<Tokenizer, Hasher>) {
        return detail::count_tokens(tokenizer, hash, text, tallies);
      } else {
        return false;
      }
    }

    Tokenizer tokenizer;
  };

 public:
  template <detail::tokenizer_other_than<any_tokenizer> Tokenizer>
  explicit any_tokenizer(Tokenizer tokenizer) : model_(std::make_shared<model<Tokenizer>>(std::move(tokenizer))) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    model_->tokenize(text, detail::sink_reference(sink));
  }

 private:
  friend detail::token_kernel<any_tokenizer, Hasher>;

  std::shared_ptr<const model_base> model_;
};

namespace detail {

/// Passes a text to the kernel of the held tokenizer.
template <class Hasher>
struct token_kernel<any_tokenizer<Hasher>, Hasher> {
  static constexpr bool counts = true;

  /// The scratch memory of the held tokenizer. It is made at the first text, and again when the tokenizer changes.
  /// `owner` keeps the tokenizer alive, so that no other tokenizer gets the same address.
  struct scratch {
    std::shared_ptr<const typename any_tokenizer<Hasher>::model_base> owner;
    std::unique_ptr<typename any_tokenizer<Hasher>::scratch_base> memory;
  };

  static void hash_text(const any_tokenizer<Hasher>& tokenize, const Hasher& hash, std::string_view text,
                        scratch& memory, const hash_writer<hasher_words<Hasher>>& out) {
    if (memory.owner != tokenize.model_) {
      memory.memory = tokenize.model_->make_scratch();
      memory.owner = tokenize.model_;
    }
    tokenize.model_->hash_text(hash, text, *memory.memory, out);
  }

  static bool count(const any_tokenizer<Hasher>& tokenize, const Hasher& hash, std::string_view text,
                    std::array<bit_tally, hasher_words<Hasher>>& tallies) {
    return tokenize.model_->count(hash, text, tallies);
  }
};

}  // namespace detail

}  // namespace neardup::inline v0
