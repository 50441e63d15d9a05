// SPDX-License-Identifier: MIT
// The concept of a tokenizer: a callable that passes the tokens of a text to a sink, in order.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// A sink for any tokens. Concepts call a type with this sink to test whether the type is a tokenizer.
struct any_sink {
  void operator()(std::string_view) const {}
};

/// True if a tokenizer has `for_each_of_length(text, min_length, sink)`, which skips shorter tokens faster than a sink
/// can. This constant is specialised for exact types. A derived class inherits the member function, but may tokenize
/// differently.
template <class Tokenizer>
inline constexpr bool leaves_out_short_tokens = false;

/// The name of a tokenizer of the library in a composition; empty for other types. The constant is specialised in the
/// header of each tokenizer. The specialisation is for the exact type, because a derived class may tokenize
/// differently.
template <class Tokenizer>
inline constexpr std::string_view part_name{};

/// True for counted<Inner>: its tokens depend on the earlier tokens of the same text (see counted.hpp).
template <class Tokenizer>
inline constexpr bool is_counted = false;

/// Returns true if a tokenizer of the library is `counted`, or has an inner tokenizer that is `counted`.
template <class Tokenizer>
constexpr bool counts_occurrences() {
  if constexpr (is_counted<Tokenizer>) {
    return true;
  } else if constexpr (part_name<Tokenizer>.empty()) {
    return false;
  } else if constexpr (requires(const Tokenizer& t) { t.inner(); }) {
    return counts_occurrences<std::remove_cvref_t<decltype(std::declval<const Tokenizer&>().inner())>>();
  } else if constexpr (requires(const Tokenizer& t) { t.inner; }) {
    return counts_occurrences<std::remove_cvref_t<decltype(std::declval<const Tokenizer&>().inner)>>();
  } else if constexpr (requires(const Tokenizer& t) { t.features; }) {
    return counts_occurrences<std::remove_cvref_t<decltype(std::declval<const Tokenizer&>().features)>>();
  } else {
    return false;
  }
}

/// Deduces, from a pointer to a member, the class that declares the member.
template <class Member, class Class>
std::type_identity<Class> declaring_class(Member Class::*);

}  // namespace detail

/// A callable `tokenizer(text, sink)` that calls `sink(token)` with a std::string_view for each token, in order.
///
/// The view is valid only during the call of the sink. The tokenizer is const, and several threads may call it at once.
/// A lambda `[](std::string_view text, auto&& sink) { ... }` is a tokenizer.
///
/// A text_stream requires a member `std::size_t cut(std::string_view text) const`. The argument is the beginning of a
/// text. `cut` returns the last cut of the argument, or 0 if there is none. A position is a cut if the pieces before
/// and after the position, tokenized separately, give the tokens of the whole text, whatever follows the argument. A
/// derived class does not inherit `cut`, because it may tokenize differently.
template <class T>
concept tokenizer = std::copy_constructible<T> && requires(const T& t, std::string_view text, detail::any_sink& sink) {
  t(text, sink);
};

namespace detail {

/// A rewriter that rewrites each character without regard to other characters. `Append(piece, out)` rewrites `piece`,
/// which consists of complete characters, and appends the result to `out`.
template <auto Append>
class piecewise_rewriter {
 public:
  void append(std::string_view text, std::string& out) {
    chunks_.feed(text, [&](std::string_view piece) { Append(piece, out); });
  }
  void finish(std::string& out) {
    chunks_.finish([&](std::string_view piece) { Append(piece, out); });
  }
  void reset() noexcept { chunks_.reset(); }

 private:
  utf8_chunks chunks_;
};

template <class Rewriter>
std::string rewrite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Rewriter rewriter;
  rewriter.append(text, out);
  rewriter.finish(out);
  return out;
}

/// The members of a tokenizer `Self` that rewrites a text, and then tokenizes the result with `Inner`. A rewriter has
/// append(text, out), finish(out) and reset().
template <class Self, class Rewriter, class Inner>
struct rewritten {
  static_assert(tokenizer<Inner>,
                "neardup: folded{tokenizer}, normalised{tokenizer} and their like need a tokenizer, such as words{}");

  using rewriter = Rewriter;

  Inner inner{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    const std::string text_rewritten = rewrite<Rewriter>(text);
    inner(text_rewritten, sink);
  }
};

/// A tokenizer that rewrites the text with its rewriter, then tokenizes the result, and does nothing else. A class that
/// is derived from such a tokenizer does not satisfy the concept, because it may tokenize differently.
template <class T>
concept rewriting_tokenizer = std::derived_from<T, rewritten<T, typename T::rewriter, decltype(T::inner)>>;

