#include "index_file.hpp"

#include "postings.hpp"

namespace command {

namespace {

[[noreturn]] void refuse_index(const std::string& path) {
  throw input_error({path, "damaged, or not written by the command neardup"});
}

template <class Fingerprint>
index_settings settings_of(const std::string& path) {
  const typename opened_index<Fingerprint>::view_type view{neardup::mapped_file(path)};
  if (view.is_flat()) refuse_index(path);
  index_settings found;
  found.path = path;
  found.bits = Fingerprint::bits;
  found.distance = view.shape().k();
  found.blocks = view.shape().blocks();
  found.keeps_postings = !view.attachment(first_of_postings).empty();
  named_values values = parse_values(path, view.attachment(0));
  found.features = values["features"];
  found.weights = values["weights"];
  found.kind = values["kind"];
  found.check_features = values["check"];
  found.top = values["top"];
  found.folds_chinese = values["fold"] == "chinese";
  if (found.features.empty() || found.weights.empty() || found.kind.empty()) refuse_index(path);
  try {  // the checksums of the file are verified later
    fingerprint_settings made_with;
    parse_weights(found.weights, made_with);
    if (!found.has_codes()) parse_feature_setting("features", found.features);
    if (!found.check_features.empty()) parse_feature_setting("check", found.check_features);
    if (found.kind != to_string(Fingerprint::kind)) throw usage_error("kind " + found.kind);
    if (found.top.find_first_not_of("0123456789") != found.top.npos) throw usage_error("top " + found.top);
  } catch (const usage_error& error) {
    throw input_error({path, std::string("damaged: what it was made with cannot be read: ") + error.what()});
  }
  return found;
}

/// Calls `visit` for each document of an index file. Throws: input_error.
template <class Fingerprint>
void read_index(reading& r, const std::string& path, const document_visitor& visit) {
  const opened_index<Fingerprint> index(path, r.how.lists.are_verified);
  index.expect_alike(r);
  index.say_if_unchecked(r.how);
  const auto from = std::make_shared<source>(source{path, nullptr});
  const auto fingerprints = index.fingerprints();
  document d;
  d.has_tokens = true;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    if (!index.has(i)) continue;
    d.fingerprint = any_fingerprint(fingerprints[i].to_words());
    d.features = r.how.comparison.min_similarity ? index.features(i) : unknown_features;
    visit({d, from, 0, 0, {}, index.name(i)});
  }
  r.notes.advance(index.size(), 0);
}

}  // namespace

std::string text_of_index_settings(const fingerprint_settings& settings, const feature_setting* kept) {
  std::string text = "features " + (settings.are_codes ? codes_name : to_string(settings.features)) + "\nweights " +
                     weights_text(settings) + "\nkind " + std::string(to_string(settings.kind)) + "\n";
  if (kept != nullptr) text += "check " + to_string(*kept) + "\n";
  if (settings.top > 0) text += "top " + std::to_string(settings.top) + "\n";
  if (settings.folds_chinese) text += "fold chinese\n";
  if (kept != nullptr && kept->needs_dictionary()) text += "check-words " + tables_of_words(*kept) + "\n";
  return text;
}

index_settings read_index_settings(const std::string& path) {
  const stored_fingerprints stored = read_header(path);
  if (stored.bits != 32 && stored.bits != 64 && stored.bits != 128 && stored.bits != 256) refuse_index(path);
  return as_input([&] {
    return with_fingerprint(stored.bits, stored.kind,
                            [&]<class Fingerprint>(Fingerprint) { return settings_of<Fingerprint>(path); });
  });
}

void for_each_indexed(reading& r, const std::string& path, const document_visitor& visit) {
  with_fingerprint(r.how.fingerprint.bits, read_header(path).kind,
                   [&]<class Fingerprint>(Fingerprint) { read_index<Fingerprint>(r, path, visit); });
}

}  // namespace command
