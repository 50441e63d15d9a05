// `neardup advise`: recommends options that find the near-duplicates of a corpus.
#include <array>
#include <cmath>
#include <neardup/index/recall.hpp>
#include <neardup/text/utf8.hpp>
#include <neardup/threads.hpp>

#include "../compare/advice.hpp"
#include "../describe/text_kinds.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array advise_options{
    option_row{"--features", "F", takes::own, section::fingerprint,
               "for fingerprints only these: words, words:N, chars:N of the normalised text, or bytes:N of the raw one "
               "(default: several)",
               usual::with_verb},
    option_row{"--bits", "N", takes::own, section::fingerprint,
               "for fingerprints only this width: 64 or 128 (default: both)"},
    option_row{"--similarity", "S", takes::own, section::comparison,
               "near-duplicates have at least this exact Jaccard similarity, above 0 to 1 (default: {similarity})",
               usual::with_verb},
    option_row{
        "--recall", "R", takes::own, section::comparison,
        "advise on fingerprints alone: the share of them that is to be found, 0 to 1 (with --features or --bits: "
        "{recall})",
        usual::with_verb},
    option_row{"--check-features", "F", takes::own, section::comparison,
               "what the similarity is about (default: {features})"},
};

/// The settings of advise: the near-duplicates to find, and the setups to choose from.
struct advised_run : run_settings {
  bool is_about_fingerprints = false;  // otherwise the advice is about exact comparisons
  double recall = neardup::default_recall(neardup::fingerprint_kind::minwise);  // required share of the near-duplicates
  std::optional<neardup::feature_choice> wanted_features;                       // nullopt: several kinds are tried
  std::optional<std::size_t> wanted_bits;                                       // nullopt: 64 and 128 bits are tried
  std::vector<std::string> input_words;                                         // input paths as typed
};

/// The least number of documents for which advice is given.
constexpr std::uint64_t few_documents = 20;

/// Of a longer text, only the first `advised_bytes` bytes are used. The rest would hardly change the fingerprint and
/// the features of the text.
constexpr std::size_t advised_bytes = std::size_t{1} << 24;

advice_request request_of(const advised_run& settings) {
  advice_request request{.similarity = *settings.comparison.min_similarity,
                         .check = settings.comparison.check_features.choice,
                         .recall = settings.recall,
                         .setups = settings.is_about_fingerprints,
                         .seed = settings.fingerprint.seed};
  if (settings.wanted_features) request.features = {*settings.wanted_features};
  return request;
}

/// Returns true if a text has any token.
bool has_tokens(const neardup::feature_choice& features, std::string_view text) {
  return neardup::with_tokenizer(features, [text](const auto& tokenize) {
    bool found = false;
    const auto sink = [&found](std::string_view) { found = true; };
    constexpr std::size_t beginning = 256;  // enough for most texts
    tokenize(text.substr(0, beginning), sink);
    if (!found && text.size() > beginning) tokenize(text, sink);
    return found;
  });
}

/// Cuts a text to the used part.
/// Returns: true if that is less than all of it.
bool shorten(std::string& text) {
  if (text.size() <= advised_bytes) return false;
  text.resize(advised_bytes);
  text.resize(text.size() - neardup::incomplete_suffix(text));
  return true;
}

/// Returns a visitor that calls `use(text, is_shortened)` for each document that is part of the advice.
template <class Use>
document_visitor for_advised_texts(context& c, const Use& use) {
  return [&c, use](const placed_document& d) {
    std::string text = joined(*d.texts, '\n');
    const bool is_shortened = shorten(text);
    const bool counts =
        has_tokens(c.settings.comparison.check_features.choice, text) || c.notes.without_tokens(d.from->where(d.line));
    if (counts) use(std::move(text), is_shortened);
  };
}

