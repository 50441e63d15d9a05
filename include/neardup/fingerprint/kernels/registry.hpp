// SPDX-License-Identifier: MIT
// All token kernels, one header per family of tokenizers. Include this header to hash the tokens of an arbitrary
// tokenizer: then all translation units use the same specialisations.
#pragma once

#include "byte_kernel.hpp"
#include "canonical_kernel.hpp"
#include "code_point_kernel.hpp"
#include "rewritten_kernel.hpp"
#include "word_kernel.hpp"
