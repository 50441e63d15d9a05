#include "lists.hpp"

#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/storage/fingerprint_list.hpp>

#include "../describe/readers.hpp"

namespace command {

neardup::fingerprint_composition composition_of_settings(const fingerprint_settings& settings) {
  auto made_of = neardup::with_tokenizer(settings.features.choice, [&](auto tokenizer) {
    return with_weighter(settings, [&](auto weighter) {
      return composition_of(neardup::simhasher(tokenizer, weighter, neardup::xxh3<64>{settings.seed}));
    });
  });
  if (settings.kind == neardup::fingerprint_kind::minwise) {
    made_of.kind = settings.kind;
    made_of.weighter.clear();
  }
  return made_of;
}

void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected) {
  if (found == expected) return;
  // The first line that differs.
  const std::string a = to_string(found), b = to_string(expected);
  const auto difference =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto line_at = [difference](std::string_view text) {
    const std::size_t before = text.substr(0, difference).rfind('\n');
    text.remove_prefix(before == text.npos ? 0 : before + 1);
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.empty() ? std::string("nothing") : "'" + std::string(line) + "'";
  };
  throw input_error({name, "the fingerprints are made otherwise: " + line_at(a) + " instead of " + line_at(b)});
}

void list_reader::expect(const std::string& path, const neardup::fingerprint_composition& found) {
  const bool is_named = lists_.are_named || input_.unit != unit_of_input::fingerprints;
  if (!made_of_) made_of_ = is_named ? composition_of_settings(fingerprint_) : found;
  check_composition(path, found, *made_of_);
}

void list_reader::read(source_walker& sources, run_notes& notes, const document_visitor& visit) {
  const auto read_list = [&]<class Fingerprint>(const std::shared_ptr<source>& from, Fingerprint) {
    using list_type = neardup::fingerprint_list<Fingerprint::bits, Fingerprint>;
    const auto list = as_input([&] {
      neardup::mapped_file file(from->path);
      if (!lists_.have_headers) return list_type(std::move(file), made_of());
      list_type opened(std::move(file));
      expect(from->path, opened.made_of());
      if (lists_.are_verified) opened.verify();
      return opened;
    });
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [fingerprint, id] = list[i];
      document d;
      d.fingerprint = any_fingerprint(fingerprint.to_words());
      d.has_tokens = true;
      const std::string name = std::to_string(id);
      visit({d, from, 0, 0, {}, name, id});
    }
    notes.advance(list.size(), list.size() * list.record_size);
  };
  while (const auto step = sources.next()) {
    if (const auto* const bad = std::get_if<bad_input>(&*step)) {
      notes.bad(*bad);
    } else {
      const auto& from = std::get<std::shared_ptr<source>>(*step);
      // As what its header says, so that expect() tells of another kind as it does of other parts.
      const auto header = lists_.have_headers ? header_of(from->path) : std::nullopt;
      with_fingerprint(fingerprint_.bits, header ? header->kind : fingerprint_.kind,
                       [&](auto fingerprint) { read_list(from, fingerprint); });
    }
  }
}

}  // namespace command
