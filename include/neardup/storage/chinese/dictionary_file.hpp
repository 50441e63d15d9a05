// SPDX-License-Identifier: MIT
// Dictionary files. A file is mapped into memory, so that opening a file loads nothing, and all processes share the
// memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../detail/file_operations.hpp"
#include "../../text/chinese/dictionary.hpp"
#include "../../text/utf8.hpp"
#include "../composition.hpp"
#include "../engine/container.hpp"
#include "../mapped_file.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Converts the hash table of a dictionary to the sections of a file, and back (docs/decisions/0023-chinese-words.md).
struct dictionary_access {
  using node = dictionary_node;
  static constexpr std::size_t first_size = word_dictionary::first_size;
  static constexpr std::size_t node_size = 16;

  /// Returns the sections of a file. `never`: the removed words, as never(words) returns them.
  static std::array<section_source, 3> sections(const word_dictionary& words, std::string_view never) {
    return {{{section_tag::dictionary_nodes, 0, std::as_bytes(words.nodes_.values())},
             {section_tag::dictionary_first, 0, std::as_bytes(words.first_.values())},
             {section_tag::dictionary_never, 0, to_bytes(never)}}};
  }

  /// Encodes the removed words (added with the frequency 0). The length of each word stands before the word.
  static std::string never(const word_dictionary& words) {
    std::string bytes;
    for (const std::string& word : words.never_) {
      put(bytes, static_cast<std::uint32_t>(word.size()));
      bytes += word;
    }
    return bytes;
  }

  /// Opens the dictionary in a file.
  /// Precondition: the checksums of the file were checked, and are right.
  /// Guarantee: with any content of the file, a lookup reads only inside the hash table, and ends.
  static word_dictionary open(const container& file, std::shared_ptr<const void> owner) {
    const byte_span nodes = file.find(section_tag::dictionary_nodes), first = file.find(section_tag::dictionary_first);
    const std::size_t size = nodes.size() / node_size;
    if (nodes.size() % node_size != 0 || size < 2 || !std::has_single_bit(size) || size > std::size_t{1} << 31 ||
        first.size() != first_size * sizeof(std::uint32_t)) {
      file.refuse_damage("the sections do not fit each other");
    }
    word_dictionary words;
    if (reinterpret_cast<std::uintptr_t>(nodes.data()) % alignof(node) == 0) {
      words.nodes_ = {{reinterpret_cast<const node*>(nodes.data()), size}, owner};
      words.first_ = {{reinterpret_cast<const std::uint32_t*>(first.data()), first_size}, owner};
    } else {
      std::vector<node> copied_nodes(size);
      std::memcpy(copied_nodes.data(), nodes.data(), nodes.size());
      std::vector<std::uint32_t> copied_first(first_size);
      std::memcpy(copied_first.data(), first.data(), first.size());
      words.nodes_ = shared_table<node>(std::move(copied_nodes));
      words.first_ = shared_table<std::uint32_t>(std::move(copied_first));
    }
    words.measure_nodes();
    words.total_ = get<std::uint64_t>(std::as_bytes(std::span(file.header().details)), 0);
    if (words.total_ > word_dictionary::max_total) file.refuse_damage("the header is damaged");
    words.update_total();
    count_words(words, file);
    read_never(words, file);
    return words;
  }

 private:
  static void count_words(word_dictionary& words, const container& file) {
    constexpr double most = 36.8;  // ln(2^53), rounded up
    const std::span<const node> nodes = words.nodes_.values();
    bool is_sound = true;
    for (const node& n : nodes) {
      const double value = n.log_frequency;
      const bool is_word = value >= 0 && value <= most;
      const std::uint32_t parent = word_dictionary::parent_of(n.key);
      is_sound = is_sound && (is_word || value == word_dictionary::no_word);
      if (n.key == 0) {
        is_sound = is_sound && !is_word;
        continue;
      }
      ++words.node_count_;
      words.words_ += is_word ? 1U : 0U;
      is_sound = is_sound && (parent < nodes.size() || parent == word_dictionary::root) &&
                 word_dictionary::code_point_of(n.key) < 0x110000 &&
                 (n.key & ~word_dictionary::has_children) >> 53 == 0;
    }
    for (const std::uint32_t child : words.first_.values()) {
      is_sound = is_sound && (child < nodes.size() || child == word_dictionary::none);
    }
    // A lookup ends at a free entry. So the hash table must have free entries.
    is_sound = is_sound && words.node_count_ <= nodes.size() / 4 * 3 && words.words_ == file.header().count;
    if (!is_sound) file.refuse_damage("the table of words is damaged");
  }

  static void read_never(word_dictionary& words, const container& file) {
    std::string_view rest = to_text(file.find(section_tag::dictionary_never));
    while (!rest.empty()) {
      const std::size_t length = rest.size() < 4 ? 0 : get<std::uint32_t>(to_bytes(rest), 0);
      if (length == 0 || length > rest.size() - 4 || count_invalid(rest.substr(4, length)) != 0) {
        file.refuse_damage({"removed word ", words.never_.size(), " is damaged"});
      }
      words.never_.emplace(rest.substr(4, length));
      rest.remove_prefix(4 + length);
    }
  }
};

}  // namespace detail

/// Writes a dictionary to a file, atomically and durably. After a crash, there is either the old file or the new one.
/// When the function returns, the new file is on the disk.
/// Throws: std::runtime_error if the file cannot be written; the message names the file.
inline void save(const std::string& path, const word_dictionary& words) {
  const std::string never = detail::dictionary_access::never(words);
  const auto sections = detail::dictionary_access::sections(words, never);
  detail::file_header header{detail::file_content::dictionary, 0, {}, words.size(), {}};
  const std::uint64_t total = words.total();
  std::memcpy(header.details.data(), &total, sizeof total);
  header.made_of.dictionary = detail::hex_of(words.identity());
  detail::write_container(detail::system_files(), path, header, sections);
}

/// Opens a saved dictionary. The file stays mapped, and words are looked up in place. Adding a word first copies the
/// hash table to memory. The whole file is checked first.
/// Throws: std::runtime_error if the file is damaged or of another version; the message names the file.
/// Complexity: linear in the size of the file; some milliseconds for jieba's dictionary.
[[nodiscard]] inline word_dictionary open_dictionary(mapped_file file) {
  const auto shared = std::make_shared<const mapped_file>(std::move(file));
  const detail::container contents(shared->bytes(), shared->path(), detail::file_content::dictionary);
  contents.check_sections();
  return detail::dictionary_access::open(contents, shared);
}

/// Opens a saved dictionary that is in memory.
/// Precondition: the bytes outlive all copies of the dictionary.
/// Throws: the exceptions of the function that takes a file.
[[nodiscard]] inline word_dictionary open_dictionary(std::span<const std::byte> bytes) {
  const detail::container contents(bytes, "the bytes", detail::file_content::dictionary);
  contents.check_sections();
  // The shared_ptr owns nothing, because the bytes belong to the caller.
  return detail::dictionary_access::open(contents, std::shared_ptr<const void>(std::make_shared<char>('\0')));
}

/// Returns true if a file with this beginning may be a saved dictionary. If false, the file may be a list of words.
[[nodiscard]] inline bool is_saved_dictionary(std::string_view beginning) noexcept {
  return beginning.starts_with(detail::file_magic);
}

}  // namespace neardup::inline v0
