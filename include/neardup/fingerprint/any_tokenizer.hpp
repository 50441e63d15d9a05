// SPDX-License-Identifier: MIT
// any_tokenizer: a type-erased tokenizer, for programs that choose a tokenizer at run time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "../text/tokenizer.hpp"
#include "hashers.hpp"
#include "kernels/bit_tally.hpp"
#include "kernels/code_point_windows.hpp"
#include "kernels/token_kernel.hpp"
#include "kernels/xxh3_windows.hpp"

namespace neardup::inline v0 {

namespace detail {

/// True for tokenizers other than Holder. Holder is excluded first. Otherwise, the concept `tokenizer` would ask
/// whether Holder is copyable, and so instantiate the constructor that is being constrained.
template <class T, class Holder>
concept tokenizer_other_than = !std::same_as<T, Holder> && tokenizer<T>;

}  // namespace detail

/// A type-erased tokenizer. Use it if a tokenizer is chosen at run time, for example with with_tokenizer(). Code that
/// is generic over the tokenizer is then instantiated for this one type only. With t tokenizers, w weighters and b
/// widths there are t + w * b instantiations instead of t * w * b.
///
/// Tokens, hashes and fingerprints are the same as with the tokenizer that the object holds. Copies share the held
/// tokenizer. With the hasher xxh3 of any width, a simhasher, minwise_hasher or feature_extractor makes one virtual
/// call per text, and is as fast as with the held tokenizer. With any other hasher, the object makes one virtual call
/// per token. text_stream and composition_of() do not support any_tokenizer.
/// Example: `auto t = with_tokenizer(parse_features(name), [](const auto& t) { return any_tokenizer(t); });
///          simhasher hash{t, tf{}};`
class any_tokenizer {
  struct scratch_base {
    virtual ~scratch_base() = default;
  };
  struct model_base {
    virtual ~model_base() = default;
    virtual void tokenize(std::string_view text, detail::sink_reference sink) const = 0;
    [[nodiscard]] virtual std::unique_ptr<scratch_base> make_scratch() const = 0;
    virtual void hash_text(std::uint64_t seed, std::string_view text, scratch_base& memory,
                           const detail::hash_writer& out) const = 0;
    virtual bool count(std::uint64_t seed, std::string_view text, std::span<detail::bit_tally> tallies) const = 0;
  };
  // A kernel writes as many words per hash as `out` or `tallies` have, so the kernel of xxh3<64> serves all widths.
  template <class Tokenizer>
  struct model final : model_base {
    using kernel = detail::token_kernel<Tokenizer, xxh3<64>>;
    struct scratch final : scratch_base {
      typename kernel::scratch memory;
    };

    explicit model(Tokenizer t) : tokenizer(std::move(t)) {}
    void tokenize(std::string_view text, detail::sink_reference sink) const override { tokenizer(text, sink); }
    [[nodiscard]] std::unique_ptr<scratch_base> make_scratch() const override { return std::make_unique<scratch>(); }
    void hash_text(std::uint64_t seed, std::string_view text, scratch_base& memory,
                   const detail::hash_writer& out) const override {
      kernel::hash_text(tokenizer, xxh3<64>{seed}, text, static_cast<scratch&>(memory).memory, out);
    }
    bool count([[maybe_unused]] std::uint64_t seed, [[maybe_unused]] std::string_view text,
               [[maybe_unused]] std::span<detail::bit_tally> tallies) const override {
      if constexpr (detail::counts_tokens<Tokenizer, xxh3<64>>) {
        return detail::count_tokens(tokenizer, xxh3<64>{seed}, text, tallies);
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
  template <class Tokenizer, class Hasher>
  friend struct detail::token_kernel;

  std::shared_ptr<const model_base> model_;
};

namespace detail {

/// Passes a text to the kernel of the held tokenizer.
template <std::size_t Bits>
struct token_kernel<any_tokenizer, xxh3<Bits>> {
  static constexpr bool counts = true;

  /// The scratch memory of the held tokenizer. The memory is made for the first text, and again when the tokenizer
  /// changes. `owner` keeps the tokenizer alive, so that no other tokenizer gets the same address.
  struct scratch {
    std::shared_ptr<const any_tokenizer::model_base> owner;
    std::unique_ptr<any_tokenizer::scratch_base> memory;
  };

  static void hash_text(const any_tokenizer& tokenize, const xxh3<Bits>& hash, std::string_view text, scratch& memory,
                        const hash_writer& out) {
    if (memory.owner != tokenize.model_) {
      memory.memory = tokenize.model_->make_scratch();
      memory.owner = tokenize.model_;
    }
    tokenize.model_->hash_text(hash.seed, text, *memory.memory, out);
  }

  static bool count(const any_tokenizer& tokenize, const xxh3<Bits>& hash, std::string_view text,
                    std::span<bit_tally> tallies) {
    return tokenize.model_->count(hash.seed, text, tallies);
  }
};

}  // namespace detail

}  // namespace neardup::inline v0
