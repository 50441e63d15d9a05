// The fingerprints of many texts, on as many threads as one likes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "../runner.hpp"

namespace neardup::inline v0 {

/// The fingerprints of many texts, in their order: result[i] is hash(texts[i]).
///
/// `texts` has size(), and texts[i] converts to std::string_view: a vector, a deque, a span. `run` is how the work is
/// spread: neardup::threads, or a runner of the caller's; without one, all is done on the caller's thread. The result
/// does not depend on it. Each part has one workspace; texts are taken a few at a time, so that parts end together
/// whatever the lengths. Throws: what hash throws for the first text that fails.
/// Example: `auto fingerprints = fingerprint_all(hash, texts, threads{8});`
template <class Simhasher, class Texts>
[[nodiscard]] std::vector<std::optional<typename Simhasher::fingerprint_type>> fingerprint_all(
    const Simhasher& hash, const Texts& texts, const any_runner& run = {}) {
  static_assert(std::convertible_to<decltype(texts[std::size_t{0}]), std::string_view>,
                "neardup: texts[i] must convert to std::string_view");
  const std::size_t count = texts.size();
  const std::size_t wanted = run.parts();
  // Few at a time, and each by itself where there are few in all, so that no part waits long for the last one.
  const std::size_t step = (std::min)(std::size_t{16}, count / wanted / 4 + 1);
  const std::size_t parts = (std::min)(wanted, (count + step - 1) / step);
  std::vector<std::optional<typename Simhasher::fingerprint_type>> result(count);
  std::vector<typename Simhasher::workspace> scratch(parts);
  detail::in_steps(run, parts, count, step, [&](std::size_t part, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) result[i] = hash(std::string_view(texts[i]), scratch[part]);
    return true;
  });
  return result;
}

}  // namespace neardup::inline v0
