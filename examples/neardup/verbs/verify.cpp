// `neardup verify`: finds out which pairs of ids from another program are near-duplicates.
#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <limits>
#include <map>
#include <neardup/dedup/pair_groups.hpp>
#include <neardup/fingerprint/hashers.hpp>
#include <unordered_map>

#include "../compare/check.hpp"
#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/groups.hpp"
#include "../compare/sorted_pairs.hpp"
#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "annotating.hpp"
#include "copying.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array verify_options{
    option_row{"--pairs", "FILE", takes::own, section::input,
               "the pairs of ids to check, from any program (-: standard input). The documents are those of PATH, or "
               "of --index",
               usual::always},
    option_row{"--clusters", "FILE", takes::own, section::input,
               "check clusters of ids from any program, not pairs (-: standard input). The file has a record for each "
               "document with its id and the name of its cluster. With --pairs-format lines, it has a line for each "
               "cluster with the ids of its documents, with blanks between them",
               usual::always, "check clusters of ids from any program, not pairs (-: standard input)"},
    option_row{"--pairs-format", "F", takes::own, section::input,
               "the format of the pairs: csv or tsv with a header, jsonl, or binary. binary is two numbers of 64 bits "
               "for each pair, the lowest byte first, which count the documents from 0. Clusters may be csv, tsv, "
               "jsonl or lines (default: by the end of the name; .bin is binary)",
               usual::always, "csv, tsv, jsonl, binary or lines (default: as its name ends)"},
    option_row{"--pair-fields", "A B", takes::own, section::input,
               "the columns or fields that have the two ids (default: a b). With --clusters: the columns that have the "
               "id and the cluster (default: id cluster)",
               usual::always, "the columns or fields with the two ids (default: a b)"},
    option_row{"--index", "FILE", takes::own, section::index,
               "the documents are those of this index, an index of features", usual::always},
    annotate_option,
    annotate_key_option,
    option_row{"--similarity", "S", takes::own, section::comparison,
               "two documents are near-duplicates if their exact similarity is at least this (default: {similarity})",
               usual::always},
    option_row{"--check", "M", takes::own, section::comparison, "the measure: jaccard (the default), cosine or edit",
               usual::always},
    option_row{"--memory", "SIZE", takes::own, section::comparison,
               "the memory for documents and features. Features that do not fit are kept in a temporary file"},
    option_row{"--dropped", "FILE", takes::own, section::output,
               "write the documents that have to be dropped, and what stands for each, as unique --dropped does",
               usual::always},
};

/// Documents, which find() finds by their ids.
/// Memory: the features and the ids, and 20 to 28 bytes more for each document.
class named_documents {
 public:
  explicit named_documents(const run_settings& settings)
      : settings_(settings), documents_(false), check_(settings.comparison, settings.grouping.memory) {}

  /// Adds a document.
  /// Throws: input_error if there are already 2^32 - 1 documents.
  void add(const placed_document& d) {
    if (check_.size() == none) throw input_error({d.from->name(), "more than 4,294,967,295 documents"});
    documents_.add(d);
    check_.add(d.facts.has_tokens ? d.facts.features : feature_set());
  }

  /// Makes the table of ids. Call this function once, after the last add().
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

