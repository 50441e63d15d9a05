// `neardup advise`: recommends options that find the near-duplicates of a corpus.
#include <array>
#include <cmath>
#include <ctime>
#include <neardup/text/utf8.hpp>
#include <neardup/threads.hpp>
#include <unordered_map>

#include "../compare/advice.hpp"
#include "../compare/corpus.hpp"
#include "../compare/corpus_part.hpp"
#include "../compare/run_cost.hpp"
#include "../describe/text_kinds.hpp"
#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "advising.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array advise_options{
    option_row{"--features", "F", takes::own, section::features,
               "of fingerprints, look only at these features: words, words:N, chars:N of the normalised text, or "
               "bytes:N of the text as it is (default: several)",
               usual::with_verb},
    option_row{"--bits", "N", takes::own, section::fingerprint,
               "of fingerprints, look only at this width: 64 or 128 (default: both)"},
    option_row{"--similarity", "S", takes::own, section::comparison,
               "near-duplicates have at least this exact Jaccard similarity, above 0 to 1 (default: {similarity})",
               usual::with_verb},
    option_row{"--recall", "R", takes::own, section::comparison,
               "advise on fingerprints alone: the share of the near-duplicates that they have to find, 0 to 1 (default "
               "with --features or --bits: {recall})",
               usual::with_verb},
    option_row{"--check-features", "F", takes::own, section::comparison,
               "recommend these features if they fit the texts (default: the features that fit)", usual::with_verb},
    option_row{
        "--labels", "FILE", takes::own, section::comparison,
        "pairs that a person has judged: the file that the page of unique --audit saves, or JSON Lines with the ids a "
        "and b, and same: true or false. advise prints the precision and recall of each setting on these pairs",
        usual::with_verb, "judged pairs: what the page of unique --audit saves, or JSON Lines of a, b and same"},
};

/// For fewer documents, a note says that the advice may not suit other documents.
constexpr std::uint64_t few_documents = 20;

/// Of a longer text, only the first `advised_bytes` bytes are used. The rest would hardly change the fingerprint and
/// the features of the text.
constexpr std::size_t advised_bytes = std::size_t{1} << 24;

/// The largest number of documents for which edits are preferred to characters, if no kind of words fits. The time of a
/// comparison by edits grows with the square of the number of documents.
constexpr std::uint64_t most_by_edits = 200000;

/// A kind of features, and how well it fits the texts at a similarity.
struct measured_kind {
  feature_fit fit;
  double similarity;
};

struct exact_advice {
  corpus_part part;
  std::vector<feature_hint> hints;
  std::vector<measured_kind> kinds;
  std::optional<std::size_t> chosen;  // index in `kinds`; nullopt if no kind fits, so only equal documents are found
  compared_by by;                     // the features or texts that the run compares
  double similarity = 0;              // the least similarity of near-duplicates
  tried_run tried;
  run_cost cost{};

  /// Returns true if `features` fit the texts at the similarity of the run.
  [[nodiscard]] bool is_fit(const neardup::feature_choice& features) const {
    return std::any_of(kinds.begin(), kinds.end(), [&](const measured_kind& kind) {
      return kind.fit.by.features == features && kind.similarity == similarity && kind.fit.is_fit();
    });
  }
};

advice_request request_of(const advised_run& settings, const neardup::feature_choice& check) {
  advice_request request{.similarity = *settings.comparison.min_similarity,
                         .check = check,
                         .recall = settings.recall,
                         .seed = settings.fingerprint.seed};
  if (settings.wanted_features) request.features = {*settings.wanted_features};
  return request;
}

