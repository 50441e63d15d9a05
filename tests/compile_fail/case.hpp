// The parts of a case in which its two forms differ: RIGHT(...) is compiled in the form that compiles, WRONG(...) in the
// form that is refused.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/dedup/describer.hpp>
#include <neardup/neardup.hpp>

#ifdef NEARDUP_COMPILES
#define RIGHT(...) __VA_ARGS__
#define WRONG(...)
#else
#define RIGHT(...)
#define WRONG(...) __VA_ARGS__
#endif
