// SPDX-License-Identifier: MIT
// Compiles the kernel NEARDUP_KERNEL, an .inl file, once for each machine: within the namespace and the region of the
// machine. A kernel calls what the header of the machine has, such as avx2.hpp, by the same names for each machine.
// NEARDUP_FORM is the machine: a kernel may have another body for one machine, or none.
//
// A kernel is a class of static functions, such as filter_kernels, and the declaration of a function that names it,
// filter_kernels_of(form). Nothing calls this function: it has the type of the forms in decltype(). A machine without
// a body takes the kernel of the machine that its `form` derives from.
//
// This header is included several times, so it has no #pragma once.
#ifdef NEARDUP_KERNEL

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
