// What advise() promised of each setup, against what a join by that setup finds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint/minwise_hasher.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "neardup/compare/advice.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using command::advice;
using command::advice_request;
using command::advisor;
using command::setup;
using neardup::feature_choice;
using neardup::parse_features;
using neardup::threads;

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

/// Random texts of frequent and rare words; some texts are earlier ones with a few words changed.
std::vector<std::string> draw_texts(std::size_t count, std::uint64_t seed) {
  oracle::random_engine random(seed);
  const auto draw_word = [&] {
    const double rank = std::pow(5000.0, static_cast<double>(random() % 1000000) / 1e6);
    return "w" + std::to_string(static_cast<int>(rank));
  };
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::vector<std::string> words(30 + random() % 120);
    for (std::string& word : words) word = draw_word();
    texts.push_back(join_words(words));
    for (std::uint64_t versions = random() % 4; versions > 0 && texts.size() < count; --versions) {
      std::vector<std::string> version = words;
      for (std::uint64_t changes = random() % (words.size() / 6); changes > 0; --changes) {
        version[random() % version.size()] = draw_word();
      }
      texts.push_back(join_words(version));
    }
  }
  std::shuffle(texts.begin(), texts.end(), random);
  return texts;
}

neardup::any_tokenizer tokenizer_of(const feature_choice& features) {
  return neardup::with_tokenizer(features, [](const auto& tokenizer) { return neardup::any_tokenizer(tokenizer); });
}

/// Jaccard similarities by these features: [i][j] is that of texts i and j, for j < i.
std::vector<std::vector<float>> similarities_of(const std::vector<std::string>& texts, const feature_choice& features) {
  std::vector<std::vector<std::array<std::uint64_t, 1>>> sets;
  const neardup::simhasher hash(tokenizer_of(features));
  for (const std::string& text : texts) sets.push_back(hash.features(text));
  std::vector<std::vector<float>> result(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      result[i].push_back(static_cast<float>(neardup::jaccard_similarity(sets[i], sets[j])));
  }
  return result;
}

struct outcome {
  std::uint64_t similar = 0;     // pairs that the check calls similar
  std::uint64_t candidates = 0;  // pairs within the distance
  double recall = 0;             // see setup::recall
  double recall_of_pairs = 0;
};

template <class Fingerprint>
outcome try_out(const std::vector<std::string>& texts, const std::vector<std::vector<float>>& similarities,
                double similarity, const setup& choice, std::uint64_t seed) {
  std::vector<Fingerprint> prints;
  const neardup::any_tokenizer tokenizer = tokenizer_of(choice.features);
  if constexpr (Fingerprint::kind == neardup::fingerprint_kind::minwise) {
    const auto hash = neardup::make_minwise_hasher<Fingerprint::bits>(tokenizer, neardup::xxh3<64>{seed});
    for (const std::string& text : texts) prints.push_back(hash(text).value());
  } else {
    const auto hash =
        neardup::make_simhasher<Fingerprint::bits>(tokenizer, neardup::unit{}, neardup::xxh3<Fingerprint::bits>{seed});
    for (const std::string& text : texts) prints.push_back(hash(text).value());
  }
  outcome result;
  struct of_document {
    double copies = 0, similar = 0, found = 0;
  };
  std::vector<of_document> documents(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_near = hamming_distance(prints[i], prints[j]) <= choice.distance;
      const bool is_similar = similarities[i][j] >= static_cast<float>(similarity);
      result.candidates += is_near ? 1 : 0;
      result.similar += is_similar ? 1 : 0;
      result.recall_of_pairs += is_similar && is_near ? 1 : 0;
      for (const std::size_t one : {i, j}) {
        if (is_similar && similarities[i][j] == 1) {
          ++documents[one].copies;
        } else if (is_similar) {
          ++documents[one].similar;
          documents[one].found += is_near ? 1 : 0;
        }
      }
    }
  }
  double families = 0;
  for (const of_document& d : documents) {
    if (d.similar == 0) continue;
    const double weight = 1 / (1 + d.copies + d.similar);
    families += weight;
    result.recall += weight * d.found / d.similar;
  }
  result.recall /= families;
  result.recall_of_pairs /= static_cast<double>(result.similar);
  return result;
}

