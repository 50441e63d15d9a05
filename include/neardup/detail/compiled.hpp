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
#pragma once

#if defined(NEARDUP_COMPILED)
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
