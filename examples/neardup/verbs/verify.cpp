// `neardup verify`: finds out which pairs of ids from another program are near-duplicates.
#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <neardup/dedup/pair_groups.hpp>
#include <neardup/fingerprint/hashers.hpp>

#include "../compare/check.hpp"
#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/sorted_pairs.hpp"
#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array verify_options{
    option_row{"--pairs", "FILE", takes::own, section::input,
               "pairs of ids to check, from any program (-: standard input). The documents are those of PATH, or of "
               "--index",
               usual::always},
    option_row{
        "--pairs-format", "F", takes::own, section::input,
        "csv or tsv with a header, jsonl, or binary: two numbers of 64 bits a pair, the lowest byte first, which "
        "count the documents from 0 (default: what the name ends with, .bin for binary)",
        usual::always, "csv, tsv, jsonl or binary (default: as its name ends)"},
    option_row{"--pair-fields", "A B", takes::own, section::input,
               "the columns or fields with the two ids (default: a b)", usual::always},
    option_row{"--index", "FILE", takes::own, section::index, "documents of an index of features", usual::always},
    option_row{"--similarity", "S", takes::own, section::comparison,
               "a pair is near-duplicate if its exact similarity is at least this (default: {similarity})",
               usual::always},
    option_row{"--check", "M", takes::own, section::comparison, "the measure: jaccard (the default), cosine or edit",
               usual::always},
    option_row{"--memory", "SIZE", takes::own, section::comparison,
               "of a run; features beyond it lie in a temporary file"},
    option_row{"--dropped", "FILE", takes::own, section::output,
               "which documents follow to be dropped, and what stands for each, as unique --dropped writes it",
               usual::always},
};

/// Documents that are found by their ids.
/// Memory: their features and names, and 8 to 16 bytes for each.
class named_documents {
 public:
  explicit named_documents(const run_settings& settings)
      : settings_(settings), documents_(false), check_(settings.comparison, settings.grouping.memory) {}

  /// Adds a document.
  /// Throws: input_error if there are more documents than 32 bits can number.
  void add(const placed_document& d) {
    if (check_.size() == none) throw input_error({d.from->name(), "more than 4,294,967,294 documents"});
    documents_.add(d);
    check_.add(d.facts.has_tokens ? d.facts.features : feature_set());
  }

  /// Makes the table of ids; called once, after the last add().
  void prepare() {
    slots_.assign(std::bit_ceil(2 * check_.size() + 1), none);
    is_repeated_.assign(check_.size(), false);
    for (std::size_t i = 0; i < check_.size(); ++i) {
      std::uint32_t& found = slot_of(documents_.id(i));
      if (found == none) {
        found = static_cast<std::uint32_t>(i);
      } else {
        is_repeated_[found] = true;
      }
    }
  }

  /// Returns the first document with an id.
  /// Thread safety: may be called from any thread.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view id) const {
    const std::uint32_t found = const_cast<named_documents*>(this)->slot_of(id);
    return found == none ? std::nullopt : std::optional(found);
  }
  /// Returns true if a later document has the same id.
  [[nodiscard]] bool is_repeated(std::uint32_t number) const { return is_repeated_[number]; }

  [[nodiscard]] std::size_t size() const noexcept { return check_.size(); }
  [[nodiscard]] std::string id(std::size_t i) const { return documents_.id(i); }

  /// Returns the similarity of two documents if it is at least `least`. Documents without tokens are similar to
  /// nothing.
  [[nodiscard]] std::optional<double> similarity(std::uint32_t a, std::uint32_t b, double least) const {
    const feature_set x = check_[a], y = check_[b];
    if (x.empty() || y.empty()) return std::nullopt;
    return similarity_at_least(settings_.comparison.check, x, y, least);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Returns the slot with the document of an id, or the free slot where it belongs.
  std::uint32_t& slot_of(std::string_view id) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = neardup::xxh3<64>{}(id)&mask;
    while (slots_[i] != none && documents_.id(slots_[i]) != id) i = (i + 1) & mask;
    return slots_[i];
  }

  const run_settings& settings_;
  document_table documents_;
  document_check check_;
  std::vector<std::uint32_t> slots_;
  std::vector<bool> is_repeated_;
};

