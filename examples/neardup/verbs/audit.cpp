#include "audit.hpp"

#include <neardup/sets/pairs.hpp>
#include <neardup/threads.hpp>
#include <random>

#include "../compare/groups.hpp"
#include "../ground/pipeline.hpp"
#include "page.hpp"
#include "report_page_parts.hpp"

namespace command {

namespace {

// Documents are nearly similar if their similarity is at most `nearly` below the limit. If fingerprints decide, the
// distance may exceed its limit by up to the number of bits / `nearly_share_of_bits`.
constexpr double nearly = 0.15;
constexpr std::size_t nearly_share_of_bits = 8;

struct decision {
  std::uint32_t document, other;
  bool is_dropped;
  std::optional<int> distance;       // set if fingerprints are compared
  std::optional<double> similarity;  // set if there is a check
};

/// Makes random choices that depend only on the seed, not on the standard library.
class chooser {
 public:
  explicit chooser(std::uint64_t seed) : random_(seed) {}

  /// Keeps `count` random items of `items`, in random order, and removes the other items.
  template <class Item>
  void choose(std::vector<Item>& items, std::size_t count) {
    count = std::min(count, items.size());
    for (std::size_t i = 0; i < count; ++i) std::swap(items[i], items[i + random_() % (items.size() - i)]);
    items.resize(count);
  }

 private:
  std::mt19937_64 random_;
};

class audit {
 public:
  audit(context& c, const corpus& all, const std::vector<std::uint32_t>& label)
      : context_(c), how_(c.settings.comparison), all_(all), label_(label), chooser_(c.settings.fingerprint.seed) {}

  std::vector<decision> choose(std::size_t count) {
    std::vector<std::uint32_t> dropped, kept;
    for (auto i = static_cast<std::uint32_t>(all_.against); i < label_.size(); ++i) {
      (label_[i] == i ? kept : dropped).push_back(i);
    }
    std::vector<decision> near = nearly_dropped(kept, count);
    const std::size_t of_near = std::min(near.size(), std::max(count / 2, count - std::min(count, dropped.size())));
    chooser_.choose(near, of_near);
    chooser_.choose(dropped, count - of_near);
    std::vector<decision> chosen = near;
    for (const std::uint32_t i : dropped) {
      chosen.push_back({i, label_[i], true, all_.distance(i, label_[i]), similarity(i, label_[i], 0)});
    }
    chooser_.choose(chosen, chosen.size());
    return chosen;
  }

 private:
  [[nodiscard]] std::optional<double> similarity(std::uint32_t i, std::uint32_t j, double least) const {
    if (!how_.min_similarity) return std::nullopt;
    return similarity_at_least(how_.check, all_.check[i], all_.check[j], least);
  }

  /// Returns a decision about each document of a random sample of `kept` that is nearly similar to another kept
  /// document.
  std::vector<decision> nearly_dropped(std::vector<std::uint32_t> kept, std::size_t count) {
    constexpr std::size_t looked_at = 50, most = 5000;  // examined documents for each requested document; in total
    std::vector<std::uint32_t> sample = kept;
    chooser_.choose(sample, std::min(looked_at * count, most));
    for (std::uint32_t i = 0; i < all_.against; ++i) kept.push_back(i);
    std::sort(kept.begin(), kept.end());
    std::vector<std::optional<decision>> nearest(sample.size());
    if (how_.is_exact || all_.check.can_join()) {
      join(sample, kept, nearest);
    } else {
      scan_fingerprints(sample, kept, nearest);
    }
    std::vector<decision> found;
    for (const auto& one : nearest) {
      if (one) found.push_back(*one);
    }
    return found;
  }

  /// Sets `best` to `other` if the kept document in `other` is more similar, or equally similar and earlier.
  static void take(std::optional<decision>& best, const decision& other) {
    const auto rank = [](const decision& d) {
      return std::tuple(-d.similarity.value_or(0), d.similarity ? 0 : *d.distance, d.other);
    };
    if (!best || rank(other) < rank(*best)) best = other;
  }

