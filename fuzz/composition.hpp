// An input of the fuzzers: a composition of tokenizer, weighter and width, and a text to compute its fingerprint.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "oracle/effort.hpp"
#include "oracle/fingerprint.hpp"
#include "oracle/text.hpp"

namespace fuzz {

/// A header of eight bytes, each of any value, followed by the text.
struct input {
  static constexpr std::size_t header_size = 8;

  explicit input(std::string_view bytes) : text(bytes.substr(bytes.size() < header_size ? bytes.size() : header_size)) {
    for (std::size_t i = 0; i < header_size && i < bytes.size(); ++i) header[i] = static_cast<std::uint8_t>(bytes[i]);
  }

  [[nodiscard]] std::size_t tokenizer() const { return header[0] % tokenizers; }
  [[nodiscard]] std::size_t weighter() const {
    return oracle::is_sample ? weighter_in_sample[tokenizer()] : header[1] % weighters;
  }
  /// Which instruction set to use: 0 stands for all in turn, as in the files of the corpus; any other value chooses one
  /// of the available ones, modulo their number.
  [[nodiscard]] std::size_t instruction_set() const { return header[1] / weighters; }
  /// The size of n-grams and shingles.
  [[nodiscard]] std::size_t n() const {
    constexpr std::size_t largest[tokenizers] = {1, 1, 4, 1, 4, 20, 6, 6};
    return 1 + header[2] % largest[tokenizer()];
  }
  /// The n of levels{n, ...} and of top{n, ...}.
  [[nodiscard]] std::size_t m() const { return std::size_t{1} + header[3]; }
  [[nodiscard]] std::uint64_t seed() const { return header[4] * 0x0123456789abcdefU; }
  /// A stream gets the text in chunks of these sizes alternately; as a whole if both are 0.
  [[nodiscard]] std::array<std::size_t, 2> chunk_sizes() const { return {header[5], header[6]}; }
  /// The texts that an IDF table is learnt from. They are short, so that a longer text has terms outside the table.
  [[nodiscard]] std::array<std::string_view, 3> lessons() const {
    const std::size_t size = header[7] % 32;
    const auto part = [&](std::size_t i) { return text.substr(i * size < text.size() ? i * size : text.size(), size); };
    return {part(0), part(1), part(2)};
  }

  static constexpr std::size_t tokenizers = 8;
  static constexpr std::size_t weighters = 8;
  /// In a sample of the tests, the weighter that goes with each tokenizer: each weighter, and five of the six widths.
  static constexpr std::array<std::size_t, tokenizers> weighter_in_sample{0, 1, 3, 2, 5, 4, 7, 6};