  /// Returns the number of the first document with the id `id`, or nullopt.
  /// Thread safety: may be called from any thread.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view id) const {
    const std::uint32_t found = const_cast<named_documents*>(this)->slot_of(id);
    return found == none ? std::nullopt : std::optional(found);
  }
  /// Returns true if a later document has the same id as document `number`, a result of find().
  [[nodiscard]] bool is_repeated(std::uint32_t number) const { return is_repeated_[number]; }

  [[nodiscard]] std::size_t size() const noexcept { return check_.size(); }
  [[nodiscard]] std::string id(std::size_t i) const { return documents_.id(i); }

  /// Returns the similarity of documents `a` and `b` if it is at least `least`, otherwise nullopt. A document without
  /// tokens is not similar to any document.
  [[nodiscard]] std::optional<double> similarity(std::uint32_t a, std::uint32_t b, double least) const {
    const feature_set x = check_[a], y = check_[b];
    if (x.empty() || y.empty()) return std::nullopt;
    return similarity_at_least(settings_.comparison.check, x, y, least);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Returns the slot of the table with the document of this id, or the free slot for this id.
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

/// Checks pairs in batches. Prints the near-duplicate pairs in the order in which take() got them.
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

  /// Checks the pairs in `waiting_`, prints the near-duplicate ones, and empties `waiting_`.
  /// Throws: input_error if an id is unknown, or if several documents have it, unless --skip-bad is given.
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

  /// Writes each document to drop, with its original, to the file of --dropped.
  /// Returns: the number of documents to drop.
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
    std::uint64_t dropped = 0;
    for (std::uint32_t i = 0; i < original.size(); ++i) {
      if (original[i] == i) continue;
      ++dropped;
      write_dropped(context_, {"id", "kept", documents_.id(i), documents_.id(original[i]), std::nullopt,
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
  sorted_pairs found_;  // filled if representatives are needed
  std::vector<asked> waiting_;
  std::uint64_t pairs_ = 0, near_ = 0, with_itself_ = 0;
};

enum class pair_format { csv, tsv, json_lines, binary, lines };

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
    checker.answer();  // checks the pairs before the error
    return notes.bad(unreadable(from, error));
  }
  checker.answer();
  if (rest > 0) notes.bad({from.name(), "ends within pair " + std::to_string(count + 1)});
}

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
  checker.answer();  // also checks the pairs before bad input
  if (bad) std::rethrow_exception(bad);
}

struct pair_source {
  std::string path;
  pair_format format = pair_format::json_lines;
  std::vector<std::string> fields{"a", "b"};
  std::string index;
  bool are_clusters = false;
  std::optional<std::string> annotate_key = std::nullopt;  // key of the notes about groups, if wanted
};

/// Fills `documents` from the index and the input, and prepares it. Calls `visit` for each document of the input.
void read_named(context& c, const pair_source& from, named_documents& documents,
                const document_visitor& visit = nullptr) {
  const auto add = [&](const placed_document& d) { documents.add(d); };
  if (!from.index.empty()) for_each_indexed(c, from.index, add);
  for_each_document(c, [&](const placed_document& d) {
    add(d);
    if (visit) visit(d);
  });
  documents.prepare();
}

/// Returns the settings to read pairs, or to read the clusters of documents.
input_settings input_of(const context& c, const pair_source& from) {
  input_settings input;
  input.paths = {from.path};
  input.unit = from.format == pair_format::csv     ? unit_of_input::csv
               : from.format == pair_format::tsv   ? unit_of_input::tsv
               : from.format == pair_format::lines ? unit_of_input::lines
                                                   : unit_of_input::json_lines;
  if (from.format != pair_format::lines) {
    input.text_fields = from.fields;
    input.fields_are_ids = true;
    input.hint_of_fields = "; --pair-fields names others";
  }
  input.skip_bad = c.settings.input.skip_bad;
  input.threads = c.settings.threads;
  return input;
}

/// Throws: input_error if the file of clusters, `from`, is a table without a header.
void refuse_empty_table(const reading& from) {
  const source* const first = from.sources.first().get();
  const unit_of_input unit = from.how.input.unit;
  const bool is_table = unit == unit_of_input::csv || unit == unit_of_input::tsv;
  if (!is_table || first == nullptr || first->columns != nullptr) return;
  const auto& fields = from.how.input.text_fields;
  throw input_error({first->name(), "is empty; a table begins with a header, here with the columns " + fields.front() +
                                        " and " + fields.back()});
}

/// Clusters of documents that another program has found.
/// Memory: 12 to 16 bytes for each document, and for each cluster its name and about 100 bytes.
class named_clusters {
 public:
  named_clusters(run_notes& notes, const named_documents& documents)
      : notes_(notes), documents_(documents), cluster_of_(documents.size(), none) {}

  /// Adds the document of a record to the cluster that the record names.
  void take(const std::string& id, const std::string& cluster, const std::string& where) {
    if (cluster.empty()) return notes_.bad({where, "the document '" + printable(id) + "' has no cluster"});
    const auto [found, is_first] = numbers_.try_emplace(cluster, clusters_.size());
    if (is_first) clusters_.emplace_back();
    add(found->second, id, where);
  }

