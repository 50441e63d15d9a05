#include "lists.hpp"

#include <neardup/fingerprint/keywords.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/storage/composition_of.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <neardup/text/words.hpp>

#include "../describe/readers.hpp"

namespace command {

namespace {

/// Returns a composition with the weighter and the seed of the settings. The tokenizer of the composition is always
/// words{}, because words{} reads no files.
neardup::fingerprint_composition composition_of_weights(const fingerprint_settings& settings) {
  return composition_of(neardup::simhasher(neardup::words{}, neardup::any_weighter(settings.weights, settings.idf),
                                           neardup::xxh3<64>{settings.seed}));
}

/// Returns which option must be repeated if `line`, the first difference of two compositions, names a table.
std::string hint_at_table(std::string_view line) {
  for (const auto& [name, hint] :
       {std::pair("dictionary: ",
                  "the dictionary is another one; name the same with --dictionary and --user-dictionary"),
        {"model: ", "the model of unknown words is another one; name the same with --model, or --no-hmm as there"},
        {"stop words: ", "the stop words are others; name the same with --stop-words"}}) {
    if (line.starts_with(name)) return std::string("; ") + hint;
  }
  return "";
}

/// The digest of an IDF table, from a line "idf: DIGEST" or "tokenizer: keywords(N, DIGEST, …)" of a composition.
struct named_table {
  std::string_view digest;
  std::string rest;  ///< the line without the digest
};
std::optional<named_table> table_in(std::string_view line) {
  const std::string_view keywords = "keywords(";
  std::size_t begin = 0, size = 0;
  if (line.starts_with("idf: ")) {
    begin = line.find(' ') + 1;
    size = line.size() - begin;
  } else if (const std::size_t at = line.find(keywords); at != line.npos) {
    begin = line.find(", ", at);
    if (begin == line.npos) return std::nullopt;
    begin += 2;
    size = std::min(line.find(',', begin), line.size()) - begin;
  }
  if (size == 0) return std::nullopt;
  return named_table{line.substr(begin, size),
                     std::string(line.substr(0, begin)) + std::string(line.substr(begin + size))};
}

}  // namespace

neardup::fingerprint_composition composition_of_settings(const fingerprint_settings& settings) {
  // Another program made the codes, so their composition does not depend on the library's definition of fingerprints.
  if (settings.are_codes) return {.definition = 1, .tokenizer = tokenizer_of_codes(settings.bits)};
  // Tokenizers and weighters are combined at run time, because compiling all combinations would give ten times as much
  // code.
  auto made_of = with_tokenizer(settings.features, [&](const auto& tokenizer) {
    if (settings.top == 0) return composition_of(neardup::simhasher(tokenizer));
    return composition_of(neardup::simhasher(neardup::keywords(settings.top, tokenizer, settings.idf)));
  });
  const neardup::fingerprint_composition weights = composition_of_weights(settings);
  made_of.weighter = weights.weighter;
  made_of.seed = weights.seed;
  made_of.idf = weights.idf;
  if (settings.fold) {
    made_of.tokenizer =
        "opencc_folded(" + neardup::simhash<64>(*settings.fold).to_hex() + ", " + made_of.tokenizer + ")";
  }
  if (settings.kind == neardup::fingerprint_kind::minwise) {
    made_of.kind = settings.kind;
    made_of.weighter.clear();
  }
  return made_of;
}

std::string tables_of_words(const feature_setting& features) {
  const neardup::fingerprint_composition made_of = composition_of(neardup::simhasher(*features.words));
  const auto or_none = [](const std::string& value) { return value.empty() ? std::string("none") : value; };
  return made_of.tokenizer + "; dictionary " + made_of.dictionary + "; model " + or_none(made_of.model) +
         "; stop words " + or_none(made_of.stop_words);
}

void check_words(const std::string& path, const named_values& stored, const feature_setting& features) {
  const auto found = stored.find("check-words");
  if (found == stored.end() || !features.words) return;
  const std::string ours = tables_of_words(features);
  if (found->second == ours) return;
  throw input_error({path, "its features are words by the dictionary '" + found->second + "' instead of '" + ours +
                               "'; name the same --dictionary, --user-dictionary, --model and --stop-words"});
}

void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected) {
  if (found == expected) return;
  // The message names the first line that differs.
  const std::string a = to_string(found), b = to_string(expected);
  const auto difference =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto line_at = [difference](std::string_view text) {
    const std::size_t before = text.substr(0, difference).rfind('\n');
    text.remove_prefix(before == text.npos ? 0 : before + 1);
    return text.substr(0, text.find('\n'));
  };
  const auto quoted = [](std::string_view line) {
    return line.empty() ? std::string("nothing") : "'" + std::string(line) + "'";
  };
  const std::string_view line = line_at(a);
  const auto table = table_in(line), other = table_in(line_at(b));
  if (table && other && table->rest == other->rest) {
    throw input_error({name, "the fingerprints are made with another IDF table, with the digest " +
                                 std::string(table->digest) + " instead of " + std::string(other->digest) +
                                 "; name the same table with --idf-file"});
  }
  if (found.definition != expected.definition) {
    throw input_error({name, "made by " +
                                 std::string(found.definition < expected.definition ? "an earlier" : "a later") +
                                 " version of neardup, whose features and fingerprints differ (definition " +
                                 std::to_string(found.definition) + " instead of " +
                                 std::to_string(expected.definition) + "); make it anew from the texts"});
  }
  throw input_error({name, "the fingerprints are made otherwise: " + quoted(line) + " instead of " +
                               quoted(line_at(b)) + hint_at_table(line.empty() ? line_at(b) : line)});
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
      d.repeats_id = input_.watches_ids && notes.repeats_id(name, *from, i + 1);
      visit({d, from, i + 1, 0, {}, name, id});
    }
    notes.advance(list.size(), list.size() * list.record_size);
  };
  while (const auto step = sources.next()) {
    if (const auto* const bad = std::get_if<bad_input>(&*step)) {
      notes.bad(*bad);
    } else {
      const auto& from = std::get<std::shared_ptr<source>>(*step);
      // The file is opened with the kind in its header. expect() then reports a wrong kind as it reports other
      // differences.
      const auto header = lists_.have_headers ? header_of(from->path) : std::nullopt;
      with_fingerprint(fingerprint_.bits, header ? header->kind : fingerprint_.kind,
                       [&](auto fingerprint) { read_list(from, fingerprint); });
    }
  }
}

}  // namespace command