outcome try_out(const std::vector<std::string>& texts, const std::vector<std::vector<float>>& similarities,
                double similarity, const setup& choice, std::uint64_t seed = 0) {
  const auto with = [&](auto narrow, auto wide) {
    return choice.bits == 64 ? try_out<decltype(narrow)>(texts, similarities, similarity, choice, seed)
                             : try_out<decltype(wide)>(texts, similarities, similarity, choice, seed);
  };
  if (choice.kind == neardup::fingerprint_kind::minwise) return with(neardup::minwise<64>(), neardup::minwise<128>());
  return with(neardup::simhash<64>(), neardup::simhash<128>());
}

/// A text whose bytes are overwritten when it is destroyed: reading it later gives another text.
struct short_lived_text {
  std::string text;

  explicit short_lived_text(std::string t) : text(std::move(t)) {}
  short_lived_text(const short_lived_text&) = delete;
  short_lived_text& operator=(const short_lived_text&) = delete;
  ~short_lived_text() { std::fill(text.begin(), text.end(), ' '); }
  operator std::string_view() const noexcept { return text; }
};

struct made_on_demand {
  const std::vector<std::string>* texts;

  [[nodiscard]] std::size_t size() const noexcept { return texts->size(); }
  [[nodiscard]] short_lived_text operator[](std::size_t i) const { return short_lived_text((*texts)[i]); }
};

bool is_same(const setup& a, const setup& b) {
  return a.features == b.features && a.kind == b.kind && a.bits == b.bits && a.distance == b.distance &&
         a.blocks == b.blocks && a.recall == b.recall && a.recall_error == b.recall_error &&
         a.recall_low == b.recall_low && a.recall_high == b.recall_high && a.recall_of_pairs == b.recall_of_pairs &&
         a.candidates == b.candidates && a.bytes == b.bytes && a.seconds == b.seconds;
}

bool is_same(const advice& a, const advice& b) {
  return a.documents == b.documents && a.sampled == b.sampled && a.followed == b.followed &&
         a.partnered == b.partnered && a.similar_pairs == b.similar_pairs && a.pairs_seen == b.pairs_seen &&
         a.recommended == b.recommended && a.is_reached == b.is_reached &&
         std::equal(a.setups.begin(), a.setups.end(), b.setups.begin(), b.setups.end(),
                    [](const setup& x, const setup& y) { return is_same(x, y); });
}

}  // namespace

TEST_CASE("a sample of everything counts pairs and candidates exactly", "[advice]") {
  const std::vector<std::string> texts = draw_texts(300, 1);
  const auto similarities = similarities_of(texts, parse_features("words:2"));
  for (const double similarity : {0.5, 0.7, 0.9}) {
    if (!oracle::is_thorough() && similarity != 0.7) continue;
    const advice_request request{.similarity = similarity, .check = parse_features("words:2")};
    const advice found = command::advise(texts, request);
    REQUIRE(found.documents == texts.size());
    REQUIRE(found.sampled == texts.size());
    REQUIRE(found.setups.size() == 20);
    REQUIRE(found.facts.size() == 5);
    for (const setup& choice : found.setups) {
      const outcome truth = try_out(texts, similarities, request.similarity, choice);
      REQUIRE(truth.similar > 20);
      REQUIRE(found.pairs_seen == 2 * truth.similar);
      REQUIRE(std::abs(found.similar_pairs - static_cast<double>(truth.similar)) < 1e-6);
      const double candidates = choice.candidates * static_cast<double>(texts.size());
      REQUIRE(std::abs(candidates - static_cast<double>(truth.candidates)) < 1e-3);
      const double recall = truth.recall;
      INFO(to_string(choice.features) << " " << choice.bits << " bits, " << choice.distance << ": " << choice.recall
                                      << " expected, " << recall << " found, similarity " << similarity);
      REQUIRE(std::abs(recall - choice.recall) < 0.03 + 3 * std::sqrt(0.03 / static_cast<double>(truth.similar)));
    }
  }
}

