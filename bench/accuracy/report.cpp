#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace accuracy {

namespace {

/// Like snprintf(), but returns a string.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 512> buffer;
  std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return buffer.data();
}

unsigned long long wide(std::uint64_t n) { return n; }

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += format("\\u%04x", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

struct theory_summary {
  std::size_t bins = 0;
  std::size_t narrow_misses = 0;  ///< bins outside the bounds for independent pairs
  double difference = 0;          ///< the largest absolute values over the bins
  double exact_difference = 0;
  double spread_difference = 0;
};

bool counts(const theory_bin& bin) { return bin.pairs >= least_pairs; }

theory_summary summarise(const theory_comparison& theory) {
  theory_summary result;
  for (const theory_bin& bin : theory.bins) {
    if (!counts(bin)) continue;
    ++result.bins;
    if (!bin.allows_narrowly(bin.difference())) ++result.narrow_misses;
    result.difference = std::fmax(result.difference, std::fabs(bin.difference()));
    result.exact_difference = std::fmax(result.exact_difference, std::fabs(bin.exact_difference()));
    result.spread_difference = std::fmax(result.spread_difference, std::fabs(bin.spread - bin.theory_spread));
  }
  return result;
}

std::string theory_row(const theory_bin& bin, const std::string& name) {
  const auto verdict = [&](double difference) { return !counts(bin) ? "few" : bin.allows(difference) ? "yes" : "NO"; };
  return format("  %-11s %8llu%c %6.2f %7.2f  %6.2f  %5.2f  %-3s %7.2f  %6.2f  %-3s %6.2f  %6.2f\n", name.c_str(),
                wide(bin.pairs), bin.sampled ? '*' : ' ', bin.distance, 3 * bin.standard_error(), bin.theory,
                bin.difference(), verdict(bin.difference()), bin.exact, bin.exact_difference(),
                verdict(bin.exact_difference()), bin.spread, bin.theory_spread);
}

std::string theory_table(const composition_report& result) {
  std::string text =
      format("\nDistance against theory, by Jaccard similarity of %s\n", to_string(result.prints.features).c_str());
  text += "  J              pairs    mean  3 s.e.  theory   diff  ok    exact    diff  ok      sd  theory\n";
  for (const theory_bin& bin : result.theory.bins) {
    if (bin.pairs > 0) text += theory_row(bin, format("%.3g - %.3g", bin.low, bin.high));
  }
  if (result.theory.unequal.pairs > 0) text += theory_row(result.theory.unequal, "  below 1");
  const theory_summary summary = summarise(result.theory);
  text += "  theory: bits * acos(cosine) / pi; exact: with ties, and for few elements; ok: within 0.7 bit or 3 s.e.\n";
  text += "  * random pairs, else all pairs; the last bin has the equal sets, too: below 1 is without them\n";
  text +=
      format("  %zu bins of at least %llu pairs: mean within %.2f bit of theory, %.2f of exact; sd within %.2f: %s\n",
             summary.bins, wide(least_pairs), summary.difference, summary.exact_difference, summary.spread_difference,
             result.theory_holds() ? "theory holds" : "theory does NOT hold");
  text +=
      format("  s.e.: from how unequally the bits differ; if all pairs were independent, %zu bins would be outside\n",
             summary.narrow_misses);
  return text;
}

std::string theory_json(const theory_bin& bin) {
  const auto array = [](const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += format(text.empty() ? "%.6f" : ",%.6f", value);
    return "[" + text + "]";
  };
  return format("{\"from\":%.4g,\"to\":%.4g,\"pairs\":%llu,\"random\":%s,\"mean\":%.4f,\"theory\":%.4f,", bin.low,
                bin.high, wide(bin.pairs), bin.sampled ? "true" : "false", bin.distance, bin.theory) +
         format("\"exact\":%.4f,\"error_by_pairs\":%.4f,\"error_by_bits\":%.4f,\"sd\":%.4f,\"theory_sd\":%.4f,",
                bin.exact, bin.error_by_pairs, bin.error_by_bits, bin.spread, bin.theory_spread) +
         "\"at\":" + array(bin.at) + ",\"theory_at\":" + array(bin.theory_at) +
         format(",\"agrees\":%s,\"agrees_with_exact\":%s}", bin.allows(bin.difference()) ? "true" : "false",
                bin.allows(bin.exact_difference()) ? "true" : "false");
}

/// Returns the precision and recall of the pairs that a check accepts, compared with the truth.
score check_score(const report& result, const pair_check& check) {
  std::uint64_t found_true = 0;
  for (const similar_pair& pair : check.pairs) found_true += pair.is_true ? 1U : 0U;
  return score_of(check.pairs.size(), found_true, result.checks.front()->pairs.size());
}

std::string check_line(const report& result, const pair_check& check) {
  const score s = check_score(result, check);
  return format("check by %s: of all pairs it accepts %llu; precision %.4f, recall %.4f, F1 %.4f\n", check.name.c_str(),
                wide(s.found), s.precision, s.recall, s.f1);
}

/// Makes a table by distance. Each check has a column with two F1 scores: compared with the truth, and with all pairs
/// that the check accepts.
std::string distance_table(const report& result, const composition_report& one) {
  std::string text = format("\nfingerprint: %s, %s, %zu bits, seed %llu; %llu documents without one\n",
                            to_string(one.prints.features).c_str(), to_string(one.prints.weights), one.prints.bits,
                            wide(one.prints.seed), wide(one.without_fingerprint));
  text += "   k      pairs       true  precision  recall     F1";
  if (result.labelled) text += "   by label: precision  recall     F1";
  text += "   F1 checked by";
  for (const pair_check* check : one.checks) text += format(" %15s", check->name.c_str());
  text += "   recall of these pairs\n";
  const std::uint64_t all_true = result.checks.front()->pairs.size();
  const distance_counts& alone = one.pairs.alone;
  for (std::size_t d = 0; d < alone.found.size(); ++d) {
    const int k = static_cast<int>(d);
    const score s = score_within(k, alone.found, alone.found_true, all_true);
    text += format("  %2d %10llu %10llu     %.4f   %.4f  %.4f", k, wide(s.found), wide(s.found_true), s.precision,
                   s.recall, s.f1);
    if (result.labelled) {
      const score l = score_within(k, alone.found, alone.found_labelled, result.labelled_pairs);
      text += format("                %.4f   %.4f  %.4f", l.precision, l.recall, l.f1);
    }
    text += "                ";
    for (const distance_counts& counts : one.pairs.checked) {
      text += format(" %15.4f", score_within(k, counts.found, counts.found_true, all_true).f1);
    }
    text += "  ";
    for (std::size_t i = 0; i < one.checks.size(); ++i) {
      const distance_counts& counts = one.pairs.checked[i];
      text += format(" %.4f", score_within(k, counts.found, counts.found, one.checks[i]->pairs.size()).recall);
    }
    text += '\n';
  }
  return text;
}

std::string skew_table(const composition_report& one) {
  if (one.skew.empty()) return {};
  std::string text = "\nBuckets for k = 3, of texts that differ\n  blocks  keyed on  bits  largest  scanned  uniform\n";
  for (const table_skew& skew : one.skew) {
    std::string key;
    for (const int block : skew.keyed_on) key += format(key.empty() ? "%d" : ", %d", block + 1);
    text += format("  %6d  %8s  %4d %8llu %8.2f %8.2f\n", skew.blocks, key.c_str(), skew.key_bits, wide(skew.largest),
                   skew.scanned, skew.uniform);
  }
  return text;
}

std::string pipeline_lines(const report& result, const composition_report& one) {
  std::string text;
  for (const pipeline_report& p : one.pipelines) {
    text +=
        format("\nk = %d, checked by %s, %u threads: %llu candidates, %llu pairs; fingerprints %.2f s, pairs %.2f s, ",
               p.k, to_string(result.truth).c_str(), result.threads, wide(p.candidates), wide(p.accepted),
               p.fingerprint_seconds, p.pair_seconds);
    text += format("check %.2f s: %.0f documents a second\n", p.check_seconds,
                   static_cast<double>(result.documents) / p.seconds());
  }
  return text;
}

std::string minhash_table(const report& result) {
  const minhash_report& one = *result.minhash;
  const std::uint64_t all_true = result.checks.front()->pairs.size();
  std::string text = format("\nMinHash of %s, %zu permutations: all pairs that are estimated at so much or more\n",
                            to_string(result.truth).c_str(), minhash_permutations);
  text += "  estimate       pairs       true  precision  recall     F1\n";
  std::uint64_t found = 0;
  std::uint64_t found_true = 0;
  for (std::size_t m = minhash_permutations; m >= minhash_report::least_agreeing; --m) {
    found += one.agreeing.found[m];
    found_true += one.agreeing.found_true[m];
    if (m % 4 != 0) continue;
    const score s = score_of(found, found_true, all_true);
    text += format("  %8.3f  %10llu %10llu     %.4f   %.4f  %.4f\n",
                   static_cast<double>(m) / static_cast<double>(minhash_permutations), wide(s.found),
                   wide(s.found_true), s.precision, s.recall, s.f1);
  }
  const score banded = score_of(one.true_candidates, one.true_candidates, all_true);
  text += format("  candidates by %zu bands of %zu rows: %llu, %.2f a true pair; checked: recall %.4f, F1 %.4f; ",
                 minhash_report::bands, minhash_report::rows, wide(one.candidates),
                 all_true == 0 ? 0.0 : static_cast<double>(one.candidates) / static_cast<double>(all_true),
                 banded.recall, banded.f1);
  return text + format("signatures %.2f s, candidates %.2f s\n", one.signature_seconds, one.candidate_seconds);
}

std::string advice_table(const advice_report& one) {
  std::string text = format(
      "\nAdvice in %.2f s, from %llu documents with %llu near-duplicates: %.0f pairs expected, %llu there are\n"
      "  fingerprint             k   recall of families, pairs expected, pairs found   candidates expected      found  "
      " F1 checked exactly   "
      "by "
      "the library\n",
      one.seconds, wide(one.sampled), wide(one.pairs_seen), one.expected_pairs, wide(one.pairs));
  for (const advised_setup& s : one.setups) {
    text += format(
        "%c %-20s %4d               %.4f         %.4f       %.4f   %19.0f %10llu               %.4f           %.4f\n",
        s.is_recommended ? '*' : ' ', to_string(s.prints).c_str(), s.k, s.expected_recall, s.expected_of_pairs,
        s.recall, s.expected_candidates, wide(s.candidates), s.checked_exactly.f1, s.checked.f1);
  }
  return text + format("  *: recommended; fingerprints, pairs and check in %.2f s\n", one.pipeline.seconds());
}

std::string intervals_line(const interval_coverage& one) {
  return format(
      "\nintervals of advice: what happens lies in %llu of %llu, with another seed in %llu; they are %.4f wide, and it "
      "varies by %.4f\n",
      wide(one.inside), wide(one.cases), wide(one.inside_other), one.mean_width, one.mean_spread);
}

std::string audit_table(const std::vector<removal>& audit) {
  std::string text = "\nremoved, of these wrongly, and missed:\n";
  for (const removal& one : audit) {
    text += format("  %-40s %10llu %10llu %10llu\n", one.method.c_str(), wide(one.removed), wide(one.wrongly),
                   wide(one.missed));
  }
  return text;
}

std::string audit_json(const std::vector<removal>& audit) {
  std::string text = ",\n\"audit\":[";
  for (const removal& one : audit) {
    text += format("%s\n {\"method\":\"%s\",\"removed\":%llu,\"wrongly\":%llu,\"missed\":%llu}",
                   &one == &audit.front() ? "" : ",", one.method.c_str(), wide(one.removed), wide(one.wrongly),
                   wide(one.missed));
  }
  return text + "]";
}

std::string intervals_json(const interval_coverage& one) {
  return format(
      ",\n\"intervals\":{\"cases\":%llu,\"inside\":%llu,\"inside_other\":%llu,\"mean_width\":%.6f,\"mean_spread\":%."
      "6f}",
      wide(one.cases), wide(one.inside), wide(one.inside_other), one.mean_width, one.mean_spread);
}

std::string score_json(const score& s) {
  return format("\"pairs\":%llu,\"true\":%llu,\"precision\":%.6f,\"recall\":%.6f,\"f1\":%.6f", wide(s.found),
                wide(s.found_true), s.precision, s.recall, s.f1);
}

std::string theory_part_json(const composition_report& one) {
  const theory_summary summary = summarise(one.theory);
  std::string text = format(
      "{\"holds\":%s,\"seeds\":%llu,\"bins_that_count\":%zu,\"outside_by_pairs\":%zu,\"max_difference\":%.4f,"
      "\"max_exact_difference\":%.4f,\"max_sd_difference\":%.4f,\"bins\":[",
      one.theory_holds() ? "true" : "false", wide(one.theory_seeds), summary.bins, summary.narrow_misses,
      summary.difference, summary.exact_difference, summary.spread_difference);
  bool first = true;
  for (const theory_bin& bin : one.theory.bins) {
    if (bin.pairs > 0) text += (std::exchange(first, false) ? "\n " : ",\n ") + theory_json(bin);
  }
  return text + "],\n\"last_bin_below_1\":" + theory_json(one.theory.unequal) + "}";
}

std::string skew_json(const composition_report& one) {
  if (one.skew.empty()) return {};
  std::string text = ",\n\"skew\":[";
  for (const table_skew& skew : one.skew) {
    text += format("%s\n {\"blocks\":%d,\"keyed_on\":[", &skew == &one.skew.front() ? "" : ",", skew.blocks);
    for (std::size_t i = 0; i < skew.keyed_on.size(); ++i) text += format(i == 0 ? "%d" : ",%d", skew.keyed_on[i]);
    text += format("],\"key_bits\":%d,\"largest\":%llu,\"scanned\":%.4f,\"uniform\":%.4f}", skew.key_bits,
                   wide(skew.largest), skew.scanned, skew.uniform);
  }
  return text + "]";
}

std::string pipelines_json(const composition_report& one) {
  if (one.pipelines.empty()) return {};
  std::string text = ",\n\"pipelines\":[";
  for (const pipeline_report& p : one.pipelines) {
    text += format("%s\n {\"k\":%d,\"candidates\":%llu,\"accepted\":%llu,", &p == &one.pipelines.front() ? "" : ",",
                   p.k, wide(p.candidates), wide(p.accepted));
    text += format("\"fingerprint_seconds\":%.4f,\"pair_seconds\":%.4f,\"check_seconds\":%.4f}", p.fingerprint_seconds,
                   p.pair_seconds, p.check_seconds);
  }
  return text + "]";
}

/// Returns the MinHash report as JSON. A count for m is the number of pairs that agree in at least m of the 128
/// permutations.
std::string minhash_json(const report& result) {
  const minhash_report& one = *result.minhash;
  const std::uint64_t all_true = result.checks.front()->pairs.size();
  std::string text = format(
      ",\n\"minhash\":{\"permutations\":%zu,\"signature_seconds\":%.4f,\"candidate_seconds\":%.4f,\"bands\":%zu,"
      "\"rows\":%zu,\"candidates\":%llu,\"candidates_checked\":{",
      minhash_permutations, one.signature_seconds, one.candidate_seconds, minhash_report::bands, minhash_report::rows,
      wide(one.candidates));
  text += score_json(score_of(one.true_candidates, one.true_candidates, all_true)) + "},\"estimates\":[";
  distance_counts within(1);
  for (std::size_t m = minhash_permutations; m >= minhash_report::least_agreeing; --m) {
    within.found[0] += one.agreeing.found[m];
    within.found_true[0] += one.agreeing.found_true[m];
    within.found_labelled[0] += one.agreeing.found_labelled[m];
    text += format("%s\n {\"agreeing\":%zu,\"truth\":{", m == minhash_permutations ? "" : ",", m);
    text += score_json(score_of(within.found[0], within.found_true[0], all_true)) + "}";
    if (result.labelled) {
      text += ",\"labels\":{" + score_json(score_of(within.found[0], within.found_labelled[0], result.labelled_pairs)) +
              "}";
    }
    text += "}";
  }
  return text + "]}";
}

std::string advice_json(const advice_report& one) {
  std::string text = format(
      ",\n\"advice\":{\"seconds\":%.4f,\"sampled\":%llu,\"pairs_seen\":%llu,\"expected_pairs\":%.1f,\"pairs\":%llu,"
      "\"pipeline_seconds\":%.4f,\"setups\":[",
      one.seconds, wide(one.sampled), wide(one.pairs_seen), one.expected_pairs, wide(one.pairs),
      one.pipeline.seconds());
  for (const advised_setup& s : one.setups) {
    text += format("%s\n {\"features\":\"%s\",\"weights\":\"%s\",\"bits\":%zu,\"k\":%d,\"recommended\":%s,",
                   &s == &one.setups.front() ? "" : ",", to_string(s.prints.features).c_str(),
                   to_string(s.prints.weights), s.prints.bits, s.k, s.is_recommended ? "true" : "false");
    text += format("\"expected_recall\":%.6f,\"expected_of_pairs\":%.6f,\"recall\":%.6f,", s.expected_recall,
                   s.expected_of_pairs, s.recall);
    text += format("\"expected_candidates\":%.1f,\"candidates\":%llu,", s.expected_candidates, wide(s.candidates));
    text += "\"checked_exactly\":{" + score_json(s.checked_exactly) + "},\"checked\":{" + score_json(s.checked) + "}}";
  }
  return text + "]}";
}

std::string composition_json(const report& result, const composition_report& one) {
  std::string text = format(
      "\"features\":\"%s\",\"weights\":\"%s\",\"bits\":%zu,\"seed\":%llu,\"without_fingerprint\":%llu,"
      "\"distances\":[",
      to_string(one.prints.features).c_str(), to_string(one.prints.weights), one.prints.bits, wide(one.prints.seed),
      wide(one.without_fingerprint));
  const std::uint64_t all_true = result.checks.front()->pairs.size();
  for (std::size_t d = 0; d < one.pairs.alone.found.size(); ++d) {
    const int k = static_cast<int>(d);
    const auto against_labels = [&](const distance_counts& counts) {
      if (!result.labelled) return std::string();
      return ",\"labels\":{" + score_json(score_within(k, counts.found, counts.found_labelled, result.labelled_pairs)) +
             "}";
    };
    const distance_counts& alone = one.pairs.alone;
    text += format("%s\n {\"k\":%d,", d == 0 ? "" : ",", k);
    text += "\"truth\":{" + score_json(score_within(k, alone.found, alone.found_true, all_true)) + "}" +
            against_labels(alone) + ",\"checked\":{";
    for (std::size_t i = 0; i < one.checks.size(); ++i) {
      const distance_counts& counts = one.pairs.checked[i];
      text += format("%s\"%s\":{\"of_its_pairs\":{", i == 0 ? "" : ",", one.checks[i]->name.c_str());
      text += score_json(score_within(k, counts.found, counts.found, one.checks[i]->pairs.size())) + "},\"truth\":{" +
              score_json(score_within(k, counts.found, counts.found_true, all_true)) + "}" + against_labels(counts) +
              "}";
    }
    text += "}}";
  }
  text += "]" + skew_json(one) + pipelines_json(one);
  if (one.has_theory) text += ",\n\"theory\":" + theory_part_json(one);
  return text;
}

}  // namespace

