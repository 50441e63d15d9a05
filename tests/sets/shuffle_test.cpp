// Compares the pairs of a shuffle with those of a join in memory, which has an oracle of its own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/sets/feature_counts.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/shuffle.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/set_corpora.hpp"

namespace {

// Copying such a member may throw for lack of memory; that must not end the program.
struct holder {
  neardup::feature_counts<> counts;
};
static_assert(!std::is_nothrow_copy_assignable_v<holder> && std::is_nothrow_move_assignable_v<holder>);

using neardup::gathered_pairs;
using neardup::set_similarity;
using neardup::shuffle_payload;
using neardup::shuffle_settings;
using numbered_pair = std::tuple<std::uint64_t, std::uint64_t, std::size_t, double>;
using blob = std::vector<std::byte>;

/// Sets in flat arrays, as an engine passes them. The documents' numbers are not positions.
template <class Feature>
struct flat_sets {
  std::vector<std::uint64_t> documents;
  std::vector<Feature> features;
  std::vector<std::int32_t> offsets{0};

  void add(std::uint64_t document, const std::vector<Feature>& set) {
    documents.push_back(document);
    features.insert(features.end(), set.begin(), set.end());
    offsets.push_back(static_cast<std::int32_t>(features.size()));
  }
};
std::uint64_t document_of(std::size_t i) { return 1000 + 7 * std::uint64_t{i}; }

template <class Feature>
std::vector<numbered_pair> joined(const std::vector<std::vector<Feature>>& sets, const shuffle_settings& settings,
                                  std::size_t split) {
  const neardup::join_options how{.copies_once = settings.copies_once};
  std::vector<numbered_pair> result;
  if (split == sets.size()) {
    for (const auto& p : neardup::pairs(sets, settings.least, how)) {
      result.emplace_back(document_of(p.first), document_of(p.second), p.common, p.similarity);
    }
    return result;
  }
  const std::vector a(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(split));
  const std::vector b(sets.begin() + static_cast<std::ptrdiff_t>(split), sets.end());
  for (const auto& p : neardup::pairs(a, b, settings.least, how)) {
    result.emplace_back(document_of(p.first), document_of(split + p.second), p.common, p.similarity);
  }
  return result;
}

/// Returns the blobs of each partition. There are one to three scatters, and each adds a few batches.
template <class Feature>
std::vector<std::vector<blob>> scattered(const std::vector<std::vector<Feature>>& sets,
                                         const shuffle_settings& settings,
                                         const neardup::feature_counts<Feature>& counts, std::mt19937_64& random) {
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<neardup::set_scatter<Feature>> scatters(1 + random() % 3, {settings, counts});
  std::vector<std::vector<blob>> blobs(settings.partitions);
  for (std::size_t i = 0; i < order.size();) {
    flat_sets<Feature> some;
    for (std::size_t n = 1 + random() % (1 + sets.size() / 2); n > 0 && i < order.size(); --n, ++i) {
      some.add(document_of(order[i]), sets[order[i]]);
    }
    auto& scatter = scatters[random() % scatters.size()];
    scatter.add(std::span<const std::uint64_t>(some.documents), std::span<const Feature>(some.features),
                std::span<const std::int32_t>(some.offsets));
    if (random() % 3 == 0) blobs[0].push_back(scatter.take(0));
  }
  for (auto& scatter : scatters) {
    for (std::uint32_t partition = 0; partition < settings.partitions; ++partition) {
      blobs[partition].push_back(scatter.take(partition));
    }
    REQUIRE(scatter.size() == 0);
  }
  return blobs;
}

std::vector<std::span<const std::byte>> spans_of(const std::vector<blob>& blobs) {
  return {blobs.begin(), blobs.end()};
}

/// Returns all pairs, and a pair several times if several partitions found it. `large` is the number of sets with a
/// feature from which these sets are joined as a corpus.
template <class Feature>
std::vector<numbered_pair> gathered(const std::vector<std::vector<blob>>& blobs, const shuffle_settings& settings,
                                    std::size_t large, const neardup::any_runner& run) {
  std::vector<numbered_pair> result;
  const neardup::detail::overlap_bounds bounds(settings.least);
  for (std::uint32_t partition = 0; partition < settings.partitions; ++partition) {
    neardup::detail::shuffle_join<Feature> join(neardup::detail::header_of<Feature>(settings, bounds, 0, partition),
                                                bounds, settings.payload == shuffle_payload::sets,
                                                settings.payload == shuffle_payload::sketch, run, large);
    for (const auto& bytes : spans_of(blobs[partition])) join.add(bytes);
    join.visit([&](std::uint64_t a, std::uint64_t b, std::size_t common, double similarity) {
      result.emplace_back(std::min(a, b), std::max(a, b), common, similarity);
    });
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Verifies each candidate once, by the sets of its two documents.
template <class Feature>
std::vector<numbered_pair> verified(std::vector<numbered_pair> candidates,
                                    const std::vector<std::vector<Feature>>& sets, const shuffle_settings& settings) {
  for (auto& candidate : candidates) std::get<2>(candidate) = 0, std::get<3>(candidate) = 0;
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  flat_sets<Feature> a, b;
  for (const auto& [x, y, common, similarity] : candidates) {
    a.add(x, sets[(x - document_of(0)) / 7]);
    b.add(y, sets[(y - document_of(0)) / 7]);
  }
  const neardup::verified_sets checked =
      neardup::verify_sets(std::span<const Feature>(a.features), std::span<const std::int32_t>(a.offsets),
                           std::span<const Feature>(b.features), std::span<const std::int32_t>(b.offsets), settings);
  std::vector<numbered_pair> result;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (checked.common[i] == 0) continue;
    result.emplace_back(std::get<0>(candidates[i]), std::get<1>(candidates[i]), checked.common[i],
                        checked.similarity[i]);
  }
  return result;
}

/// Counts no sets, some sets, or all sets. Returns true if all sets are counted.
template <class Feature>
bool count_some(const std::vector<std::vector<Feature>>& sets, neardup::feature_counts<Feature>& counts,
                std::mt19937_64& random) {
  counts = neardup::feature_counts<Feature>(random() % 2 == 0 ? 0 : 100'000);
  auto part = counts;
  const std::size_t kind = random() % 4;
  for (const auto& set : sets) {
    if (kind == 0 || (kind == 1 && random() % 10 != 0)) continue;
    (random() % 2 == 0 ? counts : part).add(std::span<const Feature>(set));
  }
  counts.merge(part);
  if (random() % 2 == 0) counts = neardup::feature_counts<Feature>::load(counts.save());
  return kind > 1;
}

template <class Feature>
std::size_t check_shape(oracle::set_shape shape, std::size_t count, std::mt19937_64& random) {
  std::size_t found = 0;
  auto sets = oracle::draw_sets<Feature>(shape, count, random);
  sets.emplace_back();
  sets.emplace_back();
  for (const set_similarity measure : {set_similarity::jaccard, set_similarity::cosine, set_similarity::containment}) {
    for (const double least : {0.5, 2.0 / 3.0, 0.8, 0.95, 1.0}) {
      neardup::feature_counts<Feature> counts;
      shuffle_settings settings{.least = {measure, least, random() % 3 == 0 ? random() % 8 : 1}};
      settings.all_counted = count_some(sets, counts, random) && random() % 4 != 0;
      settings.copies_once = random() % 3 == 0;
      settings.partitions = static_cast<std::uint32_t>(random() % 2 == 0 ? 1 + random() % 4 : 64);
      settings.payload = shuffle_payload{static_cast<std::uint8_t>(random() % 2 == 0 ? 2 : random() % 3)};
      std::size_t split = sets.size();
      if (random() % 4 == 0) {
        split = random() % sets.size();
        settings.second_from = document_of(split);
      }
      CAPTURE(static_cast<int>(shape), static_cast<int>(measure), least, settings.least.min_common,
              settings.all_counted, settings.copies_once, settings.partitions, static_cast<int>(settings.payload),
              split);
      const auto blobs = scattered(sets, settings, counts, random);
      const std::size_t large[] = {2, 7, 4096}, parts[] = {1, 2, 7};
      auto pairs = gathered<Feature>(blobs, settings, large[random() % 3], neardup::threads{parts[random() % 3]});
      if (settings.payload != shuffle_payload::sets) pairs = verified(std::move(pairs), sets, settings);
      const auto expected = joined(sets, settings, split);
      REQUIRE(pairs.size() == expected.size());
      REQUIRE(std::equal(pairs.begin(), pairs.end(), expected.begin()));
      found += expected.size();
    }
  }
  return found;
}

shuffle_settings some_settings() { return {.least = neardup::jaccard{.6}, .partitions = 3, .identity = 5}; }

/// A few sets, their counts and their blobs with some settings.
struct small_shuffle {
  std::vector<std::vector<std::uint64_t>> sets;
  neardup::feature_counts<> counts;
  std::vector<std::vector<blob>> blobs;

  explicit small_shuffle(const shuffle_settings& settings = some_settings()) {
    oracle::random_engine random(3);
    sets = oracle::draw_sets<std::uint64_t>(oracle::set_shape::clusters, 60, random);
    for (const auto& set : sets) counts.add(std::span<const std::uint64_t>(set));
    blobs = scattered(sets, settings, counts, random);
    for (auto& some : blobs) std::erase_if(some, [](const blob& one) { return one.empty(); });
  }
};

/// Returns the message with which a gather refuses blobs of partition 0, or "" if it accepts them.
std::string refusal_of(const std::vector<blob>& blobs, const shuffle_settings& settings = some_settings()) {
  try {
    static_cast<void>(neardup::gather_pairs<std::uint64_t>(spans_of(blobs), settings, 0));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a shuffle finds the pairs of a join, whatever the counts, the partitions and the payload",
          "[sets][shuffle]") {
  oracle::random_engine random(531);
  for (const oracle::set_shape shape : oracle::all_set_shapes) {
    const std::size_t count = oracle::effort(200, 70, 40);
    REQUIRE(check_shape<std::uint64_t>(shape, count, random) > 0);
    oracle::unless_sample([&](auto) { REQUIRE(check_shape<std::uint32_t>(shape, count, random) > 0); });
  }
}

TEST_CASE("a shuffle finds the pairs of sets of more than 256 and of more than 65,536 features", "[sets][shuffle]") {
  oracle::random_engine random(532);
  std::vector<std::vector<std::uint64_t>> sets;
  for (const std::size_t size : {300U, 70'000U}) {
    std::vector<std::uint64_t> set(size);
    for (auto& feature : set) feature = random();
    std::sort(set.begin(), set.end());
    sets.push_back(set);
    set.erase(set.begin() + static_cast<std::ptrdiff_t>(size / 3), set.begin() + static_cast<std::ptrdiff_t>(size / 2));
    sets.push_back(set);
    sets.push_back(set);
  }
  neardup::feature_counts<> counts(1000);
  for (const auto& set : sets) counts.add(std::span<const std::uint64_t>(set));
  const shuffle_settings settings{.least = neardup::jaccard{.7}, .partitions = 5, .all_counted = true};
  const auto blobs = scattered(sets, settings, counts, random);
  REQUIRE(gathered<std::uint64_t>(blobs, settings, 4096, {}) == joined(sets, settings, sets.size()));
}

TEST_CASE("gathered pairs are sorted, and a batch has one value of each", "[sets][shuffle]") {
  const small_shuffle all;
  std::vector<numbered_pair> found;
  for (std::uint32_t partition = 0; partition < 3; ++partition) {
    const gathered_pairs pairs =
        neardup::gather_pairs<std::uint64_t>(spans_of(all.blobs[partition]), some_settings(), partition);
    REQUIRE(pairs.second.size() == pairs.size());
    REQUIRE(pairs.common.size() == pairs.size());
    REQUIRE(pairs.similarity.size() == pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i > 0)
        REQUIRE(std::pair(pairs.first[i - 1], pairs.second[i - 1]) < std::pair(pairs.first[i], pairs.second[i]));
      found.emplace_back(pairs.first[i], pairs.second[i], pairs.common[i], pairs.similarity[i]);
    }
  }
  std::sort(found.begin(), found.end());
  REQUIRE(!found.empty());
  REQUIRE(found == joined(all.sets, some_settings(), all.sets.size()));
}

TEST_CASE("blobs may begin at any address", "[sets][shuffle]") {
  small_shuffle all;
  const auto expected = neardup::gather_pairs<std::uint64_t>(spans_of(all.blobs[1]), some_settings(), 1);
  std::vector<blob> moved = all.blobs[1];
  std::vector<std::span<const std::byte>> spans;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const std::size_t offset = 1 + i % 7;
    moved[i].insert(moved[i].begin(), offset, std::byte{0});
    spans.push_back(std::span<const std::byte>(moved[i]).subspan(offset));
  }
  const auto found = neardup::gather_pairs<std::uint64_t>(spans, some_settings(), 1);
  REQUIRE(found.first == expected.first);
  REQUIRE(found.second == expected.second);
  REQUIRE(found.common == expected.common);
}

TEST_CASE("a gather refuses blobs that are damaged, cut off or of another run", "[sets][shuffle]") {
  const small_shuffle all;
  REQUIRE(refusal_of(all.blobs[0]).empty());
  REQUIRE(refusal_of(all.blobs[1]) == "blob 0: partition 1 of 3 instead of 0 of 3");
  const blob& whole = all.blobs[0].front();
  for (std::size_t byte = 0; byte < whole.size(); byte += byte < 96 ? 1 : 13) {
    blob damaged = whole;
    damaged[byte] ^= std::byte{16};
    CAPTURE(byte);
    REQUIRE(!refusal_of({damaged}).empty());
  }
  for (std::size_t size = 1; size < whole.size(); size += 1 + size / 8) {
    CAPTURE(size);
    REQUIRE(!refusal_of({blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))}).empty());
  }
  const auto refusal_by = [&](const auto& change) {
    shuffle_settings settings = some_settings();
    change(settings);
    return refusal_of(all.blobs[0], settings);
  };
  REQUIRE(refusal_by([](shuffle_settings& s) { s.least.similarity = .61; }) == "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.least.measure = set_similarity::cosine; }) ==
          "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.least.min_common = 2; }) == "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.payload = shuffle_payload::ids; }) == "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.copies_once = true; }) == "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.all_counted = true; }) == "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.second_from = 7; }) == "blob 0: of other settings");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.identity = 6; }) == "blob 0: its features were made in another way");
  REQUIRE(refusal_by([](shuffle_settings& s) { s.partitions = 4; }) == "blob 0: partition 0 of 3 instead of 0 of 4");
  REQUIRE_THROWS_WITH(neardup::gather_pairs<std::uint32_t>(spans_of(all.blobs[0]), some_settings(), 0),
                      "blob 0: its features have 64 bits instead of 32");
  oracle::random_engine random(4);
  const neardup::feature_counts<> others;
  std::vector<blob> mixed = all.blobs[0];
  const auto foreign = scattered(all.sets, some_settings(), others, random);
  mixed.insert(mixed.end(), foreign[0].begin(), foreign[0].end());
  REQUIRE(refusal_of(mixed).find("scattered with other counts than the first blob") != std::string::npos);
}

