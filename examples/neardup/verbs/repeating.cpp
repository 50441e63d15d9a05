#include "repeating.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <neardup/passages.hpp>
#include <neardup/threads.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../compare/corpus.hpp"
#include "../compare/stored_partitions.hpp"
#include "../ground/text.hpp"
#include "../line/words.hpp"
#include "cutting_writer.hpp"

namespace command {

namespace {

/// A neardup::passage in 28 bytes.
struct found_passage {
  std::uint32_t document, field, begin, end, first_document, first_field, first_begin;
};

/// The passages that were found, in the order of their places: in memory up to a limit, then in a temporary file.
class found_passages {
 public:
  explicit found_passages(std::uint64_t memory)
      : most_(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(memory / 8 / sizeof(found_passage), 1024, std::size_t{1} << 26))) {}

  void add(const neardup::passage& p) {
    const auto narrow = [](std::size_t number) { return static_cast<std::uint32_t>(number); };
    if (held_.size() >= most_) file_all();
    held_.push_back({narrow(p.document), narrow(p.field), narrow(p.begin), narrow(p.end), narrow(p.first_document),
                     narrow(p.first_field), narrow(p.first_begin)});
    ++size_;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Begins with the first passage again.
  void rewind() {
    if (filed_ > 0) {
      file_all();
      held_.clear();
    }
    next_ = 0;
    read_ = 0;
  }

  /// Returns the next passage, without taking it; null behind the last one.
  const found_passage* peek() {
    if (filed_ == 0) return next_ < held_.size() ? &held_[next_] : nullptr;
    if (next_ == held_.size()) {
      held_.resize(std::min<std::uint64_t>(1024, filed_ - read_));
      next_ = 0;
      const std::size_t bytes = held_.size() * sizeof(found_passage);
      for (std::size_t done = 0; done < bytes;) {
        const std::size_t count = file_.read_at(read_ * sizeof(found_passage) + done,
                                                reinterpret_cast<char*>(held_.data()) + done, bytes - done);
        if (count == 0) throw output_error("a temporary file was cut off");
        done += count;
      }
      read_ += held_.size();
    }
    return held_.empty() ? nullptr : &held_[next_];
  }

  void take() noexcept { ++next_; }

 private:
  void file_all() {
    file_.append({reinterpret_cast<const char*>(held_.data()), held_.size() * sizeof(found_passage)});
    filed_ += held_.size();
    held_.clear();
  }

  std::size_t most_;
  std::vector<found_passage> held_;  // all passages, or the next ones of the file
  temporary_file file_;
  std::uint64_t size_ = 0, filed_ = 0, read_ = 0;
  std::size_t next_ = 0;  // position in held_
};

/// The texts of --against and of the input, which are read several times. The first pass counts, and reports bad input.
class text_passes {
 public:
  explicit text_passes(context& c) : context_(c), theirs_(c.settings.input) {
    if (c.settings.against.paths.empty()) return;
    theirs_.paths = c.settings.against.paths;
    theirs_.first_may_be_verb = false;
    theirs_.watches_ids = false;  // the other corpus may have the same ids
    against_.emplace(theirs_);
    c.leave_out_outputs(*against_);
    against_->pass_over_indexes();
    against_->remember();
  }

  /// Calls `visit(document, is_of_input)` for each document, first for those of --against.
  void visit(const std::function<void(const placed_document&, bool is_of_input)>& visit) {
    const bool is_again = std::exchange(was_read_, true);
    if (is_again) {
      context_.notes.mute(true);
      context_.sources.rewind();
      if (against_) against_->rewind();
    }
    if (against_) read_texts(theirs_, *against_, context_.notes, [&](const placed_document& d) { visit(d, false); });
    if (!is_again) {
      context_.against = context_.notes.documents();
      if (against_ && context_.against == 0 && !context_.settings.output.quiet) {
        say("warning: the corpus of --against has no documents");
      }
    }
    read_texts(context_.settings.input, context_.sources, context_.notes,
               [&](const placed_document& d) { visit(d, true); });
    context_.notes.mute(false);
  }

 private:
  context& context_;
  input_settings theirs_;
  std::optional<source_walker> against_;
  bool was_read_ = false;
};

/// The places of the units in a text, in bytes. A unit is a word or a byte.
class unit_places {
 public:
  unit_places(std::string_view text, bool are_bytes) : text_(text), are_bytes_(are_bytes) {
    if (are_bytes) return;
    neardup::for_each_word(text, [&](std::string_view /*word*/, std::string_view bytes) { words_.push_back(bytes); });
  }

  [[nodiscard]] std::size_t size() const noexcept { return are_bytes_ ? text_.size() : words_.size(); }