/// Makes two passes over the input. `shortened` gets the number of documents that were shortened.
advice advice_on(context& c, const advised_run& settings, text_kinds& kinds, std::uint64_t& shortened) {
  advisor look(request_of(settings));
  const neardup::threads run{c.settings.threads};
  std::uint64_t sampled = 0, compared = 0;
  for_each_text_before(c, "drawing a sample", for_advised_texts(c, [&](const std::string& text, bool) {
                         look.sample(text);
                         constexpr std::uint64_t enough_documents = 1000;
                         if (sampled++ < enough_documents) kinds.add(text);
                       }));

  std::vector<std::string> waiting;  // this many texts, so that starting threads does not matter
  std::size_t waiting_bytes = 0;
  const auto compare_waiting = [&] {
    if (compared + waiting.size() > sampled) throw input_error({"", "the input was changed while it was being read"});
    if (!waiting.empty()) look.compare(waiting, run);
    compared += waiting.size();
    waiting.clear();
    waiting_bytes = 0;
  };
  read_texts(c.settings.input, c.sources, c.notes, for_advised_texts(c, [&](std::string text, bool is_shortened) {
               constexpr std::size_t bytes_at_once = std::size_t{1} << 22, documents_at_once = 4096;
               if (is_shortened) ++shortened;
               waiting_bytes += text.size();
               waiting.push_back(std::move(text));
               if (waiting_bytes >= bytes_at_once || waiting.size() == documents_at_once) compare_waiting();
             }));
  compare_waiting();
  if (compared != sampled) throw input_error({"", "the input was changed while it was being read"});
  if (sampled == 0) return {};
  c.notes.phase("counting candidates");
  return look.finish(run);
}

/// Keeps only the setups with the requested features and width.
void restrict_to_wanted(const advised_run& settings, advice& found) {
  std::erase_if(found.setups, [&](const setup& s) {
    return (settings.wanted_features && s.features != *settings.wanted_features) ||
           (settings.wanted_bits && s.bits != *settings.wanted_bits);
  });
  if (found.setups.empty()) return;
  found.recommended = recommended_setup(found.setups, settings.recall);
  found.is_reached = found.setups[found.recommended].recall >= settings.recall;
}

// ---- Output ---------------------------------------------------------------------------------------------------------

/// Returns `value` as text, rounded to a whole number; if it is an estimate, to two significant digits.
std::string count_text(double value, bool is_exact) {
  double step = 1;
  while (!is_exact && value / step >= 100) step *= 10;
  return grouped(static_cast<std::uint64_t>(std::llround(value / step) * std::llround(step)));
}

/// Returns a number of bytes on average.
std::string bytes_text(double value) {
  const std::string count = count_text(value, true);
  return count + (count == "1" ? " byte" : " bytes");
}

std::string seconds_text(double seconds) {
  if (seconds < 0.1) return "< 0.1 s";
  if (seconds < 10) return fixed(seconds, 1) + " s";
  if (seconds < 120) return fixed(seconds, 0) + " s";
  if (seconds < 7200) return fixed(seconds / 60, 0) + " min";
  return fixed(seconds / 3600, 1) + " h";
}

/// Quoted for a POSIX shell if necessary.
std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// Prints columns as wide as necessary; the first one is aligned left, the others right.
void print_table(output& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      out << (i == 0 ? row[i] + gap : "  " + gap + row[i]);
    }
    out << '\n';
  }
}

void print_corpus(output& out, const advised_run& settings, const advice& found) {
  out << counted(found.documents, "document", "documents") << ", " << bytes_text(found.mean_bytes)
      << " on average, half of them up to " << count_text(found.median_bytes, true) << '\n';
  const bool is_whole = found.followed == found.documents;
  const std::string similar = "with a similarity of " + number(*settings.comparison.min_similarity) + " by " +
                              to_string(settings.comparison.check_features);
  const std::string looked_at = is_whole ? ""
                                         : " (a sample of " + grouped(found.followed) + " documents has " +
                                               grouped(found.pairs_seen) + ", counted for each of its documents)";
  if (found.pairs_seen == 0) {
    out << "No near-duplicates " << similar << looked_at << '\n';
  } else {
    const std::string pairs = count_text(found.similar_pairs, is_whole);
    out << (is_whole ? "" : "About ") << pairs << (pairs == "1" ? " pair" : " pairs") << " of near-duplicates "
        << similar << looked_at << '\n'
        << fixed(100 * found.partnered, 1) << " % of the distinct documents" << (is_whole ? "" : " of this sample")
        << " have any; a document and its copies count as one\n";
  }
  if (found.followed < found.sampled) {
    out << "So many documents resemble one another that only " << grouped(found.followed) << " of "
        << grouped(found.sampled) << " sampled ones were compared with all; they are weighted for the others\n";
  }
}

