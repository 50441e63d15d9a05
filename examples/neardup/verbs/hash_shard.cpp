#include "hash_shard.hpp"

#include <neardup/storage/fingerprint_list.hpp>

#include "../compare/check.hpp"

namespace command {

namespace {

/// Collects the documents of a shard. A document that equals an earlier document in all compared data has the same
/// near-duplicates. Such a document is registered as a copy, and is not in the list, so that many copies do not give
/// many pairs.
template <class Fingerprint>
void write_shard(context& c, std::uint64_t shard, bool keeps_features) {
  std::vector<Fingerprint> fingerprints;
  document_columns columns;
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    fingerprints.push_back(d.facts.fingerprint.as<Fingerprint>());
    columns.add(d.name(), d.facts.features);
  });

  const std::uint64_t count = fingerprints.size();
  std::vector<bool> is_copy(count, false);
  std::vector<copy_of_document> copies;
  if (keeps_features) {
    const auto first = first_of_equal(count, [&](std::uint64_t a, std::uint64_t b) {
      const auto by_fingerprint = fingerprints[a] <=> fingerprints[b];
      return by_fingerprint != 0 ? by_fingerprint : compare_features(columns.features_of(a), columns.features_of(b));
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      // With --check edit, a text without letters is not even similar to itself.
      is_copy[i] =
          first[i] != i && are_near_duplicates(c.settings.comparison, columns.features_of(i), columns.features_of(i));
      if (is_copy[i]) copies.push_back({i, first[i]});
    }
  }
  std::vector<neardup::list_entry<Fingerprint::bits, Fingerprint>> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!is_copy[i]) entries.push_back({fingerprints[i], id_of(shard, i)});
  }

  const auto made_of = composition_of_settings(c.settings.fingerprint);
  if (keeps_features) {
    std::string beginning;  // first bytes of the list; contain the checksum of its header
    neardup::write_list<Fingerprint::bits, Fingerprint>(entries, made_of, [&](std::string_view bytes) {
      if (beginning.empty()) beginning = bytes.substr(0, 64);
    });
    columns.drop_features(is_copy);
    named_values settings = named_comparison(c.settings.fingerprint, c.settings.comparison);
    settings["shard"] = std::to_string(shard);
    settings["list"] = std::to_string(parse_header(beginning).value().checksum);
    auto parts = columns.bytes();
    parts.push_back(std::as_bytes(std::span(copies)));
    save_parts(features_path(c.settings.output.file), Fingerprint::bits, count, made_of, settings, std::move(parts));
  }
  // The list is written last: if it exists, the shard is complete.
  save_whole(c.settings.output.file, [&](const std::string& file) {
    neardup::save_list<Fingerprint::bits, Fingerprint>(file, entries, made_of);
  });
  finish(c, " in shard " + std::to_string(shard));
}

}  // namespace

void hash_to_shard(context& c, std::uint64_t shard, bool keeps_features) {
  with_fingerprint(c.settings.fingerprint.bits, c.settings.fingerprint.kind,
                   [&]<class Fingerprint>(Fingerprint) { write_shard<Fingerprint>(c, shard, keeps_features); });
}

}  // namespace command
