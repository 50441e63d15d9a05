// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/fingerprint/: from tokens to simhash<Bits> or minwise<Bits>.
#pragma once

#include "version.hpp"

#include "fingerprint/accumulator.hpp"
#include "fingerprint/any_tokenizer.hpp"
#include "fingerprint/default_features.hpp"
#include "fingerprint/defaults.hpp"
#include "fingerprint/feature_bag.hpp"
#include "fingerprint/feature_extractor.hpp"
#include "fingerprint/hashers.hpp"
#include "fingerprint/idf.hpp"
#include "fingerprint/idf_table.hpp"
#include "fingerprint/keywords.hpp"
#include "fingerprint/minwise_hasher.hpp"
#include "fingerprint/simhasher.hpp"
#include "fingerprint/text_stream.hpp"
#include "fingerprint/weighters.hpp"
