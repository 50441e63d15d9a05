// How much work a test does: all with NEARDUP_EXHAUSTIVE=1, much in a release build, little in debug builds and under
// sanitizers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEARDUP_TEST_IS_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define NEARDUP_TEST_IS_SLOW 1
#endif
#endif
#if !defined(NEARDUP_TEST_IS_SLOW) && defined(NDEBUG)
#define NEARDUP_TEST_IS_SLOW 0
#elif !defined(NEARDUP_TEST_IS_SLOW)
#define NEARDUP_TEST_IS_SLOW 1
#endif

namespace oracle {

/// True if the program tests only a sample of the types (CMake option NEARDUP_TEST_SAMPLE, which `./dev test` sets).
#if defined(NEARDUP_TEST_SAMPLE)
inline constexpr bool is_sample = true;
#else
inline constexpr bool is_sample = false;
#endif

/// In a sample, the type `InSample`, which other tests instantiate, too. Otherwise the type `Otherwise`.
template <class InSample, class Otherwise>
using sample_or = std::conditional_t<is_sample, InSample, Otherwise>;

/// Types of a TEMPLATE_TEST_CASE that a sample leaves out: TEMPLATE_TEST_CASE("…", "", int
/// NEARDUP_UNLESS_SAMPLE(char)).
#if defined(NEARDUP_TEST_SAMPLE)
#define NEARDUP_UNLESS_SAMPLE(...)
#else
#define NEARDUP_UNLESS_SAMPLE(...) , __VA_ARGS__
#endif

/// True in the debug mode of libstdc++, in which code takes ten times as long. There, effort() returns a third of
/// `sample`, which is enough: each operation of an iterator still occurs.
#if defined(_GLIBCXX_DEBUG)
inline constexpr bool is_debug_mode = true;
#else
inline constexpr bool is_debug_mode = false;
#endif

/// Calls `rest(0)`, but not in a sample. If `rest` is a generic lambda, [&](auto) { ... }, a sample does not compile
/// the templates that the lambda uses.
template <class Rest>
void unless_sample(const Rest& rest) {
  if constexpr (!is_sample) rest(0);
}

/// True if tests do more than a sample: in release builds, and with NEARDUP_EXHAUSTIVE=1 in the environment.
inline bool is_thorough() {
  const char* wanted = std::getenv("NEARDUP_EXHAUSTIVE");
  if (wanted != nullptr) return std::string_view(wanted) == "1";
  return NEARDUP_TEST_IS_SLOW == 0;
}

/// Returns `all` with NEARDUP_EXHAUSTIVE=1 in the environment, which `.ci/run --all` sets. Otherwise returns `most` in
/// release builds, a third of `sample` in debug mode, and `sample` in other builds.
inline std::size_t effort(std::size_t all, std::size_t most, std::size_t sample) {
  const char* wanted = std::getenv("NEARDUP_EXHAUSTIVE");
  if (wanted != nullptr && std::string_view(wanted) == "1") return all;
  if (is_thorough()) return most;
  return is_debug_mode ? sample / 3 + 1 : sample;
}

/// The same function, with the geometric mean of `all` and `sample` as `most`.
inline std::size_t effort(std::size_t all, std::size_t sample) {
  const double mean = std::sqrt(static_cast<double>(all) * static_cast<double>(sample));
  return effort(all, static_cast<std::size_t>(mean), sample);
}

}  // namespace oracle
