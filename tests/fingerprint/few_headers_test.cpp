// This file includes only the headers of the tokenizers that it names. tests/CMakeLists.txt compiles it apart from other
// files, and without a precompiled header. all_headers_test.cpp compares.
#include "few_headers.hpp"

#include <vector>

#include <neardup/text/ngrams.hpp>
#include <neardup/text/shingles.hpp>
#include <neardup/text/words.hpp>

namespace {

struct this_unit {};

}  // namespace

std::vector<few_headers::trace> few_headers::by_few_headers() {
  using namespace neardup;
  return {trace_of<this_unit>(words{}), trace_of<this_unit>(shingles{2, words{}}), trace_of<this_unit>(byte_ngrams{4}),
          trace_of<this_unit>(shingles{2, byte_ngrams{4}}), trace_of<this_unit>(code_point_ngrams{3})};
}
