#include "near_duplicates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>
#include <neardup/dedup/group_sets.hpp>
#include <neardup/dedup/group_texts.hpp>
#include <neardup/edits/pairs.hpp>
#include <neardup/fingerprint/any_tokenizer.hpp>
#include <neardup/fingerprint/feature_extractor.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/sets/feature_sets.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text/feature_choice.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/utf8.hpp>
#include <span>
#include <stdexcept>
#include <unordered_set>
#include <utility>

namespace near_duplicates {

namespace {

using tokenizer = neardup::any_tokenizer;
using extractor = neardup::feature_extractor<tokenizer>;
using fingerprinter = neardup::simhasher<tokenizer>;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Returns the measure with this name, or nullopt for the edit similarity, which does not compare sets.
std::optional<neardup::set_similarity> measure_of(std::string_view name) {
  if (name == "jaccard") return neardup::set_similarity::jaccard;
  if (name == "cosine") return neardup::set_similarity::cosine;
  if (name == "containment") return neardup::set_similarity::containment;
  if (name == "edit") return std::nullopt;
  refuse("measure " + quoted(name) + " is not jaccard, cosine, containment or edit");
}

double checked_similarity(double least) {
  if (least > 0 && least <= 1) return least;
  std::string digits = std::to_string(least);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  refuse("min_similarity is above 0 and at most 1, not " + digits);
}

tokenizer tokenizer_of(std::string_view features) {
  try {
    return neardup::with_tokenizer(neardup::parse_features(features), [](const auto& one) { return tokenizer(one); });
  } catch (const std::invalid_argument& e) {
    refuse("features " + std::string(e.what()));
  }
}

std::size_t count_common(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint32_t x = a[i], y = b[j];
    common += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return common;
}

template <std::size_t Bits>
std::optional<std::string> simhash_bytes(const tokenizer& cut, std::string_view text) {
  const neardup::simhasher<tokenizer, neardup::unit, neardup::xxh3<(Bits > 64 ? Bits : 64)>, Bits> hash(cut);
  const auto fingerprint = hash(text);
  if (!fingerprint) return std::nullopt;
  std::string bytes;
  for (std::size_t i = Bits / 8; i-- > 0;) {
    bytes.push_back(static_cast<char>(fingerprint->to_words()[i / 8] >> 8 * (i % 8) & 0xff));
  }
  return bytes;
}

void append_json(std::string& json, std::string_view token) {
  json += '"';
  neardup::for_each_code_point(token, [&](char32_t code_point, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (code_point == U'\x1f') {  // the separator of the words of a shingle
      json += ' ';
    } else if (code_point < 0x20) {
      json.append("\\u00").append({digits[code_point >> 4], digits[code_point & 15]});
    } else if (code_point == 0xfffd) {
      json += "\xef\xbf\xbd";
    } else {
      if (code_point == U'"' || code_point == U'\\') json += '\\';
      json += bytes;
    }
  });
  json += '"';
}

}  // namespace

// ---- Single texts -----------------------------------------------------------------------------------------------------

/// For each side of a comparison, the last text and its features.
struct text_functions::state {
  struct side {
    const extractor* made_by = nullptr;
    std::string text;
    std::vector<std::uint32_t> features;
  };

  std::map<std::string, std::unique_ptr<const extractor>, std::less<>> extractors;  // by the names of features
  std::array<side, 2> sides;
  extractor::workspace scratch;
  fingerprinter::workspace fingerprint_scratch;

  const extractor& extractor_of(std::string_view features) {
    const auto found = extractors.find(features);
    if (found != extractors.end()) return *found->second;
    return *extractors.emplace(features, std::make_unique<const extractor>(tokenizer_of(features))).first->second;
  }

  const std::vector<std::uint32_t>& features_of(std::size_t number, std::string_view text, const extractor& extract) {
    side& last = sides[number];
    if (last.made_by == &extract && last.text == text) return last.features;
    last.made_by = nullptr;
    const std::span<const std::uint32_t> features = extract(text, scratch);
    last.features.assign(features.begin(), features.end());
    last.text = text;
    last.made_by = &extract;
    return last.features;
  }