/// Stands for the rewriter of a tokenizer that does not rewrite the text.
struct no_rewriter {};

/// Rewrites a text with two rewriters, one after the other.
template <class First, class Second>
class rewriter_chain {
 public:
  void append(std::string_view text, std::string& out) {
    between_.clear();
    first_.append(text, between_);
    second_.append(between_, out);
  }
  void finish(std::string& out) {
    between_.clear();
    first_.finish(between_);
    second_.append(between_, out);
    second_.finish(out);
  }
  void reset() noexcept {
    first_.reset();
    second_.reset();
  }

 private:
  First first_;
  Second second_;
  std::string between_;
};

/// Splits a tokenizer of rewritten text into a rewriter and an inner tokenizer.
template <class T>
struct rewriting {
  static constexpr bool is_rewriting = false;
};
template <rewriting_tokenizer T>
struct rewriting<T> {
  static constexpr bool is_rewriting = true;
  using rewriter = typename T::rewriter;
  static const auto& inner(const T& tokenizer) noexcept { return tokenizer.inner; }
};

/// A reference to a sink of any type. Code that passes tokens to this reference is compiled only once.
class sink_reference {
 public:
  template <class Sink>
    requires(!std::same_as<Sink, sink_reference>)
  explicit sink_reference(Sink& sink) noexcept
      : sink_(std::addressof(sink)), call_([](const void* object, std::string_view token) {
          (*static_cast<Sink*>(const_cast<void*>(object)))(token);
        }) {}
  void operator()(std::string_view token) const { call_(sink_, token); }

 private:
  const void* sink_;
  void (*call_)(const void* object, std::string_view token);
};

// ---- how tokenizers read a text -------------------------------------------------------------------------------------

/// A cut of a text: the current piece ends at `end`, and the next piece begins at `next`. For n-grams next <= end,
/// because pieces overlap. Both members are 0 if the text has no cut yet.
struct text_cut {
  std::size_t end, next;
};

/// Reads a text for a tokenizer in pieces. With `InBlocks`, many tokens are passed at a time.
///
/// A tokenizer with a fast path specialises this template in its own header. So every translation unit that knows the
/// tokenizer uses the same code. A source has these members:
///
///   rewriter                         rewrites the text before it is read; or no_rewriter
///   start(tokenizer)                 begins a text; throws if the settings of the tokenizer are wrong
///   read(tokenizer, piece, sink)     passes the tokens of a piece to the sink
///   finish(tokenizer, sink)          ends the text
///   cut(tokenizer, text)             static: returns the last text_cut of the part of a text read so far. Only
///                                    sources that can read a text in pieces have this member.
///
/// With `InBlocks`, a sink takes single tokens and blocks of tokens. `sink(text, spans)` takes words. `sink.bytes(text,
/// n)` and `sink.code_points(text, n)` take all windows of a text, and return false if they do not support n. The order
/// of the tokens is then unspecified. (block_hasher in fingerprint/ is such a sink.) A source of byte windows also has
/// `gives_windows` and `pass_windows(tokenizer, text, out)`, which passes the windows only to `out.bytes`.
///
/// The default token_source calls the tokenizer for each piece of the text. The member `cut` of the tokenizer
/// determines the pieces.
template <class Tokenizer, bool InBlocks>
struct token_source {
  static constexpr bool is_plain = true;  // true if the tokenizer finds the tokens of a piece in the piece itself
  using rewriter = no_rewriter;

  static text_cut cut(const Tokenizer& tokenize, std::string_view text) requires requires {
    { tokenize.cut(text) } -> std::convertible_to<std::size_t>;
    { declaring_class(&Tokenizer::cut) } -> std::same_as<std::type_identity<Tokenizer>>;
  }
  {
    const std::size_t at = tokenize.cut(text);
    return {at, at};
  }

  void start(const Tokenizer& /*tokenize*/) noexcept {}
  template <class Sink>
  void read(const Tokenizer& tokenize, std::string_view piece, Sink& sink) {
    tokenize(piece, sink);
  }
  template <class Sink>
  void finish(const Tokenizer& /*tokenize*/, Sink& /*sink*/) noexcept {}
};

/// A tokenizer whose source can read a text in pieces.
template <class Tokenizer, bool InBlocks>
concept reads_pieces = requires(const Tokenizer& tokenize, std::string_view text) {
  token_source<Tokenizer, InBlocks>::cut(tokenize, text);
};

/// A tokenizer that can read a text in chunks, as text_stream requires.
template <class T>
concept streaming_tokenizer = tokenizer<T> && reads_pieces<T, false>;

