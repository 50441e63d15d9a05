// What tasks on many machines hand each other: shards, what is kept beside them, and pairs of documents between them
// (docs/many-machines.md).
#pragma once

#include <memory>
#include <neardup/storage/attachment_file.hpp>
#include <neardup/storage/composition.hpp>

#include "../describe/settings.hpp"
#include "stored_documents.hpp"

namespace command {

/// An id is the number of a shard and, in its lowest 40 bits, that of a record.
inline constexpr int record_bits = 40;
inline constexpr std::uint64_t max_shard = (std::uint64_t{1} << (64 - record_bits)) - 1;

constexpr std::uint64_t shard_of(std::uint64_t id) { return id >> record_bits; }
constexpr std::uint64_t record_of(std::uint64_t id) { return id & ((std::uint64_t{1} << record_bits) - 1); }
constexpr std::uint64_t id_of(std::uint64_t shard, std::uint64_t record) { return shard << record_bits | record; }

/// The file beside a shard.
inline std::string features_path(const std::string& shard) { return shard + ".features"; }

/// As check_output() for the file beside a shard. Throws: output_error, also if something of that name is there that is not
/// such a file: nobody has named it, so it is not written over, and to join() it would be in the way.
void check_features_output(const std::string& shard);

/// A document that equals an earlier one of its shard, by their records.
struct copy_of_document {
  std::uint64_t record, original;
};

/// The documents of a shard, with what the check needs of them: an attachment file. 0: lines of settings; 1: for each
/// document where its name ends in 2, u64; 2: names; 3: for each document where its features end in 4, u64, in u32; 4:
/// features, u32; 5: for each copy of an earlier document its record and that of the earlier one, u64 each.
struct shard_documents {
  /// Throws: input_error by the name of the file, if anything is wrong with it.
  explicit shard_documents(const std::string& path);

  [[nodiscard]] std::size_t size() const noexcept { return documents.size(); }
  /// As in feature_set; of a copy those of the earlier one.
  [[nodiscard]] std::span<const std::uint32_t> features(std::size_t record) const {
    return documents.features(original_of(record));
  }
  /// How many copies are before a record.
  [[nodiscard]] std::size_t copies_before(std::size_t record) const;
  /// The earlier document that it is a copy of, or itself.
  [[nodiscard]] std::size_t original_of(std::size_t record) const;

  neardup::attachment_file file;
  named_values settings;  ///< about comparing documents: the same for all shards that belong together
  std::uint64_t number, list_checksum;
  stored_documents documents;                ///< without the features of copies
  std::span<const copy_of_document> copies;  ///< ascending
};

/// Settings that two runs have to agree on, as shard_documents has them.
named_values named_comparison(const fingerprint_settings& fingerprint, const comparison_settings& comparison);

/// Takes what a comparison was set to from such lines. Throws: input_error, by `path`.
void apply_comparison(const std::string& path, const named_values& values, fingerprint_settings& fingerprint,
                      comparison_settings& to);
inline void apply_comparison_of(const shard_documents& documents, fingerprint_settings& fingerprint,
                                comparison_settings& to) {
  apply_comparison(documents.file.path(), documents.settings, fingerprint, to);
}

/// The sets of features of a shard: of one for the cosine without the weights that stand behind them.
inline std::span<const std::uint32_t> set_in(std::span<const std::uint32_t> features, similarity_measure check) {
  return check == similarity_measure::cosine ? features.first(features.size() / 2) : features;
}

/// What shards were made for, as far as their features lie beside them. Reads no more of these than that.
/// Throws: input_error, also if the distance is not the same for all, or if the features are those of another file.
struct shard_comparison {
  std::string first, without;  ///< the first shard that has features, and the first one that has none; may be empty
  named_values settings;       ///< of the first one with features, as named_comparison() has them
  neardup::fingerprint_composition made_of;  ///< the same of what its fingerprints are made of

  /// The distance; nothing if there are no features.
  [[nodiscard]] std::optional<int> distance() const;
};
shard_comparison comparison_of_shards(const std::vector<std::string>& shards);

/// Two documents, the later one first: so they sort.
struct id_pair {
  std::uint64_t later, earlier;
  friend auto operator<=>(const id_pair&, const id_pair&) = default;
};

/// The shards that were joined with each other, and which files they were. One that was joined with itself is both.
struct join_task {
  std::uint64_t earlier, later;
  std::uint64_t earlier_checksum, later_checksum;
  friend auto operator<=>(const join_task&, const join_task&) = default;
};

/// Pairs of documents, ascending: candidates, or what passed the check. An attachment file. 0: lines of settings; 1: for
/// each task the two shards and the checksums of their files, u64 each; 2: for each pair the later and the earlier id.
struct pair_file {
  /// Throws: input_error by the name of the file, if anything is wrong with it.
  explicit pair_file(const std::string& path);

  neardup::attachment_file file;
  bool is_checked = false;
  bool is_exact = false;  ///< all pairs that pass the check, whatever their fingerprints
  int distance = 0;
  named_values comparison;  ///< of checked pairs, as shard_documents has it; in older files only the distance
  std::span<const join_task> tasks;
  std::span<const id_pair> pairs;
};

/// Why pairs are not those of shards with these settings: "is of --min-similarity 0.6, and its shards of 0.8". Empty if
/// they may be.
std::string difference_of(const pair_file& pairs, const named_values& of_shards);

/// What a file of pairs says of them.
struct pair_facts {
  std::size_t bits;  ///< of the fingerprints of the shards
  int distance;
  bool is_checked, is_exact = false;  ///< see pair_file
  named_values comparison = {};       ///< of checked pairs that of their shards
};

/// Sorts the pairs, and writes them. Throws: output_error.
void save_pairs(const std::string& path, const pair_facts& facts, const neardup::fingerprint_composition& made_of,
                std::span<const join_task> tasks, std::vector<id_pair>& pairs);

/// Writes an attachment file with lines of settings, and `parts` behind them. `count`: what of. Throws: output_error.
void save_parts(const std::string& path, std::size_t bits, std::uint64_t count,
                const neardup::fingerprint_composition& made_of, const named_values& settings,
                std::vector<std::span<const std::byte>> parts);

/// Files of a run, told apart by what they hold.
struct shard_inputs {
  std::vector<std::string> shards;  ///< lists
  std::vector<std::unique_ptr<shard_documents>> documents;
  std::vector<std::unique_ptr<pair_file>> pairs;

  /// Whether the pairs are those of exact joins. Precondition: they are all of one kind.
  [[nodiscard]] bool are_exact() const { return !pairs.empty() && pairs.front()->is_exact; }

  /// The documents of a shard. Throws: input_error if they are not there, or belong to another file than `checksum`.
  [[nodiscard]] const shard_documents& of(std::uint64_t shard, std::uint64_t checksum,
                                          const std::string& asked_by) const;
};

/// With a shard comes what is beside it. Throws: input_error, also if the files do not belong together.
shard_inputs open_shard_inputs(const std::vector<std::string>& paths);

/// What a file holds, by its header. Throws: input_error if it is no such file.
enum class file_role { list, documents, pairs, other };
file_role role_of_file(const std::string& path);

}  // namespace command
