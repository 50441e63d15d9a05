// A tokenizer must give the same tokens, in the same order, for a text and for its chunks, and they must be those of
// the oracle.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text.hpp>

#include "chunks.hpp"
#include "composition.hpp"
#include "support/tokens.hpp"

namespace fuzz {

template <std::size_t Tokenizer>
std::string check_streams(const input& in) {
  const auto tokenize = make_tokenizer<Tokenizer>(in);
  const support::tokens whole = support::tokens_of(tokenize, in.text);

  std::string differing;
  if (in.text.size() <= 1024 && oracle_knows(in) && whole != expected_tokens(in, in.text)) differing += " oracle";

  std::vector<std::string_view> chunks;
  for_each_chunk(in.text, in.chunk_sizes(), [&](std::string_view chunk) { chunks.push_back(chunk); });
  support::token_stream<std::remove_const_t<decltype(tokenize)>> stream(tokenize);
  if (support::tokens_of_chunks(stream, chunks) != whole) differing += " stream";
  if (support::tokens_of_chunks(stream, chunks) != whole) differing += " stream-used-again";
  return differing;
}

/// Names the properties of normalise() that do not hold for a text.
inline std::string check_normalise(std::string_view text) {
  std::string differing;
  const std::string once = neardup::normalise(text);
  if (neardup::count_invalid(once) != 0) differing += " normalised-is-well-formed";
  if (neardup::normalise(once) != once) differing += " normalised-twice";
  if (neardup::normalise(neardup::fold(text)) != once) differing += " folded-first";
  const std::string canonical = neardup::canonicalise(text);
  if (neardup::count_invalid(canonical) != 0) differing += " canonical-is-well-formed";
  if (neardup::canonicalise(canonical) != canonical) differing += " canonical-twice";
  if (neardup::normalise(canonical) != canonical) differing += " canonical-is-normalised";
  return differing;
}

/// What differs, with the input in hexadecimal; empty if nothing does. Of the composition only the tokenizer is used.
inline std::string difference_of_streams(std::string_view bytes) {
  const input in(bytes);
  constexpr auto checks = []<std::size_t... I>(std::index_sequence<I...>) { return std::array{&check_streams<I>...}; }
  (std::make_index_sequence<input::tokenizers>{});
  const std::string differing = checks[in.tokenizer()](in) + check_normalise(in.text);
  if (differing.empty()) return {};
  return describe(in) + "\ndiffers:" + differing + "\ninput: " + hex(bytes) + "\n";
}

}  // namespace fuzz