bool composition_report::theory_holds() const {
  const bool bins_agree = std::all_of(theory.bins.begin(), theory.bins.end(), [](const theory_bin& bin) {
    return !counts(bin) || bin.allows(bin.difference());
  });
  return bins_agree && (!counts(theory.unequal) || theory.unequal.allows(theory.unequal.exact_difference()));
}

std::string to_table(const report& result) {
  const pair_check& truth = *result.checks.front();
  std::string text = format("%s: %llu documents\n", result.input.c_str(), wide(result.documents));
  text += format("truth: Jaccard similarity of %s >= %g: %llu pairs, of which %llu of identical texts (%llu in all)\n",
                 to_string(result.truth).c_str(), result.similarity, wide(truth.pairs.size()),
                 wide(result.true_identical), wide(result.identical_texts));
  if (result.labelled) text += format("labels: %llu pairs\n", wide(result.labelled_pairs));
  for (const auto& check : result.checks) text += check_line(result, *check);
  for (const composition_report& one : result.compositions) {
    text += distance_table(result, one);
    text += skew_table(one) + pipeline_lines(result, one);
    if (one.has_theory) text += theory_table(one);
  }
  if (result.minhash) text += minhash_table(result);
  if (result.advice) text += advice_table(*result.advice);
  if (result.intervals.cases > 0) text += intervals_line(result.intervals);
  if (!result.audit.empty()) text += audit_table(result.audit);
  text += "\nseconds:";
  for (const auto& [stage, seconds] : result.timings) text += format("  %s %.1f", stage.c_str(), seconds);
  return text + '\n';
}