/// Returns true if a text has at least one token.
bool has_tokens(const neardup::feature_choice& features, std::string_view text) {
  return neardup::with_tokenizer(features, [text](const auto& tokenize) {
    bool found = false;
    const auto sink = [&found](std::string_view) { found = true; };
    constexpr std::size_t beginning = 256;  // enough for most texts
    // A text with a letter or digit near its beginning has a token of every kind of features.
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    constexpr std::size_t first = 16;
    const std::string_view head = text.substr(0, first);
    if (std::any_of(head.begin(), head.end(), is_plain)) return true;
    tokenize(text.substr(0, beginning), sink);
    if (!found && text.size() > beginning) tokenize(text, sink);
    return found;
  });
}

/// Returns the part of a text that advice uses.
std::string_view beginning_of(std::string_view text) {
  if (text.size() <= advised_bytes) return text;
  text = text.substr(0, advised_bytes);
  return text.substr(0, text.size() - neardup::incomplete_suffix(text));
}

/// Returns a visitor that calls `use(text, is_shortened, from)` for each document on which the advice is based. `text`
/// is a view that is valid during the call, and `from` is the source of the document.
template <class Use>
document_visitor for_advised_texts(context& c, const Use& use) {
  return [&c, use](const placed_document& d) {
    std::string all;
    if (d.texts->size() != 1) all = joined(*d.texts, '\n');
    const std::string_view text = d.texts->size() == 1 ? std::string_view(d.texts->front()) : all;
    const std::string_view used = beginning_of(text);
    const bool counts =
        has_tokens(c.settings.comparison.check_features.choice, used) || c.notes.without_tokens(d.from->where(d.line));
    if (counts) use(used, used.size() < text.size(), *d.from);
  };
}

/// Returns the kinds of features to measure at the wanted similarity. Sets `preferred` to the number of preferred
/// kinds, which come first. A preferred kind is recommended if it fits.
std::vector<compared_by> kinds_to_measure(const advised_run& settings, const exact_advice& found,
                                          std::size_t& preferred) {
  using enum neardup::feature_kind;
  std::vector<compared_by> kinds;
  const auto add = [&](const compared_by& by) {
    if (std::find(kinds.begin(), kinds.end(), by) == kinds.end()) kinds.push_back(by);
  };
  const auto add_features = [&](neardup::feature_kind kind, std::size_t size) {
    add({neardup::feature_choice{kind, size}});
  };
  if (settings.wanted_check) add({settings.wanted_check});
  for (const feature_hint& hint : found.hints) {
    if (hint.features.starts_with("zh:")) continue;  // needs a dictionary
    const neardup::feature_choice features = neardup::parse_features(hint.features);
    add({features});
    if (features.kind != chars) add_features(features.kind, 1);
  }
  add_features(words, 2);
  add_features(words, 1);
  preferred = kinds.size();
  for (const std::size_t size : {2U, 3U, 5U}) add_features(chars, size);
  add({std::nullopt});
  if (settings.wanted_features) add({settings.wanted_features});
  return kinds;
}

/// Returns evenly spaced documents of a part: about 256 KB of text, at most 500 documents, and, if there are enough, at
/// least 20.
std::vector<std::string_view> measured_texts(const corpus_part& part) {
  constexpr std::size_t most = 500, least = 20, bytes = std::size_t{1} << 18;
  const std::size_t mean = part.part_bytes() / part.size() + 1;
  const std::size_t count = std::min(part.size(), std::clamp(bytes / mean, least, most));
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < count; ++i) texts.emplace_back(part[i * part.size() / count]);
  return texts;
}

