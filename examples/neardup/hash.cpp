// `neardup hash`: the fingerprint of each document.
#include <neardup/storage/fingerprint_list.hpp>

#include "verbs.hpp"

namespace command {

namespace {

/// `neardup hash --format bin`: a list; the id of a document is its number in the input, that of a record stays.
template <std::size_t Bits>
void run_hash_to_list(context& c) {
  std::vector<neardup::list_entry<Bits>> entries;
  std::uint64_t number = 0;
  for_each_document(c, [&](const placed_document& d) {
    const std::uint64_t id = d.record_id.value_or(number);
    ++number;
    if (d.facts.has_tokens) entries.push_back({d.facts.fingerprint.as<Bits>(), id});
  });
  neardup::write_list<Bits>(entries, c.lists.made_of(), [&](std::string_view bytes) { c.out << bytes; });
  finish(c, "");
}

}  // namespace

void run_hash(context& c) {
  if (c.settings.shard) return run_hash_to_shard(c);
  if (c.settings.format == output_format::binary) {
    return with_bits(c.settings.bits, [&](auto bits) { run_hash_to_list<bits>(c); });
  }
  for_each_document(c, [&](const placed_document& d) {
    const std::string id = d.name();
    const std::string hex =
        with_bits(c.settings.bits, [&](auto width) { return d.facts.fingerprint.as<width>().to_hex(); });
    if (c.settings.format == output_format::json_lines) {
      c.out << "{\"id\":" << json_string(id) << ",\"fingerprint\":" << (d.facts.has_tokens ? '"' + hex + '"' : "null")
            << "}\n";
    } else {
      c.out << (d.facts.has_tokens ? hex : "-") << "  " << printable(id) << '\n';
    }
  });
  finish(c, "");
}

}  // namespace command
