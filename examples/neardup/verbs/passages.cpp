// `neardup passages`: lists the passages that occur several times.
#include <array>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "../compare/sorted_records.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "page.hpp"
#include "passage_listing.hpp"
#include "running.hpp"

namespace command {

namespace {

/// A found passage. Passages are ordered by first place, then by descending length, then by their own places.
struct passage_by_first {
  found_passage found;

  [[nodiscard]] std::uint32_t units() const noexcept { return found.end - found.begin; }
  [[nodiscard]] std::uint32_t first_end() const noexcept { return found.first_begin + units(); }
  [[nodiscard]] auto first_text() const noexcept { return std::tuple(found.first_document, found.first_field); }

  friend bool operator<(const passage_by_first& x, const passage_by_first& y) {
    const auto key = [](const passage_by_first& p) {
      return std::tuple(p.found.first_document, p.found.first_field, p.found.first_begin, ~p.units(), p.found.document,
                        p.found.field, p.found.begin);
    };
    return key(x) < key(y);
  }
};

/// A run of units and its first place. Each run is listed once: longer runs first, then runs with earlier first places.
struct passage_key {
  std::uint32_t units, first_document, first_field, first_begin;

  [[nodiscard]] auto key() const noexcept { return std::tuple(~units, first_document, first_field, first_begin); }
};

/// A listed passage: the number of documents that contain it, the place of its bytes in its first text, and their
/// position in kept_text.
struct first_of_passage : passage_key {
  std::uint32_t documents = 0, offset = 0, size = 0;
  std::uint64_t text = 0;

  friend bool operator<(const first_of_passage& x, const first_of_passage& y) { return x.key() < y.key(); }
};

struct place_of_passage : passage_key {
  text_place where{};

  friend bool operator<(const place_of_passage& x, const place_of_passage& y) {
    const auto order = [](const place_of_passage& p) {
      return std::tuple_cat(p.key(), std::tuple(p.where.document, p.where.field, p.where.offset));
    };
    return order(x) < order(y);
  }
};

/// Counts the documents that contain passages. Passages come in the order of passage_by_first.
/// Memory: about 80 bytes for each passage of a series of passages whose first places overlap. A series ends where the
/// first place of the next passage begins after all of these places.
class document_counter {
 public:
  /// Makes a counter, which calls `use(passage, is_in_input)` for each distinct passage. `is_in_input` is true if the
  /// passage has a further place in a document from `first_of_input` on.
  document_counter(std::uint64_t first_of_input, std::function<void(const first_of_passage&, bool is_in_input)> use)
      : first_of_input_(first_of_input), use_(std::move(use)) {}

  void add(const passage_by_first& next) {
    if (!together_.empty() && (next.first_text() != together_.front().first_text() || next.found.first_begin >= end_)) {
      finish();
    }
    end_ = std::max(end_, next.first_end());
    together_.push_back(next);
  }

  /// Counts the documents that contain the passages in together_. Passes the results to use_, and clears together_.
  ///
  /// A document contains the units [b, e) of the first text if one of its passages has its first place at [b', e') with
  /// b' <= b and e' >= e. So, of the passages with b' <= b, only the largest e' of each document matters.
  void finish() {
    std::vector<std::uint32_t> ends;
    for (const passage_by_first& one : together_) ends.push_back(one.first_end());
    std::sort(ends.begin(), ends.end(), std::greater());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    const auto number_of = [&](const passage_by_first& one) {
      return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), one.first_end(), std::greater()) -
                                      ends.begin());
    };
    std::vector<std::uint32_t> counts(ends.size() + 1);  // a Fenwick tree that counts documents by their largest end
    const auto count = [&](std::size_t end, std::uint32_t change) {
      for (++end; end < counts.size(); end += end & (~end + 1)) counts[end] += change;
    };
    std::unordered_map<std::uint32_t, std::size_t> largest;  // largest end of each document
    for (auto next = together_.begin(); next != together_.end();) {
      const passage_by_first& first = *next;
      const std::size_t end = number_of(first);
      bool is_in_input = false;
      for (; next != together_.end() && next->found.first_begin == first.found.first_begin &&
             next->units() == first.units();
           ++next) {
        is_in_input = is_in_input || next->found.document >= first_of_input_;
        if (next->found.document == first.found.first_document) continue;
        const auto [known, is_new] = largest.try_emplace(next->found.document, end);
        if (!is_new && known->second <= end) continue;
        if (!is_new) count(known->second, ~std::uint32_t{0});
        known->second = end;
        count(end, 1);
      }
      first_of_passage one{
          {first.units(), first.found.first_document, first.found.first_field, first.found.first_begin}};
      one.documents = 1;
      for (std::size_t i = end + 1; i > 0; i -= i & (~i + 1)) one.documents += counts[i];
      use_(one, is_in_input);
    }
    together_.clear();
    end_ = 0;
  }

 private:
  std::uint64_t first_of_input_;
  std::function<void(const first_of_passage&, bool is_in_input)> use_;
  std::vector<passage_by_first> together_;  // passages with overlapping places in one first text
  std::uint32_t end_ = 0;                   // the largest end of these places
};