TEST_CASE("a damaged blob whose checksum is right again is refused, or joined without harm", "[sets][shuffle]") {
  using neardup::detail::blob_header;
  using neardup::detail::record_head;
  const auto changed = [](blob bytes, const auto& change) {
    blob_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header, std::span(bytes).subspan(sizeof header));
    header.checksum = 0;
    header.checksum = neardup::detail::checksum_of_blob(header, std::span(bytes).subspan(sizeof header));
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  };
  std::size_t refused = 0, accepted = 0;
  for (const auto payload : {shuffle_payload::sets, shuffle_payload::sketch, shuffle_payload::ids}) {
    shuffle_settings settings = some_settings();
    settings.payload = payload;
    const small_shuffle all(settings);
    const blob& whole = all.blobs[0].front();
    const bool has_sets = payload == shuffle_payload::sets;
    CAPTURE(static_cast<int>(payload));
    const auto refusal_of_head = [&](const auto& change) {
      return refusal_of({changed(whole,
                                 [&](blob_header& /*header*/, std::span<std::byte> body) {
                                   record_head head;
                                   std::memcpy(&head, body.data(), sizeof head);
                                   change(head);
                                   std::memcpy(body.data(), &head, sizeof head);
                                 })},
                        settings);
    };
    REQUIRE(refusal_of_head([](record_head& /*head*/) {}).empty());
    for (const auto member : {&record_head::size, &record_head::rows, &record_head::copies, &record_head::zero,
                              &record_head::prefix, &record_head::left_out}) {
      for (const std::uint32_t value : {std::uint32_t{0}, std::uint32_t{1} << 24, ~std::uint32_t{0}}) {
        const std::string refusal = refusal_of_head([&](record_head& head) { head.*member = value; });
        REQUIRE((refusal.empty() || refusal == "blob 0: damaged"));
      }
    }
    REQUIRE(refusal_of_head([](record_head& head) { head.zero = 1; }) == "blob 0: damaged");
    REQUIRE(refusal_of_head([](record_head& head) { head.size = 0; }) == "blob 0: damaged");
    REQUIRE(refusal_of_head([](record_head& head) { head.rows = 0; }) == "blob 0: damaged");
    REQUIRE(refusal_of_head([](record_head& head) { head.copies = 0; }) == "blob 0: damaged");
    REQUIRE(refusal_of_head([](record_head& head) { head.copies = 1U << 30; }) == "blob 0: damaged");
    REQUIRE(refusal_of_head([&](record_head& head) { head.prefix = has_sets ? head.size + 1 : 1; }) ==
            "blob 0: damaged");
    if (has_sets) {
      REQUIRE(refusal_of_head([](record_head& head) { head.left_out = head.size; }) == "blob 0: damaged");
      REQUIRE(refusal_of_head([](record_head& head) { head.rows = head.prefix + 1; }) == "blob 0: damaged");
    }
    // Damages a record. With whole sets, the second feature becomes equal to the first. Otherwise, the first position
    // becomes head.size, which is too large. For the layout of a record, see shuffle_blob.hpp.
    const auto misplaced = [&](blob_header& /*header*/, std::span<std::byte> body) {
      record_head head;
      std::memcpy(&head, body.data(), sizeof head);
      const std::span<std::byte> rest = body.subspan(sizeof head + sizeof(std::uint64_t) * head.copies);
      if (has_sets) {
        std::memcpy(rest.data() + sizeof(std::uint64_t), rest.data(), sizeof(std::uint64_t));
      } else {
        const std::size_t before = payload == shuffle_payload::sketch ? 32 : 16;
        std::memcpy(rest.data() + before + sizeof(std::uint64_t) * head.rows, &head.size, sizeof head.size);
      }
    };
    REQUIRE(refusal_of({changed(whole, misplaced)}, settings) == "blob 0: damaged");
    const auto count_wrong = [](blob_header& header, std::span<std::byte> /*body*/) { ++header.records; };
    REQUIRE(refusal_of({changed(whole, count_wrong)}, settings) == "blob 0: damaged");

    oracle::random_engine random(7);
    for (std::size_t i = 0; i < oracle::effort(20'000, 600); ++i) {
      const blob bytes = changed(whole, [&](blob_header& /*header*/, std::span<std::byte> body) {
        for (std::size_t n = 1 + random() % 3; n > 0; --n) {
          body[static_cast<std::size_t>(random() % body.size())] ^= static_cast<std::byte>(1U << random() % 8);
        }
      });
      // The damaged blob is joined with an undamaged one, so that there are copies. With `large` 2, even a few sets are
      // joined as a corpus.
      std::string refusal;
      try {
        static_cast<void>(gathered<std::uint64_t>({{bytes, whole}, {}, {}}, settings, 2, {}));
      } catch (const std::runtime_error& error) {
        refusal = error.what();
      }
      REQUIRE((refusal.empty() || refusal == "blob 0: damaged"));
      ++(refusal.empty() ? accepted : refused);
    }
  }
  CHECK(refused > 100);
  CHECK(accepted > 100);
}

