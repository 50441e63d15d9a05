// SPDX-License-Identifier: MIT
// The compiled form of the library. If a program defines NEARDUP_COMPILED, it does not instantiate the templates that
// the library neardup::compiled contains.
//
// The headers are complete in both forms. So a program can also use types, widths and tokenizers that neardup::compiled
// does not contain. A header ends with its instantiations:
//
//   #if defined(NEARDUP_COMPILED)
//   NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<1, std::uint32_t, std::uint32_t>;
//   #endif
//
// In a program, these lines are declarations (extern template). In the sources in src/, NEARDUP_INDEX_TEMPLATE is
// defined as `template`, so the lines are definitions. A member with long code is defined outside of its class, because
// a member that is defined inside is inline, and compilers instantiate inline members despite the declaration.
//
// A long function that is not a template is only declared in such a program. The body of the function follows the
// class:
//
//   #if NEARDUP_BODIES
//   NEARDUP_INLINE void posting_lists::split() { … }
//   #endif
//
// Only src/bodies.cpp defines NEARDUP_BODIES, so only src/bodies.cpp contains these bodies.
#pragma once

#include "../error.hpp"

// NEARDUP_COMPILED may be undefined, empty, 0 or 1. Undefined and 0 stand for the header-only form; empty and 1 stand
// for the compiled form. The expression of the second #if is 2 if the definition is empty, and otherwise 0 - value.
#if defined(NEARDUP_COMPILED)
#if 1 - NEARDUP_COMPILED - 1 == 0
#undef NEARDUP_COMPILED
#endif
#endif

#if !defined(NEARDUP_COMPILED)
#define NEARDUP_BODIES 1
#define NEARDUP_INLINE inline
#elif defined(NEARDUP_BODIES)
#define NEARDUP_INLINE
#else
#define NEARDUP_BODIES 0
#endif

#if defined(NEARDUP_COMPILED)
namespace neardup::inline v0::detail {

// A program and the library must either both be built with exceptions, or both with -fno-exceptions. Otherwise there
// are two functions with the same name, one that throws and one that ends the program, and the linker keeps one of
// them. To prevent this, each unit refers to a symbol that only the matching library has, so the unit does not link
// with the other library. The linker's --gc-sections must not drop this reference. In ELF files, gnu::retain keeps the
// reference. Elsewhere, the program reads the symbol when it starts, so the linker keeps the reference.
#if defined(__ELF__) && __has_cpp_attribute(gnu::retain)
#define NEARDUP_NEEDS(library) [[gnu::used, gnu::retain]] inline const char* const needed_##library = &library;
#elif defined(__GNUC__)
#define NEARDUP_NEEDS(library) [[gnu::used]] inline const char needed_##library = library;
#else
#define NEARDUP_NEEDS(library)
#endif
#if NEARDUP_EXCEPTIONS
extern const char library_with_exceptions;
NEARDUP_NEEDS(library_with_exceptions)
#else
extern const char library_without_exceptions;
NEARDUP_NEEDS(library_without_exceptions)
#endif
#undef NEARDUP_NEEDS

}  // namespace neardup::inline v0::detail

#if !defined(NEARDUP_FINGERPRINT_TEMPLATE)
#define NEARDUP_FINGERPRINT_TEMPLATE extern template
#endif
#if !defined(NEARDUP_INDEX_TEMPLATE)
#define NEARDUP_INDEX_TEMPLATE extern template
#endif
#if !defined(NEARDUP_DEDUP_TEMPLATE)
#define NEARDUP_DEDUP_TEMPLATE extern template
#endif
#if !defined(NEARDUP_STORAGE_TEMPLATE)
#define NEARDUP_STORAGE_TEMPLATE extern template
#endif
#endif
