// Compares a translation unit that includes few headers with one that includes all headers. Both must read texts in the
// same way. If they did not, the linker would mix functions that expect readers of different layouts, and hashes could
// be wrong.
#include <cstddef>
#include <vector>

#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>

#include "catch.hpp"
#include "few_headers.hpp"

namespace {

struct this_unit {};

}  // namespace

TEST_CASE("a unit with few headers reads texts as one with all headers does", "[two units]") {
  using namespace neardup;
  using few_headers::trace_of;
  const std::vector<few_headers::trace> all = {
      trace_of<this_unit>(words{}), trace_of<this_unit>(shingles{2, words{}}), trace_of<this_unit>(byte_ngrams{4}),
      trace_of<this_unit>(shingles{2, byte_ngrams{4}}), trace_of<this_unit>(code_point_ngrams{3})};
  const std::vector<few_headers::trace> few = few_headers::by_few_headers();
  REQUIRE(few.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(few[i] == all[i]);
  }
  // The fast paths are used.
  CHECK(all[0].joins_words);
  CHECK(all[1].joins_words);
  CHECK(all[2].gives_windows);
}