  /// Returns the units [begin, end) as a part of the text: of bytes, only whole characters.
  /// Precondition: begin < end <= size().
  [[nodiscard]] std::string_view operator()(std::size_t begin, std::size_t end) const {
    if (!are_bytes_) {
      const char* const first = words_[begin].data();
      const std::string_view last = words_[end - 1];
      return {first, static_cast<std::size_t>(last.data() + last.size() - first)};
    }
    const auto is_inside = [&](std::size_t i) {
      return i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xc0U) == 0x80;
    };
    while (begin < end && is_inside(begin)) ++begin;
    while (begin < end && is_inside(end)) --end;
    return text_.substr(begin, end - begin);
  }
  /// Returns the offset at which a unit begins.
  [[nodiscard]] std::size_t offset(std::size_t unit) const {
    return are_bytes_ ? unit : static_cast<std::size_t>(words_[unit].data() - text_.data());
  }

 private:
  std::string_view text_;
  bool are_bytes_;
  std::vector<std::string_view> words_;
};

/// The offsets in bytes at which passages stood first.
class first_offsets {
 public:
  /// Reads the texts once more, unless the units are bytes.
  first_offsets(found_passages& found, text_passes& texts, bool are_bytes) : are_bytes_(are_bytes) {
    if (are_bytes) return;
    for (found.rewind(); const found_passage* p = found.peek(); found.take()) places_.push_back({key_of(*p), 0});
    const auto precedes = [](const place& a, const place& b) { return a.key < b.key; };
    std::sort(places_.begin(), places_.end(), precedes);
    places_.erase(
        std::unique(places_.begin(), places_.end(), [](const place& a, const place& b) { return a.key == b.key; }),
        places_.end());
    places_.shrink_to_fit();
    auto next = places_.begin();
    std::uint32_t document = 0;
    texts.visit([&](const placed_document& d, bool /*is_of_input*/) {
      for (std::uint32_t field = 0; field < d.texts->size() && next != places_.end(); ++field) {
        if (next->key[0] != document || next->key[1] != field) continue;
        const unit_places of((*d.texts)[field], false);
        for (; next != places_.end() && next->key[0] == document && next->key[1] == field; ++next) {
          if (next->key[2] >= of.size()) fail_changed(*d.from);
          next->offset = of.offset(next->key[2]);
        }
      }
      ++document;
    });
  }

  [[nodiscard]] std::size_t of(const found_passage& p) const {
    if (are_bytes_) return p.first_begin;
    const std::array<std::uint32_t, 3> key = key_of(p);
    return std::lower_bound(places_.begin(), places_.end(), key,
                            [](const place& a, const auto& b) { return a.key < b; })
        ->offset;
  }

 private:
  struct place {
    std::array<std::uint32_t, 3> key;  // document, field, number of the word
    std::size_t offset;
  };
  static std::array<std::uint32_t, 3> key_of(const found_passage& p) {
    return {p.first_document, p.first_field, p.first_begin};
  }

  bool are_bytes_;
  std::vector<place> places_;  // sorted by key
};

/// Calls `use(tokenizer)` with the tokenizer of the units.
template <class Use>
auto with_units(bool are_bytes, const Use& use) {
  return are_bytes ? use(neardup::byte_ngrams{1}) : use(neardup::words{});
}

/// Shrinks ranges that touch words, so that each begins and ends with a whole word. Drops ranges without a whole word.
void keep_to_words(std::string_view text, std::vector<text_range>& ranges) {
  struct words_within {
    text_range whole{0, 0};  // from the first whole word to the last one
    bool has_words = false;
  };
  std::vector<words_within> words(ranges.size());
  std::size_t next = 0;
  neardup::for_each_word(text, [&](std::string_view /*word*/, std::string_view bytes) {
    const auto begin = static_cast<std::size_t>(bytes.data() - text.data()), end = begin + bytes.size();
    while (next < ranges.size() && ranges[next].end <= begin) ++next;
    for (std::size_t i = next; i < ranges.size() && ranges[i].begin < end; ++i) {
      text_range& whole = words[i].whole;
      words[i].has_words = true;
      if (ranges[i].begin > begin || ranges[i].end < end) continue;  // the range has only a part of the word
      if (whole.begin == whole.end) whole.begin = begin;
      whole.end = end;
    }
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const text_range range = words[i].has_words ? words[i].whole : ranges[i];
    if (range.begin < range.end) ranges[kept++] = range;
  }
  ranges.resize(kept);
}

/// Finds the passages of the input that stood before. Calls `first_pass(document, is_of_input)` for each document once.
void find_repeated(context& c, const passage_settings& how, text_passes& texts, found_passages& found,
                   const std::function<void(const placed_document&, bool is_of_input)>& first_pass) {
  bool is_first = true;
  const auto documents = [&](const auto& sink) {
    c.notes.phase(is_first ? "counting passages" : "finding passages");
    texts.visit([&](const placed_document& d, bool is_of_input) {
      if (is_first) first_pass(d, is_of_input);
      for (std::size_t field = 0; field < d.texts->size(); ++field) {
        try {
          sink((*d.texts)[field], field);
        } catch (const std::length_error&) {
          throw input_error({d.name(), "a text of 4 GiB or more: --passages takes shorter ones"});
        }
      }
      if (d.texts->empty()) sink(std::string_view(), 0);
    });
    is_first = false;
  };
  stored_partitions partitions(c.settings.grouping.memory / 4);
  const neardup::passage_options options{
      .length = how.length, .least_documents = how.least_documents, .run = neardup::threads{c.settings.threads}};
  with_units(how.are_bytes, [&](const auto& tokenizer) {
    neardup::visit_passages(documents, options, tokenizer, partitions, c.settings.grouping.memory,
                            [&](const neardup::passage& p) {
                              // The number of documents in --against is known only when the first pass has ended.
                              if (p.document >= c.against) found.add(p);
                            });
  });
}

}  // namespace

passage_settings parse_passages(const std::string& text) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::string bytes = "bytes:";
  passage_settings how;
  how.are_bytes = text.starts_with(bytes);
  how.length = parse_number<std::size_t>(how.are_bytes ? "--passages bytes:" : "--passages",
                                         how.are_bytes ? text.substr(bytes.size()) : text, 1, most);
  return how;
}