/// The way in which a word is changed when words are joined.
enum class word_form : std::uint8_t {
  as_written,
  folded,      // ASCII letters in lower case
  normalised,  // all letters in lower case
};

/// The way in which a joiner (see joined_words) makes tokens: `n` words per token, in the form `form`.
struct word_recipe {
  std::size_t n;
  word_form form;
};

/// The recipe by which a joiner reads the words of a tokenizer in blocks. The template is specialised in the header of
/// `words`, and of each tokenizer that changes or combines words, with these members:
///
///   is_known          true
///   is_single         true if tokens are single words
///   takes_forms       true if the words of folded or normalised text have a recipe, too
///   joiner            the class that reads the text: joined_words, or a class with its members
///   of(tokenizer)     the recipe
template <class Tokenizer>
struct word_recipe_of {
  static constexpr bool is_known = false, is_single = false, takes_forms = false;
};

/// Reads rewritten text. The source of the inner tokenizer reads the result of the rewriter.
template <class Tokenizer, bool InBlocks>
  requires(rewriting<Tokenizer>::is_rewriting && !(InBlocks && word_recipe_of<Tokenizer>::is_known))
struct token_source<Tokenizer, InBlocks> {
  using parts = rewriting<Tokenizer>;
  using inner_tokenizer = std::remove_cvref_t<decltype(parts::inner(std::declval<const Tokenizer&>()))>;
  using inner_source = token_source<inner_tokenizer, InBlocks>;

  static constexpr bool is_plain = false;
  using rewriter =
      std::conditional_t<std::is_same_v<typename inner_source::rewriter, no_rewriter>, typename parts::rewriter,
                         rewriter_chain<typename parts::rewriter, typename inner_source::rewriter>>;

  static text_cut cut(const Tokenizer& tokenize,
                      std::string_view text) requires reads_pieces<inner_tokenizer, InBlocks> {
    return inner_source::cut(parts::inner(tokenize), text);
  }

  void start(const Tokenizer& tokenize) { inner.start(parts::inner(tokenize)); }
  template <class Sink>
  void read(const Tokenizer& tokenize, std::string_view piece, Sink& sink) {
    inner.read(parts::inner(tokenize), piece, sink);
  }
  template <class Sink>
  void finish(const Tokenizer& tokenize, Sink& sink) {
    inner.finish(parts::inner(tokenize), sink);
  }

  inner_source inner;
};

/// Reads texts, either whole or in chunks, and passes their tokens to a sink. The memory is reused for the next text.
template <class Tokenizer, bool InBlocks>
class text_reader {
  using source_type = token_source<Tokenizer, InBlocks>;
  using rewriter_type = typename source_type::rewriter;
  static constexpr bool rewrites = !std::is_same_v<rewriter_type, no_rewriter>;

 public:
  /// The largest size in bytes of a text that is read in one piece. The bound has two reasons: positions in a piece
  /// must be below 2 GiB, and repairing ill-formed UTF-8 may triple the size. If the text is rewritten and can be read
  /// in pieces, at most this many bytes are rewritten at a time, which limits the memory.
  static constexpr std::size_t largest_piece = std::size_t{1} << (rewrites ? 20 : 29);

  text_reader() = default;
  /// Makes a reader. For a text in chunks, `enough` is the number of bytes that are collected before they are
  /// tokenized. The default is large, because kernels are faster with large blocks of tokens.
  explicit text_reader(std::size_t enough) noexcept : enough_(enough), wanted_(enough) {}

  /// Reads a whole text. If the tokenizer can read pieces, a text of more than `most` bytes is read in pieces.
  /// Precondition: most > 0.
  /// Throws: std::length_error if a text in pieces has nearly 2 GiB without a cut.
  template <class Sink>
  void read(const Tokenizer& tokenize, std::string_view text, Sink& sink, std::size_t most = largest_piece) {
    if constexpr (rewrites) {
      if constexpr (!reads_pieces<Tokenizer, InBlocks>) most = text.size();
      reset();
      source_.start(tokenize);
      rewriter_type rewriter;  // local, so that its state may be in registers
      for (bool is_last = false; !is_last;) {
        const std::string_view part = text.substr(0, most);
        text.remove_prefix(part.size());
        is_last = text.empty();
        take(rewriter, tokenize, part, is_last, sink);
      }
      source_.finish(tokenize, sink);
    } else {
      source_.start(tokenize);
      for (;;) {
        const text_cut found = first_piece(tokenize, text, most);
        source_.read(tokenize, text.substr(0, found.end), sink);
        if (found.end == text.size()) break;
        text.remove_prefix(found.next);
      }
      source_.finish(tokenize, sink);
    }
  }

