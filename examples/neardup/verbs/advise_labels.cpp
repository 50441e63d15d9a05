// `neardup advise --labels`: computes precision and recall on labelled pairs.
#include <algorithm>
#include <map>
#include <set>

#include "../compare/labelled_pairs.hpp"
#include "../describe/readers.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "advising.hpp"

namespace command {

namespace {

struct label {
  std::string a, b;
  bool is_same;
  std::string where;
};

/// Reads the labels. A pair with several labels counts once.
std::vector<label> read_labels(const context& c, const advised_run& settings) {
  if (settings.labels.ends_with(".html")) {
    throw input_error({settings.labels, "is a page; open it in a browser, judge the decisions, and press Save"});
  }
  input_settings input;
  input.paths = {settings.labels};
  input.unit = unit_of_input::json_lines;
  input.text_fields = {"a", "b"};
  input.fields_are_ids = true;
  input.source_field = "same";
  input.skip_bad = settings.input.skip_bad;
  reading lines({input, c.settings.lists, c.settings.fingerprint, c.settings.comparison, true}, {});
  std::vector<label> labels;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  read_texts(input, lines.sources, lines.notes, [&](const placed_document& d) {
    const std::string where = d.from->where(d.line);
    const auto refuse = [&](const std::string& what) { lines.notes.bad({where, what}); };
    if (d.by.empty()) return refuse("no field \"same\" that is true or false");
    if (d.by != "true" && d.by != "false") {
      return refuse("field \"same\" is '" + printable(d.by) + "', not true or false");
    }
    label next{d.texts->front(), d.texts->back(), d.by == "true", where};
    if (next.a == next.b) return refuse("fields \"a\" and \"b\" have the same id '" + printable(next.a) + '\'');
    const auto [found, is_new] = numbers.try_emplace(std::minmax(next.a, next.b), labels.size());
    if (is_new) {
      labels.push_back(std::move(next));
    } else if (labels[found->second].is_same != next.is_same) {
      refuse("field \"same\" is " + std::string(next.is_same ? "true" : "false") + ", unlike for this pair in " +
             labels[found->second].where);
    }
  });
  return labels;
}

/// The texts of the labelled documents, by id.
class labelled_texts {
 public:
  explicit labelled_texts(const std::vector<label>& labels) {
    for (const label& one : labels) {
      texts_[one.a];
      texts_[one.b];
    }
  }

  void add(const placed_document& d) {
    const auto found = texts_.find(d.name());
    if (found == texts_.end()) return;
    if (found->second.documents++ == 0) found->second.fields = *d.texts;
  }

  /// Returns the fields of the first document with this id.
  [[nodiscard]] const std::vector<std::string>& of(const std::string& id) const { return texts_.at(id).fields; }

  /// Returns an error message if an id of the label belongs to no document, or to several documents.
  [[nodiscard]] std::optional<std::string> error_of(const label& one) const {
    for (const auto& [id, field] : {std::pair(&one.a, "a"), std::pair(&one.b, "b")}) {
      const std::uint64_t documents = texts_.at(*id).documents;
      if (documents == 1) continue;
      return (documents == 0 ? "no document has the id '" : "several documents have the id '") + printable(*id) +
             "' of field \"" + field + '"';
    }
    return std::nullopt;
  }

 private:
  struct entry {
    std::vector<std::string> fields;
    std::uint64_t documents = 0;
  };

