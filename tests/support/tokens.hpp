// The tokens of a tokenizer as strings, from a whole text or from chunks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/tokenizer.hpp>

namespace support {

using tokens = std::vector<std::string>;

/// A copy of a text in an allocation of exactly its size. So the address sanitizer detects reads beyond the text, and
/// uses of a view after the text.
class exact_copy {
 public:
  explicit exact_copy(std::string_view text) : bytes_(text.begin(), text.end()) { bytes_.shrink_to_fit(); }
  operator std::string_view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

template <neardup::tokenizer Tokenizer>
tokens tokens_of(const Tokenizer& tokenize, std::string_view text) {
  tokens result;
  tokenize(exact_copy(text), [&](std::string_view token) { result.emplace_back(token); });
  return result;
}

/// Returns the tokens of a text that comes in chunks. Cuts it wherever the tokenizer allows, so that even short texts
/// are read in pieces.
template <class Tokenizer>
class token_stream {
 public:
  explicit token_stream(const Tokenizer& tokenize) : tokenize_(tokenize), reader_(1) { reader_.start(tokenize_); }
  template <class Sink>
  void feed(std::string_view chunk, Sink&& sink) {
    reader_.feed(tokenize_, chunk, sink);
  }
  template <class Sink>
  void finish(Sink&& sink) {
    reader_.finish(tokenize_, sink);
  }
  void reset() { reader_.reset(); }

 private:
  Tokenizer tokenize_;
  neardup::detail::text_reader<Tokenizer, false> reader_;
};

/// Returns the tokens of a text in chunks. `stream` may have read other texts before.
template <class Tokenizer>
tokens tokens_of_chunks(token_stream<Tokenizer>& stream, const std::vector<std::string_view>& chunks) {
  tokens result;
  auto sink = [&](std::string_view token) { result.emplace_back(token); };
  for (const std::string_view chunk : chunks) stream.feed(exact_copy(chunk), sink);
  stream.finish(sink);
  return result;
}

/// Cuts a text into pieces of `size` bytes; the last one may be shorter.
inline std::vector<std::string_view> cut_every(std::string_view text, std::size_t size) {
  std::vector<std::string_view> chunks;
  for (std::size_t i = 0; i < text.size(); i += size) chunks.push_back(text.substr(i, size));
  return chunks;
}

inline std::vector<std::string_view> cut_at(std::string_view text, std::size_t position) {
  return {text.substr(0, position), text.substr(position)};
}

/// Returns the text with unprintable bytes as \xNN, for the output of tests.
inline std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += "\\x";
      result += "0123456789abcdef"[byte / 16];
      result += "0123456789abcdef"[byte % 16];
    }
  }
  return result;
}

inline std::string printable(const tokens& list) {
  std::string result;
  for (const std::string& token : list) result += "[" + printable(token) + "]";
  return result;
}

}  // namespace support