  /// Returns the similarity. If `of_join` is true, returns 0 for pairs that the default `min_common` of a join refuses.
  double similarity(std::string_view a, std::string_view b, std::string_view measure, std::string_view features,
                    bool of_join) {
    const auto by = measure_of(measure);
    const extractor& extract = extractor_of(features);
    if (!by) {
      const std::string x = neardup::normalise(a), y = neardup::normalise(b);
      return x.empty() || y.empty() ? 0 : neardup::edit_similarity(x, y);
    }
    const std::vector<std::uint32_t>&x = features_of(0, a, extract), &y = features_of(1, b, extract);
    if (x.empty() || y.empty()) return 0;
    const std::size_t common = count_common(x, y);
    if (of_join && *by == neardup::set_similarity::containment && common < neardup::default_min_contained) return 0;
    return neardup::set_bounds({*by, 1}).similarity(x.size(), y.size(), common);
  }
};

text_functions::text_functions() : state_(std::make_unique<state>()) {}
text_functions::~text_functions() = default;

double text_functions::similarity(std::string_view a, std::string_view b, std::string_view measure,
                                  std::string_view features) {
  return state_->similarity(a, b, measure, features, false);
}

bool text_functions::are_same(std::string_view a, std::string_view b, double least, std::string_view measure,
                              std::string_view features) {
  checked_similarity(least);
  return state_->similarity(a, b, measure, features, true) >= least;
}

std::optional<std::int64_t> text_functions::simhash(std::string_view text, std::string_view features) {
  const fingerprinter hash(state_->extractor_of(features).tokenizer);
  const auto fingerprint = hash(text, state_->fingerprint_scratch);
  if (!fingerprint) return std::nullopt;
  return static_cast<std::int64_t>(fingerprint->to_words()[0]);
}

std::optional<std::string> text_functions::simhash(std::string_view text, std::int64_t bits,
                                                   std::string_view features) {
  const tokenizer& cut = state_->extractor_of(features).tokenizer;
  switch (bits) {
    case 32: return simhash_bytes<32>(cut, text);
    case 64: return simhash_bytes<64>(cut, text);
    case 128: return simhash_bytes<128>(cut, text);
    case 256: return simhash_bytes<256>(cut, text);
    default: refuse("bits is 32, 64, 128 or 256, not " + std::to_string(bits));
  }
}

std::string text_functions::features(std::string_view text, std::string_view features) {
  std::unordered_set<std::string> seen;
  std::string json = "[";
  state_->extractor_of(features).tokenizer(text, [&](std::string_view token) {
    std::string one;
    append_json(one, token);
    const auto [place, is_new] = seen.insert(std::move(one));
    if (is_new) json.append(seen.size() == 1 ? "" : ",").append(*place);
  });
  return json + "]";
}

int distance(std::int64_t x, std::int64_t y) { return std::popcount(static_cast<std::uint64_t>(x ^ y)); }

int distance(std::string_view x, std::string_view y) {
  if (x.size() != y.size()) {
    refuse("x has " + std::to_string(8 * x.size()) + " bits, y has " + std::to_string(8 * y.size()));
  }
  int result = 0;
  for (std::size_t i = 0; i < x.size(); ++i) result += std::popcount(static_cast<unsigned char>(x[i] ^ y[i]));
  return result;
}

// ---- Joins ------------------------------------------------------------------------------------------------------------

/// Runs a join on the calling thread, and calls `of` between the steps of the join.
struct checked_run {
  std::function<void()> of;