void run_without_repeated(context& c, const passage_settings& how) {
  second_pass documents(c);
  document_table names(false);
  text_passes texts(c);
  found_passages found(c.settings.grouping.memory);
  find_repeated(c, how, texts, found, [&](const placed_document& d, bool is_of_input) {
    if (is_of_input) documents.expect(d);
    if (c.dropped) names.add(d);
  });
  std::optional<first_offsets> firsts;
  if (c.dropped) firsts.emplace(found, texts, how.are_bytes);

  const bool as_json = c.settings.input.unit == unit_of_input::json_lines || c.settings.output.as_json();
  const std::vector<std::string>& fields = c.settings.input.text_fields;
  const bool has_arrays = std::any_of(fields.begin(), fields.end(),
                                      [](const std::string& field) { return field.find("[*]") != field.npos; });
  cutting_writer writer(c, false);
  const auto write_passage = [&](const found_passage& p, std::string_view text, const unit_places& places) {
    const std::string_view bytes = places(p.begin, p.end);
    const std::string offset = std::to_string(bytes.data() - text.data()), length = std::to_string(bytes.size());
    const std::string first = std::to_string(firsts->of(p));
    if (!as_json) {
      *c.dropped << printable(names.id(p.document)) + '\t' + offset + '\t' + length + '\t' +
                        printable(names.id(p.first_document)) + '\t' + first + '\t' + printable(bytes) + '\n';
      return;
    }
    json_object line;
    line.add("id", json_string(names.id(p.document)));
    const std::string field = writer.name_of(p.field);
    if (!field.empty()) line.add("field", json_string(field));
    line.add("offset", offset).add("length", length).add("first", json_string(names.id(p.first_document)));
    if (!field.empty()) {
      // The texts of another record may have other names if there are arrays. So the number of the text is written.
      line.add("first_field", has_arrays ? std::to_string(p.first_field) : json_string(fields[p.first_field]));
    }
    line.add("first_offset", first).add("passage", json_string(bytes));
    *c.dropped << line.text() + '\n';
  };
  found.rewind();
  auto number = static_cast<std::uint32_t>(c.against);
  std::vector<neardup::passage> own;  // the passages of a text
  documents.visit_documents(
      [&](bool /*has_tokens*/, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
        const std::uint32_t document = number++;
        const found_passage* next = found.peek();
        if (next == nullptr || next->document != document) return writer.keep(from, line, raw);
        const std::vector<std::string_view>& of_record = writer.texts_of(from, line, raw);
        std::vector<std::vector<text_range>> removed(of_record.size());
        for (std::size_t f = 0; f < of_record.size(); ++f) {
          const std::string_view text = of_record[f];
          own.clear();
          std::optional<unit_places> places;
          for (; (next = found.peek()) != nullptr && next->document == document && next->field == f; found.take()) {
            if (!places) places.emplace(text, how.are_bytes);
            if (next->end > places->size()) fail_changed(*from);
            own.push_back({document, f, next->begin, next->end, 0, 0, 0});
            if (c.dropped) write_passage(*next, text, *places);
          }
          if (own.empty()) continue;
          with_units(how.are_bytes, [&](const auto& tokenizer) {
            for (const std::string_view view : neardup::passage_views(text, own, tokenizer)) {
              const auto begin = static_cast<std::size_t>(view.data() - text.data());
              removed[f].push_back({begin, begin + view.size()});
            }
          });
          if (how.are_bytes) keep_to_words(text, removed[f]);
        }
        writer.write(from, line, raw, of_record, removed);
      });
  writer.finish_run("; " + counted(found.size(), "passage", "passages") + " stood before");
}

}  // namespace command
