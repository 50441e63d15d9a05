#include "index_file.hpp"

#include <charconv>
#include <filesystem>
#include <numeric>

#include "../read/code.hpp"

namespace command {

namespace {

constexpr const char *and_values = "-and-values", *and_digests = "-and-digests";

[[noreturn]] void refuse_index(const std::string& path) { refuse_damage(path, "its settings are incomplete"); }

/// Refuses an index of an earlier version, which had `what`: features beside fingerprints (--keep-features), or codes
/// beside 64-bit fingerprints.
[[noreturn]] void refuse_older(const std::string& path, const std::string& what) {
  throw input_error({path, "has " + what +
                               ", a form of earlier versions that is not read any more; make it anew: neardup index "
                               "--output " +
                               path + " PATH…"});
}

/// Refuses an index of fingerprints of an earlier version. It has no digests, so its short documents would match
/// documents with other features.
[[noreturn]] void refuse_without_digests(const std::string& path) {
  throw input_error({path,
                     "an index of fingerprints by an earlier version, which does not tell short documents from others; "
                     "make it anew from the texts, with neardup index --output " +
                         path});
}

template <class Form>
index_settings settings_of(const std::string& path) {
  const auto opened = open_view<Form>(neardup::mapped_file(path));
  const auto& view = *opened;
  index_settings found;
  found.path = path;
  named_values values = parse_values(path, view.attachment(0));
  found.folds_chinese = values["fold"] == "chinese";
  std::string of_values;  // ending of the name of the first setting, if the index has values
  for (const char* const paired : {"within", "across"}) {
    if (!values.contains(paired)) continue;
    found.paired = paired;
    found.field = values[paired];
    of_values = and_values;
    if (found.field.empty()) refuse_index(path);
  }
  if constexpr (has_sets<Form>) {
    const neardup::set_threshold least = view.sets.threshold();
    if (least != neardup::set_threshold(neardup::jaccard{least.similarity, 1})) refuse_index(path);
    found.similarity = least.similarity;
    found.features = found.check_features = values["check" + of_values];
    if (found.features.empty()) refuse_index(path);
  } else {
    if (view.is_flat()) refuse_index(path);
    if (values.contains("check")) refuse_older(path, "features beside fingerprints");
    if (!view.attachment(3).empty()) refuse_older(path, "codes beside fingerprints");
    const std::string& tokenizer = view.made_of().tokenizer;
    found.bits = view.bits();
    if (const std::string name = codes_name + std::string("("); tokenizer.starts_with(name)) {
      std::from_chars(tokenizer.data() + name.size(), tokenizer.data() + tokenizer.size(), found.bits);
      if (stored_bits(found.bits) != view.bits() || tokenizer != tokenizer_of_codes(found.bits)) refuse_index(path);
    }
    found.distance = view.max_distance();
    found.blocks = view.blocks();
    found.features = values["features" + of_values];
    if (!found.features.empty() && !found.has_codes()) refuse_without_digests(path);
    if (found.features.empty()) found.features = values[std::string("features") + and_digests + of_values];
    found.weights = values["weights"];
    found.kind = values["kind"];
    found.top = values["top"];
    if (found.features.empty() || found.weights.empty() || found.kind.empty()) refuse_index(path);
  }
  try {  // the checksums of the file are verified later
    if (!found.has_codes()) parse_feature_setting("features", found.features);
    if constexpr (!has_sets<Form>) {
      static_cast<void>(parse_weights(found.weights));
      if (found.kind != to_string(view.made_of().kind)) throw usage_error("kind " + found.kind);
      if (found.top.find_first_not_of("0123456789") != found.top.npos) throw usage_error("top " + found.top);
    }
  } catch (const usage_error& error) {
    refuse_damage(path, std::string("its settings are wrong: ") + error.what());
  }
  return found;
}

template <class Form>
void read_index(reading& r, const std::string& path, const document_visitor& visit) {
  const opened_index<Form> index(path, r.how.lists.are_verified);
  index.expect_alike(r);
  index.say_if_unchecked(r.how);
  const auto from = std::make_shared<source>(source{path, nullptr});
  const auto entries = index.entries();
  const bool are_lists = r.how.input.unit == unit_of_input::fingerprints;
  document d;
  d.has_tokens = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!index.has(i)) continue;
    if constexpr (has_sets<Form>) {
      d.features = entries[i];
    } else {
      d.fingerprint = entries[i];
      d.features = are_lists ? feature_set(unknown_features) : index.features(i);
    }
    visit({.facts = d, .from = from, .line = 0, .offset = 0, .raw = {}, .id = index.name(i), .by = index.value(i)});
  }
  r.notes.advance(index.size(), 0);
}

}  // namespace