TEST_CASE("advice from a sample tells what then happens", "[advice]") {
  const std::vector<std::string> texts = draw_texts(900, 2);
  const auto similarities = similarities_of(texts, parse_features("words:2"));
  const advice_request request{.similarity = 0.7,
                               .check = parse_features("words:2"),
                               .features = {parse_features("words")},
                               .sample = 300,
                               .compared = 500};
  const advice found = command::advise(texts, request, threads{2});
  REQUIRE(found.sampled == 300);
  REQUIRE(found.is_reached);
  const setup& best = found.setups[found.recommended];
  REQUIRE(best.recall >= request.recall);
  for (const setup& other : found.setups)
    REQUIRE((other.recall < request.recall || 1.05 * other.seconds >= best.seconds));
  for (const setup& choice : found.setups) {
    const outcome truth = try_out(texts, similarities, request.similarity, choice);
    const double recall = truth.recall;
    INFO(to_string(choice.features) << " " << choice.bits << " bits, " << choice.distance << ": " << choice.recall
                                    << " expected, " << recall << " found");
    REQUIRE(std::abs(recall - choice.recall) < 0.03);
    REQUIRE(std::abs(found.similar_pairs / static_cast<double>(truth.similar) - 1) < 0.2);
    const double candidates = choice.candidates * static_cast<double>(texts.size());
    REQUIRE(truth.candidates > 600);
    REQUIRE(candidates < 1.5 * static_cast<double>(truth.candidates));
    REQUIRE(candidates > static_cast<double>(truth.candidates) / 1.5);
  }
}

TEST_CASE("what then happens lies in the interval in nine of ten cases", "[advice]") {
  // Texts that share many words: the luck of one hash decides much, so recall varies from seed to seed.
  oracle::random_engine random(6);
  std::vector<std::string> templates;
  for (int i = 0; i < 3; ++i) {
    std::vector<std::string> words(60);
    for (std::string& word : words) word = "t" + std::to_string(random() % 400);
    templates.push_back(join_words(words));
  }
  std::vector<std::string> texts;
  for (int i = 0; i < 240; ++i) {
    std::vector<std::string> words(5 + random() % 20);
    for (std::string& word : words) word = "w" + std::to_string(random() % 60);
    texts.push_back(templates[random() % templates.size()] + join_words(words));
  }
  const double similarity = 0.7;
  const auto similarities = similarities_of(texts, parse_features("words"));
  std::size_t cases = 0, inside = 0;
  double width = 0;
  for (std::uint64_t seed = 0; seed < oracle::effort(30, 8); ++seed) {
    const advice found = command::advise(
        texts,
        {.similarity = similarity, .check = parse_features("words"), .features = {}, .sample = 120, .seed = seed});
    for (const setup& choice : found.setups) {
      const outcome truth = try_out(texts, similarities, similarity, choice, seed + 100);
      REQUIRE(truth.similar > 1000);
      const double recall = truth.recall;
      ++cases;
      inside += recall >= choice.recall_low && recall <= choice.recall_high ? 1 : 0;
      CHECK(choice.recall_low <= choice.recall);
      CHECK(choice.recall <= choice.recall_high);
      width += choice.recall_high - choice.recall_low;
    }
  }
  INFO(inside << " of " << cases);
  CHECK(inside * 100 >= cases * 83);
  CHECK(width / static_cast<double>(cases) < 0.25);  // the interval is narrow enough to say something
}

TEST_CASE("the share of all pairs is estimated beside that of families", "[advice]") {
  // A large family of loose pairs, of which many are missed, and many families of two, which are found.
  oracle::random_engine random(9);
  const auto draw = [&](const char* kind, std::size_t count, unsigned vocabulary) {
    std::vector<std::string> words(count);
    for (std::string& word : words) word = kind + std::to_string(random() % vocabulary);
    return words;
  };
  const std::string common = join_words(draw("t", 70, 100000));
  std::vector<std::string> texts;
  for (int i = 0; i < 80; ++i) texts.push_back(common + join_words(draw("w", 5 + random() % 9, 100000)));
  for (int i = 0; i < 160; ++i) {
    const std::string base = join_words(draw("v", 60, 100000));
    texts.push_back(base);
    texts.push_back(base + (i % 2 == 0 ? "" : "changed"));
  }
  constexpr double similarity = 0.7;
  const auto similarities = similarities_of(texts, parse_features("words"));
  double off = 0, families_off = 0, cases = 0;
  for (std::uint64_t seed = 0; seed < oracle::effort(20, 6); ++seed) {
    const advice found = command::advise(
        texts, {.similarity = similarity, .check = parse_features("words"), .features = {}, .seed = seed});
    for (const setup& choice : found.setups) {
      const outcome truth = try_out(texts, similarities, similarity, choice, seed);
      REQUIRE(truth.similar > 3000);
      off += std::abs(choice.recall_of_pairs - truth.recall_of_pairs);
      families_off += std::abs(choice.recall - truth.recall_of_pairs);
      ++cases;
    }
  }
  CAPTURE(off / cases, families_off / cases);
  CHECK(off / cases < 0.02);
  CHECK(families_off / cases > 2 * off / cases);
}

