// SPDX-License-Identifier: MIT
// Records whether the library was built with exceptions. detail/compiled.hpp has the reason.
#include <neardup/detail/compiled.hpp>

namespace neardup::inline v0::detail {

#if NEARDUP_EXCEPTIONS
const char library_with_exceptions = 0;
#else
const char library_without_exceptions = 0;
#endif

}  // namespace neardup::inline v0::detail