std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept,
                                   bool keeps_postings, const std::string& paired) {
  const std::string of_values = paired.empty() ? "" : and_values;
  std::string text;
  if (kept != nullptr) {
    text = "check" + of_values + ' ' + to_string(*kept) + "\n";
  } else {
    text = std::string("features") + (settings.are_codes ? "" : and_digests) + of_values + ' ' +
           (settings.are_codes ? codes_name : to_string(settings.features)) + "\nweights " + settings.weights.name() +
           "\nkind " + std::string(to_string(settings.kind)) + "\n";
    if (settings.top > 0) text += "top " + std::to_string(settings.top) + "\n";
  }
  if (settings.folds_chinese) text += "fold chinese\n";
  if (kept != nullptr && kept->needs_dictionary()) text += "check-words " + tables_of_words(*kept) + "\n";
  if (keeps_postings) text += "postings kept\n";
  if (!paired.empty()) text += paired + "\n";
  return text;
}

bool has_digests(const named_values& settings) {
  const std::string name = std::string("features") + and_digests;
  return settings.contains(name) || settings.contains(name + and_values);
}

neardup::fingerprint_composition composition_of_sets(const reading_settings& how) {
  fingerprint_settings of = how.fingerprint;
  of.features = how.comparison.check_features;
  of.kind = neardup::fingerprint_kind::simhash;
  of.weights = {};
  of.top = 0;
  return composition_of_settings(of);
}

template <class Form>
void new_index<Form>::add(std::string_view name, [[maybe_unused]] const any_fingerprint& fingerprint,
                          feature_set features, const std::optional<document_place>& place, std::string_view value) {
  columns_.add(name, keeps_features_ ? features : feature_set());
  if constexpr (!has_sets<Form>) fingerprints_.push_back(fingerprint);
  if (keeps_postings_) places_.add(place);
  if (keeps_values_) values_.add(value);
}

template <class Form>
void new_index<Form>::add_all(const opened_index<Form>& index, const std::unordered_set<std::uint32_t>& left_out) {
  const auto entries = index.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!index.has(i) || left_out.contains(static_cast<std::uint32_t>(i))) continue;
    const auto place = keeps_postings_ ? index.place(i) : std::nullopt;
    if constexpr (has_sets<Form>) {
      add(index.name(i), {}, entries[i], place, index.value(i));
    } else {
      add(index.name(i), entries[i], index.features(i), place, index.value(i));
    }
  }
}

template <class Form>
void new_index<Form>::save(neardup::journal& journal, const std::string& path, const index_shape& shape) const {
  struct writer {
    const new_index& all;
    const index_shape& shape;
    std::vector<std::span<const std::byte>> parts;

    std::uint64_t write(const std::string& file, const std::optional<neardup::log_extent>& log) {
      constexpr std::size_t place_of_extent = 5;
      if (log) {
        parts.resize(std::max(parts.size(), place_of_extent + 1));
        parts[place_of_extent] = std::as_bytes(std::span(&*log, 1));
      }
      if constexpr (has_sets<Form>) {
        std::vector<std::uint32_t> ids(all.size());
        std::iota(ids.begin(), ids.end(), 0U);
        save_sets(file, neardup::jaccard{shape.similarity}, all.columns_.features, ids, shape.made_of, parts);
      } else {
        save_fingerprints(file, shape.distance, shape.blocks, all.fingerprints_, shape.made_of, parts, shape.threads);
      }
      return read_header(file).checksum;
    }
  };
  writer all{
      *this,
      shape,
      {shape.settings, std::as_bytes(std::span(columns_.names.ends)), std::as_bytes(std::span(columns_.names.values))}};
  const common::posting_columns postings = keeps_postings_ ? postings_of(columns_.features) : common::posting_columns();
  if (keeps_postings_) {
    all.parts.resize(first_of_postings);
    for (const auto& part : bytes_of(postings)) all.parts.push_back(part);
    for (const auto& part : places_.bytes()) all.parts.push_back(part);
  }
  if (keeps_values_) {
    all.parts.resize(first_of_values);
    all.parts.push_back(std::as_bytes(std::span(values_.ends)));
    all.parts.push_back(std::as_bytes(std::span(values_.values)));
  }
  if (!has_sets<Form> && keeps_features_) {
    all.parts.resize(first_of_digests);
    all.parts.push_back(std::as_bytes(std::span(columns_.features.ends)));
    all.parts.push_back(std::as_bytes(std::span(columns_.features.values)));
  }
  save_whole(path, [&](const std::string&) { journal.save(all); });
}

template class new_index<set_form>;
template class new_index<fingerprint_form>;

index_settings read_index_settings(const std::string& path) {
  const std::string how = "; neardup index --output FILE PATH… makes an index";
  if (std::error_code error; !std::filesystem::exists(path, error) && !error) {
    throw input_error({path, "no such file" + how});
  }
  const stored_fingerprints stored = read_header(path, how);
  const bool is_usual = stored.bits <= most_code_bits && stored_bits(stored.bits) == stored.bits;
  if (stored.has_sets() ? stored.bits != 32 : !is_usual) refuse_index(path);
  return as_input([&] { return with_form(stored, [&]<class Form>(Form) { return settings_of<Form>(path); }); });
}

void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit) {
  with_form(read_header(path), [&]<class Form>(Form) { read_index<Form>(r, path, visit); });
}

}  // namespace command