/// The bytes of listed passages. Up to a limit, the bytes are in memory, and then in a temporary file. Passages that
/// overlap in a text share their bytes.
class kept_text {
 public:
  explicit kept_text(std::uint64_t memory) : most_(std::max<std::uint64_t>(memory, 1 << 16)) {}

  /// Keeps the bytes [begin, end) of a text.
  /// Precondition: in the calls for one text, `begin` ascends. The calls for a text come one after the other, and
  /// `is_new_text` is true in the first of them.
  /// Returns: the position of the bytes.
  std::uint64_t add(std::string_view text, bool is_new_text, std::size_t begin, std::size_t end) {
    if (is_new_text || begin > end_) {
      begin_ = end_ = begin;
      position_ = filed_ + held_.size();
    }
    if (end > end_) {
      held_.append(text.substr(end_, end - end_));
      end_ = end;
      if (held_.size() >= most_) file_all();
    }
    return position_ + (begin - begin_);
  }

  std::string at(std::uint64_t position, std::size_t size) {
    if (filed_ == 0) return held_.substr(static_cast<std::size_t>(position), size);
    if (!held_.empty()) file_all();
    std::string bytes(size, '\0');
    read_records(file_, position, std::span(bytes));
    return bytes;
  }

 private:
  void file_all() {
    file_.append(held_);
    filed_ += held_.size();
    held_.clear();
  }

  std::uint64_t most_;
  std::string held_;
  temporary_file file_;
  std::uint64_t filed_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // the range of the text that was kept last
  std::uint64_t position_ = 0;       // position of this range
};

class passage_printer final : public passage_writer {
 public:
  passage_printer(context& c, const document_table& names, bool are_bytes)
      : context_(c), places_(c, names, json_string), are_bytes_(are_bytes) {}

  void begin(const listed_passage& one, const std::string& bytes) override {
    if (context_.settings.output.as_json()) {
      json_object line;
      line.add(are_bytes_ ? "bytes" : "words", std::to_string(one.units))
          .add("documents", std::to_string(one.documents))
          .add("passage", json_string(bytes))
          .add("first", places_.json_of(one.first));
      const std::string text = line.text();
      context_.out << std::string_view(text).substr(0, text.size() - 1) << ",\"again\":[";
    } else {
      std::string shown = printable(first_bytes(bytes, most_shown));
      if (bytes.size() > most_shown) shown += " …";
      context_.out << (listed_ == 0 ? "" : "\n") << length_of(one, are_bytes_) << " in "
                   << counted(one.documents, "document", "documents") << ": " << shown << '\n';
      print_place("first", one.first);
    }
    ++listed_;
    is_first_again_ = true;
  }

  void again(const text_place& where) override {
    if (context_.settings.output.as_json()) {
      context_.out << (is_first_again_ ? "" : ",") << places_.json_of(where);
    } else {
      print_place("again", where);
    }
    is_first_again_ = false;
  }

  void end() override {
    if (context_.settings.output.as_json()) context_.out << "]}\n";
  }

 private:
  static constexpr std::size_t most_shown = 300;  // bytes of a passage in the output as text

  void print_place(const char* what, const text_place& where) {
    const std::string field = places_.field_of(where);
    context_.out << "  " << what << ": " << printable(places_.id_of(where))
                 << (where.document < context_.against ? " of --against" : "") << ", "
                 << (field.empty()          ? ""
                     : places_.has_arrays() ? "text " + field + ", "
                                            : printable(field) + ", ")
                 << "byte " << std::to_string(where.offset) << '\n';
  }

  context& context_;
  place_names places_;
  bool are_bytes_, is_first_again_ = true;
  std::uint64_t listed_ = 0;
};

}  // namespace

