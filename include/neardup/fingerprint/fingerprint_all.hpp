// SPDX-License-Identifier: MIT
// Computes the fingerprints of many texts on several threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "../runner.hpp"

namespace neardup::inline v0 {

/// Computes the fingerprints of many texts: result[i] is hash(texts[i]).
///
/// `texts` has size(), and texts[i] converts to std::string_view, as in a vector, a deque or a span. The runner `run`
/// spreads the work over threads: neardup::threads, or a runner of your own. The default is the calling thread only.
/// The result is the same for every runner. Each thread has one workspace, and takes a few texts at a time. So all
/// threads end at about the same time, whatever the lengths of the texts.
/// Throws: the exception of `hash` for the first text for which it throws.
/// Example: `auto fingerprints = fingerprint_all(hash, texts, threads{8});`
template <class Simhasher, class Texts>
[[nodiscard]] std::vector<std::optional<typename Simhasher::fingerprint_type>> fingerprint_all(
    const Simhasher& hash, const Texts& texts, const any_runner& run = {}) {
  static_assert(std::convertible_to<decltype(texts[std::size_t{0}]), std::string_view>,
                "neardup: texts[i] must convert to std::string_view");
  const std::size_t count = texts.size();
  const std::size_t wanted = run.parts();
  // A thread takes up to 16 texts at a time, and fewer if there are few texts.
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
