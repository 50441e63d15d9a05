// The kernels: a header for each family of tokenizers that has a fast path. Whoever hashes the tokens of any tokenizer
// includes this one, so that all of a program take the same path.
#pragma once

#include "byte_kernel.hpp"
#include "canonical_kernel.hpp"
#include "code_point_kernel.hpp"
#include "rewritten_kernel.hpp"
#include "word_kernel.hpp"
