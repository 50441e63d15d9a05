// SPDX-License-Identifier: MIT
// Compiles the kernel NEARDUP_KERNEL, an .inl file, once for each instruction set, in the namespace and the region of
// that instruction set. Each instruction set has a header, such as avx2.hpp. These headers have functions with the same
// names, which the kernel calls. NEARDUP_FORM is the instruction set. With NEARDUP_FORM, a kernel may have a different
// body for one instruction set, or no body.
//
// A kernel is a class of static functions, such as filter_kernels, and the declaration of the function
// filter_kernels_of(form), whose result is the class. The function is never called; it is used in decltype(). If an
// instruction set has no body, it uses the kernel of the instruction set from which its `form` derives.
//
// This header is included several times, so it has no #pragma once.
#ifdef NEARDUP_KERNEL

#include "avx2.hpp"
#include "avx512.hpp"
#include "neon.hpp"
#include "portable.hpp"

#define NEARDUP_FORM NEARDUP_PORTABLE
namespace neardup::inline v0::detail::portable {
#include NEARDUP_KERNEL
}  // namespace neardup::inline v0::detail::portable
#undef NEARDUP_FORM

#if NEARDUP_BASELINE_KERNELS
#define NEARDUP_FORM NEARDUP_BASELINE
namespace neardup::inline v0::detail::baseline {
#include NEARDUP_KERNEL
}  // namespace neardup::inline v0::detail::baseline
#undef NEARDUP_FORM
#endif

#if NEARDUP_X86_KERNELS
#define NEARDUP_FORM NEARDUP_AVX2
NEARDUP_AVX2_BEGIN
namespace neardup::inline v0::detail::avx2 {
void region();  // a region must have a function, or clang warns
#include NEARDUP_KERNEL
}  // namespace neardup::inline v0::detail::avx2
NEARDUP_END
#undef NEARDUP_FORM
#define NEARDUP_FORM NEARDUP_AVX512
NEARDUP_AVX512_BEGIN
namespace neardup::inline v0::detail::avx512 {
void region();
#include NEARDUP_KERNEL
}  // namespace neardup::inline v0::detail::avx512
NEARDUP_END
#undef NEARDUP_FORM
#endif

#if NEARDUP_NEON_KERNELS
#define NEARDUP_FORM NEARDUP_NEON
namespace neardup::inline v0::detail::neon {
#include NEARDUP_KERNEL
}  // namespace neardup::inline v0::detail::neon
#undef NEARDUP_FORM
#endif

#undef NEARDUP_KERNEL
#endif