void print_hints(output& out, const advised_run& settings, const std::vector<feature_hint>& hints) {
  for (const feature_hint& hint : hints) {
    const std::string compared = to_string(settings.comparison.check_features);
    if (compared.substr(0, compared.rfind(':')) == hint.features.substr(0, hint.features.rfind(':'))) continue;
    out << "Try --check-features " << hint.features << ": " << grouped(hint.documents) << " of the first "
        << counted(hint.seen, "document", "documents") << ' ' << hint.reason << '\n';
  }
}

void print_features(output& out, const advised_run& settings, const advice& found) {
  out << "\nFeatures per document"
      << (found.sampled < found.documents ? " of a sample of " + grouped(found.sampled) + " documents" : "")
      << ", and the share of documents that are too short: one changed word (of chars and bytes: one\ncharacter) makes "
         "their similarity less than "
      << number(*settings.comparison.min_similarity) << ". Documents are compared by those with a *:\n\n";
  std::vector<std::vector<std::string>> rows{{"  features", "per document", "too short"}};
  for (const feature_facts& facts : found.facts) {
    const bool is_of_check = facts.features == settings.comparison.check_features.choice;
    rows.push_back({(is_of_check ? "* " : "  ") + to_string(facts.features), fixed(facts.mean_features, 1),
                    fixed(facts.too_short, 3)});
  }
  print_table(out, rows);
}

void print_distances(output& out, const advice& found) {
  out << "\nDistances of random pairs, in bits of 64 (uniform fingerprints: 32.0 +- 4.0), and how much fuller than "
         "those of\nuniform fingerprints buckets of 16 bits are:\n\n";
  std::vector<std::vector<std::string>> rows{{"features", "per document", "distance", "buckets"}};
  for (const feature_facts& facts : found.facts) {
    rows.push_back({to_string(facts.features), fixed(facts.mean_features, 1),
                    fixed(facts.mean_distance, 1) + " +- " + fixed(facts.distance_spread, 1),
                    fixed(facts.skew, 1) + " x"});
  }
  print_table(out, rows);
}

/// Returns true if the recall was measured on pairs of the corpus; otherwise it comes from theory, without an interval.
bool is_measured(const advice& found) { return found.documents_measured > 0; }

/// Returns the interval in parentheses; empty if there is none, or if its ends look equal.
std::string interval_text(const advice& found, const setup& s) {
  const std::string low = fixed(s.recall_low, 3), high = fixed(s.recall_high, 3);
  return is_measured(found) && low != high ? " (" + low + " to " + high + ")" : "";
}

void print_setups(output& out, const advice& found) {
  std::vector<std::vector<std::string>> rows{
      {"  features", "kind", "bits", "distance", "blocks", "recall", "pairs", "candidates", "bytes", "time"}};
  for (std::size_t i = 0; i < found.setups.size(); ++i) {
    const setup& s = found.setups[i];
    rows.push_back({(i == found.recommended ? "* " : "  ") + to_string(s.features),
                    std::string(neardup::to_string(s.kind)), std::to_string(s.bits), std::to_string(s.distance),
                    std::to_string(s.blocks), fixed(s.recall, 3) + interval_text(found, s), fixed(s.recall_of_pairs, 3),
                    fixed(s.candidates, 2), fixed(s.bytes, 0),
                    seconds_text(s.seconds * static_cast<double>(found.documents))});
  }
  print_table(out, rows);
}

template <class Items, class ToJson>
std::string json_array(const Items& items, const ToJson& to_json) {
  std::string text;
  for (const auto& item : items) {
    text += text.empty() ? '[' : ',';
    text += to_json(item);
  }
  return (text.empty() ? "[" : text) + ']';
}

std::string json_of(const advised_run& settings, const feature_facts& facts) {
  json_object all;
  all.add("features", json_string(to_string(facts.features)))
      .add("mean_features", number(facts.mean_features))
      .add("too_short", number(facts.too_short));
  if (settings.is_about_fingerprints) {
    all.add("mean_distance", number(facts.mean_distance))
        .add("distance_spread", number(facts.distance_spread))
        .add("skew", number(facts.skew));
  }
  return all.text();
}

