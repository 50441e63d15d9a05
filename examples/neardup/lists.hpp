// Fingerprints in place of texts: lists of them as input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <neardup/fingerprint.hpp>
#include <neardup/storage/composition.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "documents.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "readers.hpp"
#include "report.hpp"
#include "source.hpp"

namespace command {

/// What the options say that fingerprints are made of. Precondition: can_be_named(settings).
template <std::size_t Bits>
neardup::fingerprint_composition composition_of_options(const options& settings) {
  auto made_of = neardup::with_tokenizer(settings.features.choice, [&](auto tokenizer) {
    const auto weighed_by = [&](auto weighter) {
      return composition_of(neardup::make_simhasher<Bits>(tokenizer, weighter, neardup::xxh3<Bits>{settings.seed}));
    };
    return with_weighter(settings, weighed_by);
  });
  if (settings.kind == neardup::fingerprint_kind::minwise) {
    made_of.kind = settings.kind;
    made_of.weighter.clear();
  }
  return made_of;
}

/// Whether a file can say what the fingerprints are made of: words by a dictionary, and the heaviest features, have no
/// name there.
inline bool can_be_named(const options& settings) {
  return !settings.features.needs_dictionary() && settings.top == 0 && settings.weighted_field.empty();
}

/// Throws: input_error, which tells the first difference.
void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected);

/// What stands in the header of each file of neardup's.
struct stored_fingerprints {
  std::size_t bits;
  neardup::fingerprint_kind kind;
  int content;  ///< docs/format.md

  [[nodiscard]] bool is_list() const noexcept { return content == 1; }
  [[nodiscard]] bool is_index() const noexcept { return content == 2; }
};

/// Of a regular file that begins as neardup's do.
std::optional<stored_fingerprints> header_of(const std::string& path);

inline bool is_index(const std::string& path) {
  const auto header = header_of(path);
  return header && header->is_index();
}

/// Throws: input_error if it is no such file.
stored_fingerprints read_header(const std::string& path);

/// Lists, all of the same composition: that of the options if these name one, otherwise that of the first.
template <std::size_t Bits>
class list_reader {
 public:
  explicit list_reader(const options& settings) : settings_(settings) {
    if (settings.names_composition) made_of_ = composition_of_options<Bits>(settings);
  }

  /// Throws: input_error.
  neardup::fingerprint_list<Bits> open(const std::string& path) {
    try {
      neardup::mapped_file file(path);
      if (!settings_.lists_have_headers) return neardup::fingerprint_list<Bits>(std::move(file), made_of_.value());
      neardup::fingerprint_list<Bits> list(std::move(file));
      if (!made_of_) made_of_ = list.made_of();
      check_composition(path, list.made_of(), *made_of_);
      if (settings_.verifies) list.verify();
      return list;
    } catch (const input_error&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw input_error({"", error.what()});
    }
  }

  /// What further lists have to be made of, if nothing says so yet.
  void expect(const neardup::fingerprint_composition& made_of) {
    if (!made_of_) made_of_ = made_of;
  }

  /// Of the lists so far, or of the options.
  [[nodiscard]] const std::optional<neardup::fingerprint_composition>& made_of() const noexcept { return made_of_; }

 private:
  const options& settings_;
  std::optional<neardup::fingerprint_composition> made_of_;
};

/// Calls `visit` for each record in order; its id is its number.
template <std::size_t Bits>
void for_each_listed(list_reader<Bits>& lists, source_walker& sources, report& notes,
                     const document_visitor<Bits>& visit) {
  while (const auto step = sources.next()) {
    if (const auto* const bad = std::get_if<bad_input>(&*step)) {
      notes.bad(*bad);
      continue;
    }
    const auto& from = std::get<std::shared_ptr<source>>(*step);
    const neardup::fingerprint_list<Bits> list = lists.open(from->path);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [fingerprint, id] = list[i];
      document<Bits> d;
      d.fingerprint = fingerprint;
      d.has_tokens = true;
      const std::string name = std::to_string(id);
      visit(placed_document<Bits>{d, from, 0, 0, {}, name, id});
    }
    notes.advance(list.size(), list.size() * list.record_size);
  }
}

}  // namespace command