  /// Adds a cluster. `line` has the ids of its documents, with blanks between them.
  void take_line(std::string_view line, const std::string& where) {
    clusters_.emplace_back();
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t begin = line.find_first_not_of(blanks); begin < line.size();) {
      const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
      add(clusters_.size() - 1, std::string(line.substr(begin, end - begin)), where);
      begin = line.find_first_not_of(blanks, end);
    }
  }

  /// Moves the clusters out of this object. The documents of a cluster are sorted by number.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> take_all() {
    for (std::vector<std::uint32_t>& members : clusters_) std::sort(members.begin(), members.end());
    return std::move(clusters_);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  void add(std::size_t cluster, const std::string& id, const std::string& where) {
    const auto refuse = [&](const char* before, const char* behind) {
      notes_.bad({where, before + printable(id) + '\'' + behind});
    };
    const std::optional<std::uint32_t> number = documents_.find(id);
    if (!number) return refuse("no document has the id '", "");
    if (documents_.is_repeated(*number)) return refuse("several documents have the id '", "");
    std::size_t& own = cluster_of_[*number];
    if (own == cluster) return refuse("the document '", " is twice in its cluster");
    if (own != none) return refuse("the document '", " is in two clusters");
    own = cluster;
    clusters_[cluster].push_back(*number);
  }

  run_notes& notes_;
  const named_documents& documents_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::vector<std::uint32_t>> clusters_;
  std::vector<std::size_t> cluster_of_;
};

/// Compares all pairs within a cluster, and groups its documents by the rule of original_choice.
struct checked_cluster {
  checked_cluster(const context& c, const named_documents& documents, std::span<const std::uint32_t> members) {
    const double least = *c.settings.comparison.min_similarity;
    const auto count = static_cast<std::uint32_t>(members.size());
    neardup::pair_groups<std::uint32_t> groups(count);
    std::vector<std::vector<std::pair<std::uint32_t, double>>> found(count);
    run_parallel(c.settings.threads, count, [&](std::size_t later) {
      for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
        const auto similarity = documents.similarity(members[later], members[earlier], least);
        if (similarity) found[later].emplace_back(earlier, *similarity);
      }
    });
    for (std::uint32_t later = 0; later < count; ++later) {
      near += found[later].size();
      for (const auto& [earlier, similarity] : found[later]) {
        groups.add(later, earlier, [closeness = similarity] { return closeness; });
      }
    }
    label = groups.finish();
  }

  std::vector<std::uint32_t> label;  // for each place in the cluster, the place of the original
  std::uint64_t near = 0;            // number of pairs that are near-duplicates
};

/// Writes the records of the input, and adds to each a note about its group. Each group is a part of one cluster.
/// Memory: 16 bytes for each document, one byte for each line, and a number, an id and a size for each group.
class group_notes {
 public:
  group_notes(context& c, const std::string& key) : context_(c), notes_(key), documents_(c) {}

  /// Registers the next document of the input.
  void expect(const placed_document& d) { documents_.expect(d); }

  /// Adds a group. The first member is the original.
  void take(std::uint64_t number, const std::vector<group_member>& members) {
    for (const group_member& member : members) {
      const auto document = static_cast<std::size_t>(member.document);
      if (places_.size() <= document) places_.resize(document + 1);
      places_[document] = {static_cast<std::uint32_t>(groups_.size()), member.similarity};
    }
    groups_.push_back({number, members.front().id, members.size()});
  }