  std::map<std::string, entry> texts_;
};

struct labelled_kind {
  compared_by by;
  std::vector<labelled_limit> limits;
};

/// Computes the similarities of labelled pairs by one kind of features, as a run with these features computes them.
std::vector<labelled_pair> pairs_by(const advised_run& settings, const compared_by& by,
                                    const std::vector<label>& labels, const labelled_texts& texts) {
  const comparison_settings how = by.settings(*settings.comparison.min_similarity);
  const feature_reader read = make_feature_reader(settings.fingerprint, how);
  const auto data_of = [&](const std::string& id) {
    const std::vector<std::string>& fields = texts.of(id);
    const feature_set found = read(document_texts(fields.begin(), fields.end()));
    return std::vector<std::uint32_t>(found.begin(), found.end());
  };
  std::vector<labelled_pair> pairs;
  for (const label& one : labels) {
    const std::vector<std::uint32_t> a = data_of(one.a), b = data_of(one.b);
    // A document without features is not similar to any document.
    const bool has_both = !a.empty() && !b.empty();
    pairs.push_back({has_both ? similarity_at_least(how.check, a, b, 0).value_or(0) : 0, one.is_same});
  }
  return pairs;
}

std::vector<compared_by> kinds_to_try(const advised_run& settings) {
  std::vector<compared_by> kinds;
  if (settings.wanted_check) kinds.push_back({settings.wanted_check});
  using enum neardup::feature_kind;
  for (const neardup::feature_choice& features :
       {neardup::feature_choice{words, 2}, neardup::feature_choice{words, 1}, neardup::feature_choice{words, 3},
        neardup::feature_choice{chars, 3}, neardup::feature_choice{chars, 5}}) {
    if (settings.wanted_check != features) kinds.push_back({features});
  }
  kinds.push_back({std::nullopt});
  return kinds;
}

std::string interval_of(const labelled_share& share) {
  if (share.all == 0) return "-";
  return fixed(*share.value(), 3) + " (" + fixed(share.low(), 3) + " to " + fixed(share.high(), 3) + ")";
}

std::string limit_text(int hundredths) { return fixed(hundredths / 100.0, 2); }

std::string share_json(const labelled_share& share) {
  const auto value = share.value();
  return json_object()
      .add("part", std::to_string(share.part))
      .add("of", std::to_string(share.all))
      .add("value", value ? number(*value) : "null")
      .add("low", number(share.low()))
      .add("high", number(share.high()))
      .text();
}

std::string kind_json(const labelled_kind& kind) {
  return json_object()
      .add("features", json_string(kind.by.name()))
      .add("limits", json_array(kind.limits,
                                [](const labelled_limit& limit) {
                                  return json_object()
                                      .add("from", number(limit.from / 100.0))
                                      .add("to", number(limit.to / 100.0))
                                      .add("precision", share_json(limit.precision))
                                      .add("recall", share_json(limit.recall))
                                      .add("f1", number(limit.f1()))
                                      .text();
                                }))
      .text();
}

bool overlap(const labelled_share& a, const labelled_share& b) { return a.low() <= b.high() && b.low() <= a.high(); }

/// The best similarity limit of all kinds of features. The highest F1 wins; in a tie, the first kind wins.
struct chosen_limit {
  const labelled_kind* kind = nullptr;
  const labelled_limit* limit = nullptr;
  std::size_t limits = 0;  // number of limits of all kinds
  // The number of other limits that may be as good, because their intervals of precision and of recall overlap with the
  // intervals of `limit`.
  std::size_t as_good = 0;
};

chosen_limit best_of_kinds(const std::vector<labelled_kind>& kinds) {
  chosen_limit chosen;
  for (const labelled_kind& kind : kinds) {
    const labelled_limit& best = kind.limits[best_limit(kind.limits)];
    if (chosen.limit == nullptr || best.f1() > chosen.limit->f1()) {
      chosen.kind = &kind;
      chosen.limit = &best;
    }
  }
  for (const labelled_kind& kind : kinds) {
    for (const labelled_limit& limit : kind.limits) {
      ++chosen.limits;
      const bool is_alike =
          overlap(limit.precision, chosen.limit->precision) && overlap(limit.recall, chosen.limit->recall);
      chosen.as_good += is_alike && &limit != chosen.limit ? 1 : 0;
    }
  }
  return chosen;
}

void print_text(output& out, const std::vector<labelled_kind>& kinds, const chosen_limit& chosen, std::size_t labels,
                std::size_t same, const std::string& command) {
  out << counted(labels, "labelled pair", "labelled pairs") << ", " << grouped(same) << " of them the same. For "
      << "--check-features and --similarity, with the 95 %\nintervals of Wilson's score: precision, the share of the "
         "found "
         "pairs that are the same, and recall, the\nshare of the same pairs that are found:\n\n";
  std::vector<std::vector<std::string>> rows{{"  features", "similarity", "found", "precision", "recall", "F1"}};
  for (const labelled_kind& kind : kinds) {
    for (const labelled_limit& limit : kind.limits) {
      const std::string range = limit.from == limit.to ? "" : " to " + limit_text(limit.to);
      rows.push_back({(&limit == chosen.limit ? "* " : "  ") + kind.by.name(), limit_text(limit.from) + range,
                      std::to_string(limit.precision.all), interval_of(limit.precision), interval_of(limit.recall),
                      fixed(limit.f1(), 3)});
    }
  }
  print_table(out, rows);
  out << "\n* has the best F1.";
  if (chosen.as_good > 0) {
    out << " With so few labels, " << grouped(chosen.as_good) << " of the " << grouped(chosen.limits - 1)
        << " other rows may be as good: their intervals overlap\nwith its intervals. Label more pairs to tell them "
           "apart.";
  }
  out << " Precision and recall are those of the labelled pairs:\npairs that no label is about may differ.\n\n"
      << on_one_line(command) << '\n';
}

}  // namespace

void advise_by_labels(context& c, const advised_run& settings) {
  const std::vector<label> given = read_labels(c, settings);
  labelled_texts texts(given);
  read_texts(settings.input, c.sources, c.notes, [&](const placed_document& d) { texts.add(d); });
  std::vector<label> labels;
  for (const label& one : given) {
    if (const auto error = texts.error_of(one)) {
      c.notes.bad({one.where, *error});
    } else {
      labels.push_back(one);
    }
  }
  const auto same = static_cast<std::size_t>(
      std::count_if(labels.begin(), labels.end(), [](const label& one) { return one.is_same; }));
  if (same == 0 || same == labels.size()) {
    throw input_error({settings.labels, labels.empty() ? "has no labelled pairs"
                                        : same == 0    ? "no pair has \"same\": true, so no setting can be chosen"
                                                       : "no pair has \"same\": false, so no setting can be chosen"});
  }
  std::vector<labelled_kind> kinds;
  for (const compared_by& by : kinds_to_try(settings)) {
    kinds.push_back({by, limits_of(pairs_by(settings, by, labels, texts))});
  }
  const chosen_limit chosen = best_of_kinds(kinds);
  const std::string command =
      exact_command(settings, chosen.limit->similarity(), chosen.kind->by, settings.output.as_json());
  if (settings.output.as_json()) {
    c.out << json_object()
                 .add("labels", std::to_string(labels.size()))
                 .add("same", std::to_string(same))
                 .add("kinds", json_array(kinds, [](const labelled_kind& kind) { return kind_json(kind); }))
                 .add("features", json_string(chosen.kind->by.name()))
                 .add("chosen_similarity", number(chosen.limit->similarity()))
                 .add("as_good", std::to_string(chosen.as_good))
                 .add("command", json_string(command))
                 .text()
          << '\n';
  } else {
    print_text(c.out, kinds, chosen, labels.size(), same, command);
  }
  finish(c, "");
}

}  // namespace command