std::string json_of(const advice& found, const setup& s) {
  const auto if_measured = [&](double value) { return is_measured(found) ? number(value) : std::string("null"); };
  return json_object()
      .add("features", json_string(to_string(s.features)))
      .add("kind", json_string(neardup::to_string(s.kind)))
      .add("bits", std::to_string(s.bits))
      .add("distance", std::to_string(s.distance))
      .add("blocks", std::to_string(s.blocks))
      .add("recall", number(s.recall))
      .add("recall_error", if_measured(s.recall_error))
      .add("recall_low", if_measured(s.recall_low))
      .add("recall_high", if_measured(s.recall_high))
      .add("recall_of_pairs", number(s.recall_of_pairs))
      .add("candidates", number(s.candidates))
      .add("bytes", number(s.bytes))
      .add("seconds", number(s.seconds))
      .text();
}

/// Returns the paths as typed. Unless `in_full`, a placeholder replaces many paths, because they come from a pattern
/// that the shell has expanded.
std::string path_words(const advised_run& settings, bool in_full) {
  const auto end = settings.input.paths.begin() +
                   static_cast<std::ptrdiff_t>(std::min(settings.input.paths.size(), settings.input.first_listed));
  constexpr std::ptrdiff_t max_shown = 10;
  if (!in_full && end - settings.input.paths.begin() > max_shown) return " PATH…";
  const auto looks_like_an_option = [](const std::string& path) { return path.size() > 1 && path.starts_with('-'); };
  std::string text = std::any_of(settings.input.paths.begin(), end, looks_like_an_option) ? " --" : "";
  std::for_each(settings.input.paths.begin(), end, [&](const std::string& path) { text += ' ' + shell_word(path); });
  return text;
}

/// Returns the command line that finds the near-duplicates of the same input, for a shell.
std::string command_for(const advised_run& settings, const advice& found, const std::string& paths) {
  std::string text = "neardup groups --similarity " + number(*settings.comparison.min_similarity);
  if (settings.is_about_fingerprints) {
    const setup& chosen = found.setups[found.recommended];
    text += " --features " + to_string(chosen.features) + " --kind " + std::string(neardup::to_string(chosen.kind)) +
            " --bits " + std::to_string(chosen.bits) + " --distance " + std::to_string(chosen.distance);
  } else {
    text += " --exact";
  }
  text += " --check-features " + to_string(settings.comparison.check_features);
  if (settings.fingerprint.seed != 0) text += " --seed " + std::to_string(settings.fingerprint.seed);
  for (const std::string& word : settings.input_words) text += ' ' + shell_word(word);
  return text + paths;
}

void print_setups_text(output& out, const advised_run& settings, const advice& found) {
  print_distances(out, found);
  const bool has_interval = std::any_of(found.setups.begin(), found.setups.end(),
                                        [&](const setup& s) { return !interval_text(found, s).empty(); });
  out << "\nTo find " << number(100 * settings.recall)
      << " % of the near-duplicates of a document by fingerprints (recall: a family of them counts once, copies\ndo not"
      << (is_measured(found)
              ? "; measured on " + counted(found.documents_measured, "document", "documents") + " that have any"
              : ", and without any it is only theory")
      << (has_interval ? "; in brackets what comes out in nine of ten cases, by the luck of the sample and of the hash"
                       : "")
      << ";\npairs: the share of all pairs, of which large families have most"
      << ";\ncandidates and bytes of memory: per document; time: for all, roughly, on one core):\n\n";
  print_setups(out, found);
  out << '\n';
  out << (found.is_reached ? "* is the fastest that finds as many.\n"
                           : "None of these finds as many; * finds the most.\n");
}

void print_advice_text(output& out, const advised_run& settings, const advice& found,
                       const std::vector<feature_hint>& hints) {
  if (found.documents == 0) {
    out << "There are no documents to advise on.\n";
    return;
  }
  print_corpus(out, settings, found);
  print_hints(out, settings, hints);
  if (found.documents < few_documents) {
    out << "So few documents are nothing to advise from; the command below is that for any.\n";
  }
  if (settings.is_about_fingerprints) {
    print_setups_text(out, settings, found);
  } else {
    print_features(out, settings, found);
  }
  out << '\n' << on_one_line(command_for(settings, found, path_words(settings, false))) << '\n';
}

std::string json_of(const feature_hint& hint) {
  return json_object()
      .add("features", json_string(hint.features))
      .add("documents", std::to_string(hint.documents))
      .add("of", std::to_string(hint.seen))
      .add("reason", json_string(hint.reason))
      .text();
}