std::string to_json(const report& result) {
  const pair_check& truth = *result.checks.front();
  std::string text = "{\"input\":" + quoted(result.input);
  text += format(",\"documents\":%llu,\"identical_text_pairs\":%llu,\"threads\":%u", wide(result.documents),
                 wide(result.identical_texts), result.threads);
  text +=
      format(",\n\"truth\":{\"features\":\"%s\",\"similarity\":%.17g,\"pairs\":%llu,\"identical_text_pairs\":%llu}",
             to_string(result.truth).c_str(), result.similarity, wide(truth.pairs.size()), wide(result.true_identical));
  if (result.labelled) text += format(",\n\"label_pairs\":%llu", wide(result.labelled_pairs));
  text += ",\n\"checks\":[";
  for (const auto& check : result.checks) {
    text += format("%s\n {\"name\":\"%s\",", check == result.checks.front() ? "" : ",", check->name.c_str()) +
            score_json(check_score(result, *check)) + "}";
  }
  text += "],\n\"compositions\":[";
  for (const composition_report& one : result.compositions) {
    text += (&one == &result.compositions.front() ? "\n{" : ",\n{") + composition_json(result, one) + "}";
  }
  text += "]";
  if (result.minhash) text += minhash_json(result);
  if (result.advice) text += advice_json(*result.advice);
  if (result.intervals.cases > 0) text += intervals_json(result.intervals);
  if (!result.audit.empty()) text += audit_json(result.audit);
  text += ",\n\"seconds\":{";
  for (std::size_t i = 0; i < result.timings.size(); ++i) {
    text += format("%s\"%s\":%.3f", i == 0 ? "" : ",", result.timings[i].stage.c_str(), result.timings[i].seconds);
  }
  return text + "}}\n";
}

}  // namespace accuracy
