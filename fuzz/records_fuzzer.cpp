// Fuzzes the command's reading of records: lines, JSON, tables, WARC and whole files, plain and compressed, from files
// and pipes. Each input gives the same records and errors whatever the sizes of the pieces in which it is read, and
// when it is read once more; and no byte is both part of a record and reported as lost.
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/documents/documents.hpp"

namespace {

using command::unit_of_input;

constexpr int input_number = 1000;  // the descriptor of the input, so that its name is always the same
constexpr std::size_t header_size = 6;

std::array<std::size_t, 2> piece_sizes{};  // the next read returns at most so many bytes; 0: no limit
std::size_t pieces = 0;
std::size_t pause_each = 0;  // each so many polls, the input seems to pause; 0: never
std::size_t polls = 0;

std::string* events = nullptr;  // the records and errors of a run, written one after the other
std::uint64_t unread = 0;

void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// The text as members of gzip with so many bytes of it each.
std::string packed(std::string_view text, std::size_t member_size) {
  std::string result;
  do {
    const std::string_view part = text.substr(0, member_size);
    text.remove_prefix(part.size());
    z_stream stream{};
    if (::deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 1, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
    std::string member(::deflateBound(&stream, part.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    stream.next_out = reinterpret_cast<Bytef*>(member.data());
    stream.avail_out = static_cast<uInt>(member.size());
    if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
    result.append(member, 0, stream.total_out);
    ::deflateEnd(&stream);
  } while (!text.empty());
  return result;
}

struct reading {
  bool from_pipe;
  std::array<std::size_t, 2> sizes;
  std::size_t pause;
};

/// Reads an input. `plain`: the input if it is not compressed, for further checks.
std::string read_all(command::input_settings settings, const std::string& input, const std::string* plain,
                     const reading& how) {
  std::array<int, 2> ends{-1, -1};
  if (how.from_pipe) {
    if (::pipe(ends.data()) != 0) std::abort();
  } else {
    ends[1] = ::memfd_create("input", 0);
    ends[0] = ::dup(ends[1]);
  }
  if (::write(ends[1], input.data(), input.size()) != static_cast<ssize_t>(input.size())) std::abort();
  if (::dup2(ends[0], input_number) < 0) std::abort();
  for (const int end : ends) {
    if (end >= 0) ::close(end);
  }
  settings.paths = {"/proc/self/fd/" + std::to_string(input_number)};

  std::string result, records;
  events = &result;
  unread = 0;
  piece_sizes = how.sizes;
  pause_each = how.pause;
  pieces = polls = 0;
  const command::fingerprint_settings fingerprint;
  const command::comparison_settings comparison;
  try {
    command::source_walker sources(settings);
    sources.remember();
    command::run_notes notes(settings, fingerprint, comparison, settings.paths, true);
    const auto pass = [&] {
      std::uint64_t end = 0, bytes = 0;
      command::read_texts(settings, sources, notes, [&](const command::placed_document& d) {
        std::string found = "record " + d.name() + ' ' + std::to_string(d.line) + ' ' + std::to_string(d.offset) + '\n';
        found += d.raw;
        for (const std::string& text : *d.texts) found += "\ntext " + text;
        records += found + '\n';
        result += found + '\n';
        if (d.from->unit == unit_of_input::files) return;
        if (d.offset < end) fail("records overlap:\n" + result);
        end = d.offset + d.raw.size();
        bytes += d.raw.size();
        if (plain != nullptr && (end > plain->size() || plain->compare(d.offset, d.raw.size(), d.raw) != 0)) {
          fail("a record differs from its place in the input:\n" + result);
        }
      });
      if (plain != nullptr && bytes + unread > plain->size()) fail("more bytes than there are:\n" + result);
    };
    pass();
    if (settings.is_read_twice) {
      const std::string first = std::exchange(result, {}), first_records = std::exchange(records, {});
      unread = 0;
      sources.rewind();
      pass();
      // Lost bytes are one error in the second pass, and may be two in the first, before the format was known.
      if (plain != nullptr ? result != first : records != first_records) fail(first + "\nthen:\n" + result);
    }
  } catch (const command::input_error& error) {
    result += std::string("end ") + error.what() + '\n';
  }
  ::close(input_number);
  return result;
}

}  // namespace

namespace command {
// Instead of notes.cpp: what is said is part of the result.
run_notes::run_notes(const input_settings& input, const fingerprint_settings& fingerprint,
                     const comparison_settings& comparison, const std::vector<std::string>& /*sources*/, bool quiet)
    : input_(input), fingerprint_(fingerprint), comparison_(comparison), quiet_(quiet), bar_(false) {}
run_notes::~run_notes() = default;
void run_notes::bad(const bad_input& input) {
  if (!input_.skip_bad) throw input_error(input);
  *events += "bad " + input.text() + " (" + std::to_string(input.unread) + ")\n";
  unread += input.unread;
}
bool run_notes::note(tally& /*t*/, const std::string& where, const std::string& what) {
  *events += "note " + where + ": " + what + '\n';
  return true;
}
void run_notes::read_as_one_text(const std::string& /*path*/) {}
bool run_notes::repeats_id(std::string_view /*id*/, const source& /*from*/, std::uint64_t /*line*/) { return false; }
void run_notes::advance(std::uint64_t /*documents*/, std::uint64_t /*bytes*/) {}

// No fingerprints are made here.
document_describer make_describer(const fingerprint_settings& /*settings*/, const comparison_settings& /*comparison*/) {
  std::abort();
}
void look_for_terms(const fingerprint_settings& /*settings*/, std::string_view /*text*/) {}
void look_for_spelling(const fingerprint_settings& /*settings*/, const document_texts& /*texts*/) {}
}  // namespace command

// The linker calls these instead of the functions of the system.
extern "C" {
ssize_t __real_read(int file, void* to, std::size_t size);
ssize_t __wrap_read(int file, void* to, std::size_t size) {
  const std::size_t most = piece_sizes[pieces++ % 2];
  return __real_read(file, to, most == 0 ? size : std::min(size, most));
}
ssize_t __real_pread(int file, void* to, std::size_t size, off_t offset);
ssize_t __wrap_pread(int file, void* to, std::size_t size, off_t offset) {
  const std::size_t most = piece_sizes[pieces++ % 2];
  return __real_pread(file, to, most == 0 ? size : std::min(size, most), offset);
}
int __real_poll(pollfd* files, nfds_t count, int milliseconds);
int __wrap_poll(pollfd* files, nfds_t count, int milliseconds) {
  if (pause_each != 0 && ++polls % pause_each == 0) return 0;
  return __real_poll(files, count, milliseconds);
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array units{unit_of_input::lines, unit_of_input::json_lines, unit_of_input::csv,  unit_of_input::tsv,
                             unit_of_input::warc,  unit_of_input::automatic,  unit_of_input::files};
  if (size < header_size) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + header_size, size - header_size);
  if (text.size() > (std::size_t{1} << 15)) return 0;  // more may not fit into a pipe
  command::input_settings settings;
  settings.unit = units[data[0] % units.size()];
  const auto flag = [&](unsigned bit) { return (data[1] >> bit & 1U) != 0; };
  settings.skip_bad = !flag(0);
  settings.is_read_twice = flag(1);
  const bool is_packed = flag(2), is_damaged = is_packed && flag(3);
  settings.id_field_required = flag(4);
  if (flag(5)) settings.score_field = "score";
  if (flag(6)) settings.encoding = "ISO-8859-1";
  const auto piece = [&](std::size_t which) { return 1 + data[which] * std::size_t{data[which]} / 64; };

  std::string input = is_packed ? packed(text, 1 + text.size() / 8 + data[4]) : text;
  if (is_damaged) {
    input[data[5] * input.size() / 256] ^= static_cast<char>(1 + data[4] % 255);
  }
  const bool is_plain = !is_packed && !input.starts_with("\x1f\x8b") && !input.starts_with("\xff\xfe") &&
                        !input.starts_with("\xfe\xff") && !input.starts_with("\x28\xb5\x2f\xfd");
  const auto read = [&](const reading& how) { return read_all(settings, input, is_plain ? &input : nullptr, how); };
  const auto compare = [&](const std::string& one, const std::string& other, const char* what) {
    if (one != other) fail(one + "\n" + what + ":\n" + other);
  };
  const std::string whole = read({false, {0, 0}, 0});
  compare(whole, read({false, {piece(2), piece(3)}, 0}), "in pieces");
  compare(whole, read({false, {1 + input.size() / 512, input.size()}, 0}), "in a small and a large piece");
  const std::string piped = read({true, {0, 0}, 0});
  // How much of a damaged member can be read from a pipe depends on what had arrived.
  const std::string piped_in_pieces = read({true, {piece(2), piece(3)}, std::size_t{2} + data[3] % 16});
  if (is_damaged || !is_plain) return 0;
  compare(piped, piped_in_pieces, "in pieces from a pipe");
  // An archive of tar is told in a regular file only: of a pipe too little is looked at.
  if (whole.find("an archive of tar") == whole.npos) compare(whole, piped, "from a pipe");
  return 0;
}
