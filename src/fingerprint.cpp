// SPDX-License-Identifier: MIT
// The instantiations of fingerprint/.
#define NEARDUP_FINGERPRINT_TEMPLATE template

#include <neardup/fingerprint.hpp>
