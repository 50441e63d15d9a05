// SPDX-License-Identifier: MIT
// Instantiates the templates of fingerprint/ for the library neardup::compiled. See detail/compiled.hpp.
#define NEARDUP_FINGERPRINT_TEMPLATE template

#include <neardup/fingerprint.hpp>