  void write() {
    record_writer writer(context_, &notes_);
    std::size_t next = 0;
    documents_.visit_documents(
        [&](bool /*has_tokens*/, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
          notes_.check(*from);
          std::optional<group_note> note;
          if (const std::size_t i = next++; i < places_.size() && places_[i].group != none) {
            const taken_group& own = groups_[places_[i].group];
            note = {own.number, own.original, false, places_[i].similarity, own.size};
          }
          writer.keep(from, line, notes_.annotated(*from, line, raw, note));
        });
    writer.close();
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct place {
    std::uint32_t group = none;
    double similarity = 0;
  };
  struct taken_group {
    std::uint64_t number;
    std::string original;
    std::size_t size;
  };

  context& context_;
  annotator notes_;
  second_pass documents_;
  std::vector<place> places_;  // indexed by document
  std::vector<taken_group> groups_;
};

void verify_clusters(context& c, const pair_source& from) {
  named_documents documents(c.settings);
  std::optional<group_notes> notes;
  if (from.annotate_key) notes.emplace(c, *from.annotate_key);
  read_named(c, from, documents, [&](const placed_document& d) {
    if (notes) notes->expect(d);
  });
  c.notes.phase("checking clusters");
  const input_settings input = input_of(c, from);
  reading records({input, c.settings.lists, c.settings.fingerprint, c.settings.comparison, true}, {});
  named_clusters given(records.notes, documents);
  read_texts(
      records.how.input, records.sources, records.notes,
      [&](const placed_document& d) {
        if (from.format == pair_format::lines) return given.take_line(d.texts->front(), d.from->where(d.line));
        given.take(d.texts->front(), d.texts->back(), d.from->where(d.line));
      },
      nullptr);
  refuse_empty_table(records);
  std::uint64_t clusters = 0, pairs = 0, near = 0, alone = 0;
  std::vector<std::vector<group_member>> groups;
  for (const std::vector<std::uint32_t>& members : given.take_all()) {
    if (members.size() < 2) continue;
    ++clusters;
    pairs += static_cast<std::uint64_t>(members.size()) * (members.size() - 1) / 2;
    const checked_cluster checked(c, documents, members);
    near += checked.near;
    std::map<std::uint32_t, std::vector<group_member>> found;  // groups, by their originals
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      const std::uint32_t original = checked.label[i];
      const double similarity = original == i ? 1 : documents.similarity(members[i], members[original], 0).value_or(0);
      found[original].push_back({members[i], documents.id(members[i]), false, std::nullopt, similarity});
      if (original == i || !c.dropped) continue;
      write_dropped(
          c, {"id", "kept", documents.id(members[i]), documents.id(members[original]), std::nullopt, similarity});
    }
    for (auto& [original, group] : found) {
      if (group.size() < 2) {
        ++alone;
      } else {
        groups.push_back(std::move(group));
      }
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.front().document < b.front().document; });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (notes) {
      notes->take(i, groups[i]);
    } else {
      c.out << text_of_group(c.settings, i, groups[i]);
    }
  }
  if (notes) notes->write();
  records.notes.finish("", records.sources);
  finish(c,
         ": " + grouped(near) + " of " + counted(pairs, "pair", "pairs") + " within " +
             counted(clusters, "cluster", "clusters") + (near == 1 ? " is a pair of" : " are") + " near-duplicates; " +
             counted(groups.size(), "group", "groups") + ", and " + counted(alone, "document", "documents") +
             " in none",
         near);
}

void verify_pairs(context& c, const pair_source& from) {
  named_documents documents(c.settings);
  read_named(c, from, documents);
  c.notes.phase("checking pairs");
  const input_settings input = input_of(c, from);
  reading pairs({input, c.settings.lists, c.settings.fingerprint, c.settings.comparison, true}, {});
  pair_checker checker(c, pairs.notes, documents);
  if (from.format == pair_format::binary) {
    read_binary(from.path, pairs.notes, checker);
  } else {
    read_records(c, pairs, checker);
  }
  std::string summary = ": " + grouped(checker.near()) + " of " + counted(checker.pairs(), "pair", "pairs") +
                        (checker.near() == 1 ? " is a pair of" : " are") + " near-duplicates";
  if (c.dropped) summary += ", " + counted(checker.drop(), "document", "documents") + " to drop";
  if (checker.with_itself() > 0 && !c.settings.output.quiet) {
    say(counted(checker.with_itself(), "pair names", "pairs name") + " one document twice");
  }
  pairs.notes.advance(checker.pairs(), 0);
  pairs.notes.finish("", pairs.sources);
  finish(c, summary, checker.near());
}

/// Returns the format of the pairs or clusters, by --pairs-format or by the name of the file.
/// Throws: usage_error if the option is wrong, or if it is missing and the name does not tell the format.
pair_format format_of_pairs(const typed_options& typed, const pair_source& from) {
  const std::string& path = from.path;
  if (const auto format = typed["--pairs-format"]) {
    const char* const rule = from.are_clusters ? "formats of clusters are csv, tsv, jsonl and lines"
                                               : "formats of pairs are csv, tsv, jsonl and binary";
    const auto chosen = static_cast<pair_format>(
        parse_name("--pairs-format", *format, {"csv", "tsv", "jsonl", "binary", "lines"}, rule));
    if (chosen == (from.are_clusters ? pair_format::binary : pair_format::lines)) {
      throw usage_error("--pairs-format '" + *format + "': " + rule);
    }
    return chosen;
  }
  std::string_view name = path;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  if (name.ends_with(".bin") && !from.are_clusters) return pair_format::binary;
  const auto unit = unit_by_name(name);
  if (unit == unit_of_input::csv) return pair_format::csv;
  if (unit == unit_of_input::tsv) return pair_format::tsv;
  if (unit == unit_of_input::json_lines) return pair_format::json_lines;
  throw usage_error((from.are_clusters ? "--clusters " : "--pairs ") + path +
                    ": its name does not show its format; give --pairs-format");
}

