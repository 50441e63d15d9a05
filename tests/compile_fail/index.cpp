// Indexes and joins of fingerprints.
#include "case.hpp"

// expect: K, the largest search distance, must not be negative
namespace index_k_negative {
neardup::pigeonhole_index<64, RIGHT(0) WRONG(-1), 4> wrong;
}

// expect: K must be smaller than Bits
namespace index_k_reaches_bits {
neardup::pigeonhole_index<64, RIGHT(63) WRONG(64), 4> wrong;
}

// expect: Blocks must be at least 1
namespace index_no_blocks {
neardup::pigeonhole_index<64, 3, RIGHT(1) WRONG(0)> wrong;
}

// expect: Blocks must not exceed Bits
namespace index_more_blocks_than_bits {
neardup::pigeonhole_index<16, 0, RIGHT(16) WRONG(17)> wrong;
}

// expect: more than 256 tables
namespace index_too_many_tables {
neardup::pigeonhole_index<64, 4, RIGHT(10) WRONG(11)> wrong;
}

// expect: K, the largest search distance, must not be negative
namespace index_half_dynamic {
neardup::pigeonhole_index<64, neardup::dynamic_layout WRONG(, 4)> wrong RIGHT((3, 4));
}

// expect: an Id must be .*not be a floating-point number
namespace index_id_floating {
neardup::flat_index<64, RIGHT(long) WRONG(double)> wrong;
}

// expect: an Id must be trivially copyable.*number them
namespace index_id_string {
neardup::pigeonhole_index<64, 3, 4, RIGHT(char) WRONG(std::string)> wrong;
}

// expect: an Id must be .*ordered: write
namespace index_id_without_order {
struct document {
  int number;
  RIGHT(auto operator<=>) WRONG(bool operator==)(const document&) const = default;
};
neardup::pigeonhole_index<64, 3, 4, document> wrong;
}

// expect: Offset numbers the stored fingerprints; write an unsigned integer
namespace index_offset_signed {
neardup::pigeonhole_index<64, 3, 4, int, RIGHT(unsigned) WRONG(int)> wrong;
}

// expect: no match for|no viable|invalid operands
namespace index_layouts_do_not_mix {
bool same(const neardup::pigeonhole_index<64>& a, const neardup::pigeonhole_index<64, 3, RIGHT(4) WRONG(5)>& b) {
  return a == b;
}
}

// expect: no match for|no viable|invalid operands
namespace index_dynamic_and_fixed_do_not_mix {
using dynamic = neardup::pigeonhole_index<64, neardup::dynamic_layout>;
bool same(const dynamic& a, const RIGHT(dynamic) WRONG(neardup::pigeonhole_index<64>) & b) { return a == b; }
}

// expect: no (matching|viable)|cannot convert|could not convert|no known conversion
namespace index_other_kind {
bool look(const neardup::pigeonhole_index_of<neardup::minwise<64>>& index) {
  return index.contains(RIGHT(neardup::minwise<64>) WRONG(neardup::simhash<64>)());
}
}

// expect: no (matching|viable)|cannot convert|could not convert|no known conversion
namespace index_other_width {
bool look(const neardup::pigeonhole_index<64>& index) {
  return index.contains(neardup::simhash<RIGHT(64) WRONG(128)>());
}
}

// expect: a visitor returns nothing .it sees everything. or bool
namespace index_visitor_result {
void look(const neardup::pigeonhole_index<64>& index) {
  index.for_each_match(neardup::simhash<64>(), 3, [](const auto&) { return RIGHT(true) WRONG(1); });
}
}

// expect: this index has no layout .* write freeze.index, k, blocks
// errors: 1
namespace freeze_without_a_layout {
auto frozen(const neardup::flat_index<64>& index) { return neardup::freeze(index RIGHT(, 3, 4)); }
}

// expect: positions are ids only of an integer type
// errors: 1
namespace frozen_positions_of_characters {
neardup::frozen_index<64, RIGHT(signed) char> freeze(const std::vector<neardup::simhash<64>>& all) {
  return {3, 4, all};
}
}

// expect: positions are numbered with an integer type such as std::uint32_t
// errors: 1
namespace pairs_of_boolean_positions {
auto pairs_of(const std::vector<neardup::simhash<64>>& all) {
  return neardup::pairs<RIGHT(short) WRONG(bool)>(all, neardup::bits{3});
}
}

// expect: fingerprints are compared by a whole number of bits: write bits
namespace bits_of_a_fraction {
neardup::bits within() { return neardup::bits(RIGHT(3) WRONG(3.7)); }
}

// A bare number does not say what is compared. If it were taken for bits, 0.8 would become 0 bits.
// expect: compared by a number of bits: write bits\{3} for copies.*bits{distance_for\(64, 0.8\)}.*Verify
// errors: 6
namespace fingerprints_within_a_number {
constexpr RIGHT(neardup::bits) WRONG(int) within = 3;
constexpr RIGHT(neardup::bits) WRONG(double) wide = 8;
constexpr RIGHT(neardup::bits similar = 14) WRONG(neardup::jaccard similar{0.8});
using prints = std::vector<neardup::simhash<64>>;
auto pairs_of(const prints& all) { return neardup::pairs(all, within); }
auto across(const prints& all) { return neardup::pairs(all, all, wide); }
auto labels(const prints& all) { return neardup::cluster(all, wide); }
auto groups(const prints& all) { return neardup::group(all, wide, {.run = neardup::threads{2}}); }
auto alike(const prints& all) { return neardup::group(all, similar); }
auto more(const prints& all) { return neardup::extend_groups(all, all, within); }
}

// A similarity in the place of a number of bits.
// expect: fingerprints are compared by a whole number of bits: write bits
// errors: 9
namespace similarity_where_bits_belong {
constexpr RIGHT(neardup::bits least = 3) WRONG(double least = 0.8);
constexpr RIGHT(neardup::bits other = 3) WRONG(neardup::jaccard other{0.8});
constexpr RIGHT(int number = 3) WRONG(float number = 0.8F);
auto found(const neardup::pigeonhole_index<64>& index, const neardup::simhash<64>& query) {
  return index.search(query, number).size() + index.search(query, other).size();
}
neardup::fingerprint_deduplicator dedup{neardup::simhasher{neardup::words{}}, least};
auto named = neardup::make_fingerprint_deduplicator<std::string>(neardup::simhasher{neardup::words{}}, number);
neardup::pigeonhole_index<64, neardup::dynamic_layout> index_within(least);
bool are_near() { return neardup::near_duplicates("a text", "a text", number); }
}
