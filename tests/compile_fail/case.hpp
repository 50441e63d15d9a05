// Each case is compiled in two forms. The form that must compile contains the arguments of RIGHT(...), and the form
// that must be refused those of WRONG(...).
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
