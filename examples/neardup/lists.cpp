#include "lists.hpp"

#include <cerrno>
#include <filesystem>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <system_error>

#include "readers.hpp"

namespace command {

neardup::fingerprint_composition composition_of_options(const options& settings) {
  auto made_of = neardup::with_tokenizer(settings.features.choice, [&](auto tokenizer) {
    return with_weighter(settings, [&](auto weighter) {
      return composition_of(neardup::simhasher(tokenizer, weighter, neardup::xxh3<64>{settings.seed}));
    });
  });
  if (settings.kind == neardup::fingerprint_kind::minwise) {
    made_of.kind = settings.kind;
    made_of.weighter.clear();
  }
  return made_of;
}

void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected) {
  if (found == expected) return;
  // The first line that differs.
  const std::string a = to_string(found), b = to_string(expected);
  const auto difference =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto line_at = [difference](std::string_view text) {
    const std::size_t before = text.substr(0, difference).rfind('\n');
    text.remove_prefix(before == text.npos ? 0 : before + 1);
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.empty() ? std::string("nothing") : "'" + std::string(line) + "'";
  };
  throw input_error({name, "the fingerprints are made otherwise: " + line_at(a) + " instead of " + line_at(b)});
}

namespace {

constexpr std::size_t header_size = 64;  // as far as it has one size

/// The first bytes of a file. Throws: input_error.
std::string beginning_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw input_error({path, "cannot be opened: " + std::generic_category().message(errno)});
  std::string bytes(header_size, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  return bytes;
}

}  // namespace

std::optional<stored_fingerprints> parse_header(std::string_view beginning) {
  constexpr std::string_view magic("\x89NDUP\r\n\x1a", 8);
  if (beginning.size() < 2 * magic.size() || !beginning.starts_with(magic)) return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t end) {
    std::uint64_t value = 0;
    for (end = std::min(end, beginning.size()); end-- > begin;) {
      value = value << 8 | static_cast<unsigned char>(beginning[end]);
    }
    return value;
  };
  const bool is_minwise = number(11, 12) == static_cast<std::uint64_t>(neardup::fingerprint_kind::minwise);
  return stored_fingerprints{static_cast<std::size_t>(number(12, 16)),
                             is_minwise ? neardup::fingerprint_kind::minwise : neardup::fingerprint_kind::simhash,
                             static_cast<int>(number(10, 11)), number(56, header_size)};
}

stored_fingerprints read_header(const std::string& path) {
  const std::string beginning = beginning_of(path);
  const auto header = parse_header(beginning);
  if (!header || beginning.size() < header_size) throw input_error({path, "no file of neardup's"});
  return *header;
}

std::optional<stored_fingerprints> header_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  try {
    return parse_header(beginning_of(path));
  } catch (const input_error&) {
    return std::nullopt;
  }
}

void list_reader::expect(const std::string& path, const neardup::fingerprint_composition& found) {
  const bool is_named = settings_.names_composition || settings_.unit != unit_of_input::fingerprints;
  if (!made_of_) made_of_ = is_named ? composition_of_options(settings_) : found;
  check_composition(path, found, *made_of_);
}

void list_reader::read(source_walker& sources, report& notes, const document_visitor& visit) {
  const auto read_list = [&](const std::shared_ptr<source>& from, auto bits) {
    const auto list = as_input([&] {
      neardup::mapped_file file(from->path);
      if (!settings_.lists_have_headers) return neardup::fingerprint_list<bits>(std::move(file), made_of());
      neardup::fingerprint_list<bits> opened(std::move(file));
      expect(from->path, opened.made_of());
      if (settings_.verifies) opened.verify();
      return opened;
    });
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [fingerprint, id] = list[i];
      document d;
      d.fingerprint = any_fingerprint(fingerprint.to_words());
      d.has_tokens = true;
      const std::string name = std::to_string(id);
      visit({d, from, 0, 0, {}, name, id});
    }
    notes.advance(list.size(), list.size() * list.record_size);
  };
  while (const auto step = sources.next()) {
    if (const auto* const bad = std::get_if<bad_input>(&*step)) {
      notes.bad(*bad);
    } else {
      with_bits(settings_.bits, [&](auto bits) { read_list(std::get<std::shared_ptr<source>>(*step), bits); });
    }
  }
}

}  // namespace command
