#include "passage_finding.hpp"

#include <algorithm>
#include <limits>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/threads.hpp>

#include "../compare/corpus.hpp"
#include "../compare/stored_partitions.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"

namespace command {

passage_settings take_passage_settings(const typed_options& given, const std::string& option) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::string bytes = "bytes:";
  passage_settings how;
  if (const auto text = given[option]) {
    how.are_bytes = text->starts_with(bytes);
    how.length = parse_number<std::size_t>(how.are_bytes ? option + ' ' + bytes : option,
                                           how.are_bytes ? text->substr(bytes.size()) : *text, 1, most);
  }
  take_number<std::size_t>(given, "--least-documents", how.least_documents, 1, 1'000'000'000);
  return how;
}

void refuse_indexes(const run_settings& to, const std::string& what) {
  if (to.against.indexes.empty()) return;
  throw usage_error(what + " with --against " + to.against.indexes.front() +
                    ": an index keeps no texts; name files of texts");
}

text_passes::text_passes(context& c) : context_(c), theirs_(c.settings.input) {
  c.sources.remember();
  if (c.settings.against.paths.empty()) return;
  theirs_.paths = c.settings.against.paths;
  theirs_.first_may_be_verb = false;
  theirs_.watches_ids = false;  // the other corpus may have the same ids
  against_.emplace(theirs_);
  c.leave_out_outputs(*against_);
  against_->pass_over_indexes();
  against_->remember();
}

void text_passes::visit(const std::function<void(const placed_document&, bool is_of_input)>& visit) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // any odd number; so equal checksums are unlikely
  std::uint64_t documents = 0;
  std::vector<part> parts;
  const auto take = [&](const placed_document& d, bool is_of_input) {
    if (is_again_ && documents == documents_) return;  // documents that were appended after the first pass are ignored
    ++documents;
    if (parts.empty() || parts.back().from != d.from) parts.push_back({.from = d.from});
    part& own = parts.back();
    ++own.documents;
    for (const std::string& text : *d.texts) own.checksum = own.checksum * factor ^ neardup::xxh3<64>{}(text);
    visit(d, is_of_input);
  };
  if (is_again_) {
    context_.notes.mute(true);
    context_.sources.rewind();
    if (against_) against_->rewind();
  }
  if (against_) read_texts(theirs_, *against_, context_.notes, [&](const placed_document& d) { take(d, false); });
  if (!is_again_) {
    context_.against = context_.notes.documents();
    if (against_ && context_.against == 0 && !context_.settings.output.quiet) {
      say("warning: the corpus of --against has no documents");
    }
  }
  read_texts(context_.settings.input, context_.sources, context_.notes,
             [&](const placed_document& d) { take(d, true); });
  context_.notes.mute(false);
  if (is_again_) return check_unchanged(parts);
  is_again_ = true;
  documents_ = documents;
  parts_ = std::move(parts);
}

void text_passes::check_unchanged(const std::vector<part>& again) const {
  const auto differing = std::ranges::mismatch(parts_, again);
  const auto before = differing.in1;
  const auto now = differing.in2;
  if (before == parts_.end() && now == again.end()) return;
  if (before == parts_.end()) fail_changed(*now->from);
  // If a source has no documents any more, `again` has the next source at the position of this source.
  const auto is_later = [&] {
    return std::find_if(before, parts_.end(), [&](const part& p) { return p.from == now->from; }) != parts_.end();
  };
  fail_changed(now == again.end() || is_later() ? *before->from : *now->from);
}

unit_places::unit_places(std::string_view text, bool are_bytes) : text_(text), are_bytes_(are_bytes) {
  if (are_bytes) return;
  neardup::for_each_word(text, [&](std::string_view /*word*/, std::string_view bytes) { words_.push_back(bytes); });
}

text_range unit_places::operator()(std::size_t begin, std::size_t end) const {
  if (!are_bytes_) {
    const std::string_view last = words_[end - 1];
    return {static_cast<std::size_t>(words_[begin].data() - text_.data()),
            static_cast<std::size_t>(last.data() + last.size() - text_.data())};
  }
  const auto is_inside = [&](std::size_t i) {
    return i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xc0U) == 0x80;
  };
  while (begin < end && is_inside(begin)) ++begin;
  while (begin < end && is_inside(end)) --end;
  return {begin, end};
}

void check_lengths(const placed_document& d) {
  for (const std::string& text : *d.texts) {
    if (text.size() <= std::numeric_limits<std::uint32_t>::max()) continue;
    throw input_error({d.name(), "a text of 4 GiB or more: passages are looked for in shorter ones"});
  }
}

void find_repeated(context& c, const passage_settings& how, text_passes& texts,
                   const std::function<void(const placed_document&, bool is_of_input)>& first_pass,
                   const std::function<void(const found_passage&)>& use) {
  bool is_first = true;
  const auto documents = [&](const auto& sink) {
    c.notes.phase(is_first ? "counting passages" : "finding passages");
    texts.visit([&](const placed_document& d, bool is_of_input) {
      if (!how.are_bytes && !has_words(c.settings.input, c.notes, d)) return;
      if (is_first) first_pass(d, is_of_input);
      check_lengths(d);
      for (std::size_t field = 0; field < d.texts->size(); ++field) sink((*d.texts)[field], field);
      if (d.texts->empty()) sink(std::string_view(), 0);
    });
    is_first = false;
  };
  stored_partitions partitions(c.settings.grouping.memory / 4);
  const neardup::passage_options options{
      .length = how.length, .least_documents = how.least_documents, .run = neardup::threads{c.settings.threads}};
  with_units(how.are_bytes, [&](const auto& tokenizer) {
    neardup::visit_passages(documents, options, tokenizer, partitions, c.settings.grouping.memory,
                            [&](const neardup::passage& p) { use(packed(p)); });
  });
}

}  // namespace command
