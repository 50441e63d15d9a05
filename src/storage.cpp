// SPDX-License-Identifier: MIT
// The instantiations of storage/.
#define NEARDUP_STORAGE_TEMPLATE template

#include <neardup/storage.hpp>
