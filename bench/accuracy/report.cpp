#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace accuracy {

namespace {

/// printf into a string.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 512> buffer;
  std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return buffer.data();
}

unsigned long long wide(std::uint64_t n) { return n; }

const char* to_string(weighting weights) {
  switch (weights) {
    case weighting::tf: return "tf";
    case weighting::log_tf: return "logtf";
    case weighting::unit: break;
  }
  return "unit";
}

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
  std::size_t narrow_misses = 0;  ///< bins that are outside when pairs count as independent
  double difference = 0;          ///< the largest, as the others
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

score truth_score(const report& result, std::size_t k) {
  return score_within(static_cast<int>(k), result.pairs.found, result.pairs.found_true, result.pairs.true_pairs);
}

score label_score(const report& result, std::size_t k) {
  return score_within(static_cast<int>(k), result.pairs.found, result.pairs.found_labelled,
                      result.pairs.labelled_pairs);
}

std::string theory_row(const theory_bin& bin, const std::string& name) {
  const auto verdict = [&](double difference) { return !counts(bin) ? "few" : bin.allows(difference) ? "yes" : "NO"; };
  return format("  %-11s %8llu%c %6.2f %7.2f  %6.2f  %5.2f  %-3s %7.2f  %6.2f  %-3s %6.2f  %6.2f\n", name.c_str(),
                wide(bin.pairs), bin.sampled ? '*' : ' ', bin.distance, 3 * bin.standard_error(), bin.theory,
                bin.difference(), verdict(bin.difference()), bin.exact, bin.exact_difference(),
                verdict(bin.exact_difference()), bin.spread, bin.theory_spread);
}

std::string theory_table(const report& result) {
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
  return format("{\"from\":%.4g,\"to\":%.4g,\"pairs\":%llu,\"random\":%s,\"mean\":%.4f,\"theory\":%.4f,", bin.low,
                bin.high, wide(bin.pairs), bin.sampled ? "true" : "false", bin.distance, bin.theory) +
         format("\"exact\":%.4f,\"error_by_pairs\":%.4f,\"error_by_bits\":%.4f,\"sd\":%.4f,\"theory_sd\":%.4f,",
                bin.exact, bin.error_by_pairs, bin.error_by_bits, bin.spread, bin.theory_spread) +
         format("\"agrees\":%s,\"agrees_with_exact\":%s}", bin.allows(bin.difference()) ? "true" : "false",
                bin.allows(bin.exact_difference()) ? "true" : "false");
}

}  // namespace

bool report::theory_holds() const {
  const bool bins_agree = std::all_of(theory.bins.begin(), theory.bins.end(), [](const theory_bin& bin) {
    return !counts(bin) || bin.allows(bin.difference());
  });
  return bins_agree && (!counts(theory.unequal) || theory.unequal.allows(theory.unequal.exact_difference()));
}

std::string to_table(const report& result) {
  std::string text = format("%s: %llu documents, %llu without a fingerprint\n", result.input.c_str(),
                            wide(result.documents), wide(result.without_fingerprint));
  text += format("truth: Jaccard similarity of %s >= %g: %llu pairs, of which %llu of identical texts (%llu in all)\n",
                 to_string(result.truth).c_str(), result.similarity, wide(result.pairs.true_pairs),
                 wide(result.pairs.true_identical), wide(result.identical_texts));
  if (result.labelled) text += format("labels: %llu pairs\n", wide(result.pairs.labelled_pairs));
  text += format("fingerprint: %s, %s, %zu bits, seed %llu\n\n", to_string(result.prints.features).c_str(),
                 to_string(result.prints.weights), result.prints.bits, wide(result.prints.seed));

  text += "   k      pairs       true  precision  recall     F1";
  text += result.labelled ? "   by label: precision  recall     F1\n" : "\n";
  for (std::size_t k = 0; k < result.pairs.found.size(); ++k) {
    const score s = truth_score(result, k);
    text += format("  %2zu %10llu %10llu     %.4f   %.4f  %.4f", k, wide(s.found), wide(s.found_true), s.precision,
                   s.recall, s.f1);
    if (result.labelled) {
      const score l = label_score(result, k);
      text += format("                %.4f   %.4f  %.4f", l.precision, l.recall, l.f1);
    }
    text += '\n';
  }
  if (result.has_theory) text += theory_table(result);
  text += "\nseconds:";
  for (const auto& [stage, seconds] : result.timings) text += format("  %s %.1f", stage.c_str(), seconds);
  return text + '\n';
}

std::string to_json(const report& result) {
  std::string text = "{\"input\":" + quoted(result.input);
  text += format(",\"documents\":%llu,\"without_fingerprint\":%llu,\"identical_text_pairs\":%llu",
                 wide(result.documents), wide(result.without_fingerprint), wide(result.identical_texts));
  text += format(",\n\"truth\":{\"features\":\"%s\",\"similarity\":%.17g,\"pairs\":%llu,\"identical_text_pairs\":%llu}",
                 to_string(result.truth).c_str(), result.similarity, wide(result.pairs.true_pairs),
                 wide(result.pairs.true_identical));
  if (result.labelled) text += format(",\n\"label_pairs\":%llu", wide(result.pairs.labelled_pairs));
  text += format(",\n\"fingerprint\":{\"features\":\"%s\",\"weights\":\"%s\",\"bits\":%zu,\"seed\":%llu}",
                 to_string(result.prints.features).c_str(), to_string(result.prints.weights), result.prints.bits,
                 wide(result.prints.seed));

  const auto score_json = [](const score& s) {
    return format("{\"pairs\":%llu,\"precision\":%.6f,\"recall\":%.6f,\"f1\":%.6f}", wide(s.found_true), s.precision,
                  s.recall, s.f1);
  };
  text += ",\n\"distances\":[";
  for (std::size_t k = 0; k < result.pairs.found.size(); ++k) {
    const score s = truth_score(result, k);
    text += format("%s\n {\"k\":%zu,\"pairs\":%llu,\"truth\":", k == 0 ? "" : ",", k, wide(s.found));
    text += score_json(s);
    if (result.labelled) text += ",\"labels\":" + score_json(label_score(result, k));
    text += "}";
  }
  text += "]";

  if (result.has_theory) {
    const theory_summary summary = summarise(result.theory);
    text += format(
        ",\n\"theory\":{\"holds\":%s,\"seeds\":%llu,\"bins_that_count\":%zu,\"outside_by_pairs\":%zu,\"max_"
        "difference\":%.4f,"
        "\"max_exact_difference\":%.4f,\"max_sd_difference\":%.4f,\"bins\":[",
        result.theory_holds() ? "true" : "false", wide(result.theory_seeds), summary.bins, summary.narrow_misses,
        summary.difference, summary.exact_difference, summary.spread_difference);
    bool first = true;
    for (const theory_bin& bin : result.theory.bins) {
      if (bin.pairs > 0) text += (std::exchange(first, false) ? "\n " : ",\n ") + theory_json(bin);
    }
    text += "],\n\"last_bin_below_1\":" + theory_json(result.theory.unequal) + "}";
  }
  text += ",\n\"seconds\":{";
  for (std::size_t i = 0; i < result.timings.size(); ++i) {
    text += format("%s\"%s\":%.3f", i == 0 ? "" : ",", result.timings[i].stage.c_str(), result.timings[i].seconds);
  }
  return text + "}}\n";
}

}  // namespace accuracy