  std::array<std::uint8_t, header_size> header{};
  std::string_view text;
};

template <std::size_t Tokenizer>
auto make_tokenizer([[maybe_unused]] const input& in) {
  using namespace neardup;
  static_assert(Tokenizer < input::tokenizers);
  if constexpr (Tokenizer == 0) return words{};
  if constexpr (Tokenizer == 1) return folded{words{}};
  if constexpr (Tokenizer == 2) return shingles{in.n(), folded{words{}}};
  if constexpr (Tokenizer == 3) return normalised{words{}};
  if constexpr (Tokenizer == 4) return shingles{in.n(), normalised{words{}}};
  if constexpr (Tokenizer == 5) return byte_ngrams{in.n()};
  if constexpr (Tokenizer == 6) return code_point_ngrams{in.n()};
  if constexpr (Tokenizer == 7) return normalised{code_point_ngrams{in.n()}};
}

/// The tokens, by the oracle.
inline oracle::tokens expected_tokens(const input& in, std::string_view text) {
  using namespace oracle;
  switch (in.tokenizer()) {
    case 0: return words(text);
    case 1: return words(fold(text));
    case 2: return shingles(words(fold(text)), in.n());
    case 3: return words(normalise(text));
    case 4: return shingles(words(normalise(text)), in.n());
    case 5: return byte_ngrams(text, in.n());
    case 6: return code_point_ngrams(text, in.n());
    default: return code_point_ngrams(normalise(text), in.n());
  }
}

/// Whether the oracle classifies the characters of a text as the library does; its character classes are only a few
/// blocks, copied by hand. Windows of bytes and of code points need no classes.
inline bool oracle_knows(const input& in) {
  if (in.tokenizer() == 5 || in.tokenizer() == 6) return true;
  for (const std::uint32_t c : oracle::decode(in.text)) {
    if (static_cast<int>(oracle::kind_of(c)) != static_cast<int>(neardup::classify(c))) return false;
    if (oracle::lower(c) != neardup::detail::to_lower(c)) return false;
  }
  return true;
}

template <std::size_t Weighter, class Tokenizer>
auto make_weighter([[maybe_unused]] const input& in, [[maybe_unused]] const Tokenizer& tokenize) {
  using namespace neardup;
  static_assert(Weighter < input::weighters);
  [[maybe_unused]] const auto learnt = [&] {
    idf_learner learner;
    for (const std::string_view text : in.lessons()) learner.add(tokenize, text);
    return learner.table();
  };
  if constexpr (Weighter == 0) return unit{};
  if constexpr (Weighter == 1) return tf{};
  if constexpr (Weighter == 2) return log_tf{};
  if constexpr (Weighter == 3) return idf{learnt()};
  if constexpr (Weighter == 4) return tf_idf{learnt()};
  if constexpr (Weighter == 5) return top{in.m(), tf{}};
  if constexpr (Weighter == 6) return levels{in.m(), log_tf{}};
  if constexpr (Weighter == 7) return levels{in.m(), top{in.m(), tf_idf{learnt()}}};
}

/// The weights of the distinct tokens from their counts, by the oracle.
inline oracle::numbers expected_weights(const input& in, const oracle::numbers& counts, std::size_t bits) {
  using namespace oracle;
  const auto learnt = [&] {
    numbers documents;
    for (const std::string_view text : in.lessons()) {
      for (const auto& entry : count(expected_tokens(in, text))) ++documents[entry.first];
    }
    const long double all = in.lessons().size();
    for (auto& [token, number] : documents) {
      number = static_cast<std::uint64_t>(std::llroundl(256 * std::log(1 + all / static_cast<long double>(number))));
    }
    return documents;
  };
  switch (in.weighter()) {
    case 0: return unit(counts);
    case 1: return tf(counts);
    case 2: return log_tf(counts);
    case 3: return idf(counts, learnt());
    case 4: return tf_idf(counts, learnt());
    case 5: return top(tf(counts), in.m(), bits, in.seed());
    case 6: return levels(log_tf(counts), in.m());
    default: return levels(top(tf_idf(counts, learnt()), in.m(), bits, in.seed()), in.m());
  }
}

/// The fingerprint by the oracle, as digits.
inline std::optional<std::string> expected_fingerprint(const input& in, std::size_t bits) {
  const oracle::numbers counts = oracle::count(expected_tokens(in, in.text));
  return oracle::fingerprint(expected_weights(in, counts, bits), bits, in.seed());
}

/// The width of a composition. Compiling all widths with all compositions would take minutes, so the width follows from
/// the other two, such that each tokenizer and each weighter occurs with each width.
constexpr std::size_t width_of(std::size_t tokenizer, std::size_t weighter) {
  constexpr std::array<std::size_t, 6> widths = {16, 32, 64, 128, 192, 256};
  return widths[(tokenizer + weighter) % widths.size()];
}

template <std::size_t Tokenizer, std::size_t Weighter>
struct composition {
  static constexpr std::size_t bits = width_of(Tokenizer, Weighter);

  static auto make(const input& in) {
    const auto tokenize = make_tokenizer<Tokenizer>(in);
    return neardup::make_simhasher<bits>(tokenize, make_weighter<Weighter>(in, tokenize), hasher{in.seed()});
  }

 private:
  // One hasher for all widths up to 64 bits: it compiles faster, and tests the documented use make_simhasher<16>(...,
  // xxh3<64>).
  using hasher = neardup::xxh3<(bits < 64 ? 64 : bits)>;
};

/// Calls `visit(composition)` with the composition that the input chooses.
template <class Visit>
void visit_composition(const input& in, Visit&& visit) {
  if constexpr (oracle::is_sample) {
    constexpr auto calls = []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array{+[](Visit& v) { v(composition<I, input::weighter_in_sample[I]>{}); }...};
    }
    (std::make_index_sequence<input::tokenizers>{});
    calls[in.tokenizer()](visit);
  } else {
    constexpr auto calls = []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array{+[](Visit& v) { v(composition<I / input::weighters, I % input::weighters>{}); }...};
    }
    (std::make_index_sequence<input::tokenizers * input::weighters>{});
    calls[in.tokenizer() * input::weighters + in.weighter()](visit);
  }
}

/// A readable description of the input's composition.
inline std::string describe(const input& in) {
  constexpr const char* tokenizers[] = {"words",
                                        "folded{words}",
                                        "shingles{n, folded{words}}",
                                        "normalised{words}",
                                        "shingles{n, normalised{words}}",
                                        "byte_ngrams{n}",
                                        "code_point_ngrams{n}",
                                        "normalised{code_point_ngrams{n}}"};
  constexpr const char* weighters[] = {
      "unit", "tf", "log_tf", "idf", "tf_idf", "top{m, tf}", "levels{m, log_tf}", "levels{m, top{m, tf_idf}}"};
  return std::string(tokenizers[in.tokenizer()]) + ", " + weighters[in.weighter()] + ", " +
         std::to_string(width_of(in.tokenizer(), in.weighter())) + " bits, n = " + std::to_string(in.n()) +
         ", m = " + std::to_string(in.m()) + ", seed = " + std::to_string(in.seed());
}

/// The bytes of an input in hexadecimal, as xxd -r -p reads them.
inline std::string hex(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) {
    result += "0123456789abcdef"[static_cast<unsigned char>(c) / 16];
    result += "0123456789abcdef"[static_cast<unsigned char>(c) % 16];
  }
  return result;
}

}  // namespace fuzz
