// `neardup index` and `neardup query`: documents in a file, and new ones against them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <neardup/dedup/similarity.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "context.hpp"
#include "shard_files.hpp"

namespace command {

/// What an index was made with; a later run takes what is not given from there.
struct index_settings {
  std::size_t bits = 0;
  int distance = 0, blocks = 0;
  std::string features, weights, kind;
  std::string check_features;  ///< empty: no features were kept
};

/// Throws: input_error.
index_settings read_index_settings(const std::string& path);

/// The documents of an index, by their numbers, which are its ids: what the library knows nothing of, in attachments.
/// 0: lines "features F", "weights W", "kind K", "check F"; 1: for each document where its name ends in 2, u64; 2: the names;
/// 3: for each document where its features end in 4, u64; 4: the features, u32. Lowest byte first.
class indexed_documents {
 public:
  indexed_documents() = default;
  /// Throws: input_error, by `path`, if the attachments do not fit `size` documents.
  template <class View>
  indexed_documents(const std::string& path, const View& view)
      : indexed_documents(path, view.size(), view.attachment(1), view.attachment(2), view.attachment(3),
                          view.attachment(4)) {}
  indexed_documents(const std::string& path, std::size_t size, std::span<const std::byte> name_ends,
                    std::span<const std::byte> names, std::span<const std::byte> feature_ends,
                    std::span<const std::byte> features);

  void add(std::string_view name, const feature_set& features, bool keeps_features);

  [[nodiscard]] std::size_t size() const noexcept { return name_ends_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : name_ends_[i - 1];
    return std::string_view(names_).substr(begin, name_ends_[i] - begin);
  }
  [[nodiscard]] bool has_features() const noexcept { return !feature_ends_.empty(); }
  /// Precondition: has_features().
  [[nodiscard]] std::span<const std::uint32_t> features(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : feature_ends_[i - 1];
    return std::span(features_).subspan(begin, feature_ends_[i] - begin);
  }

  /// The attachments but for the first, in bytes of their own.
  [[nodiscard]] std::vector<std::string> attachments() const;

