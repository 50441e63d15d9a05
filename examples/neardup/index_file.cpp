#include "index_file.hpp"

#include <neardup/dedup/similarity.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>

#include "check.hpp"
#include "context.hpp"
#include "shard_files.hpp"
#include "stored_documents.hpp"

namespace command {

namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw input_error({path, "damaged, or not written by the command neardup"});
}

template <std::size_t Bits>
index_settings settings_of(const std::string& path) {
  const neardup::index_view<Bits> view{neardup::mapped_file(path)};
  if (view.is_flat()) refuse(path);
  index_settings found;
  found.path = path;
  found.bits = Bits;
  found.distance = view.shape().k();
  found.blocks = view.shape().blocks();
  named_values values = parse_values(path, view.attachment(0));
  found.features = values["features"];
  found.weights = values["weights"];
  found.kind = values["kind"];
  found.check_features = values["check"];
  if (found.features.empty() || found.weights.empty() || found.kind.empty()) refuse(path);
  return found;
}

/// What a file of an index has as attachments, of documents by their numbers, which are its ids. 0: lines "features F",
/// "weights W", "kind K", "check F"; 1 to 4: as document_columns::bytes().
std::string encode_settings(const options& settings) {
  std::string text = "features " + to_string(settings.features) + "\nweights " +
                     weight_names[static_cast<std::size_t>(settings.weights)] + "\nkind " +
                     std::string(to_string(settings.kind)) + "\n";
  if (settings.keeps_features) text += "check " + to_string(settings.check_features) + "\n";
  return text;
}

/// An index file, open for this run.
template <std::size_t Bits>
struct opened_index {
  /// Throws: input_error, also if its fingerprints are made otherwise than those of the texts, or of the lists, so far.
  opened_index(context& c, const std::string& file)
      : path(file),
        view(as_input([&] {
          neardup::index_view<Bits> opened{neardup::mapped_file(path)};
          if (c.settings.verifies) opened.verify();
          return opened;
        })),
        documents(path, view.size(), view.attachment(1), view.attachment(2), view.attachment(3), view.attachment(4)) {
    c.lists.expect(path, view.made_of());
  }

  /// Says, unless --quiet, if texts are compared with an index without features: fingerprints alone decide then.
  void say_if_unchecked(const context& c) const {
    const bool has_texts = c.settings.unit != unit_of_input::fingerprints;
    if (c.settings.quiet || !has_texts || documents.size() == 0 || documents.has_features()) return;
    say(path + " was made without --keep-features: nothing is checked, and similarities are estimates");
  }

  /// The fingerprints of its documents, in their order. Throws: input_error.
  [[nodiscard]] std::vector<neardup::simhash<Bits>> fingerprints() const {
    std::vector<neardup::simhash<Bits>> all(view.size());
    for (const auto& [fingerprint, id] : view) {
      if (id >= view.size()) throw input_error({path, "its ids are no numbers of documents"});
      all[id] = fingerprint;
    }
    return all;
  }

  std::string path;
  neardup::index_view<Bits> view;
  stored_documents documents;
};

/// Throws: output_error if another run writes the same file.
neardup::file_lock lock_output(const std::string& path) {
  try {
    return neardup::file_lock(path);
  } catch (const std::runtime_error& error) {
    throw output_error(error.what());
  }
}

/// Calls `visit` for each document of an index file. Throws: input_error.
template <std::size_t Bits>
void read_index(context& c, const std::string& path, const document_visitor& visit) {
  const opened_index<Bits> index(c, path);
  index.say_if_unchecked(c);
  const auto from = std::make_shared<source>(source{path, nullptr});
  const auto fingerprints = index.fingerprints();
  document d;
  d.has_tokens = true;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    d.fingerprint = any_fingerprint(fingerprints[i].to_words());
    d.features = c.settings.min_similarity ? index.documents.features(i) : unknown_features;
    visit({d, from, 0, 0, {}, index.documents.name(i)});
  }
  c.notes.advance(fingerprints.size(), 0);
}