TEST_CASE("advice depends on neither threads nor on how many documents come at a time", "[advice]") {
  const std::vector<std::string> texts = draw_texts(500, 3);
  const advice_request request{.similarity = 0.6, .features = {}, .sample = 100, .compared = 200, .seed = 7};
  const advice expected = command::advise(texts, request);
  REQUIRE(expected.pairs_seen > 20);
  REQUIRE(is_same(command::advise(texts, request, threads{3}), expected));
  for (const std::size_t step : {1U, 7U, 499U}) {
    advisor look(request);
    for (const std::string& text : texts) look.sample(text);
    for (std::size_t i = 0; i < texts.size(); i += step) {
      const std::vector<std::string> some(
          texts.begin() + static_cast<std::ptrdiff_t>(i),
          texts.begin() + static_cast<std::ptrdiff_t>((std::min)(i + step, texts.size())));
      look.compare(some, threads{2});
    }
    REQUIRE(is_same(look.finish(), expected));
  }
  advice_request other = request;
  other.seed = 8;
  REQUIRE(!is_same(command::advise(texts, other), expected));
}

TEST_CASE("advice that is asked for twice is the same", "[advice]") {
  const std::vector<std::string> texts = draw_texts(200, 4);
  advisor look(advice_request{.sample = 50});
  for (const std::string& text : texts) look.sample(text);
  look.compare(texts);
  const advice first = look.finish();
  const advice second = look.finish();
  REQUIRE(is_same(first, second));
  for (std::size_t f = 0; f < first.facts.size(); ++f) {
    REQUIRE(first.facts[f].mean_distance == second.facts[f].mean_distance);
    REQUIRE(first.facts[f].distance_spread == second.facts[f].distance_spread);
    REQUIRE(first.facts[f].skew == second.facts[f].skew);
  }
}

TEST_CASE("texts that are made on demand live as long as they are read", "[advice]") {
  const std::vector<std::string> texts = draw_texts(200, 4);
  const advice expected = command::advise(texts, {.features = {}});
  REQUIRE(expected.pairs_seen > 20);
  REQUIRE(is_same(command::advise(made_on_demand{&texts}, {.features = {}}), expected));
}

TEST_CASE("without near-duplicates recall is that of theory", "[advice]") {
  const std::vector<std::string> texts{"one two three four", "five six seven eight", "", "nine ten", "..."};
  const advice found = command::advise(texts, {.similarity = 0.8, .recall = 0.9});
  REQUIRE(found.pairs_seen == 0);
  REQUIRE(found.documents_measured == 0);
  REQUIRE(found.partnered == 0);
  REQUIRE(found.similar_pairs == 0);
  for (const setup& choice : found.setups) {
    REQUIRE(choice.distance == neardup::distance_for(choice.bits, 0.8, choice.kind, 0.9));
    REQUIRE(choice.recall == neardup::expected_recall(choice.bits, choice.distance, 0.8, choice.kind));
    REQUIRE(choice.recall_error == 0);
    REQUIRE(choice.recall_low == choice.recall);
    REQUIRE(choice.recall_high == choice.recall);
    REQUIRE(choice.candidates == 0);
  }
}