/// Checks pairs, some at a time, and prints the near-duplicates among them in their order.
class pair_checker {
 public:
  pair_checker(context& c, run_notes& notes, const named_documents& documents)
      : context_(c), notes_(notes), documents_(documents), found_(c.settings.grouping.memory) {}

  void take(std::string a, std::string b, std::string where) {
    asked one;
    one.ids = {std::move(a), std::move(b)};
    one.has_ids = true;
    one.where = std::move(where);
    take(std::move(one));
  }
  void take(std::uint64_t a, std::uint64_t b, std::string where) {
    asked one;
    one.numbers = {a, b};
    one.where = std::move(where);
    take(std::move(one));
  }

  /// Answers the waiting pairs.
  /// Throws: input_error for an unknown id, unless --skip-bad is given.
  void answer() {
    const double least = *context_.settings.comparison.min_similarity;
    run_parallel(context_.settings.threads, waiting_.size(), [&](std::size_t i) {
      asked& one = waiting_[i];
      for (std::size_t side = 0; side < 2; ++side) {
        if (one.has_ids) one.numbers[side] = documents_.find(one.ids[side]).value_or(unknown);
        if (one.numbers[side] >= documents_.size()) return;
      }
      const auto [a, b] = one.numbers;
      if (a != b)
        one.similarity = documents_.similarity(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), least);
    });
    const std::vector<asked> all = std::exchange(waiting_, {});
    for (const asked& one : all) report(one);
  }

  /// Writes which documents are dropped.
  /// Returns: their number.
  std::uint64_t drop() {
    neardup::pair_groups<std::uint32_t> groups(static_cast<std::uint32_t>(documents_.size()));
    std::optional<checked_pair> last;
    found_.visit_all([&](std::span<const checked_pair> some) {
      for (const checked_pair& pair : some) {
        if (last && last->a == pair.a && last->b == pair.b) continue;
        groups.add(pair.a, pair.b, [&] { return pair.similarity; });
        last = pair;
      }
    });
    const std::vector<std::uint32_t> original = groups.finish();
    const bool as_json =
        context_.settings.input.unit == unit_of_input::json_lines || context_.settings.output.as_json();
    std::uint64_t dropped = 0;
    for (std::uint32_t i = 0; i < original.size(); ++i) {
      if (original[i] == i) continue;
      ++dropped;
      *context_.dropped << text_of_match(context_.settings.fingerprint, as_json,
                                         {"id", "kept", documents_.id(i), documents_.id(original[i]), std::nullopt,
                                          documents_.similarity(i, original[i], 0)});
    }
    return dropped;
  }

  [[nodiscard]] std::uint64_t pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::uint64_t near() const noexcept { return near_; }
  [[nodiscard]] std::uint64_t with_itself() const noexcept { return with_itself_; }

 private:
  struct asked {
    std::array<std::string, 2> ids;
    bool has_ids = false;  // true if pairs have ids, false if they have numbers
    std::array<std::uint64_t, 2> numbers{};
    std::string where;
    std::optional<double> similarity = std::nullopt;
  };
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  void take(asked&& one) {
    constexpr std::size_t at_once = std::size_t{1} << 16;
    waiting_.push_back(std::move(one));
    if (waiting_.size() == at_once) answer();
  }

  void report(const asked& one) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& id = one.ids[side];
      const std::uint64_t number = one.numbers[side];
      if (number >= documents_.size()) {
        return notes_.bad({one.where, one.has_ids ? "no document has the id '" + printable(id) + '\''
                                                  : "no document has the number " + std::to_string(number) +
                                                        "; there are " + grouped(documents_.size())});
      }
      if (one.has_ids && documents_.is_repeated(static_cast<std::uint32_t>(number))) {
        return notes_.bad({one.where, "several documents have the id '" + printable(id) + '\''});
      }
    }
    ++pairs_;
    auto [a, b] = one.numbers;
    if (a == b) ++with_itself_;
    if (!one.similarity) return;
    ++near_;
    context_.out << text_of_match(context_.settings.fingerprint, context_.settings.output.as_json(),
                                  {"a", "b", documents_.id(a), documents_.id(b), std::nullopt, one.similarity});
    if (!context_.dropped) return;
    found_.add(
        {static_cast<std::uint32_t>(std::max(a, b)), static_cast<std::uint32_t>(std::min(a, b)), *one.similarity});
  }

  context& context_;
  run_notes& notes_;
  const named_documents& documents_;
  sorted_pairs found_;  // filled if representatives are asked for
  std::vector<asked> waiting_;
  std::uint64_t pairs_ = 0, near_ = 0, with_itself_ = 0;
};