bool run_verify(typed_options& typed) {
  if (!typed.has("--pairs") && !typed.has("--clusters")) {
    throw usage_error("verify needs --pairs FILE, pairs of ids from any program, or --clusters FILE");
  }
  if (typed.has("--pairs") && typed.has("--clusters")) throw usage_error("--pairs and --clusters do not go together");
  pair_source from;
  from.are_clusters = typed.has("--clusters");
  const std::string option_of_file = from.are_clusters ? "--clusters" : "--pairs";
  from.path = typed.text(option_of_file);
  from.index = typed.text("--index");
  for (const char* const option : {"--pairs", "--clusters", "--index"}) refuse_empty_name(typed, option);
  if (std::filesystem::is_directory(from.path)) {
    throw usage_error(option_of_file + " " + from.path + ": a folder, not a file");
  }
  from.format = format_of_pairs(typed, from);
  if (from.are_clusters) from.fields = {"id", "cluster"};
  if (typed.has("--pair-fields")) {
    if (from.format == pair_format::binary) throw usage_error("--pair-fields: pairs of numbers have no fields");
    if (from.format == pair_format::lines) throw usage_error("--pair-fields: lines of ids have no fields");
    from.fields = typed.all("--pair-fields");
    if (from.fields.size() != 2 || from.fields[0] == from.fields[1]) {
      throw usage_error("--pair-fields takes the names of two fields, once");
    }
  }
  if (from.index.empty()) {
    if (typed.text("--check") != "cosine") {
      refuse_if_given(typed, {"--weights", "--top", "--idf-file"},
                      " needs --check cosine: verify uses no fingerprints");
    }
  } else if (typed.paths.empty() && !typed.has("--files-from")) {
    refuse_input_options(typed, " with --index needs a PATH: no documents are read");
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
      throw usage_error("--check containment is for groups, unique, pairs and report");
    }
    to.comparison.reads_features = true;
    to.comparison.is_bound_to_index = !from.index.empty();
    to.why_by_fingerprints.clear();
  };
  const auto take_last = [&](const typed_options& given, run_settings& to) {
    from.annotate_key = take_annotate(given, to);
    if (from.annotate_key && !from.are_clusters) throw usage_error("--annotate needs --clusters");
    if (from.annotate_key && !from.index.empty()) throw usage_error("--annotate with --index: an index has no records");
    if (from.path != "-") return;
    if (streams_in(to.input.paths) + (to.input.names_from == "-" ? 1 : 0) > 0) {
      throw usage_error("standard input (-) can be read only once");
    }
  };
  run_settings settings = take_reading(
      typed, {.stored = take_stored,
              .comparison = take_check,
              .last = take_last,
              .other_files =
                  [&] {
                    return std::vector<std::string>{from.path, from.index};
                  },
              .without_input = from.index.empty() ? "verify: name the documents, by PATH or --index" : nullptr});
  settings.comparison.has_fingerprints = false;
  return run_on_documents(settings,
                          [&](context& c) { from.are_clusters ? verify_clusters(c, from) : verify_pairs(c, from); });
}

}  // namespace

extern const verb verify_verb;
const verb verify_verb{"verify",
                       "PATH…",
                       "the candidates of other programs that are near-duplicates",
                       R"(
Reads pairs of ids, from any program, and prints those that are near-duplicates, in the order of the pairs. A
line has the exact similarity, "-", and the two ids, as pairs prints them. Documents take memory, pairs do not.
With --clusters: reads clusters, and compares all pairs within each cluster. Prints the groups that are left, as
groups prints them. The last line counts how many of the pairs are near-duplicates. With --annotate, it prints
the records, byte for byte, each with its true group.
)",
                       takes::texts | takes::weights | takes::features | takes::dictionary | takes::seed |
                           takes::exact | takes::same | takes::verification | takes::format | takes::output |
                           takes::exit_status | takes::running | takes::help,
                       verify_options,
                       run_verify};

}  // namespace command
