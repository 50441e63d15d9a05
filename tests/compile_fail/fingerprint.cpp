// Fingerprints and their parts.
#include "case.hpp"

// expect: a fingerprint has at least 16 bits
namespace width_below_16 {
bool value() { return neardup::simhash<RIGHT(16) WRONG(8)>().test(0); }
}

// expect: the width of a fingerprint is a whole number of bytes
namespace width_of_no_whole_bytes {
bool value() { return neardup::simhash<RIGHT(24) WRONG(20)>().test(0); }
}

// A number does not convert to a fingerprint implicitly, so an id in the place of a fingerprint does not compile.
// expect: (conversion from .* to non-scalar type|no viable conversion)
namespace fingerprint_from_a_number {
const std::uint64_t id = 7;
const neardup::simhash<64> fingerprint RIGHT((id)) WRONG(= id);
}

// expect: no matching function for call to
namespace distance_of_two_widths {
int value() { return hamming_distance(neardup::simhash<64>(), neardup::simhash<RIGHT(64) WRONG(128)>()); }
}

// expect: no matching function for call to
namespace distance_of_two_kinds {
int value() {
  return hamming_distance(RIGHT(neardup::minwise<64>) WRONG(neardup::simhash<64>)(), neardup::minwise<64>());
}
}

// Accumulators refuse counted tokens: if two accumulators were merged, both would have counted from 1.
// expect: counts within one text
// errors: 1
namespace accumulator_of_counted_tokens {
using tokens = RIGHT(neardup::words) WRONG(neardup::counted<neardup::words>);
void add(neardup::accumulator<64>& sums) {
  neardup::simhasher{neardup::shingles{2, tokens{}}, neardup::tf{}}.add_to(sums, "text");
}
}

// Accumulators refuse weighters of distinct tokens: if two texts share tokens, their accumulators cannot be merged.
// Bags can.
// expect: only a weighter that weighs each occurrence by itself, as tf and tf_idf do, adds to an accumulator
// errors: 1
namespace accumulator_of_distinct_tokens {
void add(neardup::accumulator<64>& sums) {
  neardup::simhasher{neardup::words{}, neardup::RIGHT(tf) WRONG(unit){}}.add_to(sums, "text");
}
}

// Bags refuse counted tokens: if two bags were merged, both would have counted from 1.
// expect: counts within one text
// errors: 1
namespace bag_of_counted_tokens {
using tokens = RIGHT(neardup::words) WRONG(neardup::counted<neardup::words>);
bool is_empty() { return neardup::simhasher{neardup::normalised{tokens{}}}.bag("text").empty(); }
}

// Sketches refuse counted tokens: if two sketches were merged, both would have counted from 1.
// expect: counts within one text
// errors: 1
namespace sketch_of_counted_tokens {
using tokens = RIGHT(neardup::words) WRONG(neardup::counted<neardup::words>);
auto sketch() { return neardup::minwise_hasher{tokens{}}.sketch("text").result(); }
}

// A callable that takes only a text is no tokenizer.
// expect: the first part is a tokenizer
// errors: 1
namespace tokenizer_without_sink {
const auto lines = [](std::string_view text RIGHT(, auto&& sink)) { RIGHT(sink)(text); };
auto fingerprint() { return neardup::simhasher{lines}("text"); }
}

// In a hasher, the tokenizer is the first part. In shingles, it is the second part, after the number.
// expect: the first part is a tokenizer
// expect: write shingles{2, words{}}
// errors: 3
namespace swapped_parts {
using namespace neardup;
const simhasher hash{RIGHT(words{}, unit{}) WRONG(unit{}, words{})};
const shingles pairs{RIGHT(2, words{}) WRONG(words{}, 2)};
auto fingerprint() { return hash("text"); }
}

// Each wrapper names the part that it needs. In the wrong form, it gets a part of another kind.
// expect: shingles{n, tokenizer} needs a tokenizer, such as words{}
// expect: folded{tokenizer}, normalised{tokenizer} and their like need a tokenizer
// expect: without{list, tokenizer} needs a tokenizer
// expect: longest{n, tokenizer} needs a tokenizer
// expect: keywords{n, tokenizer, table} needs a tokenizer
// expect: levels{n, weighter} needs a weighter, such as tf{}
// expect: top{n, weighter} needs a weighter, such as tf{}
// errors: 7
namespace wrappers_around_the_wrong_part {
using neardup::words;
using tokenizer_within = RIGHT(words) WRONG(neardup::simhasher<words>);
using weighter_within = RIGHT(neardup::tf) WRONG(words);
const neardup::shingles pairs{2, tokenizer_within{}};
const neardup::masked masks{tokenizer_within{}};
const neardup::without kept{neardup::stop_words(), tokenizer_within{}};
const neardup::longest three{3, tokenizer_within{}};
const neardup::levels steps{3, weighter_within{}};
const neardup::top heaviest{3, weighter_within{}};
const neardup::keywords best{3, tokenizer_within{}, neardup::idf_table{}};
}

