// Frozen fingerprints. A failure here means that fingerprints change.
//
// Users store fingerprints, so a change makes all stored ones worthless. An intended change is a commit of its own that
// says why, with new values here (neardup_test_fingerprint "[.golden]" prints them) and a line under "Fingerprints" in
// the changelog. Otherwise the change that caused the failure is wrong, not this file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/fingerprint.hpp"
#include "oracle/text.hpp"
#include "support/instruction_sets.hpp"

namespace {

using namespace std::string_view_literals;

const std::vector<std::string_view> golden_texts = {
    ""sv,
    "a"sv,
    "To be, or not to be, that is the question."sv,
    "Die \u00dcbergr\u00f6\u00dfe der Stra\u00dfe, 3,5 Meter; der Stra\u00dfe!"sv,
    "\u0412\u0441\u0435 \u0441\u0447\u0430\u0441\u0442\u043b\u0438\u0432\u044b\u0435 \u0441\u0435\u043c\u044c\u0438"sv,
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e\u0964 \u0645\u064e\u0631\u062d\u0628\u0627\u060c"sv,
    "\u4e2d\u6587 \u5206\u8bcd\uff0cSimHash \u7b97\u6cd5\u3002\u4e2d\u6587"sv,
    "\u30b3\u30fc\u30d2\u30fc\u3092\u98f2\u3080 \u304b\u3099"sv,
    "\u0e20\u0e32\u0e29\u0e32\u0e17\u0e35\u0e48 \ud55c\uad6d\uc5b4 \ub2e8\uc5b4"sv,
    "ill-formed \xff\xe4\xb8 bytes \xf0\x9f\x98, caf\xe9, e\u0301 \U0001f600 end"sv,
    "nul\0nul \x1f unit_separator don't\r\n\ttab"sv,
    "the the the cat the cat sat on the mat the end of the cat"sv,
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated "
    "documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation "
    "the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software."sv,
    "\u2764\ufe0f \U0001f469\U0001f3fd\u200d\u2764\ufe0f \U0001f1e9\U0001f1ea1\ufe0f\u20e3#\ufe0f\u20e3 co\u00adop\u203c \u0301x"sv,
};

struct composition {
  std::string name;
  std::function<std::optional<std::string>(std::string_view)> hex;     // from the library
  std::function<std::optional<std::string>(std::string_view)> digits;  // from the oracle, lowest bit first
  std::vector<const char*> golden;                                     // one for each text; "" for no fingerprint
};

template <class Simhasher>
auto hex_of(const Simhasher& hash) {
  return [hash](std::string_view text) {
    const auto fingerprint = hash(text);
    return fingerprint ? std::optional(fingerprint->to_hex()) : std::nullopt;
  };
}

using weighing = std::function<oracle::numbers(const oracle::numbers&)>;

auto digits_of(const std::function<oracle::tokens(std::string_view)>& tokenize, const weighing& weights,
               std::size_t bits, std::uint64_t seed) {
  return [=](std::string_view text) { return oracle::fingerprint(weights(oracle::count(tokenize(text))), bits, seed); };
}

oracle::tokens folded_pairs(std::string_view text) { return oracle::shingles(oracle::words(oracle::fold(text)), 2); }

/// Converts hexadecimal digits, highest first, to binary digits, lowest first.
std::string digits_of_hex(const std::string& hex) {
  std::string digits;
  for (std::size_t i = hex.size(); i-- > 0;) {
    const std::size_t value = std::string_view("0123456789abcdef").find(hex[i]);
    for (std::size_t bit = 0; bit < 4; ++bit) digits += (value >> bit) % 2 == 1 ? '1' : '0';
  }
  return digits;
}

const char idf_text[] = "the 0.25\ncat 3.5\nSoftware 7.125\n\u4e2d 5.75\nto 0.5\nder 1.0625\nof 0.375\n";

std::vector<composition> compositions() {
  using namespace neardup;
  const idf_table table = idf_table::parse(idf_text);
  const oracle::numbers units = {{"the", 64}, {"cat", 896}, {"Software", 1824}, {"\u4e2d", 1472},
                                 {"to", 128}, {"der", 272}, {"of", 96}};
  const auto normal_pairs = [](std::string_view t) { return oracle::shingles(oracle::words(oracle::normalise(t)), 2); };
  const auto normal_chars = [](std::string_view t) { return oracle::code_point_ngrams(oracle::normalise(t), 2); };
  const auto eight_bytes = [](std::string_view t) { return oracle::byte_ngrams(t, 8); };
  const auto by_idf = [=](const oracle::numbers& n) { return oracle::idf(n, units); };
  const auto top_levels = [=](const oracle::numbers& n) {
    return oracle::levels(oracle::top(oracle::tf_idf(n, units), 6, 64, 0), 5);
  };
  return {
      {"default, 64 bits",
       hex_of(default_simhasher<64>{}),
       digits_of(normal_pairs, oracle::unit, 64, 0),
       {"", "e6c632b61e964e1f", "84029213e60f35ac", "6c430320a9f1e70e", "5411002161c20081", "83162841130a0302",
        "fc557165131a96a6", "a96f649c4dbe2e07", "348a0c2209508409", "038841a14d80dd92", "a03738134a2881f0",
        "c0b12a97b7e851a2", "b28f65236d729764", "6b318535d2883333"}},
      {"default, 64 bits, seed 42",
       hex_of(simhasher{default_tokenizer{}, unit{}, xxh3<64>{.seed = 42}}),
       digits_of(normal_pairs, oracle::unit, 64, 42),
       {"", "4c437dd47f0716f4", "8a823213e778b122", "0de6a1231ae340a2", "010f0d0214804a12", "2008148051400100",
        "5e71fdd8a34933ef", "fc45c18857f5a08c", "a851424003440696", "8068cd44884f0e16", "5269803108c96214",
        "24d17cbc1ea4aed1", "4808bc09db04ccc9", "ac1ddbcba6b2a979"}},
      {"default, 128 bits",
       hex_of(default_simhasher<128>{}),
       digits_of(normal_pairs, oracle::unit, 128, 0),
       {"", "7b013ec73230c3a1e6c632b61e964e1f", "0f6049c16302cb5a84029213e60f35ac", "972972f7b5d658fc6c430320a9f1e70e",
        "00c20d40a02021295411002161c20081", "a88500088060e30483162841130a0302", "dcec231c60892813fc557165131a96a6",
        "2fbc14231b885534a96f649c4dbe2e07", "5cd00a7cd1c411e0348a0c2209508409", "78b18114035b2440038841a14d80dd92",
        "540082401a301200a03738134a2881f0", "58fb4d93c9ac4d86c0b12a97b7e851a2", "887b21b8d1650386b28f65236d729764",
        "5f52edad5fe007f76b318535d2883333"}},
      {"default, 256 bits, seed 42",
       hex_of(simhasher{default_tokenizer{}, unit{}, xxh3<256>{.seed = 42}}),
       digits_of(normal_pairs, oracle::unit, 256, 42),
       {"", "64535ee9f96aa8497f5c2c4bb20e000f45dc329b2f8244834c437dd47f0716f4",
        "c14cfb2008826001596d8059d0b18602c2a4081ba58b445b8a823213e778b122",
        "1a863794e6ef1956c48afbe07bcaa891423aa923ed9892a20de6a1231ae340a2",
        "18544286a44023020c43e910952848c30000100015848600010f0d0214804a12",
        "0b0621108114100118880232c00131141483986412088d482008148051400100",
        "0836dd2683e5124c232c44728920d8d227b149fd0ae79f3a5e71fdd8a34933ef",
        "2af935fff8ff3fc5063acd9a0963bb9167fcba81d9c56c06fc45c18857f5a08c",
        "e0162c8284588420600234214504250b0a33bae001a21080a851424003440696",
        "14a2641b42b4524294a5c80419ada2a8046085e119038d808068cd44884f0e16",
        "a0b8583d28a5c058e0110404f9af04046162a29eba0b24a85269803108c96214",
        "ef7610fd3666160eeac258656476ee10d1c345a14ef3706724d17cbc1ea4aed1",
        "504c113d96d207be0013c6c6a27e4c614e5814ad09bd1e684808bc09db04ccc9",
        "e139d6170bc268bb9de599734b56d6cdee5f4c68d5df85d5ac1ddbcba6b2a979"}},
      {"default, 32 bits",
       hex_of(default_simhasher<32>{}),
       digits_of(normal_pairs, oracle::unit, 32, 0),
       {"", "1e964e1f", "e60f35ac", "a9f1e70e", "61c20081", "130a0302", "131a96a6", "4dbe2e07", "09508409", "4d80dd92",
        "4a2881f0", "b7e851a2", "6d729764", "d2883333"}},
      {"default, 16 bits",
       hex_of(default_simhasher<16>{}),
       digits_of(normal_pairs, oracle::unit, 16, 0),
       {"", "4e1f", "35ac", "e70e", "0081", "0302", "96a6", "2e07", "8409", "dd92", "81f0", "51a2", "9764", "3333"}},
      {"words, unit, 64 bits",
       hex_of(simhasher{words{}}),
       digits_of(oracle::words, oracle::unit, 64, 0),
       {"", "e6c632b61e964e1f", "fa42d6497d6d887d", "7c89d3da28e25672", "4b329b707337376a", "71bd33327392f8ac",
        "47ac3c255fc0b9ea", "96c3727baaa8f422", "41312523081c181e", "c24facf7e06884aa", "700b0d003164f904",
        "cb54abc313f7b47e", "624163ab71674bd1", "a8d0010614f30c31"}},
      {"pairs of folded words, 64 bits",
       hex_of(simhasher{shingles{2, folded{words{}}}}),
       digits_of(folded_pairs, oracle::unit, 64, 0),
       {"", "e6c632b61e964e1f", "84029213e60f35ac", "6c8521a00d81e69e", "040960a120004081", "83162841130a0302",
        "fc557165131a96a6", "a96f649c4dbe2e07", "348a0c2209508409", "038841a14d80dd92", "a03738134a2881f0",
        "c0b12a97b7e851a2", "b28f65236d729764", "6b318535d2883333"}},
      {"normalised pairs of words, log_tf, 128 bits, seed 42",
       hex_of(simhasher{normalised{shingles{2, words{}}}, log_tf{}, xxh3<128>{.seed = 42}}),
       digits_of(normal_pairs, oracle::log_tf, 128, 42),
       {"", "45dc329b2f8244834c437dd47f0716f4", "caa6a85ba59b46db8e93f713e778b122", "423aa923ed9892a20de6a1231ae340a2",
        "0000100015848600010f0d0214804a12", "1483986412088d482008148051400100", "27b149fd0ae79f3a5e71fdd8a34933ef",
        "67fcba81d9c56c06fc45c18857f5a08c", "0a33bae001a21080a851424003440696", "046085e119038d808068cd44884f0e16",
        "6162a29eba0b24a85269803108c96214", "51c34da10ee3706b64f16cbd1ea5aed1", "4e5814ad09bf1ee84808bd09df04ccc9",
        "ee5f4c68d5df85d5ac1ddbcba6b2a979"}},
      {"normalised pairs of characters, tf, 64 bits",
       hex_of(simhasher{normalised{code_point_ngrams{2}}, tf{}}),
       digits_of(normal_chars, oracle::tf, 64, 0),
       {"", "e6c632b61e964e1f", "61267db011c14eab", "82dbf7f1e1448800", "ae1eb99e03391787", "01aa7a229523c7b1",
        "0db1ea62b30cfa65", "8746b3628cf42923", "36128f073c245a34", "d5ef53be17214084", "af6f649f62c5c49a",
        "44b67cb0218146ba", "8af37db033c145a3", "e117a5c89b35743a"}},
      {"8 bytes, unit, 64 bits",
       hex_of(simhasher{byte_ngrams{8}}),
       digits_of(eight_bytes, oracle::unit, 64, 0),
       {"", "e6c632b61e964e1f", "6cee2b848b155b96", "1658b270589fd51f", "6c7530c7f9d5b0aa", "a92f6a6818dc4a11",
        "5451cf0f04cac6db", "9961178d9ebbc247", "dd909cae3711e029", "9241453bb3ebdb8a", "6b6eac2c4603b7da",
        "e8221df456788823", "4ce1c453322d2164", "e7d4e58517f5c784"}},
      {"words, idf, 64 bits",
       hex_of(simhasher{words{}, idf{table}}),
       digits_of(oracle::words, by_idf, 64, 0),
       {"", "e6c632b61e964e1f", "facbf6897f0d800d", "7c89d3da28e25672", "4b329b707337376a", "71bd33327392f8ac",
        "05a4b6e05bc22c62", "96c3727baaa8f422", "41312523081c181e", "c24facf7e06884aa", "700b0d003164f904",
        "c2548a8a111c54ee", "2bd5e2e57b464372", "a8d0010614f30c31"}},
      {"words, levels of the top by tf_idf, 64 bits",
       hex_of(simhasher{words{}, levels{5, top{6, tf_idf{table}}}}),
       digits_of(oracle::words, top_levels, 64, 0),
       {"", "e6c632b61e964e1f", "f0cbd6096f4d892d", "3c89f29e24e25c71", "4b329b707337376a", "71bd33327392f8ac",
        "0524b6e05bc20c62", "12c33a732a288422", "4131252b0c9c189e", "420324f6e06804aa", "746b6d883374f924",
        "42548a8a111c54ee", "29d5e2753f420376", "88d0010e14d30c39"}},
  };
}

}  // namespace