/// Measures kinds of features, and sets the chosen kind in `found`. If no preferred kind fits, tries words at a lower
/// similarity, then edits, then n-grams of 3 characters.
void choose_features(const advised_run& settings, exact_advice& found) {
  const double wanted = *settings.comparison.min_similarity;
  const std::vector<std::string_view> texts = measured_texts(found.part);
  const auto measure = [&](const compared_by& by, double similarity) {
    const auto fits = fits_of(texts, std::span(&by, 1), similarity, settings.fingerprint);
    found.kinds.push_back({fits.front(), similarity});
    return fits.front().is_fit();
  };
  const auto choose = [&](const compared_by& by, double similarity) {
    if (found.chosen) return;
    const auto known = std::find_if(found.kinds.begin(), found.kinds.end(), [&](const measured_kind& kind) {
      return kind.fit.by == by && kind.similarity == similarity;
    });
    const auto place = static_cast<std::size_t>(known - found.kinds.begin());
    if (known != found.kinds.end() ? known->fit.is_fit() : measure(by, similarity)) found.chosen = place;
  };
  std::size_t preferred = 0;
  const std::vector<compared_by> kinds = kinds_to_measure(settings, found, preferred);
  for (const compared_by& by : kinds) measure(by, wanted);
  for (std::size_t i = 0; i < preferred; ++i) choose(kinds[i], wanted);
  const compared_by words{neardup::feature_choice{neardup::feature_kind::words, 1}}, edits{std::nullopt},
      characters{neardup::feature_choice{neardup::feature_kind::chars, 3}};
  constexpr int lowest_tenths = 6;
  for (int tenths = static_cast<int>(std::ceil(10 * wanted - 1e-9)) - 1; tenths >= lowest_tenths; --tenths) {
    choose(words, tenths / 10.0);
  }
  constexpr double of_edits = 0.9;
  if (found.part.documents() <= most_by_edits) {
    choose(edits, std::max(wanted, of_edits));
    choose(edits, wanted);
  }
  choose(characters, wanted);
  choose(edits, wanted);
  found.by = found.chosen ? found.kinds[*found.chosen].fit.by : compared_by{neardup::feature_choice{}};
  found.similarity = found.chosen ? found.kinds[*found.chosen].similarity : 1;
}

/// Reads the corpus once, and chooses the features that an exact run compares. Tries such a run on a part of the
/// corpus. `read(visitor)` reads the corpus. Adds the number of shortened texts to `shortened`.
template <class Read>
exact_advice exact_advice_on(context& c, const advised_run& settings, std::uint64_t& shortened, const Read& read) {
  constexpr std::uint64_t enough_documents = 1000;
  exact_advice found;
  found.part = corpus_part(settings.fingerprint.seed);
  text_kinds kinds;
  double ignored_seconds = 0;  // time to detect kinds of texts, which the advised run does not do
  const double begin = processor_seconds();
  read(for_advised_texts(c, [&](std::string_view text, bool is_shortened, const source&) {
    if (is_shortened) ++shortened;
    if (found.part.documents() < enough_documents) {
      const double before = processor_seconds();
      kinds.add(text);
      ignored_seconds += processor_seconds() - before;
    }
    found.part.add(text);
  }));
  const double input_seconds = processor_seconds() - begin - ignored_seconds;
  found.hints = kinds.hints();
  if (found.part.documents() == 0) return found;
  c.notes.phase("trying a run");
  choose_features(settings, found);
  found.tried = try_run(found.part, found.by, found.similarity, settings.fingerprint);
  found.cost = cost_of_run(found.tried, found.part.documents(), input_seconds);
  return found;
}

/// Computes advice on fingerprints in two passes over the input.
advice advice_on_fingerprints(context& c, const advised_run& settings, const neardup::feature_choice& check) {
  advisor look(request_of(settings, check));
  const neardup::threads run{c.settings.threads};
  std::unordered_map<const source*, std::uint64_t> left;  // texts that the second pass has yet to read, by source
  for_each_text_before(c, "drawing a sample",
                       for_advised_texts(c, [&](std::string_view text, bool, const source& from) {
                         look.sample(text);
                         ++left[&from];
                       }));

  std::vector<std::string> waiting;  // handles this many texts at once, so that starting threads takes little time
  std::size_t waiting_bytes = 0;
  const auto compare_waiting = [&] {
    if (!waiting.empty()) look.compare(waiting, run);
    waiting.clear();
    waiting_bytes = 0;
  };
  read_texts(c.settings.input, c.sources, c.notes,
             for_advised_texts(c, [&](std::string_view text, bool, const source& from) {
               if (left[&from]-- == 0) fail_changed(from);
               constexpr std::size_t bytes_at_once = std::size_t{1} << 22, documents_at_once = 4096;
               waiting_bytes += text.size();
               waiting.emplace_back(text);
               if (waiting_bytes >= bytes_at_once || waiting.size() == documents_at_once) compare_waiting();
             }));
  compare_waiting();
  for (const auto& [from, count] : left) {
    if (count != 0) fail_changed(*from);
  }
  c.notes.phase("counting candidates");
  return look.finish(run);
}

