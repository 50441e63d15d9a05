// The compiled form: a program with NEARDUP_COMPILED defined does not instantiate what the library neardup::compiled has.
//
// The headers are complete in both forms, so types, widths and tokenizers that the library does not have compile as
// before. A header ends with its instantiations:
//
//   #if defined(NEARDUP_COMPILED)
//   NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<1, std::uint32_t, std::uint32_t>;
//   #endif
//
// They are declarations in a program; the sources in src/ define the macro of their part as `template`, which makes them
// definitions. A member with long code is defined outside of its class: a member inside is inline, and compilers
// instantiate it all the same.
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