enum class pair_format { csv, tsv, json_lines, binary };

/// Reads pairs of numbers.
void read_binary(const std::string& path, run_notes& notes, pair_checker& checker) {
  constexpr std::size_t record_size = 16;
  source from{path, nullptr};
  from.as_it_is = true;
  const std::atomic<bool> never{false};
  std::string bytes(std::size_t{1} << 16, '\0');
  std::size_t rest = 0;  // number of bytes of an incomplete pair at the beginning of `bytes`
  std::uint64_t count = 0;
  try {
    source_file file(from);
    for (std::size_t read = 0; (read = file.read(bytes.data() + rest, bytes.size() - rest, never)) > 0;) {
      const std::string_view all = std::string_view(bytes).substr(0, rest + read);
      std::size_t begin = 0;
      for (; all.size() - begin >= record_size; begin += record_size) {
        std::array<std::uint64_t, 2> pair{};
        for (std::size_t i = record_size; i-- > 0;) {
          pair[i / 8] = pair[i / 8] << 8 | static_cast<unsigned char>(all[begin + i]);
        }
        checker.take(pair[0], pair[1], from.name() + " pair " + std::to_string(++count));
      }
      rest = all.size() - begin;
      std::copy(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(), bytes.begin());
    }
  } catch (const read_error& error) {
    checker.answer();  // the pairs before the error
    return notes.bad(unreadable(from, error));
  }
  checker.answer();
  if (rest > 0) notes.bad({from.name(), "ends within pair " + std::to_string(count + 1)});
}

/// Reads pairs of ids.
void read_records(context& c, reading& from, pair_checker& checker) {
  const std::exception_ptr bad = caught([&] {
    read_texts(
        from.how.input, from.sources, from.notes,
        [&](const placed_document& d) { checker.take(d.texts->front(), d.texts->back(), d.from->where(d.line)); },
        [&](const finished_batch& done) {
          if (!done.input.live) return;
          checker.answer();
          c.out.flush();
        });
  });
  checker.answer();  // also answers the pairs before bad input
  if (bad) std::rethrow_exception(bad);
}

struct pair_source {
  std::string path;
  pair_format format = pair_format::json_lines;
  std::vector<std::string> fields{"a", "b"};
  std::string index;
};

void verify_pairs(context& c, const pair_source& from) {
  named_documents documents(c.settings);
  const auto add = [&](const placed_document& d) { documents.add(d); };
  if (!from.index.empty()) for_each_indexed(c, from.index, add);
  for_each_document(c, add);
  documents.prepare();
  c.notes.phase("checking pairs");
  input_settings input;
  input.paths = {from.path};
  input.unit = from.format == pair_format::csv   ? unit_of_input::csv
               : from.format == pair_format::tsv ? unit_of_input::tsv
                                                 : unit_of_input::json_lines;
  input.text_fields = from.fields;
  input.fields_are_ids = true;
  input.skip_bad = c.settings.input.skip_bad;
  input.threads = c.settings.threads;
  reading pairs({input, c.settings.lists, c.settings.fingerprint, c.settings.comparison, true}, {});
  pair_checker checker(c, pairs.notes, documents);
  if (from.format == pair_format::binary) {
    read_binary(from.path, pairs.notes, checker);
  } else {
    read_records(c, pairs, checker);
  }
  std::string summary = ": " + grouped(checker.near()) + " of " + counted(checker.pairs(), "pair", "pairs") +
                        (checker.near() == 1 ? " is" : " are") + " near-duplicate";
  if (c.dropped) summary += ", " + counted(checker.drop(), "document", "documents") + " to drop";
  if (checker.with_itself() > 0 && !c.settings.output.quiet) {
    say(counted(checker.with_itself(), "pair names", "pairs name") + " one document twice");
  }
  pairs.notes.advance(checker.pairs(), 0);
  pairs.notes.finish("", pairs.sources);
  finish(c, summary, checker.near());
}