  /// Begins a text in chunks.
  /// Throws: the exception of the tokenizer if its settings are wrong.
  void start(const Tokenizer& tokenize) {
    reset();
    source_.start(tokenize);
    is_started_ = true;
  }

  /// Adds a chunk of a text. If feed() throws, call reset() to discard the text.
  /// Throws: std::length_error if the text has nearly 2 GiB without a cut.
  template <class Sink>
  void feed(const Tokenizer& tokenize, std::string_view chunk, Sink& sink) {
    if (!is_started_) start(tokenize);
    // Parts limit the memory for text_. A constant as their size would be slower: g++ 12 would inline the copy.
    const std::size_t most = (std::max)(enough_, std::size_t{4096});
    for (; !chunk.empty(); chunk.remove_prefix((std::min)(chunk.size(), most))) {
      take(rewriter_, tokenize, chunk.substr(0, most), false, sink);
    }
  }

  /// Ends a text in chunks. The reader is then ready for the next text.
  template <class Sink>
  void finish(const Tokenizer& tokenize, Sink& sink) {
    if (!is_started_) start(tokenize);
    take(rewriter_, tokenize, {}, true, sink);
    source_.finish(tokenize, sink);
    reset();
  }

  /// Discards the text that was added so far.
  void reset() noexcept {
    if constexpr (rewrites) rewriter_.reset();
    text_.clear();
    wanted_ = enough_;
    repeated_ = 0;
    is_started_ = false;
    has_read_ = false;
  }

 private:
  // Positions in a piece must be below 2 GiB. So 16 MiB are left for the next part: rewriting makes 1 MiB at most 16
  // times as long.
  static constexpr std::size_t max_uncut = (std::size_t{1} << 31) - (std::size_t{16} << 20);

  /// Reads as much as possible of the text so far. `part` continues the text, and ends it if `is_last`. The rewriter
  /// and the source are called at one place only, so that compilers inline them. With two places, g++ 12 -O3 takes 1.4
  /// times as long for shingles of code_tokens.
  template <class Sink>
  void take([[maybe_unused]] rewriter_type& rewriter, const Tokenizer& tokenize, std::string_view part, bool is_last,
            Sink& sink) {
    if constexpr (rewrites) {
      rewriter.append(part, text_);
      if (is_last) rewriter.finish(text_);
    } else {
      text_.append(part);
    }
    text_cut found{text_.size(), text_.size()};
    if constexpr (reads_pieces<Tokenizer, InBlocks>) {
      if (!is_last) {
        if (text_.size() < wanted_) return;
        found = source_type::cut(tokenize, text_);
        if (found.next == 0) {
          // The next search for a cut begins when the text has doubled. So the total time of all searches is linear.
          if (text_.size() >= max_uncut) fail_uncut();
          wanted_ = (std::min)(2 * text_.size(), max_uncut);
          return;
        }
      }
    }
    // The first `repeated_` bytes were already read with the previous piece. If the piece has no other bytes, it has no
    // further token.
    if (found.end > repeated_ || !has_read_) source_.read(tokenize, std::string_view(text_).substr(0, found.end), sink);
    if (is_last) return;
    has_read_ = true;
    text_.erase(0, found.next);
    repeated_ = found.end - found.next;
    wanted_ = text_.size() + enough_;
  }

  /// Returns the cut after the first piece of a text. A text of at most `most` bytes is one piece.
  static text_cut first_piece(const Tokenizer& tokenize, std::string_view text, std::size_t most) {
    if constexpr (reads_pieces<Tokenizer, InBlocks>) {
      for (; text.size() > most; most = (std::min)(2 * most, max_uncut)) {
        if (const text_cut found = source_type::cut(tokenize, text.substr(0, most)); found.next > 0) return found;
        if (most == max_uncut) fail_uncut();
      }
    }
    return {text.size(), text.size()};
  }

  [[noreturn]] NEARDUP_NOINLINE static void fail_uncut() {
    fail<std::length_error>("a word in a stream, or in a text above 512 MiB, has nearly 2 GiB or more");
  }

  source_type source_;
  [[no_unique_address]] rewriter_type rewriter_;
  std::string text_;  // rewritten text, and unread bytes of a text in chunks
  std::size_t enough_ = 4096;
  std::size_t wanted_ = 4096;  // size of text_ at which the next cut is searched for
  std::size_t repeated_ = 0;   // bytes at the beginning of text_ that have already been read
  bool is_started_ = false;    // true if source_ has begun the text
  bool has_read_ = false;      // true if source_ has read a piece of the text
};

}  // namespace detail

}  // namespace neardup::inline v0