void print_advice_json(output& out, const advised_run& settings, const advice& found,
                       const std::vector<feature_hint>& hints) {
  const bool has_advice = found.documents > 0;
  json_object all;
  all.add("documents", std::to_string(found.documents))
      .add("sampled", std::to_string(found.sampled))
      .add("followed", std::to_string(found.followed))
      .add("mean_bytes", number(found.mean_bytes))
      .add("median_bytes", number(found.median_bytes))
      .add("similarity", number(*settings.comparison.min_similarity))
      .add("check_features", json_string(to_string(settings.comparison.check_features)))
      .add("similar_pairs", number(found.similar_pairs))
      .add("pairs_seen", std::to_string(found.pairs_seen))
      .add("partnered", number(found.partnered))
      .add("hints", json_array(hints, [](const auto& hint) { return json_of(hint); }))
      .add("facts", json_array(found.facts, [&](const auto& facts) { return json_of(settings, facts); }));
  if (settings.is_about_fingerprints) {
    all.add("wanted_recall", number(settings.recall))
        .add("setups", json_array(found.setups, [&](const auto& s) { return json_of(found, s); }))
        .add("recommended", has_advice ? std::to_string(found.recommended) : "null")
        .add("is_reached", found.is_reached ? "true" : "false");
  }
  all.add("command",
          has_advice ? json_string(command_for(settings, found, path_words(settings, true))) : std::string("null"));
  out << all.text() << '\n';
}

void print_advice(context& c, const advised_run& settings) {
  std::uint64_t shortened = 0;
  text_kinds kinds;
  advice found = advice_on(c, settings, kinds, shortened);
  restrict_to_wanted(settings, found);
  if (settings.output.as_json()) {
    print_advice_json(c.out, settings, found, kinds.hints());
  } else {
    print_advice_text(c.out, settings, found, kinds.hints());
  }
  if (shortened > 0 && !settings.output.quiet) {
    say(counted(shortened, "document is", "documents are") +
        " larger than 16 MB; the advice is on the first 16 MB of each");
  }
  finish(c, "");
}

bool run_advise(typed_options& typed) {
  advised_run settings;
  const auto take_what_is_wanted = [&](const typed_options& given, run_settings& to) {
    if (to.fingerprint.features.needs_dictionary() || to.comparison.check_features.needs_dictionary()) {
      throw usage_error(
          "advise knows no words by a dictionary, only words:N, masked:words:N, canonical:words:N, chars:N, "
          "canonical:chars:N, letters:N, longest:N, code:N, spaced:words:N and bytes:N");
    }
    to.comparison.min_similarity = similarity_of(given);
    take_number(given, "--recall", settings.recall, 0.0, 1.0);
    // Unlike in other verbs, --features does not affect the check.
    if (!given.has("--check-features")) to.comparison.check_features = {};
    if (given.has("--features")) settings.wanted_features = to.fingerprint.features.choice;
    if (given.has("--bits")) settings.wanted_bits = to.fingerprint.bits;
    settings.is_about_fingerprints = given.has("--recall") || given.has("--features") || given.has("--bits");
  };
  static_cast<run_settings&>(settings) =
      take_reading(typed, {.comparison = take_what_is_wanted, .widths = {64, 128, "advice is on 64 or 128 bits"}});
  settings.input.is_read_twice = true;
  settings.input_words = input_words(typed);
  return run_on_documents(settings, [&](context& c) { print_advice(c, settings); });
}

}  // namespace

extern const verb advise_verb;
const verb advise_verb{"advise",
                       "PATH…",
                       "which options find the near-duplicates of these documents",
                       R"(
Looks at the documents, and says what share of them have near-duplicates, which features suit, and the
command that finds all of them, exactly. It draws a sample of at most 2,000 documents, and finds all their
near-duplicates in the input. If many documents resemble one another, it follows fewer, and says how many.
For those who keep fingerprints alone: with --recall, --features or --bits it says which share of the
near-duplicates each setup of features, kind, bits and distance finds, how many candidates it leaves to be
checked, and recommends one. Times are for comparing setups; they are not of this machine.
The input is read twice, standard input through a temporary file. Several text fields are joined by
line ends, so here a feature may span two of them. Of a text above 16 MB the first 16 MB count.
)",
                       takes::texts | takes::seed | takes::format | takes::output | takes::running | takes::help,
                       advise_options,
                       run_advise};

}  // namespace command