TEST_CASE("crowds of copies count once, and say nothing of the recall of others", "[advice]") {
  std::vector<std::string> texts = draw_texts(200, 5);
  const advice_request request{.similarity = 0.7, .features = {}, .sample = 1200};
  const advice before = command::advise(texts, request);
  const auto distinct = static_cast<double>(std::set<std::string>(texts.begin(), texts.end()).size());
  texts.insert(texts.end(), 1000, "the same words again and again, a thousand times");
  const advice found = command::advise(texts, request);
  const double pairs = 1000.0 * 999 / 2;
  REQUIRE(std::abs(found.similar_pairs - before.similar_pairs - pairs) < 1e-3);
  REQUIRE(before.documents_measured > 50);
  REQUIRE(found.documents_measured == before.documents_measured);
  for (std::size_t i = 0; i < found.setups.size(); ++i) {
    REQUIRE(found.setups[i].distance == before.setups[i].distance);
    REQUIRE(std::abs(found.setups[i].recall - before.setups[i].recall) < 1e-9);
  }
  REQUIRE(std::abs(found.setups[0].candidates * 1200 / pairs - 1) < 1e-2);
  // The corpus has one distinct document more than before, and that document has a near-duplicate.
  REQUIRE(std::abs(found.partnered - (before.partnered * distinct + 1) / (distinct + 1)) < 1e-9);
}

TEST_CASE("a family counts as one pair does", "[advice]") {
  oracle::random_engine random(9);
  const auto draw_words = [&](std::size_t count) {
    std::vector<std::string> words(count);
    for (std::string& word : words) word = "w" + std::to_string(random() % 100000);
    return words;
  };
  // Pairs that differ in many words, and one family whose members differ in two. The pairs decide the distance.
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) {
    std::vector<std::string> words = draw_words(60);
    texts.push_back(join_words(words));
    for (std::size_t at = 3; at < 60; at += 12) words[at] = "other" + std::to_string(random() % 100000);
    texts.push_back(join_words(words));
  }
  const advice_request request{.similarity = 0.7, .check = parse_features("words"), .features = {}, .sample = 1000};
  const advice before = command::advise(texts, request);
  const std::vector<std::string> family = draw_words(60);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> words = family;
    words[static_cast<std::size_t>(i) % 60] = "another" + std::to_string(i);
    texts.push_back(join_words(words));
  }
  const advice found = command::advise(texts, request);
  const auto similarities = similarities_of(texts, request.check);
  for (std::size_t i = 0; i < found.setups.size(); ++i) {
    INFO(found.setups[i].bits << " bits, " << found.setups[i].recall);
    REQUIRE(std::abs(found.setups[i].distance - before.setups[i].distance) <= 1);
    const outcome truth = try_out(texts, similarities, request.similarity, found.setups[i]);
    REQUIRE(std::abs(truth.recall - found.setups[i].recall) < 0.03);
  }
}

TEST_CASE("of many alike documents few are followed, and stand for the others", "[advice]") {
  oracle::random_engine random(12);
  const auto draw_words = [&](std::size_t count) {
    std::vector<std::string> words(count);
    for (std::string& word : words) word = "w" + std::to_string(random() % 1000000);
    return words;
  };
  // A family of 3,000 in which any two are similar, 500 pairs, and 3,000 others.
  constexpr std::size_t family = 3000, pairs = 500, others = 3000;
  std::vector<std::string> texts;
  const std::vector<std::string> first = draw_words(60);
  for (std::size_t i = 0; i < family; ++i) {
    std::vector<std::string> words = first;
    words[i % 60] = "other" + std::to_string(i);
    texts.push_back(join_words(words));
  }
  for (std::size_t i = 0; i < pairs; ++i) {
    std::vector<std::string> words = draw_words(60);
    texts.push_back(join_words(words));
    words[7] = "changed";
    texts.push_back(join_words(words));
  }
  for (std::size_t i = 0; i < others; ++i) texts.push_back(join_words(draw_words(60)));
  std::shuffle(texts.begin(), texts.end(), random);

  const advice_request request{.check = parse_features("words"), .features = {}, .setups = false};
  const advice found = command::advise(texts, request);
  CHECK(found.sampled == 2000);
  CHECK(found.followed < 1500);  // about 1,140 sampled texts are not in the family, and advise() drops none of these
  CHECK(found.followed > 1100);
  CHECK(std::abs(found.similar_pairs / (family * (family - 1) / 2.0 + pairs) - 1) < 0.15);
  CHECK(std::abs(found.partnered - (family + 2.0 * pairs) / (family + 2 * pairs + others)) < 0.04);
  CHECK(found.setups.empty());
  CHECK(is_same(command::advise(texts, request, threads{3}), found));
  advisor one_by_one(request);
  for (const std::string& text : texts) one_by_one.sample(text);
  for (const std::string& text : texts) one_by_one.compare(std::vector<std::string>{text});
  CHECK(is_same(one_by_one.finish(), found));

  // Copies: one sampled text would be compared with 10^6.
  const std::vector<std::string> copies(20000, join_words(first));
  const advice of_copies = command::advise(copies, request);
  CHECK(of_copies.followed < 200);
  CHECK(std::abs(of_copies.similar_pairs - 20000.0 * 19999 / 2) < 1);
  CHECK(of_copies.partnered == 1);
}