TEST_CASE("a scatter refuses settings, offsets and sets that would lose pairs", "[sets][shuffle]") {
  using scatter = neardup::set_scatter<std::uint64_t>;
  const neardup::feature_counts<> counts;
  for (const double wrong : {0.0, 1.1}) {
    REQUIRE_THROWS_AS(scatter({.least = neardup::jaccard{wrong}}, counts), std::invalid_argument);
  }
  REQUIRE_THROWS_AS(scatter({.partitions = 0}, counts), std::invalid_argument);
  const std::vector<std::uint64_t> documents{1, 2}, features{5, 7, 9, 2, 3};
  const auto add = [&](std::vector<std::int64_t> offsets, const shuffle_settings& settings = {}) {
    scatter(settings, counts)
        .add(std::span<const std::uint64_t>(documents), std::span<const std::uint64_t>(features),
             std::span<const std::int64_t>(offsets));
  };
  REQUIRE_NOTHROW(add({0, 3, 5}));
  REQUIRE_NOTHROW(add({1, 1, 3}));
  REQUIRE_THROWS_AS(add({0, 3}), std::invalid_argument);
  REQUIRE_THROWS_AS(add({0, 3, 6}), std::invalid_argument);
  REQUIRE_THROWS_AS(add({-1, 3, 5}), std::invalid_argument);
  REQUIRE_THROWS_AS(add({3, 0, 5}), std::invalid_argument);
  REQUIRE_THROWS_AS(add({0, 4, 5}), std::invalid_argument);                         // not ascending
  REQUIRE_THROWS_AS(add({0, 3, 5}, {.all_counted = true}), std::invalid_argument);  // nothing was counted
  REQUIRE_THROWS_AS(
      neardup::verify_sets(std::span<const std::uint64_t>(features), std::span<const std::int64_t>(),
                           std::span<const std::uint64_t>(features),
                           std::span<const std::int64_t>(std::vector<std::int64_t>{0, 3}), shuffle_settings{}),
      std::invalid_argument);
}

