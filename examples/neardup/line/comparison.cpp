#include "comparison.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <neardup/dedup/checks.hpp>
#include <neardup/index/recall.hpp>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../read/code.hpp"
#include "../read/mail.hpp"
#include "taking.hpp"

namespace command {

using neardup::fingerprint_kind;

double similarity_of(const typed_options& typed) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const auto text = typed["--similarity"];
  if (!text) return neardup::default_similarity;
  return parse_number("--similarity", *text, least, 1.0, "must be above 0 and at most 1");
}

bool has_two_similarities(const typed_options& typed) {
  const auto least = typed["--min-similarity"];
  return typed.has("--similarity") && least &&
         similarity_of(typed) != parse_number("--min-similarity", *least, 0.0, 1.0);
}

std::string option_of_weights(const typed_options& typed) {
  if (typed.is_typed("--weights") && typed.text("--weights") != "unit") return "--weights " + typed.text("--weights");
  return typed.is_typed("--top") ? "--top" : "";
}

void take_grouping(const typed_options& typed, run_settings& to) {
  take_name(typed, "--grouping", to.grouping.by_components, {"representatives", "components"},
            "groupings are representatives and components");
}

namespace {

/// Sets the features of fingerprints and check in `to`. --features and --check-features are the defaults of each other.
void apply_features(const typed_options& typed, run_settings& to) {
  const auto features = typed["--features"], check_features = typed["--check-features"];
  if (features) to.fingerprint.features = parse_feature_setting("--features", *features);
  if (check_features) to.comparison.check_features = parse_feature_setting("--check-features", *check_features);
  if (!features && check_features) to.fingerprint.features = to.comparison.check_features;
  if (!check_features) to.comparison.check_features = to.fingerprint.features;
  for (const std::string& same : typed.all("--same")) {
    to.fingerprint.same.push_back(same);
    to.fingerprint.features.same.push_back(parse_same(same));
    to.comparison.check_features.same.push_back(to.fingerprint.features.same.back());
  }
  const bool by_dictionary =
      to.fingerprint.features.needs_dictionary() || to.comparison.check_features.needs_dictionary();
  to.fingerprint.folds_chinese = typed.has("--fold-chinese");
  to.fingerprint.words.no_model = typed.has("--no-hmm");
  if (!by_dictionary) {
    refuse_if_given(typed, {"--dictionary", "--user-dictionary", "--model", "--no-hmm", "--stop-words"},
                    " needs --features zh:words or zh:keywords");
  }
  if (to.fingerprint.words.no_model && !to.fingerprint.words.model.empty())
    throw usage_error("--model and --no-hmm do not go together");
}

void apply_weights(const typed_options& typed, run_settings& to) {
  if (const auto weights = typed["--weights"]) to.fingerprint.weights = parse_weights(*weights);
  take_number<std::size_t>(typed, "--top", to.fingerprint.top, 1, 1'000'000'000);
  if (!to.fingerprint.idf_file.empty() && !to.fingerprint.needs_idf()) {
    throw usage_error("--idf-file needs --weights idf or tfidf, or --top");
  }
  if (to.input.unit == unit_of_input::fingerprints && to.fingerprint.learns_idf()) {
    throw usage_error("--weights " + to.fingerprint.weights.name() + (to.fingerprint.top > 0 ? " --top" : "") +
                      " with --fingerprints: there are no texts to learn from; name an --idf-file");
  }
}

void apply_fingerprint(const typed_options& typed, const width_rule& widths, run_settings& to) {
  const std::string kind = typed["--kind"].value_or("auto");
  if (parse_name("--kind", kind, {"auto", "simhash", "minwise"}, "kinds are auto, simhash and minwise") == 2) {
    if (to.fingerprint.has_weights()) {
      const char* const weighted = typed.has("--top") ? "--top" : "--weights";
      throw usage_error(std::string("--kind minwise has no weights: leave out ") + weighted +
                        ", or write --kind simhash");
    }
    to.fingerprint.kind = fingerprint_kind::minwise;
  }
  if (const auto bits = typed["--bits"]) {
    to.fingerprint.bits = parse_number<std::size_t>("--bits", *bits, widths.least, widths.most, widths.text);
    const std::size_t given = to.fingerprint.bits;
    if (to.fingerprint.are_codes ? given % 8 != 0 : stored_bits(given) != given) {
      throw usage_error("--bits " + *bits + ": " + widths.text);
    }
  }
  take_number<std::uint64_t>(typed, "--seed", to.fingerprint.seed, 0, UINT64_MAX);
}

/// Sets the rule that chooses the kept document of a group.
void apply_keep(const std::string& text, run_settings& to) {
  const std::size_t colon = text.find(':');
  const std::string rule = "must be first, longest, highest:FIELD or lowest:FIELD";
  to.grouping.keep = static_cast<preference>(
      parse_name("--keep", text.substr(0, colon), {"first", "longest", "highest", "lowest"}, rule));
  const bool by_field = to.grouping.keep == preference::highest || to.grouping.keep == preference::lowest;
  if (by_field != (colon != text.npos) || (by_field && colon + 1 == text.size())) {
    throw usage_error("--keep '" + text + "': " + rule);
  }
  if (!by_field) return;
  if (!has_fields(to.input.unit) || to.input.unit == unit_of_input::warc || is_of_mail(to.input.unit)) {
    throw usage_error("--keep " + text + " needs --jsonl, or a table");
  }
  to.input.score_field = text.substr(colon + 1);
}

/// Sets the rule that determines the source of a document (--by).
void apply_by(const std::string& text, run_settings& to) {
  const std::size_t colon = text.find(':');
  const std::string rule = "must be field:NAME, host, host:NAME, folder or file, or for mail sender or thread";
  if (text == "sender" || text == "thread") {
    if (!is_of_mail(to.input.unit) && to.input.unit != unit_of_input::automatic) {
      throw usage_error("--by " + text + " needs --input-format mail");
    }
    to.by = {source_kind::field, text == "sender" ? by_sender : by_thread, text};
    to.input.source_field = to.by.field;
    return;
  }
  to.by.kind = static_cast<source_kind>(
      1 + parse_name("--by", text.substr(0, colon), {"field", "folder", "file", "host"}, rule));
  to.by.text = text;
  const bool has_name = colon != text.npos && colon + 1 < text.size();
  const bool may_have = to.by.kind == source_kind::field || to.by.kind == source_kind::host;
  if ((colon != text.npos) != has_name || (has_name && !may_have) || (to.by.kind == source_kind::field && !has_name)) {
    throw usage_error("--by '" + text + "': " + rule);
  }
  if (may_have && !has_fields(to.input.unit))
    throw usage_error("--by " + text + " needs --jsonl, or another format of records");
  if (has_name) to.by.field = to.input.source_field = text.substr(colon + 1);
}

/// Sets the field whose values decide which documents are compared (--within or --across).
void apply_pairing(const typed_options& typed, run_settings& to) {
  if (!typed.has("--within") && !typed.has("--across")) return;
  if (typed.has("--within") && typed.has("--across")) throw usage_error("--within and --across do not go together");
  const std::string option = typed.has("--within") ? "--within" : "--across";
  const std::string field = typed.text(option);
  if (field.empty()) throw usage_error(option + " '': not the name of a field");
  const auto refuse = [&](const std::string& other, const char* why) {
    throw usage_error(other + " with " + option + ": " + why);
  };
  if (typed.has("--fingerprints")) refuse("--fingerprints", "lists have no fields");
  if (!has_fields(to.input.unit) || to.input.unit == unit_of_input::warc) {
    throw usage_error(option + " " + field + (typed.is_typed(option) ? "" : ", as the index was made,") +
                      " needs --jsonl, or another format of records");
  }
  for (const char* const other : {"--audit", "--parts", "--cut-passages", "--copies"}) {
    if (typed.has(other)) refuse(other, "it compares all records; leave out one of the two");
  }
  if (!to.input.source_field.empty() && to.input.source_field != field) {
    refuse("--by " + to.by.text, "one field is read; name the same one, or leave out one of the two");
  }
  to.grouping.paired = typed.has("--within") ? pairing::within : pairing::across;
  to.input.source_field = field;
  to.input.needs_source_field = true;
}

void apply_grouping(const typed_options& typed, run_settings& to) {
  if (const auto by = typed["--by"]) apply_by(*by, to);
  take_grouping(typed, to);
  if (const auto keep = typed["--keep"]) apply_keep(*keep, to);
  apply_pairing(typed, to);
  if (!to.against.any()) return;
  if (to.grouping.by_components) throw usage_error("--grouping components and --against do not go together");
  if (typed.has("--keep") && !to.against.also_within) {
    throw usage_error(
        "--keep chooses within the input, which --against compares with the other corpus only; add --also-within");
  }
}

/// Returns the reason why candidates are found by fingerprints although no option asks for fingerprints. The reason is
/// another option, or a file without features. Returns an empty text if there is no reason.
std::string why_by_fingerprints(const typed_options& typed, const run_settings& to) {
  if (!to.against.without_features.empty()) return to.against.without_features + ", an index of fingerprints";
  if (std::string weights = option_of_weights(typed); !weights.empty()) return weights;
  const bool is_weighed = to.comparison.check == similarity_measure::cosine && !to.input.weighted_field.empty();
  if (is_weighed) return "--check cosine with --weighted-field";
  if (to.comparison.check != similarity_measure::edit && has_two_similarities(typed))
    return "--similarity with --min-similarity";
  return "";
}

/// Refuses options of features and fingerprints with --check edit, which compares texts without them.
void refuse_what_edits_cannot(const typed_options& typed) {
  std::string other = option_of_fingerprints(typed);
  if (other.empty()) other = option_of_weights(typed);
  for (const char* const option : {"--features", "--check-features"}) {
    if (other.empty() && typed.is_typed(option)) other = option;
  }
  if (other.empty()) return;
  throw usage_error(other + " with --check edit: texts are compared by characters; leave out one of the two");
}

/// Sets to.comparison.is_exact if candidates are found by features. They are found by fingerprints if the options ask
/// for fingerprints, or if features cannot be joined. If no option asks, to.why_by_fingerprints has the reason.
void apply_exact(const typed_options& typed, run_settings& to) {
  const bool is_containment = to.comparison.checks_containment();
  if (is_containment && !typed.takes(takes::exact)) {
    throw usage_error("--check containment is for groups, unique, pairs and report");
  }
  if (is_containment && typed.has("--keep")) {
    throw usage_error("--keep with --check containment: the larger text is kept; leave out one of the two");
  }
  if (to.comparison.check == similarity_measure::edit) refuse_what_edits_cannot(typed);
  if (!may_be_exact(typed)) return;
  // If features are demanded, options that need fingerprints were refused before.
  const bool is_demanded = typed.has("--exact") || is_containment;
  if (!is_demanded) to.why_by_fingerprints = why_by_fingerprints(typed, to);
  to.comparison.is_exact = to.why_by_fingerprints.empty();
  if (to.comparison.is_exact && to.comparison.check == similarity_measure::cosine)
    to.comparison.check = similarity_measure::cosine_of_sets;
}

/// Returns the Jaccard similarity for which the distance is chosen. For a cosine, the result is the similarity of two
/// sets of equal size with this cosine.
double jaccard_for(double similarity, similarity_measure check) {
  return check == similarity_measure::jaccard ? similarity : similarity / (2 - similarity);
}

/// Chooses the distance, and the kind if `is_any_kind`. The kind that needs the smaller distance has fewer candidates
/// (measured in bench/scale/README.md). With weights or a cosine, the kind is SimHash.
void choose_distance(bool is_any_kind, double similarity, run_settings& to) {
  const auto distance_by = [&](fingerprint_kind kind) {
    return neardup::distance_for(to.fingerprint.bits, similarity, kind);
  };
  const bool is_open =
      is_any_kind && to.comparison.check != similarity_measure::cosine && !to.fingerprint.has_weights();
  if (is_open && distance_by(fingerprint_kind::minwise) <= distance_by(fingerprint_kind::simhash)) {
    to.fingerprint.kind = fingerprint_kind::minwise;
  }
  to.comparison.distance = std::min(distance_by(to.fingerprint.kind), static_cast<int>(to.fingerprint.bits) - 1);
}

}  // namespace

void refuse_what_same_cannot(const typed_options& typed, const run_settings& to) {
  if (!typed.has("--same")) return;
  const auto refuse = [](const std::string& option, const char* why) {
    throw usage_error(option + " with --same: " + why);
  };
  if (typed.has("--fingerprints")) refuse("--fingerprints", "lists have no texts");
  if (!to.against.grown_index.empty()) refuse("--add-to", "an index does not keep what --same compares");
  if (!to.against.indexes.empty()) refuse("--against", "an index does not keep what --same compares; name texts");
  if (typed.has("--weighted-field"))
    refuse("--weighted-field", "it reads texts, and the records have features instead; leave out one of the two");
  if (has_several_texts(to.input)) {
    refuse("--text-field", "it reads one text, and a document has several texts here; name one field");
  }
  if (to.fingerprint.needs_idf()) {
    refuse(typed.has("--top") ? "--top" : "--weights " + typed.text("--weights"),
           "it changes the features, and an IDF table does not have such features; leave out one of the two");
  }
  if (to.comparison.check == similarity_measure::edit)
    refuse("--check edit", "it adds to features, and --check edit compares texts; leave out one of the two");
  if (!to.comparison.min_similarity) {
    refuse("--distance", "fingerprints alone cannot check it; add --min-similarity X");
  }
}

std::string option_of_fingerprints(const typed_options& typed) {
  for (const char* const option : {"--distance", "--kind", "--bits", "--blocks", "--fingerprints"}) {
    if (typed.is_typed(option)) return option;
  }
  if (reads_codes(typed)) return typed.has("--code-field") ? "--code-field" : "--input-format codes";
  return "";
}

bool may_be_exact(const typed_options& typed) {
  return typed.takes(takes::exact) && option_of_fingerprints(typed).empty();
}

bool reads_codes(const typed_options& typed) {
  return typed.text("--input-format") == "codes" || typed.has("--code-field");
}

void check_distance(const run_settings& settings) {
  const comparison_settings& how = settings.comparison;
  const auto bits = static_cast<int>(settings.fingerprint.bits);
  if (how.distance >= bits) {
    throw usage_error("--distance " + std::to_string(how.distance) + ": the codes have " + std::to_string(bits) +
                      " bits");
  }
  if (how.blocks > bits ||
      !neardup::layout::is_valid(stored_bits(settings.fingerprint.bits), how.distance, blocks_of(settings))) {
    throw usage_error("--blocks " + std::to_string(how.blocks) + " with --distance " + std::to_string(how.distance) +
                      " needs more tables than an index may have; take fewer blocks");
  }
}

void take_fingerprint(const typed_options& typed, const width_rule& widths, run_settings& to) {
  if (to.fingerprint.are_codes) {
    to.fingerprint.bits = most_code_bits;  // until the first code is read
    apply_fingerprint(typed, {8, most_code_bits, "codes have whole bytes, up to 1,024 bits"}, to);
    if (typed.has("--bits")) to.input.code_bits = to.fingerprint.bits;
    return;
  }
  apply_features(typed, to);
  apply_weights(typed, to);
  apply_fingerprint(typed, widths, to);
}

void take_comparison(const typed_options& typed, run_settings& to, bool is_of_index) {
  if (to.fingerprint.are_codes && !typed.has("--distance")) {
    throw usage_error(std::string(typed.has("--code-field") ? "--code-field" : "--input-format codes") +
                      " needs --distance K: the most bits in which near-duplicates differ");
  }
  const int bits = static_cast<int>(to.fingerprint.bits);
  take_number(typed, "--distance", to.comparison.distance, 0, bits - 1);
  take_number(typed, "--blocks", to.comparison.blocks, 1, bits);
  take_number(typed, "--min-similarity", to.comparison.min_similarity, 0.0, 1.0);
  apply_grouping(typed, to);
  take_name(typed, "--check", to.comparison.check, {measure_names.begin(), measure_names.end() - 1},
            typed.takes(takes::exact) ? "checks are jaccard, cosine, edit and containment"
                                      : "checks are jaccard, cosine and edit");
  if (to.comparison.check == similarity_measure::edit && !to.input.weighted_field.empty()) {
    throw usage_error("--check edit compares texts, and --weighted-field has none");
  }
  apply_exact(typed, to);
  const auto least = typed["--min-similarity"], wanted = typed["--similarity"];
  if (!wanted && typed.has("--distance")) {
    for (const char* const option : {"--check", "--check-features"}) {
      if (!typed.has(option) || least || (is_of_index && option == std::string("--check-features"))) continue;
      throw usage_error(option + std::string(" with --distance alone: there is no check; add --min-similarity"));
    }
    // Here the distance comes from an index, so say_choice() prints the least similarity as --similarity.
    if (least && !typed.is_typed("--distance")) {
      to.choice = similarity_choice{typed.is_typed("--min-similarity") ? least : std::nullopt, least};
    }
    return;
  }
  const double similarity = !wanted && least ? *to.comparison.min_similarity : similarity_of(typed);
  if (similarity == 0) throw usage_error("--min-similarity " + *least + " needs --distance");
  if (!typed.has("--distance")) {
    choose_distance(typed["--kind"].value_or("auto") == "auto", jaccard_for(similarity, to.comparison.check), to);
  }
  if (!least) to.comparison.min_similarity = similarity;
  to.choice = similarity_choice{wanted ? wanted : least, least};
  if (wanted && typed.is_typed("--distance") && to.comparison.check == similarity_measure::jaccard) {
    run_settings chosen = to;
    choose_distance(false, similarity, chosen);
    to.choice->best_distance = chosen.comparison.distance;
  }
}

namespace {

/// If the distance is smaller than the similarity requires, reports the share of pairs that fingerprints find.
void say_what_is_missed(const run_settings& settings) {
  const similarity_choice& choice = *settings.choice;
  if (choice.best_distance <= settings.comparison.distance) return;
  const double similarity = parse_number("--similarity", *choice.similarity, 0.0, 1.0);
  const auto found_within = [&](int distance) {
    const double share =
        neardup::expected_recall(settings.fingerprint.bits, distance, similarity, settings.fingerprint.kind);
    return "--distance " + std::to_string(distance) + " finds " + number(std::floor(1000 * share) / 10) + " %";
  };
  say("of the pairs of similarity " + *choice.similarity + " and more " + found_within(settings.comparison.distance) +
      ", by theory, and " + found_within(choice.best_distance) +
      "; without --distance, --kind, --bits and --blocks none is missed");
}

/// Prints a note that lists the options which --similarity stands for, such as --features, --bits and --distance.
/// Precondition: settings.choice has a value.
void say_similarity(const run_settings& settings) {
  const std::string typed = settings.choice->similarity.value_or(number(neardup::default_similarity));
  // Features that are read from records have no name.
  const auto features = [&](const char* option, const feature_setting& chosen) {
    return settings.fingerprint.are_given || settings.comparison.checks_edits() ? std::string()
                                                                                : option + to_string(chosen);
  };
  std::string text = (settings.comparison.is_lossless ? "--lossless" : settings.choice->text()) +
                     " means:" + features(" --features ", settings.fingerprint.features);
  const bool is_exact = settings.comparison.is_exact;
  if (!is_exact) text += " --kind " + std::string(neardup::to_string(settings.fingerprint.kind));
  text += is_exact ? " --exact" : " --bits " + std::to_string(settings.fingerprint.bits);
  if (!is_exact) text += " --distance " + std::to_string(settings.comparison.distance);
  const auto measure = static_cast<std::size_t>(settings.comparison.check);
  if (measure != 0) text += std::string(" --check ") + measure_names[measure];
  // The edit similarity compares texts, and has no features.
  if (!settings.comparison.checks_edits()) text += features(" --check-features ", settings.comparison.check_features);
  text += " --min-similarity " + settings.choice->min_similarity.value_or(typed);
  for (const std::string& same : settings.fingerprint.same) text += " --same " + same;
  say(text);
}

}  // namespace

void say_choice(const run_settings& settings) {
  if (settings.choice) say_similarity(settings);
  if (settings.choice && settings.choice->best_distance >= 0) say_what_is_missed(settings);
  if (!settings.unchecked.empty()) say(settings.unchecked);
  if (settings.why_by_fingerprints.empty()) return;
  const std::string& index = settings.against.without_features;
  say(settings.why_by_fingerprints + ": candidates come from fingerprints, which may miss a pair" +
      (index.empty() ? "" : "; neardup index --output " + index + " PATH… makes one that misses none"));
}

}  // namespace command
