// A pool that lacks a member of a runner, or has one that is not const: one sentence names both.
// expect: a runner has two const members: parts\(\), .* and operator\(\)\(parts, work\)
// errors: 3
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <neardup/fingerprint.hpp>

#ifdef NEARDUP_COMPILES
#define CONST const
#else
#define CONST
#endif

struct without_parts {
#ifdef NEARDUP_COMPILES
  std::size_t parts() const { return 1; }
#endif
  void operator()(std::size_t parts, const std::function<void(std::size_t)>& work) const {
    for (std::size_t part = 0; part < parts; ++part) work(part);
  }
};

struct without_call {
  std::size_t parts() const { return 1; }
#ifdef NEARDUP_COMPILES
  void operator()(std::size_t, const std::function<void(std::size_t)>& work) const { work(0); }
#endif
};

struct without_const {
  std::size_t parts() CONST { return 1; }
  void operator()(std::size_t, const std::function<void(std::size_t)>& work) CONST { work(0); }
};

int main() {
  const neardup::any_runner a = without_parts{};
  const neardup::any_runner b = without_call{};
  const neardup::any_runner c = without_const{};
  return a.parts() == b.parts() && b.parts() == c.parts() ? 0 : 1;
}