TEST_CASE("fingerprints are what they always were", "[golden]") {
  for (const composition& c : compositions()) {
    CAPTURE(c.name);
    REQUIRE(c.golden.size() == golden_texts.size());
    for (std::size_t i = 0; i < golden_texts.size(); ++i) {
      CAPTURE(i);
      for (const auto level : support::instruction_sets()) {
        const support::forced_instruction_set forced(level);
        CAPTURE(to_string(level));
        CHECK(c.hex(golden_texts[i]).value_or("") == c.golden[i]);
      }
      // The oracle gives the same values.
      const auto digits = c.digits(golden_texts[i]);
      CHECK(digits.value_or("") == digits_of_hex(c.golden[i]));
    }
  }
}

TEST_CASE("token hashes are what they always were", "[golden]") {
  const auto hash = [](std::string_view token, std::uint64_t seed) { return neardup::xxh3<64>{seed}(token); };
  CHECK(hash("", 0) == 0x2d06800538d394c2);
  CHECK(hash("", 42) == 0xb029411ff43d84d2);
  CHECK(hash("a", 0) == 0xe6c632b61e964e1f);
  CHECK(hash("a", 42) == 0x4c437dd47f0716f4);
  CHECK(hash("word", 0) == 0xe3ce369cf66c5c55);
  CHECK(hash("\u4e2d\u6587", 0) == 0x8dbce87fe32cdda6);
  CHECK(hash("to\037be", 0) == 0xa0225e1ba70d97c8);
  CHECK(hash("a token of more than sixteen bytes", 42) == 0x2ba9822c6d85470a);
}

TEST_CASE("print the golden values", "[.golden]") {
  for (const composition& c : compositions()) {
    std::printf("%s:\n", c.name.c_str());
    for (const std::string_view text : golden_texts) std::printf("    \"%s\",\n", c.hex(text).value_or("").c_str());
  }
  SUCCEED();
}
