// The decider over a source that names every kept document as a candidate: the verdicts are those over an index.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <neardup/dedup/decider.hpp>
#include <neardup/dedup/describer.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

using namespace neardup;

/// The smallest source of candidates: it has the required members and names every document.
class everything {
 public:
  struct workspace {};
  [[nodiscard]] everything fresh() const { return {}; }
  template <class Description, class FeaturesOf>
  void insert(const Description& /*document*/, std::uint32_t number, const FeaturesOf& /*features_of*/) {
    numbers_.push_back(number);
  }
  template <class Description>
  void erase(const Description& /*document*/, std::uint32_t number) noexcept {
    std::erase(numbers_, number);
  }
  template <class Description, class Visit>
  void for_each(const Description& /*document*/, workspace& /*scratch*/, const Visit& visit) const {
    for (const std::uint32_t number : numbers_) visit(number);
  }
  static constexpr bool can_join = false;
  void reserve(std::size_t count) { numbers_.reserve(count); }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return numbers_.capacity() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

TEST_CASE("a decider takes its candidates from any source, one by one and in batches") {
  using fingerprint_type = simhash<64>;
  using tested = decider<fingerprint_type, std::uint32_t, std::uint32_t, everything>;
  const describer describe{simhasher{words{}}};
  decltype(describe)::workspace scratch;
  const auto judge = [](const auto& kept, const auto& document, std::optional<double> best) -> check_result {
    const auto similarity = jaccard_at_least(kept.features, document.features, best.value_or(0.6));
    return {similarity.has_value(), similarity};
  };
  oracle::random_engine random(1);
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    std::string text = i % 3 == 0 || texts.empty() ? "" : texts[random() % texts.size()];
    for (auto more = random() % 4 + (text.empty() ? random() % 12 : 0); more > 0; --more)
      text += "w" + std::to_string(random() % 200) + " ";
    texts.push_back(text);
  }
  const auto batch = describe.describe_all(texts);
  std::vector<std::uint32_t> ids(texts.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;

  tested one_by_one(everything(), false), batched(everything(), false);
  tested::workspace deciding;
  std::vector<verdict<std::uint32_t>> expected;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    // The rule written plainly: the most similar document, then the earliest.
    verdict<std::uint32_t> plain;
    plain.is_comparable = batch.documents[i].fingerprint.has_value();
    for (const std::uint32_t j : plain.is_comparable ? kept : std::vector<std::uint32_t>()) {
      const double similarity = jaccard_similarity(batch.features[j], batch.features[i]);
      const int distance = hamming_distance(*batch.documents[j].fingerprint, *batch.documents[i].fingerprint);
      const bool is_better = !plain.original || similarity > *plain.similarity;
      if (similarity < 0.6 || !is_better) continue;
      plain.original = j;
      plain.similarity = similarity;
      plain.distance = distance;
    }
    expected.push_back(plain);
    REQUIRE(one_by_one.find(batch.documents[i], judge, deciding) == plain);
    if (!plain.is_new() || !plain.is_comparable) continue;
    kept.push_back(i);
    one_by_one.keep(i, batch.documents[i], i);
    if (i % 50 == 49) one_by_one = one_by_one.compact();
  }
  REQUIRE(kept.size() > 50);
  REQUIRE(kept.size() < 290);
  REQUIRE(one_by_one.size() == kept.size());
  const std::size_t half = texts.size() / 2;
  for (const std::size_t first : {std::size_t{0}, half}) {
    const std::span documents = std::span(batch.documents).subspan(first, half);
    const auto found =
        batched.keep_batch(documents, std::span(ids).subspan(first, half), first, judge, 0.6, deciding, {});
    for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == expected[first + i]);
  }
  for (const std::uint32_t id : kept) REQUIRE(batched.erase(id));
  REQUIRE(batched.size() == 0);
}
