// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/storage/. These headers save objects of the library to files, and read these
// files.
#pragma once

#include "version.hpp"

#include "storage/band_key.hpp"
#include "storage/composition.hpp"
#include "storage/composition_of.hpp"
#include "storage/deduplicator_file.hpp"
#include "storage/durable_set_index.hpp"
#include "storage/file_lock.hpp"
#include "storage/fingerprint_list.hpp"
#include "storage/index_file.hpp"
#include "storage/index_view.hpp"
#include "storage/journal.hpp"
#include "storage/mapped_file.hpp"
#include "storage/set_index_file.hpp"
