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
  std::string length;
  std::size_t size = text.size();
  for (; size >= 0x80; size >>= 7) length.push_back(static_cast<char>(size | 0x80));
  length.push_back(static_cast<char>(size));
  const std::size_t needed = length.size() + text.size();
  if (blocks_.empty() || used_ + needed > block_size) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(std::max(needed, block_size)));
    used_ = 0;
  }
  const std::uint64_t position = (blocks_.size() - 1) * block_size + used_;
  char* const to = std::copy(length.begin(), length.end(), blocks_.back().get() + used_);
  std::copy(text.begin(), text.end(), to);
  used_ += needed;
  return position;
}

std::string string_pool::at(std::uint64_t position) const {
  const char* from = blocks_[position / block_size].get() + position % block_size;
  std::size_t size = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*from++);
    size |= std::size_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return {from, size};
}

void document_table::add(const placed_document& d) {
  if (runs_.empty() || runs_.back().from != d.from)
    runs_.push_back({static_cast<std::uint32_t>(names_.size()), d.from});
  names_.push_back(d.id ? 2 * ids_.add(*d.id) + 1 : 2 * d.line);
  if (keeps_places_) extents_.emplace_back(d.offset, d.facts.length);
}

const std::shared_ptr<source>& document_table::source_of(std::size_t i) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), i,
                                      [](std::size_t number, const run& r) { return number < r.first; });
  return std::prev(after)->from;
}

std::string document_table::id(std::size_t i) const {
  const std::uint64_t name = names_[i];
  if (name % 2 == 1) return ids_.at(name / 2);
  return source_of(i)->id_of(name / 2);
}

place document_table::where(std::size_t i) const { return {source_of(i), extents_[i].first, extents_[i].second}; }

void corpus::add(const placed_document& d) {
  if (fingerprints.size() == UINT32_MAX) throw input_error({d.from->name(), "more than 4,294,967,295 documents"});
  if (has_names) documents.add(d);
  fingerprints.push_back(d.facts.fingerprint);
  check.add(d.facts.features);
  if (keep == preference::longest) scores.push_back(static_cast<double>(d.facts.text_length));
  if (keep == preference::highest) scores.push_back(d.facts.score);
  if (keep == preference::lowest) scores.push_back(-d.facts.score);
}

void for_each_against(context& c, const document_visitor& visit) {
  if (!c.settings.has_against()) return;
  for (const std::string& path : c.settings.against_indexes) for_each_indexed(c, path, visit);
  if (!c.settings.against.empty()) {
    options theirs = c.settings;
    theirs.paths = theirs.against;
    theirs.first_may_be_verb = false;
    theirs.score_field.clear();
    source_walker sources(theirs);
    c.leave_out_outputs(sources);
    sources.pass_over_indexes();
    for_each_document(c, theirs, sources, visit);
  }
  c.against = c.notes.documents();
}

void read_corpus(context& c, corpus& all, const document_visitor& visit) {
  const auto add = [&](const placed_document& d) {
    if (d.facts.has_tokens) all.add(d);
  };
  for_each_against(c, add);
  all.end_against();
  for_each_document(c, [&](const placed_document& d) {
    if (visit) visit(d);
    add(d);
  });
}

}  // namespace command