place_names::place_names(const context& c, const document_table& names, std::string (*quote)(std::string_view))
    : context_(c), names_(names), quote_(quote), fields_(c.settings.input.text_fields) {
  has_arrays_ = std::any_of(fields_.begin(), fields_.end(),
                            [](const std::string& field) { return field.find("[*]") != field.npos; });
}

std::string place_names::field_of(const text_place& where) const {
  return has_arrays_ ? std::to_string(where.field) : fields_.size() > 1 ? fields_[where.field] : "";
}

std::string place_names::json_of(const text_place& where) const {
  json_object place;
  place.add("id", quote_(id_of(where)));
  if (where.document < context_.against) place.add("against", "true");
  const std::string field = field_of(where);
  if (!field.empty()) place.add("field", has_arrays_ ? field : quote_(field));
  return place.add("offset", std::to_string(where.offset)).add("length", std::to_string(where.size)).text();
}

std::string length_of(const listed_passage& one, bool are_bytes) {
  return are_bytes ? counted(one.units, "byte", "bytes") : counted(one.units, "word", "words");
}

passage_totals list_passages(context& c, const passage_settings& how, document_table& names, passage_writer& to) {
  const std::uint64_t memory = c.settings.grouping.memory;
  passage_totals totals;
  text_passes texts(c);
  kept_records<found_passage> again(memory / 16);
  sorted_records<passage_by_first> by_first(memory / 8);
  find_repeated(
      c, how, texts, [&](const placed_document& d, bool /*is_of_input*/) { names.add(d); },
      [&](const found_passage& p) {
        by_first.add({p});
        if (p.document >= c.against) again.add(p);
      });

  kept_records<first_of_passage> firsts(memory / 16);
  document_counter counter(c.against, [&](const first_of_passage& one, bool is_in_input) {
    if (is_in_input) firsts.add(one);
  });
  for (; const passage_by_first* const next = by_first.peek(); by_first.take()) counter.add(*next);
  counter.finish();

  c.notes.phase("reading passages");
  sorted_records<first_of_passage> listed(memory / 8);
  sorted_records<place_of_passage> places(memory / 8);
  kept_text bytes(memory / 8);
  firsts.rewind();
  again.rewind();
  std::uint32_t document = 0;
  texts.visit([&](const placed_document& d, bool is_of_input) {
    for (std::uint32_t field = 0; field < d.texts->size(); ++field) {
      const std::string_view text = (*d.texts)[field];
      if (is_of_input) totals.bytes += text.size();
      std::size_t repeated_end = 0;  // the end of the repeated bytes that were counted
      std::optional<unit_places> units;
      const auto range_of = [&](std::size_t begin, std::size_t end) {
        if (!units) units.emplace(text, how.are_bytes);
        if (end > units->size()) fail_changed(*d.from);
        return (*units)(begin, end);
      };
      bool is_new_text = true;
      for (const first_of_passage* next = nullptr;
           (next = firsts.peek()) != nullptr && next->first_document == document && next->first_field == field;
           firsts.take()) {
        first_of_passage one = *next;
        const text_range range = range_of(one.first_begin, std::size_t{one.first_begin} + one.units);
        one.offset = static_cast<std::uint32_t>(range.begin);
        one.size = static_cast<std::uint32_t>(range.end - range.begin);
        if (one.size == 0) continue;  // no place of the passage has a whole character
        if (how.are_bytes) static_cast<passage_key&>(one) = {one.size, document, field, one.offset};
        one.text = bytes.add(text, is_new_text, range.begin, range.end);
        listed.add(one);
        is_new_text = false;
      }
      for (const found_passage* p = nullptr;
           (p = again.peek()) != nullptr && p->document == document && p->field == field; again.take()) {
        const text_range range = range_of(p->begin, p->end);
        if (range.begin == range.end) continue;
        totals.repeated_bytes += range.end - std::min(range.end, std::max(range.begin, repeated_end));
        repeated_end = std::max(repeated_end, range.end);
        const auto offset = static_cast<std::uint32_t>(range.begin);
        const auto size = static_cast<std::uint32_t>(range.end - range.begin);
        passage_key key{p->end - p->begin, p->first_document, p->first_field, p->first_begin};
        if (how.are_bytes) {  // range_of() left out incomplete characters; the first place has to lose the same bytes
          key.first_begin += offset - p->begin;
          key.units = size;
        }
        places.add({key, {document, field, offset, size}});
      }
    }
    ++document;
  });

  totals.places = places.size();
  for (const first_of_passage* next = nullptr; (next = listed.peek()) != nullptr; ++totals.passages) {
    first_of_passage one = *next;
    std::size_t equal = 0;
    for (; (next = listed.peek()) != nullptr && next->key() == one.key(); listed.take(), ++equal) {
      one.documents = std::max(one.documents, next->documents);
    }
    const auto visit_places = [&](const auto& use) {
      const place_of_passage* place = nullptr;
      for (; (place = places.peek()) != nullptr && place->key() == one.key(); places.take()) use(place->where);
    };
    // Different passages of bytes may become equal when incomplete characters are left out. Equal passages are listed
    // once, with all their places.
    std::vector<text_place> together;
    if (equal > 1) {
      std::uint32_t documents = 1, last = one.first_document;
      visit_places([&](const text_place& where) {
        documents += where.document != last ? 1 : 0;
        last = where.document;
        together.push_back(where);
      });
      one.documents = std::max(one.documents, documents);
    }
    totals.longest = std::max(totals.longest, one.units);
    to.begin({one.units, one.documents, {one.first_document, one.first_field, one.offset, one.size}},
             bytes.at(one.text, one.size));
    for (const text_place& where : together) to.again(where);
    visit_places([&](const text_place& where) { to.again(where); });
    to.end();
  }
  return totals;
}

