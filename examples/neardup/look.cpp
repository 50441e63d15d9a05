// `neardup hash`, `neardup tokens` and `neardup find`: a look at single documents.
#include <neardup/storage/fingerprint_list.hpp>
#include <unordered_map>

#include "context.hpp"
#include "readers.hpp"

namespace command {

namespace {

/// `neardup hash --format bin`: a list; the id of a document is its number in the input, that of a record stays.
template <std::size_t Bits>
void run_hash_to_list(context& c) {
  std::vector<neardup::list_entry<Bits>> entries;
  std::uint64_t number = 0;
  for_each_document(c, [&](const placed_document& d) {
    const std::uint64_t id = d.record_id.value_or(number);
    ++number;
    if (d.facts.has_tokens) entries.push_back({d.facts.fingerprint.as<Bits>(), id});
  });
  neardup::write_list<Bits>(entries, c.lists.made_of(), [&](std::string_view bytes) { c.out << bytes; });
  finish(c, "");
}

/// A feature as text on one line; what joins the words of one is shown as a space.
std::string shown(std::string text) {
  std::replace(text.begin(), text.end(), '\x1f', ' ');
  return printable(text);
}

/// How much of a clue a document holds: the largest share of the clue's distinct features within a run of features a
/// quarter longer than the clue. Words that were changed, put in or left out take their features from the share.
class clue_finder {
 public:
  clue_finder(const feature_setting& features, std::string_view clue) : features_(features) {
    if (!features_.needs_dictionary()) features_.choice.size = std::min(features_.choice.size, length_of(clue));
    with_tokenizer(features_, [&](const auto& tokenize) {
      tokenize(clue, [&](std::string_view token) {
        numbers_.emplace(hash_(token), numbers_.size());
        ++clue_length_;
      });
    });
    window_.resize(clue_length_ + clue_length_ / 4 + 1);
    inside_.resize(numbers_.size());
  }

  [[nodiscard]] bool empty() const { return numbers_.empty(); }

  /// From 0 to 1. Complexity: linear in the texts.
  double share_in(const std::vector<std::string>& texts) {
    std::size_t best = 0;
    with_tokenizer(features_, [&](const auto& tokenize) {
      for (const std::string& text : texts) {
        std::fill(window_.begin(), window_.end(), none);
        std::fill(inside_.begin(), inside_.end(), 0);
        found_ = 0;
        std::size_t place = 0;
        tokenize(text, [&](std::string_view token) {
          const auto number = numbers_.find(hash_(token));
          replace(window_[place], number == numbers_.end() ? none : number->second);
          place = place + 1 == window_.size() ? 0 : place + 1;
          best = std::max(best, found_);
        });
      }
    });
    return static_cast<double>(best) / static_cast<double>(numbers_.size());
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// In words, code points or bytes; at least 1. A shorter clue than a feature is looked for as it stands: as one of its
  /// own it would be in no longer document.
  [[nodiscard]] std::size_t length_of(std::string_view clue) const {
    feature_setting single = features_;
    single.choice.size = 1;
    std::size_t length = 0;
    with_tokenizer(single, [&](const auto& tokenize) { tokenize(clue, [&](std::string_view) { ++length; }); });
    return std::max<std::size_t>(length, 1);
  }

  void replace(std::size_t& slot, std::size_t number) {
    if (slot != none && --inside_[slot] == 0) --found_;
    if (number != none && ++inside_[number] == 1) ++found_;
    slot = number;
  }

  feature_setting features_;
  neardup::xxh3<64> hash_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // of the clue's features
  std::size_t clue_length_ = 0;
  std::vector<std::size_t> window_;    // the last features of a text, as far as they are the clue's
  std::vector<std::uint32_t> inside_;  // how often each of these is in the window
  std::size_t found_ = 0;              // how many are at all
};

}  // namespace

void run_hash(context& c) {
  if (c.settings.shard) return run_hash_to_shard(c);
  if (c.settings.format == output_format::binary) {
    return with_bits(c.settings.bits, [&](auto bits) { run_hash_to_list<bits>(c); });
  }
  for_each_document(c, [&](const placed_document& d) {
    const std::string id = d.name();
    const std::string hex =
        with_bits(c.settings.bits, [&](auto width) { return d.facts.fingerprint.as<width>().to_hex(); });
    if (c.settings.format == output_format::json_lines) {
      c.out << "{\"id\":" << json_string(id) << ",\"fingerprint\":" << (d.facts.has_tokens ? '"' + hex + '"' : "null")
            << "}\n";
    } else {
      c.out << (d.facts.has_tokens ? hex : "-") << "  " << printable(id) << '\n';
    }
  });
  finish(c, "");
}

void run_tokens(context& c) {
  const auto weigh = make_feature_weigher(c.settings, c.settings.features);
  const bool as_json = c.settings.format == output_format::json_lines;
  bool first_document = true;
  read_texts(c.settings, c.sources, c.notes, [&](const placed_document& d) {
    const std::vector<weighed_feature> features = weigh({d.texts->begin(), d.texts->end()});
    for (const std::string& text : *d.texts) look_for_terms(c.settings, text);
    if (features.empty() && !c.notes.without_tokens(d.from->where(d.line))) return;
    if (as_json) {
      c.out << "{\"id\":" << json_string(d.name()) << ",\"tokens\":[";
    } else if (!first_document) {
      c.out << '\n';
    }
    first_document = false;
    for (const weighed_feature& feature : features) {
      if (as_json) {
        c.out << (&feature == features.data() ? "[" : ",[") << json_string(feature.text) << ','
              << number(feature.weight) << ']';
      } else {
        c.out << shown(feature.text) << '\t' << number(feature.weight) << '\n';
      }
    }
    if (as_json) c.out << "]}\n";
  });
  finish(c, "");
}

void run_find(context& c) {
  clue_finder find(c.settings.features, c.settings.clue);
  if (find.empty()) throw usage_error("'" + c.settings.clue + "': a clue without any word");
  struct finding {
    double share;
    std::string id;
  };
  std::vector<finding> found;
  read_texts(c.settings, c.sources, c.notes, [&](const placed_document& d) {
    const double share = find.share_in(*d.texts);
    if (share > 0 && share >= *c.settings.min_similarity) found.push_back({share, d.name()});
  });
  std::stable_sort(found.begin(), found.end(), [](const finding& a, const finding& b) { return a.share > b.share; });
  const std::size_t count = found.size();
  found.resize(std::min(count, c.settings.most));
  for (const finding& f : found) {
    if (c.settings.format == output_format::json_lines) {
      c.out << "{\"id\":" << json_string(f.id) << ",\"share\":" << number(f.share) << "}\n";
    } else {
      c.out << similarity_text(f.share) << '\t' << printable(f.id) << '\n';
    }
  }
  finish(c, ": " + counted(count, "holds", "hold") + " the clue, or much of it", count);
}

}  // namespace command
