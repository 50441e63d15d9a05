// SPDX-License-Identifier: MIT
// Includes all public headers of neardup, which finds near-duplicate texts by fingerprints and exact searches. Two
// modules are not included: repeated parts (dedup/parts/repeated_parts.hpp) and Chinese words
// (text/chinese/chinese_words.hpp).
#pragma once

#include "version.hpp"

#include "dedup.hpp"
#include "edits.hpp"
#include "error.hpp"
#include "fingerprint.hpp"
#include "guarded.hpp"
#include "ids.hpp"
#include "index.hpp"
#include "instruction_set.hpp"
#include "partition_store.hpp"
#include "passages.hpp"
#include "runner.hpp"
#include "sets.hpp"
#include "simhash.hpp"
#include "storage.hpp"
#include "text.hpp"
#include "threads.hpp"
#include "threshold.hpp"
