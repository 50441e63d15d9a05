// SPDX-License-Identifier: MIT
// Instantiates the templates of storage/ for the library neardup::compiled. See detail/compiled.hpp.
#define NEARDUP_STORAGE_TEMPLATE template

#include <neardup/storage.hpp>
