#include "index_file.hpp"

#include <numeric>

namespace command {

namespace {

[[noreturn]] void refuse_index(const std::string& path) {
  throw input_error({path, "damaged, or not written by the command neardup"});
}

/// Refuses an index that an earlier version made with --keep-features: it has fingerprints and features.
[[noreturn]] void refuse_older(const std::string& path) {
  throw input_error({path,
                     "has features beside fingerprints, a form of earlier versions that is not read any more; make it "
                     "anew: neardup index --output " +
                         path + " PATH…"});
}

template <class Form>
index_settings settings_of(const std::string& path) {
  const auto opened = open_view<Form>(neardup::mapped_file(path));
  const auto& view = *opened;
  index_settings found;
  found.path = path;
  named_values values = parse_values(path, view.attachment(0));
  found.folds_chinese = values["fold"] == "chinese";
  if constexpr (has_sets<Form>) {
    const neardup::set_threshold least = view.sets.threshold();
    if (least != neardup::set_threshold(neardup::jaccard{least.similarity, 1})) refuse_index(path);
    found.similarity = least.similarity;
    found.features = found.check_features = values["check"];
    if (found.features.empty()) refuse_index(path);
  } else {
    if (view.is_flat()) refuse_index(path);
    if (values.contains("check")) refuse_older(path);
    found.bits = view.bits();
    found.distance = view.shape().k();
    found.blocks = view.shape().blocks();
    found.features = values["features"];
    found.weights = values["weights"];
    found.kind = values["kind"];
    found.top = values["top"];
    if (found.features.empty() || found.weights.empty() || found.kind.empty()) refuse_index(path);
  }
  try {  // the checksums of the file are verified later
    if (!found.has_codes()) parse_feature_setting("features", found.features);
    if constexpr (!has_sets<Form>) {
      fingerprint_settings made_with;
      parse_weights(found.weights, made_with);
      if (found.kind != to_string(view.made_of().kind)) throw usage_error("kind " + found.kind);
      if (found.top.find_first_not_of("0123456789") != found.top.npos) throw usage_error("top " + found.top);
    }
  } catch (const usage_error& error) {
    throw input_error({path, std::string("damaged: what it was made with cannot be read: ") + error.what()});
  }
  return found;
}

/// Calls `visit` for each document of an index file.
/// Throws: input_error.
template <class Form>
void read_index(reading& r, const std::string& path, const document_visitor& visit) {
  const opened_index<Form> index(path, r.how.lists.are_verified);
  index.expect_alike(r);
  index.say_if_unchecked(r.how);
  const auto from = std::make_shared<source>(source{path, nullptr});
  const auto entries = [&] {
    if constexpr (has_sets<Form>) {
      return index.all_features();
    } else {
      return index.fingerprints();
    }
  }();
  document d;
  d.has_tokens = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!index.has(i)) continue;
    if constexpr (has_sets<Form>) {
      d.features = entries[i];
    } else {
      d.fingerprint = entries[i];
      d.features = unknown_features;
    }
    visit({d, from, 0, 0, {}, index.name(i)});
  }
  r.notes.advance(index.size(), 0);
}

}  // namespace

std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept,
                                   bool keeps_postings) {
  std::string text;
  if (kept != nullptr) {
    text = "check " + to_string(*kept) + "\n";
  } else {
    text = "features " + (settings.are_codes ? codes_name : to_string(settings.features)) + "\nweights " +
           weights_text(settings) + "\nkind " + std::string(to_string(settings.kind)) + "\n";
    if (settings.top > 0) text += "top " + std::to_string(settings.top) + "\n";
  }
  if (settings.folds_chinese) text += "fold chinese\n";
  if (kept != nullptr && kept->needs_dictionary()) text += "check-words " + tables_of_words(*kept) + "\n";
  if (keeps_postings) text += "postings kept\n";
  return text;
}

neardup::fingerprint_composition composition_of_sets(const reading_settings& how) {
  fingerprint_settings of = how.fingerprint;
  of.features = how.comparison.check_features;
  of.kind = neardup::fingerprint_kind::simhash;
  of.weights = weighting::unit;
  of.levels = level_rule::none;
  of.top = 0;
  return composition_of_settings(of);
}

void save_features(const std::string& file, const document_columns& documents, double similarity,
                   const neardup::fingerprint_composition& made_of, const index_parts& parts) {
  struct feature_sets_of {
    const document_columns& documents;

    [[nodiscard]] std::size_t size() const { return documents.name_ends.size(); }
    feature_set operator[](std::size_t i) const { return documents.features_of(i); }
  };
  std::vector<std::uint32_t> ids(documents.name_ends.size());
  std::iota(ids.begin(), ids.end(), 0U);
  save_sets(file, neardup::jaccard{similarity}, feature_sets_of{documents}, ids, made_of, parts);
}

void save_index_file(const std::string& path, index_parts parts,
                     const std::function<void(const std::string& file, const index_parts& parts)>& save) {
  const std::string log = log_of_index(path);
  // Shows that a log is already merged, if the program is stopped before the log is removed.
  const std::string taken_in = extent_of_log(log);
  if (!taken_in.empty()) {
    parts.resize(std::max<std::size_t>(parts.size(), 6));
    parts[5] = std::as_bytes(std::span(taken_in));
  }
  save_whole(path, [&](const std::string& file) { save(file, parts); });
  if (!taken_in.empty()) remove_log(log);
}

index_settings read_index_settings(const std::string& path) {
  const stored_fingerprints stored = read_header(path);
  const bool is_usual = stored.bits == 64 || stored.bits == 32 || stored.bits == 128 || stored.bits == 256;
  if (stored.has_sets() ? stored.bits != 32 : !is_usual) refuse_index(path);
  return as_input([&] { return with_form(stored, [&]<class Form>(Form) { return settings_of<Form>(path); }); });
}

void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit) {
  with_form(read_header(path), [&]<class Form>(Form) { read_index<Form>(r, path, visit); });
}

}  // namespace command
