// SPDX-License-Identifier: MIT
// The compiled form: if NEARDUP_COMPILED is defined, a program does not instantiate the templates that the library
// neardup::compiled contains.
//
// The headers are complete in both forms, so a program can still use types, widths and tokenizers that the library does
// not contain. A header ends with its instantiations:
//
//   #if defined(NEARDUP_COMPILED)
//   NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<1, std::uint32_t, std::uint32_t>;
//   #endif
//
// In a program these lines are declarations (extern template). The sources in src/ define the macro as `template`,
// which makes them definitions. A member with long code is defined outside of its class, because a member inside is
// inline, and compilers instantiate inline members despite the declaration.
//
// Long functions that are not templates are only declared in such a program. Their bodies follow their class:
//
//   #if NEARDUP_BODIES
//   NEARDUP_INLINE void posting_lists::split() { … }
//   #endif
//
// src/bodies.cpp defines NEARDUP_BODIES, and so contains them.
#pragma once

#include "../error.hpp"

// NEARDUP_COMPILED may be undefined, empty, 0 or 1. Undefined and 0 mean header-only; empty and 1 mean the compiled
// form. The expression is 2 if the definition is empty, and 0 - value otherwise.
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

// A program and the library must both be built with exceptions, or both with -fno-exceptions. Otherwise two functions
// of one name exist, one that throws and one that ends the program, and the linker keeps either. So each unit refers to
// a symbol of the library that it needs, and does not link with the other library. The linker's --gc-sections must not
// drop this reference. In ELF files gnu::retain keeps the reference. Elsewhere the program copies the reference when it
// starts, so the linker must keep it.
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
