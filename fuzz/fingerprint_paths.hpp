// Every way to compute a fingerprint gives the same one, which is that of the oracle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>

#include "chunks.hpp"
#include "composition.hpp"
#include "oracle/fingerprint.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace fuzz {

/// Whether a text is compared with the oracle, which is slow by design.
inline bool oracle_is_asked(const input& in) { return in.text.size() <= 1024 && oracle_knows(in); }

template <class Composition>
std::string check_paths(const input& in) {
  const auto hash = Composition::make(in);
  using simhasher = std::remove_const_t<decltype(hash)>;
  const support::exact_copy text(in.text);
  const std::string_view other = "Another text, \u4e2d\u6587\xff, before or beside this one. Another text.";

  std::string differing;
  const auto require = [&](bool same, std::string_view path) {
    if (!same) differing.append(differing.empty() ? "" : ", ").append(path);
  };

  // The bag processes token by token, without kernels; the other ways are compared with it.
  const auto bag = hash.bag(text);
  const auto expected = hash(bag);
  std::vector<typename simhasher::hash_type> features;
  bag.for_each([&](const auto& token_hash, std::string_view, std::uint64_t) { features.push_back(token_hash); });
  std::sort(features.begin(), features.end());

  if (oracle_is_asked(in)) {
    require(oracle::digits(expected) == expected_fingerprint(in, Composition::bits), "oracle");
  }

  std::vector<neardup::instruction_set> levels = support::instruction_sets();
  if (const std::size_t one = in.instruction_set(); one != 0) levels = {levels[one % levels.size()]};
  for (const neardup::instruction_set level : levels) {
    const support::forced_instruction_set forced(level);
    const std::string suffix = " (" + std::string(to_string(level)) + ")";
    require(hash(text) == expected, "whole text" + suffix);
    require(hash.features(text) == features, "features" + suffix);

    typename simhasher::workspace workspace;
    (void)hash(other, workspace);
    require(hash(text, workspace) == expected, "used workspace" + suffix);
    require(hash(text, workspace) == expected, "workspace used for this text" + suffix);
    require(hash(bag, workspace) == expected, "bag in a workspace" + suffix);

    neardup::text_stream stream{hash};
    const auto stream_all = [&] {
      for_each_chunk(in.text, in.chunk_sizes(),
                     [&](std::string_view chunk) { stream.feed(support::exact_copy(chunk)); });
      return stream.finish();
    };
    require(stream_all() == expected, "stream" + suffix);
    stream.feed(other);
    stream.reset();
    require(stream_all() == expected, "stream after a reset" + suffix);
  }

  auto merged = hash.bag(other);
  hash.add_to(merged, text);
  merged.subtract(hash.bag(other));
  require(merged == bag && hash(merged) == expected, "bag merged and subtracted");

  if constexpr (neardup::detail::linear_weighter<decltype(simhasher::weighter)>) {
    neardup::accumulator<Composition::bits> sums;
    hash.add_to(sums, text);
    require(sums.result() == expected, "accumulator");
    auto merged_sums = sums;
    hash.add_to(merged_sums, other);
    neardup::accumulator<Composition::bits> others;
    hash.add_to(others, other);
    merged_sums.subtract(others);
    require(merged_sums == sums, "accumulator merged and subtracted");
  }
  return differing;
}

/// Names the ways whose fingerprint differs from the others, followed by the input in hexadecimal; empty if none does.
inline std::string difference_of_paths(std::string_view bytes) {
  const input in(bytes);
  std::string differing;
  visit_composition(in, [&](auto chosen) { differing = check_paths<decltype(chosen)>(in); });
  if (differing.empty()) return {};
  return describe(in) + "\ndiffers: " + differing + "\ninput: " + hex(bytes) + "\n";
}

}  // namespace fuzz
