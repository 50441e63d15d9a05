// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/text/: from texts to tokens.
#pragma once

#include "version.hpp"

#include "text/agreeing.hpp"
#include "text/canonical.hpp"
#include "text/code.hpp"
#include "text/counted.hpp"
#include "text/feature_choice.hpp"
#include "text/mask.hpp"
#include "text/ngrams.hpp"
#include "text/normalise.hpp"
#include "text/sentences.hpp"
#include "text/shingles.hpp"
#include "text/stop_words.hpp"
#include "text/tokenizer.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"
#include "text/words.hpp"