void finish_passages(context& c, const passage_totals& totals) {
  finish(c,
         ": " + counted(totals.passages, "passage", "passages") + " at " +
             counted(totals.places, "further place", "further places"),
         totals.passages);
}

namespace {

constexpr std::array passages_options{
    option_row{
        "--length", "N", takes::own, section::comparison,
        "a passage is N words in a row, compared as they are written. bytes:N: a passage is N bytes (default: 50)",
        usual::always, "a passage is N words, or bytes:N (default: 50)"},
    option_row{"--least-documents", "M", takes::own, section::comparison,
               "list only passages that occur in M documents or more (default: 1, which also lists passages that occur "
               "twice in one document)",
               usual::always, "only passages that occur in M documents or more"},
    option_row{"--against", "PATH…", takes::own, section::comparison,
               "an earlier corpus. A run of passages is listed if it occurs in the input, and earlier in the "
               "input or in this corpus. If the option is given several times, all of them count",
               usual::with_verb, "an earlier corpus, whose places are not listed"},
    option_row{
        "--memory", "SIZE", takes::own, section::comparison,
        "the memory of the search, as 500M or 8G; the process takes more. Data that do not fit are kept in a temporary "
        "file. For each document up to 60 bytes stay in memory in any case, and 80 bytes for each place of passages "
        "that overlap where they occur first (default: half of the machine's memory, or of what a container or ulimit "
        "leaves)"},
};

bool run_passages(typed_options& typed) {
  passage_settings how;
  run_settings settings = take_reading(typed, {.last = [&](const typed_options& given, run_settings& to) {
                                         refuse_indexes(to, "passages");
                                         how = take_passage_settings(given, "--length");
                                         to.input.is_read_twice = true;
                                         to.input.watches_ids = true;
                                       }});
  return run_on_documents(settings, [&](context& c) {
    document_table names(false);
    passage_printer print(c, names, how.are_bytes);
    finish_passages(c, list_passages(c, how, names, print));
  });
}

}  // namespace

extern const verb passages_verb;
const verb passages_verb{
    "passages",
    "PATH…",
    "the runs of words that occur earlier, at any place of a text",
    R"(
Lists the runs of at least --length words that occur earlier, in the same text or in another. The longest come first.
A run repeats one earlier run, word for word. Where a text goes on with --length words that first occur elsewhere,
another run begins. So runs may overlap. unique --passages removes them.
Text: the number of its words, the number of documents that contain all of it, its first 300 bytes, then the id of the
document and the offset in bytes where it occurs first, and the same for each place where it occurs again. With --format
jsonl: "words" (or "bytes"), "documents", "passage", "first" and "again". Places have "id", "offset" and "length" in
bytes.
The input is read three times. Standard input is copied to a temporary file.
)",
    takes::texts | takes::format | takes::output | takes::exit_status | takes::running | takes::help,
    passages_options,
    run_passages};

}  // namespace command
