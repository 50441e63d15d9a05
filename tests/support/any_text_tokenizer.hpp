// A type-erased streaming tokenizer, so that tests of many compositions are compiled once.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <neardup/text/tokenizer.hpp>

#include "tokens.hpp"

namespace support {

using any_sink = std::function<void(std::string_view)>;

/// A type-erased support::token_stream.
class any_stream {
 public:
  any_stream() = default;
  any_stream(const any_stream&) = delete;
  any_stream& operator=(const any_stream&) = delete;
  virtual ~any_stream() = default;
  virtual void feed(std::string_view chunk, const any_sink& sink) = 0;
  virtual void finish(const any_sink& sink) = 0;
  virtual void reset() = 0;
};

struct any_text_tokenizer {
  template <neardup::detail::streaming_tokenizer Tokenizer>
  static any_text_tokenizer of(Tokenizer tokenize) {
    struct stream final : any_stream {
      explicit stream(const Tokenizer& t) : tokens(t) {}
      void feed(std::string_view chunk, const any_sink& sink) override { tokens.feed(chunk, sink); }
      void finish(const any_sink& sink) override { tokens.finish(sink); }
      void reset() override { tokens.reset(); }
      token_stream<Tokenizer> tokens;
    };
    return {[tokenize](std::string_view text, const any_sink& sink) { tokenize(text, sink); },
            [tokenize] { return std::make_unique<stream>(tokenize); }};
  }

  void operator()(std::string_view text, const any_sink& sink) const { tokenize(text, sink); }

  std::function<void(std::string_view, const any_sink&)> tokenize;
  std::function<std::unique_ptr<any_stream>()> make_stream;
};

}  // namespace support

/// Feeds pieces of a text to the type-erased stream. A text may be cut anywhere.
template <bool InBlocks>
struct neardup::detail::token_source<support::any_text_tokenizer, InBlocks> {
  static constexpr bool is_plain = false;
  using rewriter = no_rewriter;

  static text_cut cut(const support::any_text_tokenizer& /*tokenize*/, std::string_view text) {
    return {text.size(), text.size()};
  }
  void start(const support::any_text_tokenizer& tokenize) { stream = tokenize.make_stream(); }
  void read(const support::any_text_tokenizer& /*tokenize*/, std::string_view piece, const support::any_sink& sink) {
    stream->feed(piece, sink);
  }
  void finish(const support::any_text_tokenizer& /*tokenize*/, const support::any_sink& sink) { stream->finish(sink); }

  std::unique_ptr<support::any_stream> stream;
};
