// `neardup report`: the groups as one HTML page that needs nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "context.hpp"
#include "corpus.hpp"
#include "groups.hpp"

namespace command {

/// Reads texts again, as people see them.
class text_rereader {
 public:
  explicit text_rereader(const options& settings) : settings_(settings), records_(ahead), reader_(settings) {}

  /// At most the first megabyte; empty if only its fingerprint is known. Throws: input_error.
  std::string at(const place& where);

 private:
  static constexpr std::size_t ahead = std::size_t{1} << 16;

  const options& settings_;
  record_rereader records_;
  record_reader reader_;
  record record_;
};

/// Writes the page. Each group is data in an element of its own, which the page reads when the group is opened: so it
/// opens at once, however many there are.
class report_page {
 public:
  /// Writes the beginning.
  explicit report_page(context& c);

  /// Writes a group; its first member is the one that is kept.
  void add(const document_table& documents, std::size_t against, const std::vector<group_member>& members);

  /// Writes the end.
  void finish();

 private:
  void add_member(const document_table& documents, const group_member& member, bool is_against,
                  const std::string* first_text);

  context& context_;
  text_rereader texts_;
};

template <std::size_t Bits>
void run_report(context& c) {
  const corpus<Bits> all = read_corpus<Bits>(c);
  report_page page(c);
  const group_counts counts = for_each_group(c, all, [&](std::uint64_t, const std::vector<group_member>& members) {
    page.add(all.documents, all.against, members);
  });
  page.finish();
  finish_groups(c, counts);
}

}  // namespace command