  [[nodiscard]] std::size_t parts() const { return 1; }
  void operator()(std::size_t parts, const std::function<void(std::size_t)>& work) const {
    for (std::size_t part = 0; part < parts; ++part) work(part);
  }
  void check() const {
    if (of) of();
  }
};

/// The rows of a join: sets, or normalised texts for the edit similarity. Place 0 is the source, place 1 is `against`.
struct row_join::state {
  std::optional<neardup::set_threshold> by_sets;
  neardup::edit by_edits;
  bool has_against, copies_once, components;
  extractor extract;
  extractor::workspace scratch = {};
  std::array<neardup::feature_sets<>, 2> sets = {};
  std::array<std::vector<std::string>, 2> texts = {};
};

row_join::row_join(const join_arguments& arguments) {
  const auto by = measure_of(arguments.measure.value_or(default_measure));
  if (!arguments.min_similarity) refuse("min_similarity is missing");
  const double least = checked_similarity(*arguments.min_similarity);
  const std::int64_t min_common = arguments.min_common.value_or(0);
  if (min_common < 0) refuse("min_common is at least 0, not " + std::to_string(min_common));
  if (min_common > 0 && !by) refuse("min_common is for jaccard, cosine and containment, not for measure 'edit'");
  const bool has_against = arguments.against.has_value();
  if (arguments.components && has_against) refuse("components cannot be combined with against");
  if (!by && arguments.features) refuse("features is for jaccard, cosine and containment, not for measure 'edit'");
  state_ =
      std::make_unique<state>(state{.by_sets = std::nullopt,
                                    .by_edits = {least},
                                    .has_against = has_against,
                                    .copies_once = arguments.copies_once,
                                    .components = arguments.components,
                                    .extract = extractor(tokenizer_of(arguments.features.value_or(default_features)))});
  if (by) state_->by_sets = neardup::set_threshold{*by, least, static_cast<std::size_t>(min_common)};
}
row_join::~row_join() = default;

void row_join::add(bool to_against, std::optional<std::string_view> text) {
  if (!state_->by_sets) {
    state_->texts[to_against ? 1 : 0].push_back(text ? neardup::normalise(*text) : std::string());
  } else if (text) {
    state_->sets[to_against ? 1 : 0].add(state_->extract(*text, state_->scratch));
  } else {
    state_->sets[to_against ? 1 : 0].add({});
  }
}

std::vector<similar_rows> row_join::pairs(const std::function<void()>& check) const {
  const neardup::join_options options{.copies_once = state_->copies_once, .run = checked_run{check}};
  std::vector<similar_rows> result;
  const auto take = [&](const auto& pairs) {
    result.reserve(pairs.size());
    for (const auto& pair : pairs) {
      result.push_back(
          {static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(pair.second), pair.similarity});
    }
  };
  const auto join = [&](const auto& rows, const auto& least) {
    if (!state_->has_against) return take(neardup::pairs(rows[0], least, options));
    take(neardup::pairs(rows[0], rows[1], least, options));
  };
  if (state_->by_sets) {
    join(state_->sets, *state_->by_sets);
  } else {
    join(state_->texts, state_->by_edits);
  }
  return result;
}

std::vector<row_group> row_join::groups(const std::function<void()>& check) const {
  neardup::group_options options{.run = checked_run{check}};
  if (state_->components) options.by = neardup::grouping::components;
  std::vector<row_group> result;
  const auto group = [&](const auto& rows, const auto& least) {
    const std::size_t known = rows[1].size();
    const auto labels = state_->has_against ? neardup::extend_groups(rows[1], rows[0], least, options)
                                            : neardup::group(rows[0], least, options);
    std::vector<std::uint32_t> sizes(known + labels.size());
    std::fill_n(sizes.begin(), known, 1U);
    for (const auto label : labels) ++sizes[label];
    result.reserve(labels.size());
    for (const auto label : labels) result.push_back({static_cast<std::uint32_t>(label), sizes[label]});
  };
  if (state_->by_sets) {
    group(state_->sets, *state_->by_sets);
  } else {
    group(state_->texts, state_->by_edits);
  }
  return result;
}

// ---- The rows ---------------------------------------------------------------------------------------------------------

namespace {

std::string as_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

/// Returns `source` in the form for FROM: the quoted name of a table, or a query in parentheses.
std::string as_table(std::string_view source) {
  std::string_view text = source;
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_space(text.back()) || text.back() == ';')) text.remove_suffix(1);
  std::string word;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  const bool ends = word.size() < text.size() && text[word.size()] != '_' &&
                    std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0 && text[word.size()] != '.';
  if (ends && (word == "select" || word == "with" || word == "values" || word == "from")) {
    return "(" + std::string(text) + "\n)";  // the line end ends a comment in the query
  }
  // A dot separates the schema from the table. If the name of a table contains a dot, users have to write a query.
  std::string result;
  for (std::size_t begin = 0; begin <= source.size();) {
    const std::size_t end = std::min(source.find('.', begin), source.size());
    result += (begin == 0 ? "" : ".") + as_name(source.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string query_of_rows(const join_arguments& arguments, const char* name,
                          const std::function<std::string(const std::string& statement)>& error_of) {
  const auto given = [](const std::optional<std::string>& value, const char* argument) -> const std::string& {
    if (!value) refuse(std::string(argument) + " is missing");
    return *value;
  };
  const bool is_source = std::string_view(name) == "source";
  const std::string& source = given(is_source ? arguments.source : arguments.against, name);
  const std::string table = as_table(source);
  const std::string error = error_of("SELECT 1 FROM " + table + " AS s");
  if (!error.empty()) refuse(std::string(name) + " " + quoted(source) + ": " + error);
  const auto check_column = [&](const std::optional<std::string>& value, const char* argument) {
    const std::string& column = given(value, argument);
    const std::string wrong = error_of("SELECT s." + as_name(column) + " FROM " + table + " AS s");
    if (!wrong.empty()) {
      refuse(std::string(argument) + " " + quoted(column) + " of " + name + " " + quoted(source) + ": " + wrong);
    }
    return "s." + as_name(column);
  };
  const std::string id = check_column(arguments.id_column, "id_column");
  return "SELECT " + id + ", " + check_column(arguments.text_column, "text_column") + " FROM " + table + " AS s";
}

}  // namespace near_duplicates