 private:
  std::vector<std::uint64_t> name_ends_, feature_ends_;
  std::string names_;
  std::vector<std::uint32_t> features_;
};

std::string encode_settings(const options& settings);

/// An index file, open for this run. Throws: input_error.
template <std::size_t Bits>
neardup::index_view<Bits> open_index(const context& c, const std::string& path,
                                     const std::optional<neardup::fingerprint_composition>& expected) {
  try {
    neardup::index_view<Bits> view{neardup::mapped_file(path)};
    if (c.settings.verifies) view.verify();
    if (expected) check_composition(path, view.made_of(), *expected);
    return view;
  } catch (const input_error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw input_error({"", error.what()});
  }
}

/// Says, unless --quiet, if texts are compared with an index without features: fingerprints alone decide then.
inline void say_if_unchecked(const context& c, const std::string& path, const indexed_documents& documents) {
  const bool has_texts = c.settings.unit != unit_of_input::fingerprints;
  if (c.settings.quiet || !has_texts || documents.size() == 0 || documents.has_features()) return;
  say(path + " was made without --keep-features: nothing is checked, and similarities are estimates");
}

/// The fingerprints of the documents of an index, in their order. Throws: input_error.
template <std::size_t Bits>
std::vector<neardup::simhash<Bits>> fingerprints_of(const std::string& path, const neardup::index_view<Bits>& view) {
  std::vector<neardup::simhash<Bits>> fingerprints(view.size());
  for (const auto& [fingerprint, id] : view) {
    if (id >= view.size()) throw input_error({path, "its ids are no numbers of documents"});
    fingerprints[id] = fingerprint;
  }
  return fingerprints;
}

/// Throws: output_error if another run writes the same file.
inline neardup::file_lock lock_output(const std::string& path) {
  try {
    return neardup::file_lock(path);
  } catch (const std::runtime_error& error) {
    throw output_error(error.what());
  }
}

template <std::size_t Bits>
void run_index(context& c) {
  const neardup::file_lock lock = lock_output(c.settings.output_file);  // from reading to writing
  const auto check_unchanged = [&c] {  // what another program puts there without taking the lock
    if (!c.settings.index_file.empty() && checksum_of_file(c.settings.index_file) != c.settings.index_checksum) {
      throw input_error({c.settings.index_file, "was replaced since this run began; run it again"});
    }
  };
  check_unchanged();
  indexed_documents documents;
  std::vector<neardup::simhash<Bits>> fingerprints;
  list_reader<Bits> lists(c.settings);
  const bool is_listed = c.settings.unit == unit_of_input::fingerprints;
  if (!c.settings.index_file.empty()) {
    const auto view = open_index<Bits>(c, c.settings.index_file, std::nullopt);
    documents = indexed_documents(c.settings.index_file, view);
    fingerprints = fingerprints_of(c.settings.index_file, view);
    if (!is_listed) check_composition(c.settings.index_file, view.made_of(), composition_of_options<Bits>(c.settings));
  }
  const std::size_t before = fingerprints.size();
  const auto add = [&](const placed_document<Bits>& d) {
    if (!d.facts.has_tokens) return;
    fingerprints.push_back(d.facts.fingerprint);
    documents.add(d.id ? std::string(*d.id) : default_id(*d.from, d.line), d.facts.features, c.settings.keeps_features);
  };
  neardup::fingerprint_composition made_of;
  if (is_listed) {
    for_each_listed<Bits>(lists, c.sources, c.notes, add);
    made_of = lists.made_of().value_or(composition_of_options<Bits>(c.settings));
    if (before > 0) {
      check_composition(c.settings.index_file, open_index<Bits>(c, c.settings.index_file, std::nullopt).made_of(),
                        made_of);
    }
  } else {
    for_each_document<Bits>(c, add);
    made_of = composition_of_options<Bits>(c.settings);
  }
  c.notes.phase("indexing " + counted(fingerprints.size(), "fingerprint", "fingerprints"));
  const neardup::frozen_index<Bits> index(c.settings.distance, blocks_of(c.settings), fingerprints,
                                          neardup::threads{c.settings.threads});
  std::vector<std::string> attached{encode_settings(c.settings)};
  for (std::string& bytes : documents.attachments()) attached.push_back(std::move(bytes));
  std::vector<std::span<const std::byte>> attachments;
  attachments.reserve(attached.size());
  for (const std::string& bytes : attached) attachments.push_back(std::as_bytes(std::span(bytes)));
  if (identity_of_file(c.settings.index_file) == identity_of_file(c.settings.output_file)) check_unchanged();
  save_whole(c.settings.output_file, [&](const std::string& file) { save(file, index, made_of, attachments); });
  finish(c, ": " + grouped(fingerprints.size()) + " in the index");
}

template <std::size_t Bits>
void run_query(context& c) {
  const bool is_listed = c.settings.unit == unit_of_input::fingerprints;
  std::optional<neardup::fingerprint_composition> expected;
  if (!is_listed) expected = composition_of_options<Bits>(c.settings);
  const auto view = open_index<Bits>(c, c.settings.index_file, expected);
  const indexed_documents documents(c.settings.index_file, view);
  say_if_unchecked(c, c.settings.index_file, documents);
  const int k = c.settings.distance;
  if (k > view.max_distance()) {
    throw usage_error("--distance " + std::to_string(k) + ": " + c.settings.index_file + " answers up to " +
                      std::to_string(view.max_distance()));
  }
  std::uint64_t count = 0;
  const auto print = [&](std::string_view id, const auto& match, std::optional<double> similarity) {
    ++count;
    const double estimate = estimate_of<Bits>(c.settings, match.distance);
    const std::string old(documents.name(match.id));
    if (c.settings.format == output_format::json_lines) {
      c.out << "{\"id\":" << json_string(id) << ",\"indexed\":" << json_string(old)
            << ",\"distance\":" << std::to_string(match.distance) << ",\"estimate\":" << number(estimate);
      if (similarity) c.out << ",\"similarity\":" << number(*similarity);
      c.out << "}\n";
    } else {
      c.out << similarity_text(similarity.value_or(estimate)) << '\t' << std::to_string(match.distance) << '\t'
            << printable(id) << '\t' << printable(old) << '\n';
    }
  };
  const auto ask = [&](const placed_document<Bits>& d) {
    if (!d.facts.has_tokens) return;
    const std::string id = d.id ? std::string(*d.id) : default_id(*d.from, d.line);
    for (const auto& match : view.search(d.facts.fingerprint, k)) {
      if (match.id >= documents.size()) {
        throw input_error({c.settings.index_file, "damaged: an id is no number of a document"});
      }
      std::optional<double> similarity;
      if (c.settings.min_similarity) {
        similarity = neardup::jaccard_at_least(
            documents.features(match.id), std::span<const std::uint32_t>(d.facts.features), *c.settings.min_similarity);
        if (!similarity) continue;
      }
      print(id, match, similarity);
    }
  };
  if (is_listed) {
    list_reader<Bits> lists(c.settings);
    for_each_listed<Bits>(lists, c.sources, c.notes, ask);
    if (lists.made_of()) check_composition(c.settings.index_file, view.made_of(), *lists.made_of());
  } else {
    for_each_document<Bits>(c, ask, [&](const finished_batch<Bits>& done) {
      if (done.input.live) c.out.flush();
    });
  }
  finish(c, ": " + counted(count, "near-duplicate", "near-duplicates") + " in the index", count);
}

}  // namespace command