// A weighter that inherits one form of weighing and adds another is ambiguous.
// expect: this weighter has several forms, one of which it may inherit
// errors: 1
namespace weighter_of_two_forms {
struct at_most_three WRONG( : neardup::tf) {
  double operator()(std::uint64_t count) const { return count < 3 ? static_cast<double>(count) : 3; }
};
auto fingerprint() { return neardup::simhasher{neardup::words{}, at_most_three{}}("text"); }
}

// expect: the second part is a weighter
// errors: 1
namespace weighter_that_gives_no_number {
const auto weigh = [](std::uint64_t) { return RIGHT(2) WRONG("heavy"); };
auto fingerprint() { return neardup::simhasher{neardup::words{}, weigh}("text"); }
}

// A hash is an unsigned number.
// expect: the third part is a hasher
// errors: 1
namespace hasher_of_signed_numbers {
const auto length = [](std::string_view token) { return static_cast<RIGHT(unsigned) WRONG(int)>(token.size()); };
auto fingerprint() { return neardup::make_simhasher<32>(neardup::words{}, neardup::unit{}, length)("text"); }
}

// A hash of 128 bits is too short for a fingerprint of 256 bits.
// expect: the hasher is narrower than the fingerprint
// errors: 1
namespace hasher_of_half_the_width {
const auto hash =
    neardup::make_simhasher<RIGHT(128) WRONG(256)>(neardup::words{}, neardup::unit{}, neardup::xxh3<128>{});
auto fingerprint() { return hash("text"); }
}

// A user's hash of 32 bits is too short for a fingerprint of 64 bits.
// expect: the hasher is narrower than the fingerprint
// errors: 1
namespace user_hasher_too_narrow {
const auto first = [](std::string_view token) { return static_cast<std::uint32_t>(token[0]); };
auto fingerprint() {
  return neardup::make_simhasher<RIGHT(32) WRONG(64)>(neardup::words{}, neardup::unit{}, first)("text");
}
}

// A stream needs a tokenizer with the member `cut`. A callable without this member takes whole texts only.
// expect: this tokenizer takes whole texts; give it a member `std::size_t cut
// errors: 1
namespace stream_of_a_whole_text_tokenizer {
const neardup::simhasher hash{[](std::string_view text, auto&& sink) { sink(text); }};
auto fingerprint() {
  RIGHT(return hash("text");)
  WRONG(neardup::text_stream stream{hash}; stream.feed("text"); return stream.finish();)
}
}

// A stream of a derived part would give the tokens or the fingerprints of the base class.
// expect: this tokenizer takes whole texts; give it a member `std::size_t cut
// expect: text_stream takes a simhasher or a minwise_hasher itself
// errors: 2
namespace stream_of_derived_parts {
struct derived_words : neardup::normalised<neardup::words> {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text);
  }
};
struct derived_hasher : neardup::simhasher<neardup::words> {};
void feed() {
  neardup::text_stream tokens{neardup::simhasher{RIGHT(neardup::normalised<neardup::words>) WRONG(derived_words){}}};
  neardup::text_stream whole{RIGHT(neardup::simhasher<neardup::words>) WRONG(derived_hasher){}};
  tokens.feed("text");
  whole.feed("text");
}
}

// One pool lacks a member of a runner, another has a member that is not const. The message names both members.
// expect: a runner has two const members: parts\(\), .* and operator\(\)\(parts, work\)
// errors: 3
namespace runner_of_one_member {
using work_type = std::function<void(std::size_t)>;
struct without_parts {
  RIGHT(std::size_t parts() const { return 1; })
  void operator()(std::size_t, const work_type& work) const { work(0); }
};
struct without_call {
  std::size_t parts() const { return 1; }
  RIGHT(void operator()(std::size_t, const work_type& work) const { work(0); })
};
struct without_const {
  std::size_t parts() RIGHT(const) { return 1; }
  void operator()(std::size_t, const work_type& work) RIGHT(const) { work(0); }
};
const neardup::any_runner a = without_parts{}, b = without_call{}, c = without_const{};
}