TEST_CASE("texts too short for a change are counted", "[advice]") {
  std::vector<std::string> texts;
  for (std::size_t words = 1; words <= 40; ++words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "w" + std::to_string(100 * words + i) + ' ';
    texts.push_back(text);
  }
  const advice found = command::advise(texts, {.similarity = 0.8, .check = parse_features("words:2"), .features = {}});
  REQUIRE(found.facts[0].too_short == 18.0 / 40);  // texts of 19 words have 18 pairs
}

TEST_CASE("long texts make the sample smaller, and one document is a corpus", "[advice]") {
  std::vector<std::string> texts = draw_texts(300, 6);
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  const advice found = command::advise(texts, {.features = {}, .sample_bytes = bytes / 10});
  REQUIRE(found.sampled > 10);
  REQUIRE(found.sampled < 50);
  REQUIRE(std::abs(found.mean_bytes - static_cast<double>(bytes) / 300) < 1e-9);

  texts.resize(1);
  const advice alone = command::advise(texts, {.features = {}, .sample_bytes = 1});
  REQUIRE(alone.sampled == 1);
  REQUIRE(alone.setups[alone.recommended].candidates == 0);
}

TEST_CASE("a few texts as large as the sample leave the others in it", "[advice]") {
  std::vector<std::string> texts = draw_texts(300, 6);
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  texts[0] = texts[50] = texts[200] = std::string(bytes, ' ');
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    const advice found = command::advise(texts, {.features = {}, .sample_bytes = bytes, .seed = seed});
    REQUIRE(found.sampled == 297);
  }
}

TEST_CASE("a request that cannot be met, and passes that do not fit, are refused", "[advice]") {
  for (const advice_request& wrong :
       {advice_request{.similarity = 0}, advice_request{.similarity = 1.1}, advice_request{.similarity = std::nan("")},
        advice_request{.recall = 1.5}, advice_request{.recall = std::nan("")}, advice_request{.sample = 0},
        advice_request{.sample = 1000001}, advice_request{.compared = 0},
        advice_request{.check = {neardup::feature_kind::chars, 0}}}) {
    REQUIRE_THROWS_AS(advisor(wrong), std::invalid_argument);
  }
  const std::vector<std::string> two{"a b", "c d"};
  advisor look{advice_request{.features = {}}};
  REQUIRE_THROWS_AS(look.finish(), std::logic_error);
  look.sample("a b");
  REQUIRE_THROWS_AS(look.finish(), std::logic_error);
  look.compare(two);
  REQUIRE_THROWS_WITH(look.finish(), "advisor: 1 documents were sampled from, but 2 compared");
  REQUIRE_THROWS_AS(look.sample("late"), std::logic_error);

  // No distance reaches the wanted recall: advise() gives the best setup and says so.
  const advice found = command::advise(draw_texts(300, 9), {.similarity = 0.2, .recall = 1.0, .features = {}});
  REQUIRE(!found.is_reached);
  REQUIRE(found.setups[found.recommended].recall < 1);
}

TEST_CASE("the setup to take is the fastest with the recall, else the one with the best recall", "[advice]") {
  const auto one = [](double recall, double seconds) {
    return setup{{}, neardup::fingerprint_kind::simhash, 64, 3, 4, recall, 0, recall, recall, recall, 0, 0, seconds};
  };
  const std::vector<setup> setups{one(0.99, 5), one(0.97, 2), one(0.96, 1), one(0.98, 2.05)};
  REQUIRE(command::recommended_setup(setups, 0.97) == 3);  // setup 3 takes hardly longer than the fastest
  REQUIRE(command::recommended_setup(setups, 0.975) == 3);
  REQUIRE(command::recommended_setup(setups, 0.9) == 2);
  REQUIRE(command::recommended_setup(setups, 1.0) == 0);
  REQUIRE_THROWS_AS(command::recommended_setup({}, 0.9), std::invalid_argument);
}
