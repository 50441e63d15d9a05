// Fingerprints of both kinds are printed as their digits, by an opt-in header.
#include <sstream>

#include <neardup/ostream.hpp>
#include <neardup/simhash.hpp>

#include "catch.hpp"

TEST_CASE("fingerprints are printed as to_hex() writes them", "[simhash]") {
  std::ostringstream out;
  out << neardup::simhash<64>(0x123456789abcdef0U) << ' ' << neardup::minwise<16>(0xabcU) << ' '
      << neardup::simhash<128>({1, 2});
  CHECK(out.str() == "123456789abcdef0 0abc 00000000000000020000000000000001");
}