template <std::size_t Bits>
void index_documents(context& c) {
  const neardup::file_lock lock = lock_output(c.settings.output_file);  // from reading to writing
  const auto check_unchanged = [&c] {  // what another program puts there without taking the lock
    if (!c.settings.index_file.empty() && read_header(c.settings.index_file).checksum != c.settings.index_checksum) {
      throw input_error({c.settings.index_file, "was replaced since this run began; run it again"});
    }
  };
  check_unchanged();
  document_columns documents;
  std::vector<neardup::simhash<Bits>> fingerprints;
  if (!c.settings.index_file.empty()) {
    const opened_index<Bits> old(c, c.settings.index_file);
    for (std::size_t i = 0; i < old.documents.size(); ++i) {
      documents.add(old.documents.name(i), old.documents.features(i));
    }
    fingerprints = old.fingerprints();
  }
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    fingerprints.push_back(d.facts.fingerprint.as<Bits>());
    documents.add(d.name(), d.facts.features);
  });
  c.notes.phase("indexing " + counted(fingerprints.size(), "fingerprint", "fingerprints"));
  const neardup::frozen_index<Bits> index(c.settings.distance, blocks_of(c.settings), fingerprints,
                                          neardup::threads{c.settings.threads});
  if (!c.settings.keeps_features) documents.feature_ends.clear();
  const std::string settings = encode_settings(c.settings);
  auto attachments = documents.bytes();
  attachments.insert(attachments.begin(), std::as_bytes(std::span(settings)));
  if (identity_of_file(c.settings.index_file) == identity_of_file(c.settings.output_file)) check_unchanged();
  save_whole(c.settings.output_file,
             [&](const std::string& file) { save(file, index, c.lists.made_of(), attachments); });
  finish(c, ": " + grouped(fingerprints.size()) + " in the index");
}

template <std::size_t Bits>
void query_index(context& c) {
  const opened_index<Bits> index(c, c.settings.index_file);
  index.say_if_unchecked(c);
  const int k = c.settings.distance;
  if (k > index.view.max_distance()) {
    throw usage_error("--distance " + std::to_string(k) + ": " + index.path + " answers up to " +
                      std::to_string(index.view.max_distance()));
  }
  std::uint64_t count = 0;
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    for (const auto& match : index.view.search(d.facts.fingerprint.as<Bits>(), k)) {
      if (match.id >= index.documents.size()) {
        throw input_error({index.path, "damaged: an id is no number of a document"});
      }
      std::optional<double> similarity;
      if (c.settings.min_similarity) {
        similarity =
            neardup::jaccard_at_least(index.documents.features(match.id), d.facts.features, *c.settings.min_similarity);
        if (!similarity) continue;
      }
      ++count;
      c.out << text_of_match(
          c.settings, c.settings.format == output_format::json_lines,
          {"id", "indexed", d.name(), std::string(index.documents.name(match.id)), match.distance, similarity});
    }
  });
  finish(c, ": " + counted(count, "near-duplicate", "near-duplicates") + " in the index", count);
}

}  // namespace

index_settings read_index_settings(const std::string& path) {
  const std::size_t bits = read_header(path).bits;
  if (bits != 32 && bits != 64 && bits != 128 && bits != 256) refuse(path);
  return as_input([&] { return with_bits(bits, [&](auto width) { return settings_of<width>(path); }); });
}

void for_each_indexed(context& c, const std::string& path, const document_visitor& visit) {
  with_bits(c.settings.bits, [&](auto bits) { read_index<bits>(c, path, visit); });
}
void run_index(context& c) {
  with_bits(c.settings.bits, [&](auto bits) { index_documents<bits>(c); });
}
void run_query(context& c) {
  with_bits(c.settings.bits, [&](auto bits) { query_index<bits>(c); });
}

}  // namespace command