/// Removes from `found` the setups whose features do not fit, and the setups that differ from the requested features or
/// bits. Then chooses the recommended setup from the remaining setups.
void restrict_setups(const advised_run& settings, const exact_advice& exact, advice& found) {
  std::erase_if(found.setups, [&](const setup& s) {
    return (settings.wanted_features && s.features != *settings.wanted_features) ||
           (settings.wanted_bits && s.bits != *settings.wanted_bits) || !exact.is_fit(s.features);
  });
  if (found.setups.empty()) return;
  found.recommended = recommended_setup(found.setups, settings.recall);
  found.is_reached = found.setups[found.recommended].recall >= settings.recall;
}

// ---- Output ---------------------------------------------------------------------------------------------------------

/// Returns `value` as text. The value is rounded to a whole number, or, if it is an estimate, to two significant
/// digits.
std::string count_text(double value, bool is_exact) {
  double step = 1;
  while (!is_exact && value / step >= 100) step *= 10;
  return grouped(static_cast<std::uint64_t>(std::llround(value / step) * std::llround(step)));
}

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

void print_similar_pairs(output& out, const advised_run& settings, const advice& found,
                         const neardup::feature_choice& check) {
  const bool is_whole = found.followed == found.documents;
  const std::string similar =
      "with a similarity of " + number(*settings.comparison.min_similarity) + " by " + to_string(check);
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

std::string percent_text(double share) { return fixed(100 * share, 1) + " %"; }

/// Returns the share of a part's documents that are near-duplicates of a kept document.
double dropped_share(const exact_advice& found) {
  return static_cast<double>(found.tried.dropped) / static_cast<double>(found.tried.documents);
}

/// Returns an upper bound of dropped_share() in the whole corpus. If a document is in the part with probability p, a
/// group of two is in the part with probability p^2. So the share in the part is at least p times the share in the
/// corpus.
double highest_dropped_share(const exact_advice& found) {
  const double ratio = static_cast<double>(found.part.documents()) / static_cast<double>(found.tried.documents);
  return std::min(1.0, dropped_share(found) * ratio);
}

void print_corpus(output& out, const exact_advice& found) {
  out << counted(found.part.documents(), "document", "documents") << ", " << bytes_text(found.part.mean_bytes())
      << " on average, half of them up to " << grouped(found.part.median_bytes()) << '\n';
  const bool is_whole = found.part.is_whole();
  const std::string how = !found.chosen ? "equal to an earlier one by " + found.by.name()
                                        : "near-duplicates of an earlier one, with a similarity of " +
                                              number(found.similarity) + " by " + found.by.name();
  if (!is_whole) out << "Of a part of " << counted(found.tried.documents, "document", "documents") << ", ";
  out << grouped(found.tried.dropped) << " (" << percent_text(dropped_share(found)) << ") are " << how << '\n';
  if (is_whole || found.tried.dropped == 0) return;
  out << "The share of the whole corpus is higher, up to about " << percent_text(highest_dropped_share(found))
      << ", because most near-duplicates of these documents are not in the part\n";
}

void print_hints(output& out, const exact_advice& found) {
  for (const feature_hint& hint : found.hints) {
    const std::string name = found.by.name();
    if (name.substr(0, name.rfind(':')) == hint.features.substr(0, hint.features.rfind(':'))) {
      out << "By " << name << ", because " << grouped(hint.documents) << " of the first "
          << counted(hint.seen, "document", "documents") << ' ' << hint.reason << '\n';
      continue;
    }
    const bool is_unfit = std::any_of(found.kinds.begin(), found.kinds.end(), [&](const measured_kind& kind) {
      return kind.fit.by.name() == hint.features && !kind.fit.is_fit();
    });
    if (is_unfit) continue;
    out << "Try --check-features " << hint.features << ": " << grouped(hint.documents) << " of the first "
        << counted(hint.seen, "document", "documents") << ' ' << hint.reason << '\n';
  }
}

void print_features(output& out, const advised_run& settings, const exact_advice& found) {
  const std::size_t measured = measured_texts(found.part).size();
  out << "\nFeatures per document"
      << (measured < found.part.documents() ? " of a sample of " + grouped(measured) + " documents" : "")
      << ", and the share of documents that are too short: one changed word (of chars, bytes and\nedits: one "
         "character) makes their similarity less than "
      << number(*settings.comparison.min_similarity) << ". Features for which half of the documents are too short\n"
      << "are never recommended. * is recommended:\n\n";
  std::vector<std::vector<std::string>> rows{{"  features", "per document", "too short"}};
  for (std::size_t i = 0; i < found.kinds.size(); ++i) {
    const auto& [fit, similarity] = found.kinds[i];
    std::string name = fit.by.features ? fit.by.name() : "edit: characters";
    if (similarity != *settings.comparison.min_similarity) name += ", similarity " + number(similarity);
    rows.push_back({(i == found.chosen ? "* " : "  ") + name, fixed(fit.mean_features, 1), fixed(fit.too_short, 3)});
  }
  print_table(out, rows);
  if (settings.wanted_check && found.by.features != settings.wanted_check) {
    out << "\n" << to_string(*settings.wanted_check) << " is not recommended: most of the documents are too short\n";
  }
  if (!found.chosen) out << "\nNo kind fits documents so short; the command finds equal documents alone.\n";
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

/// Returns true if the recall was measured on pairs of the corpus. Otherwise the recall comes from theory, and has no
/// interval.
bool is_measured(const advice& found) { return found.documents_measured > 0; }

/// Returns the interval of the recall in parentheses, or "" if there is none, or if its rounded ends are equal.
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

/// Returns the facts about a kind of features as JSON. `distances`: facts about fingerprints of this kind, or null.
std::string json_of(const measured_kind& kind, const feature_facts* distances) {
  const feature_fit& fit = kind.fit;
  json_object all;
  all.add("features", json_string(fit.by.name()))
      .add("similarity", number(kind.similarity))
      .add("mean_features", number(fit.mean_features))
      .add("too_short", number(fit.too_short))
      .add("fits", fit.is_fit() ? "true" : "false");
  if (distances != nullptr) {
    all.add("mean_distance", number(distances->mean_distance))
        .add("distance_spread", number(distances->distance_spread))
        .add("skew", number(distances->skew));
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

/// Returns the command line that finds near-duplicates with the recommended setup.
std::string setup_command(const advised_run& settings, const setup& chosen, const neardup::feature_choice& check,
                          bool in_full) {
  return "neardup groups --similarity " + number(*settings.comparison.min_similarity) + " --features " +
         to_string(chosen.features) + " --kind " + std::string(neardup::to_string(chosen.kind)) + " --bits " +
         std::to_string(chosen.bits) + " --distance " + std::to_string(chosen.distance) + " --check-features " +
         to_string(check) + input_options(settings) + path_words(settings, in_full);
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

/// Prints the time and memory of the exact run, and then its command line.
void print_exact_command(output& out, const advised_run& settings, const exact_advice& found) {
  constexpr double bytes_of_mb = 1e6;
  const auto memory = static_cast<double>(available_memory());
  out << "\nIt misses no pair, and takes " << (found.cost.seconds < 0.1 ? "" : "about ")
      << seconds_text(found.cost.seconds) << " of processor time, and "
      << count_text(found.cost.bytes / bytes_of_mb, false) << " MB of memory";
  if (found.by.features && found.cost.bytes > memory / 2) {
    out << ".\nThat is more than half of this machine's memory: features beyond that go to a temporary file";
  }
  out << ":\n\n" << on_one_line(exact_command(settings, found.similarity, found.by, false)) << '\n';
}

void print_advice_text(output& out, const advised_run& settings, const exact_advice& exact,
                       const std::optional<advice>& found) {
  if (exact.part.documents() == 0) {
    out << "There are no documents to advise on.\n";
    return;
  }
  print_corpus(out, exact);
  print_hints(out, exact);
  if (exact.part.documents() < few_documents) {
    out << "So few documents are nothing to advise from; the command below may not suit others.\n";
  }
  print_features(out, settings, exact);
  print_exact_command(out, settings, exact);
  if (!settings.is_about_fingerprints) return;
  if (!found || found->setups.empty()) {
    out << "\nNo setup of fingerprints is recommended: most of the documents are too short for its features.\n";
    return;
  }
  out << '\n';
  print_similar_pairs(out, settings, *found, *exact.by.features);
  print_setups_text(out, settings, *found);
  out << '\n'
      << on_one_line(setup_command(settings, found->setups[found->recommended], *exact.by.features, false)) << '\n';
}

std::string json_of(const feature_hint& hint) {
  return json_object()
      .add("features", json_string(hint.features))
      .add("documents", std::to_string(hint.documents))
      .add("of", std::to_string(hint.seen))
      .add("reason", json_string(hint.reason))
      .text();
}

void add_setups(json_object& all, const advised_run& settings, const advice& found) {
  all.add("sampled", std::to_string(found.sampled))
      .add("followed", std::to_string(found.followed))
      .add("similar_pairs", number(found.similar_pairs))
      .add("pairs_seen", std::to_string(found.pairs_seen))
      .add("partnered", number(found.partnered))
      .add("wanted_recall", number(settings.recall))
      .add("setups", json_array(found.setups, [&](const auto& s) { return json_of(found, s); }))
      .add("recommended", found.setups.empty() ? "null" : std::to_string(found.recommended))
      .add("is_reached", found.is_reached ? "true" : "false");
}

void print_advice_json(output& out, const advised_run& settings, const exact_advice& exact,
                       const std::optional<advice>& found) {
  const bool has_advice = exact.part.documents() > 0;
  const auto if_any = [&](const std::string& text) { return has_advice ? text : std::string("null"); };
  const auto distances_of = [&](const measured_kind& kind) -> const feature_facts* {
    if (!found) return nullptr;
    const auto same = std::find_if(found->facts.begin(), found->facts.end(),
                                   [&](const feature_facts& facts) { return kind.fit.by.features == facts.features; });
    return same == found->facts.end() ? nullptr : &*same;
  };
  json_object all;
  all.add("documents", std::to_string(exact.part.documents()))
      .add("part", std::to_string(exact.part.size()))
      .add("dropped_in_part", std::to_string(exact.tried.dropped))
      .add("mean_bytes", if_any(has_advice ? number(exact.part.mean_bytes()) : ""))
      .add("median_bytes", std::to_string(exact.part.median_bytes()))
      .add("similarity", if_any(number(exact.similarity)))
      .add("check", if_any(exact.by.features ? "\"jaccard\"" : "\"edit\""))
      .add("check_features", has_advice && exact.by.features ? json_string(exact.by.name()) : "null")
      .add("hints", json_array(exact.hints, [](const auto& hint) { return json_of(hint); }))
      .add("facts", json_array(exact.kinds, [&](const auto& kind) { return json_of(kind, distances_of(kind)); }))
      .add("seconds", if_any(number(exact.cost.seconds)))
      .add("bytes", if_any(number(exact.cost.bytes)))
      .add("exact_command",
           if_any(has_advice ? json_string(exact_command(settings, exact.similarity, exact.by, true)) : ""));
  std::string command = has_advice ? exact_command(settings, exact.similarity, exact.by, true) : "";
  if (settings.is_about_fingerprints) {
    add_setups(all, settings, found.value_or(advice()));
    if (found && !found->setups.empty()) {
      command = setup_command(settings, found->setups[found->recommended], *exact.by.features, true);
    }
  }
  all.add("command", if_any(json_string(command)));
  out << all.text() << '\n';
}

void print_advice(context& c, const advised_run& settings) {
  std::uint64_t shortened = 0;
  const exact_advice exact = exact_advice_on(c, settings, shortened, [&](const document_visitor& visit) {
    if (!settings.is_about_fingerprints) return read_texts(c.settings.input, c.sources, c.notes, visit);
    for_each_text_before(c, "drawing a part", visit);
  });
  std::optional<advice> found;
  if (settings.is_about_fingerprints) {
    if (exact.by.features && exact.chosen && exact.similarity == *settings.comparison.min_similarity) {
      found = advice_on_fingerprints(c, settings, *exact.by.features);
      restrict_setups(settings, exact, *found);
    } else {  // reports bad input
      read_texts(c.settings.input, c.sources, c.notes,
                 for_advised_texts(c, [](std::string_view, bool, const source&) {}));
    }
  }
  if (settings.output.as_json()) {
    print_advice_json(c.out, settings, exact, found);
  } else {
    print_advice_text(c.out, settings, exact, found);
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
    if (given.has("--check-features")) {
      settings.wanted_check = to.comparison.check_features.choice;
    } else {
      to.comparison.check_features = {};  // unlike in other verbs, --features does not affect the check
    }
    if (given.has("--features")) settings.wanted_features = to.fingerprint.features.choice;
    if (given.has("--bits")) settings.wanted_bits = to.fingerprint.bits;
    settings.labels = given["--labels"].value_or("");
    settings.is_about_fingerprints = given.has("--recall") || given.has("--features") || given.has("--bits");
    refuse_empty_name(given, "--labels");
    if (given.has("--labels")) {
      refuse_if_given(given, {"--similarity", "--recall", "--features", "--bits"},
                      " with --labels: the labels decide about the features and the similarity");
    }
  };
  static_cast<run_settings&>(settings) = take_reading(
      typed, {.comparison = take_what_is_wanted,
              .other_files =
                  [&] { return settings.labels.empty() ? std::vector<std::string>() : std::vector{settings.labels}; },
              .widths = {64, 128, "advice is on 64 or 128 bits"}});
  settings.input.is_read_twice = settings.is_about_fingerprints;
  settings.input_words = input_words(typed);
  return run_on_documents(settings, [&](context& c) {
    if (settings.labels.empty()) return print_advice(c, settings);
    advise_by_labels(c, settings);
  });
}

}  // namespace

extern const verb advise_verb;
const verb advise_verb{"advise",
                       "PATH…",
                       "which options find the near-duplicates of these documents",
                       R"(
Prints which features fit the documents, and the command that finds all of their near-duplicates. Also prints
the time and the memory of that command. Reads the input once, and tries the run on a random part of it, at
most 64 MB. Never recommends features for which half of the documents are too short.
With --labels: prints the precision and the recall of all settings on judged pairs, and the best command.
With --recall, --features or --bits: also prints setups of fingerprints. For each setup it prints the share of
near-duplicates that it finds, and the number of candidates to check. The input is then read three times.
Only the first 16 MB of a text count. A feature may reach over several text fields, which line ends join.
)",
                       takes::texts | takes::seed | takes::format | takes::output | takes::running | takes::help,
                       advise_options,
                       run_advise};

}  // namespace command