TEST_CASE("counts of parts merge into those of the whole, and stop at 65,535", "[sets][shuffle]") {
  oracle::random_engine random(5);
  std::vector<std::uint64_t> features(20'000);
  for (auto& feature : features) feature = random() % 5000 * 0x2545f4914f6cdd1dU;
  neardup::feature_counts<> whole(40'000), one(40'000), other(40'000);
  const std::span<const std::uint64_t> all(features);
  whole.add(all);
  one.add(all.first(7000));
  other.add(all.subspan(7000));
  other.merge(one);
  REQUIRE(other.identity() == whole.identity());
  REQUIRE(other.counted() == features.size());
  REQUIRE(one.identity() != whole.identity());
  for (const std::uint64_t feature : features) {
    REQUIRE(whole[feature] >= std::count(features.begin(), features.begin() + 2000, feature));
  }
  for (int i = 0; i < 17; ++i) other.merge(neardup::feature_counts<>(other));
  REQUIRE(other[features[0]] == 65'535);
  other.add(all);
  REQUIRE(other[features[0]] == 65'535);
  REQUIRE_THROWS_AS(one.merge(neardup::feature_counts<>(9'000'000)), std::invalid_argument);
}

TEST_CASE("saved counts are read as they were, and only whole ones of the same width", "[sets][shuffle]") {
  using counts_type = neardup::feature_counts<>;
  counts_type counts(30'000);
  counts.add(std::vector<std::uint64_t>{1, 2, 3, 1ULL << 60});
  const std::vector<std::byte> bytes = counts.save();
  REQUIRE(counts_type::load(bytes).identity() == counts.identity());
  const counts_type mapped = counts_type::map(bytes);
  REQUIRE(mapped.identity() == counts.identity());
  REQUIRE(mapped[3] == counts[3]);
  REQUIRE(mapped.counted() == 4);
  counts_type copy = mapped;
  REQUIRE_THROWS_AS(copy.add(std::vector<std::uint64_t>{1}), std::logic_error);
  REQUIRE_THROWS_AS(copy.merge(counts), std::logic_error);
  copy = counts_type::load(bytes);
  copy.add(std::vector<std::uint64_t>{3});
  REQUIRE(copy[3] == counts[3] + 1);
  REQUIRE_THROWS_AS(neardup::feature_counts<std::uint32_t>::load(bytes), std::runtime_error);
  for (std::size_t byte = 0; byte < bytes.size(); byte += byte < 40 ? 1 : 97) {
    std::vector<std::byte> damaged = bytes;
    damaged[byte] ^= std::byte{1};
    CAPTURE(byte);
    REQUIRE_THROWS_AS(counts_type::load(damaged), std::runtime_error);
    REQUIRE_THROWS_AS(counts_type::map(damaged), std::runtime_error);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{39}, bytes.size() - 1}) {
    REQUIRE_THROWS_AS(counts_type::load(std::span(bytes).first(size)), std::runtime_error);
  }
}
