#include "corpus.hpp"

#include <algorithm>

#include "errors.hpp"
#include "index_file.hpp"

namespace command {

void fail_changed(const source& from) { throw input_error({from.name(), "was changed while it was being read"}); }

std::string_view record_rereader::at(const place& where) {
  try {
    if (source_ != where.from) {
      file_.emplace(*where.from);
      source_ = where.from;
      buffer_.resize(0);
    }
    if (where.offset < begin_ || where.offset + where.length > begin_ + buffer_.size()) {
      begin_ = where.offset;
      const std::size_t wanted = std::max<std::size_t>(where.length, ahead_);
      buffer_.resize(0);
      buffer_.reserve(wanted);
      buffer_.resize(file_->read_at(begin_, buffer_.data(), wanted));
    }
  } catch (const read_error& error) {
    throw input_error({where.from->name(), error.what()});
  }
  if (where.offset + where.length > begin_ + buffer_.size()) fail_changed(*where.from);
  return buffer_.view().substr(where.offset - begin_, where.length);
}

std::uint64_t string_pool::add(std::string_view text) {
  const std::uint64_t position = bytes_.size();
  std::size_t size = text.size();
  for (; size >= 0x80; size >>= 7) bytes_.push_back(static_cast<char>(size | 0x80));
  bytes_.push_back(static_cast<char>(size));
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  return position;
}

std::string string_pool::at(std::uint64_t position) const {
  auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(position);
  std::size_t size = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*from++);
    size |= std::size_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return {from, from + static_cast<std::ptrdiff_t>(size)};
}

void document_table::add(const std::shared_ptr<source>& from, std::uint64_t line,
                         const std::optional<std::string_view>& id, std::uint64_t offset, std::uint64_t length) {
  if (size_ == max_size) throw input_error({from->name(), "more than 4,294,967,295 documents"});
  if (runs_.empty() || runs_.back().from != from) {
    runs_.push_back({static_cast<std::uint32_t>(size_), from});
  }
  names_.push_back(id ? 2 * ids_.add(*id) + 1 : 2 * line);
  if (keeps_places_) extents_.push_back({offset, length});
  ++size_;
}

const document_table::run& document_table::run_of(std::size_t i) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), i,
                                      [](std::size_t number, const run& r) { return number < r.first; });
  return *std::prev(after);
}

std::string document_table::id(std::size_t i) const {
  const std::uint64_t name = names_[i];
  if (name % 2 == 1) return ids_.at(name / 2);
  return run_of(i).from->id_of(name / 2);
}

place document_table::where(std::size_t i) const { return {run_of(i).from, extents_[i].offset, extents_[i].length}; }

void for_each_against(context& c, list_reader& lists, const document_visitor& visit) {
  if (!c.settings.has_against()) return;
  for (const std::string& path : c.settings.against_indexes) for_each_indexed(c, path, lists, visit);
  if (!c.settings.against.empty()) {
    options theirs = c.settings;
    theirs.paths = theirs.against;
    theirs.first_may_be_verb = false;
    theirs.score_field.clear();
    source_walker sources(theirs);
    c.leave_out_outputs(sources);
    sources.pass_over_indexes();
    for_each_document(c, theirs, sources, lists, visit);
  }
  c.against = c.notes.documents();
}

void read_corpus(context& c, corpus& all, const document_visitor& visit) {
  const auto add = [&](const placed_document& d) {
    if (d.facts.has_tokens) all.add(d);
  };
  list_reader lists(c.settings);
  for_each_against(c, lists, add);
  all.end_against();
  for_each_document(c, c.settings, c.sources, lists, [&](const placed_document& d) {
    if (visit) visit(d);
    add(d);
  });
}

}  // namespace command
