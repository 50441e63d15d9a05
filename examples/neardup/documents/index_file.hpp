// Documents in a file, as `neardup index` writes it.
#pragma once

#include <neardup/index.hpp>
#include <neardup/storage.hpp>

#include "../ground/text.hpp"
#include "reading.hpp"
#include "stored_documents.hpp"

namespace command {

/// What an index was made with; a later run takes what is not given from there.
struct index_settings {
  std::string path;
  std::size_t bits = 0;
  int distance = 0, blocks = 0;
  std::string features, weights, kind;
  std::string check_features;  ///< empty: no features were kept
  std::string top;             ///< of --top; empty: all features count
  bool folds_chinese = false;
};

/// Throws: input_error.
index_settings read_index_settings(const std::string& path);

/// The same as text: the first of the attachments that a file of an index has. The others, 1 to 4, are of documents by
/// their numbers, which are its ids, as document_columns::bytes(). 0: lines "features F", "weights W", "kind K"; of
/// features that are kept "check F"; and only where they say something "top N", "fold chinese", and of kept words by a
/// dictionary "check-words" with tables_of_words().
std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept);

/// Calls `visit` for each document of an index file. Throws: input_error.
void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit);

/// An index file, open for this run.
template <class Fingerprint>
struct opened_index {
  using view_type = neardup::index_view<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint>;

  /// Throws: input_error, also if its fingerprints are made otherwise than those of the texts, or of the lists, so far.
  opened_index(reading& r, const std::string& file)
      : path(file),
        view(as_input([&] {
          view_type opened{neardup::mapped_file(path)};
          if (r.how.lists.are_verified) opened.verify();
          return opened;
        })),
        documents(path, view.size(), view.attachment(1), view.attachment(2), view.attachment(3), view.attachment(4)) {
    r.lists.expect(path, view.made_of());
    if (r.how.comparison.reads_features) {
      check_words(path, parse_values(path, view.attachment(0)), r.how.comparison.check_features);
    }
  }

  /// Says, unless --quiet, if texts are compared with an index without features: fingerprints alone decide then.
  void say_if_unchecked(const reading_settings& settings) const {
    const bool has_texts = settings.input.unit != unit_of_input::fingerprints;
    if (settings.quiet || !has_texts || documents.size() == 0 || documents.has_features()) return;
    say(path + " was made without --keep-features: nothing is checked, and similarities are estimates");
  }

  /// The fingerprints of its documents, in their order. Throws: input_error.
  [[nodiscard]] std::vector<Fingerprint> fingerprints() const {
    std::vector<Fingerprint> all(view.size());
    for (const auto& [fingerprint, id] : view) {
      if (id >= view.size()) throw input_error({path, "its ids are no numbers of documents"});
      all[id] = fingerprint;
    }
    return all;
  }

  std::string path;
  view_type view;
  stored_documents documents;
};

}  // namespace command
