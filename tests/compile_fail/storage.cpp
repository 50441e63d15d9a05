// Files.
#include "case.hpp"

// A class that is derived from a part may behave differently, so files must not name it as that part.
// expect: no name is known for this part of a composition
// expect: this part inherits description\(\) from another part, whose name it must not take
// expect: composition_of takes a simhasher, a minwise_hasher or a feature_extractor itself, and nothing that is derived from one
// errors: 3
namespace composition_of_derived_parts {
struct own_idf : neardup::idf {
  using idf::idf;
  neardup::weight operator()(std::string_view /*token*/, std::uint64_t /*count*/) const { return {}; }
  RIGHT(std::string description() const { return "own_idf"; })
};
struct own_words {
  std::string description() const { return "own_words"; }
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text);
  }
};
struct other_words : own_words {
  RIGHT(std::string description() const { return "other_words"; })
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text.substr(1));
  }
};
struct derived_hasher : neardup::simhasher<neardup::words> {};
const auto weights = composition_of(neardup::simhasher{neardup::words{}, own_idf{neardup::idf_table{}}});
const auto tokens = composition_of(neardup::simhasher{other_words{}});
const auto whole = composition_of(RIGHT(neardup::simhasher<neardup::words>) WRONG(derived_hasher){});
}

// expect: an index of Bits bits holds simhash<Bits> or minwise<Bits>
namespace index_of_another_width {
using fingerprint = neardup::minwise<RIGHT(64) WRONG(32)>;
void look(const neardup::index_view<64, unsigned, unsigned, fingerprint>& view) { static_cast<void>(view.size()); }
}

// expect: no (matching|viable)|could not convert|no known conversion
namespace list_of_another_kind {
using fingerprint = neardup::RIGHT(minwise) WRONG(simhash)<64>;
void keep(const std::vector<neardup::fingerprint_list<64, neardup::minwise<64>>::value_type>& entries) {
  neardup::save_list<64, fingerprint>("list", entries, {.kind = neardup::fingerprint_kind::minwise});
}
}

// expect: load.. gives a pigeonhole_index, flat_index or frozen_index
// errors: 1
namespace load_guarded {
using kept = RIGHT(neardup::flat_index<64>) WRONG(neardup::guarded<neardup::flat_index<64>>);
void open() { static_cast<void>(neardup::load<kept>("index")); }
}

// expect: an index_view is not loaded, it looks into the file
// errors: 1
namespace load_index_view {
using view = neardup::index_view<64>;
auto open() { return RIGHT(view(neardup::mapped_file("index"))) WRONG(neardup::load<view>("index")); }
}

// expect: save.. writes a pigeonhole_index.*guarded.read
// errors: 1
namespace save_guarded {
const auto keep = [](const auto& index) { neardup::save("index", index, {}); };
void keep_all(const neardup::guarded<neardup::flat_index<64>>& index) { RIGHT(index.read(keep)) WRONG(keep(index)); }
}

// expect: save.. writes a pigeonhole_index.*of a class of your own, save the index that it keeps
// errors: 1
namespace save_what_hides_its_index {
struct kept : WRONG(private) neardup::flat_index<64> {
  using neardup::flat_index<64>::begin;
  using neardup::flat_index<64>::end;
};
void keep(const kept& index) { neardup::save("index", index, {}); }
}

// expect: an id that is saved has at most 255 bytes
// errors: 1
namespace saved_id_too_large {
using name = std::array<char, RIGHT(255) WRONG(256)>;
void keep(const neardup::flat_index<64, name>& index) { neardup::save("index", index, {}); }
}

// expect: ids that are saved are numbers, or structs without padding
// errors: 1
namespace saved_id_with_padding {
struct id {
  RIGHT(long long) WRONG(char) shard;
  long long number;
  friend auto operator<=>(const id&, const id&) = default;
};
void keep(const neardup::flat_index<64, id>& index) { neardup::save("index", index, {}); }
}

// expect: has a deduplicator or a stream_deduplicator in it: write durable_deduplicator{path, deduplicator{jaccard{0.8}}}
// errors: 2
namespace durable_of_a_threshold {
void open() {
  neardup::durable_deduplicator seen("seen",
                                     RIGHT(neardup::deduplicator{neardup::jaccard{0.8}}) WRONG(neardup::jaccard{0.8}));
  seen.add("a text", 1);
}
}

// expect: guarded goes around it: guarded<durable_deduplicator<...>>
// errors: 1
namespace durable_of_a_guarded_deduplicator {
using plain = neardup::RIGHT(deduplicator<>) WRONG(guarded<neardup::deduplicator<>>);
constexpr std::size_t size = sizeof(neardup::durable_deduplicator<plain>);
}

// expect: durable_deduplicator and guarded go around
namespace stream_of_a_durable_deduplicator {
using plain = RIGHT(neardup::deduplicator<>) WRONG(neardup::durable_deduplicator<neardup::deduplicator<>>);
constexpr std::size_t size = sizeof(neardup::stream_deduplicator<plain>);
}
