// All token kernels, one header per family of tokenizers. Include this header to hash the tokens of an arbitrary
// tokenizer, so that all translation units take the same path.
#pragma once

#include "byte_kernel.hpp"
#include "canonical_kernel.hpp"
#include "code_point_kernel.hpp"
#include "rewritten_kernel.hpp"
#include "word_kernel.hpp"