  [[nodiscard]] std::vector<std::string_view> texts_of(const std::vector<std::uint32_t>& list) const {
    std::vector<std::string_view> texts;
    texts.reserve(list.size());
    for (const std::uint32_t i : list) texts.push_back(normalised_text(all_.check[i]));
    return texts;
  }

  void join(const std::vector<std::uint32_t>& sample, const std::vector<std::uint32_t>& kept,
            std::vector<std::optional<decision>>& nearest) const {
    const double least = std::max(*how_.min_similarity - nearly, 0.05);
    const auto consider = [&](const auto& pair) {
      const std::uint32_t i = sample[pair.first], j = kept[pair.second];
      if (i != j) take(nearest[pair.first], {i, j, false, all_.distance(i, j), pair.similarity});
    };
    const neardup::join_options how{.run = neardup::threads{context_.settings.threads}};
    if (how_.checks_edits()) {
      neardup::visit_pairs(texts_of(sample), texts_of(kept), neardup::edit{least}, consider, how);
    } else {
      neardup::visit_pairs(checked_sets(all_.check, std::span(sample)), checked_sets(all_.check, std::span(kept)),
                           neardup::set_threshold{set_measure_of(how_), least}, consider, how);
    }
  }

  void scan_fingerprints(const std::vector<std::uint32_t>& sample, const std::vector<std::uint32_t>& kept,
                         std::vector<std::optional<decision>>& nearest) const {
    const std::size_t bits = context_.settings.fingerprint.bits;
    const int wide = how_.distance + static_cast<int>(bits / nearly_share_of_bits);
    const fingerprint_words fingerprints = all_.fingerprints.words();
    run_parallel(context_.settings.threads, sample.size(), [&](std::size_t s) {
      for (const std::uint32_t j : kept) {
        const std::uint32_t i = sample[s];
        const int bits_apart = fingerprints.distance(i, j);
        if (i == j || bits_apart > wide) continue;
        const auto exact = similarity(i, j, how_.min_similarity.value_or(0) - nearly);
        if (exact || !how_.min_similarity) take(nearest[s], {i, j, false, bits_apart, exact});
      }
    });
  }

  context& context_;
  const comparison_settings& how_;
  const corpus& all_;
  const std::vector<std::uint32_t>& label_;
  chooser chooser_;
};

}  // namespace

void write_audit(context& c, output& out, const corpus& all, const std::vector<std::uint32_t>& label,
                 std::size_t count) {
  const std::vector<decision> chosen = audit(c, all, label).choose(count);
  const auto [head, behind_style] = split_page(audit_html, "{{style}}");
  const auto [before_data, behind_data] = split_page(behind_style, "{{decisions}}");
  const auto [before_script, tail] = split_page(behind_data, "{{script}}");
  out << head << report_css << before_data;
  out << "<script type=\"application/json\" id=\"decisions\">{\"limit\":" << script_string(rule_text(c.settings))
      << ",\"documents\":" << std::to_string(c.notes.documents() - c.against)
      << ",\"seed\":" << std::to_string(c.settings.fingerprint.seed) << ",\"decisions\":[";
  text_rereader texts(c.settings.input);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const decision& d = chosen[i];
    // The kept document is shown on the left.
    const place where = all.documents.where(d.other);
    const std::string kept = texts.at(where), other = texts.at(all.documents.where(d.document));
    const double shown = d.similarity ? *d.similarity : estimate_of(c.settings.fingerprint, *d.distance);
    out << (i > 0 ? ",\n{" : "\n{") << "\"dropped\":" << (d.is_dropped ? "true" : "false") << ",\"similarity\":\""
        << similarity_text(shown) << '"' << (d.distance ? ",\"distance\":" + std::to_string(*d.distance) : "")
        << ",\"against\":" << (d.other < all.against ? "true" : "false")
        << ",\"other\":" << script_string(all.documents.id(d.other))
        << ",\"id\":" << script_string(all.documents.id(d.document)) << ",\"pieces\":";
    if (where.length == 0) {
      out << "[]";  // documents of an index have no texts
    } else {
      write_difference(out, kept, other);
    }
    out << '}';
  }
  out << "\n]}</script>\n" << before_script << report_common_js << audit_js << tail;
}

}  // namespace command