/// Returns the format of the pairs.
/// Throws: usage_error.
pair_format format_of_pairs(const typed_options& typed, const std::string& path) {
  if (const auto format = typed["--pairs-format"]) {
    return static_cast<pair_format>(parse_name("--pairs-format", *format, {"csv", "tsv", "jsonl", "binary"},
                                               "formats of pairs are csv, tsv, jsonl and binary"));
  }
  std::string_view name = path;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  if (name.ends_with(".bin")) return pair_format::binary;
  const auto unit = unit_by_name(name);
  if (unit == unit_of_input::csv) return pair_format::csv;
  if (unit == unit_of_input::tsv) return pair_format::tsv;
  if (unit == unit_of_input::json_lines) return pair_format::json_lines;
  throw usage_error("--pairs " + path + ": its name does not tell its format; --pairs-format does");
}

bool run_verify(typed_options& typed) {
  if (!typed.has("--pairs")) throw usage_error("verify needs --pairs FILE, pairs of ids from any program");
  pair_source from;
  from.path = typed.text("--pairs");
  from.index = typed.text("--index");
  for (const char* const option : {"--pairs", "--index"}) refuse_empty_name(typed, option);
  if (std::filesystem::is_directory(from.path)) throw usage_error("--pairs " + from.path + ": a folder, not a file");
  from.format = format_of_pairs(typed, from.path);
  if (typed.has("--pair-fields")) {
    if (from.format == pair_format::binary) throw usage_error("--pair-fields: pairs of numbers have no fields");
    from.fields = typed.all("--pair-fields");
    if (from.fields.size() != 2 || from.fields[0] == from.fields[1]) {
      throw usage_error("--pair-fields takes the names of two fields, once");
    }
  }
  const auto take_stored = [&](typed_options& given, run_settings& /*to*/) {
    if (from.index.empty()) return;
    const index_settings index = read_index_settings(from.index);
    if (!index.has_sets()) {
      throw usage_error("--index " + from.index + " is an index of fingerprints, without features to check");
    }
    refuse_check_of_index(given);
    take_composition(given, index);
    refuse_other_features(given, index);
    given.set("--check-features", {index.check_features});
  };
  const auto take_check = [&](const typed_options& given, run_settings& to) {
    take_comparison(given, to);
    if (to.comparison.checks_containment()) {
      throw usage_error("--check containment is for groups, unique, pairs and report, which also say what holds what");
    }
    to.comparison.reads_features = true;
    to.comparison.is_bound_to_index = !from.index.empty();
    to.why_by_fingerprints.clear();
  };
  const auto refuse_two_streams = [&](const typed_options&, const run_settings& to) {
    if (from.path != "-") return;
    if (streams_in(to.input.paths) + (to.input.names_from == "-" ? 1 : 0) > 0) {
      throw usage_error("standard input (-) can be read only once");
    }
  };
  run_settings settings = take_reading(
      typed,
      {.stored = take_stored,
       .comparison = take_check,
       .last = refuse_two_streams,
       .other_files =
           [&] {
             return std::vector<std::string>{from.path, from.index};
           },
       .without_input = from.index.empty() ? "verify --pairs: name the documents, by PATH or --index" : nullptr});
  settings.comparison.has_fingerprints = false;
  return run_on_documents(settings, [&](context& c) { verify_pairs(c, from); });
}

}  // namespace

extern const verb verify_verb;
const verb verify_verb{"verify",
                       "PATH…",
                       "the candidates of other programs that are near-duplicates",
                       R"(
Reads pairs of ids, from any program, and prints those that are near-duplicates, in their order, as pairs
prints them: exact similarity, "-", and the two ids. Documents, not pairs, take memory.
)",
                       takes::texts | takes::weights | takes::features | takes::dictionary | takes::seed |
                           takes::exact | takes::same | takes::verification | takes::format | takes::output |
                           takes::exit_status | takes::running | takes::help,
                       verify_options,
                       run_verify};

}  // namespace command
