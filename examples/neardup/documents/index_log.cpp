#include "index_log.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <neardup/storage/file_lock.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "../ground/pipeline.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../read/file_header.hpp"

namespace command {

namespace {

/// Returns the number with which a record begins: 1, plus 1 if the record has positions, plus 2 if it has values.
std::uint64_t kind_of_log(const logged_form& form) {
  return 1 + (form.keeps_places ? 1 : 0) + (form.keeps_values ? 2 : 0);
}

std::uint64_t number_at(std::string_view bytes, std::size_t position) {
  std::uint64_t number = 0;
  if (position + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + position, sizeof number);
  return number;
}

template <class Number>
void put_all(std::string& bytes, const std::vector<Number>& numbers) {
  if (!numbers.empty()) bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}
void put_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put_padding(std::string& bytes) { bytes.resize((bytes.size() + 7) / 8 * 8, '\0'); }

/// Cuts a record into its parts, each of which begins at a multiple of 8 bytes.
class record_parts {
 public:
  explicit record_parts(std::string_view rest) : rest_(rest) {}

  /// Returns the next part, an array of `count` numbers, or nullopt if fewer bytes are left. The next call returns the
  /// part that follows.
  template <class Number>
  std::optional<std::span<const Number>> take(std::uint64_t count) {
    if (count > rest_.size() / sizeof(Number)) return std::nullopt;
    const std::size_t size = count * sizeof(Number);
    const std::span part(reinterpret_cast<const Number*>(rest_.data()), count);
    rest_.remove_prefix(std::min(rest_.size(), (size + 7) / 8 * 8));
    return part;
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

bool are_ends(std::span<const std::uint64_t> ends, std::uint64_t all) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == all;
}

constexpr const char* log_suffix = ".neardup-log";

}  // namespace

std::string log_of_index(const std::string& path) { return link_target(path) + log_suffix; }

std::vector<std::string> files_beside_index(const std::string& path) {
  return {log_of_index(path), link_target(path) + neardup::file_lock::suffix};
}

index_snapshot open_index_files(const std::string& path) {
  constexpr int most = 1000;  // a retry is needed if another program rewrites the index meanwhile
  for (int i = 0; i < most; ++i) {
    neardup::mapped_file base = as_input([&] { return neardup::mapped_file(path); });
    const std::uint64_t state =
        number_at({reinterpret_cast<const char*>(base.bytes().data()), base.bytes().size()}, 56);
    std::optional<neardup::log_contents> log;
    const std::exception_ptr failure = caught([&] { log.emplace(log_of_index(path)); });
    // A rewrite replaces the file first, and then removes the log. So if the checksum has changed, the log, or its
    // absence, may belong to the new file. Then both files are opened again.
    const std::uint64_t state_now = read_header(path).checksum;
    if (state_now == state && log) return {std::move(base), state, *std::move(log)};
    std::error_code error;
    if (failure && std::filesystem::exists(log_of_index(path), error))
      as_input([&] { std::rethrow_exception(failure); });
  }
  throw input_error({path, "another program replaces it again and again; run this later"});
}

neardup::journaled_file file_of(std::uint64_t state, std::span<const std::byte> attachment) {
  neardup::journaled_file file{state};
  if (attachment.size() == sizeof(neardup::log_extent)) {
    std::memcpy(&file.log.emplace(), attachment.data(), attachment.size());
  }
  return file;
}

std::string encode_change(const index_change& change, const logged_form& form) {
  std::string bytes;
  put_number(bytes, kind_of_log(form));
  put_number(bytes, change.removed.size());
  put_number(bytes, change.size());
  put_number(bytes, change.added.names.values.size());
  put_number(bytes, form.keeps_features ? change.added.features.values.size() + 1 : 0);
  if (form.keeps_places) put_number(bytes, change.places.paths.size());
  if (form.keeps_values) put_number(bytes, change.values.values.size());
  put_all(bytes, change.removed);
  put_padding(bytes);
  if (form.bits > 0) put_all(bytes, change.words);
  if (form.keeps_places) {
    put_all(bytes, change.places.places);
    bytes += change.places.paths;
    put_padding(bytes);
  }
  if (form.keeps_values) {
    put_all(bytes, change.values.ends);
    put_all(bytes, change.values.values);
    put_padding(bytes);
  }
  put_all(bytes, change.added.names.ends);
  if (form.keeps_features) {
    put_all(bytes, change.added.features.ends);
    put_all(bytes, change.added.features.values);
    put_padding(bytes);
  }
  put_all(bytes, change.added.names.values);
  return bytes;
}

index_journal::index_journal(const std::string& path) {
  try {
    name_ = unfinished_file([&] {
      journal_.emplace(path, log_suffix);
      return link_target(path) + neardup::file_lock::suffix;
    });
  } catch (const std::runtime_error& error) {
    throw output_error(error.what());
  }
}

void refuse_log_of_others(const std::string& path) {
  const auto refuse = [](const std::string& why) {
    throw output_error(why + "; move it away, or write to another file");
  };
  std::optional<neardup::log_contents> log;
  std::size_t records = 0;
  try {
    log.emplace(log_of_index(path));
    if (log->size() == 0) return;
    log->for_each([&](std::string_view) { ++records; });
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  if (records == 0) return;
  constexpr std::size_t state_at = 56, header = 64;
  std::string bytes(header, '\0');
  std::ifstream file(link_target(path), std::ios::binary);
  const bool is_read = static_cast<bool>(file.read(bytes.data(), header));
  if (!is_read || number_at(bytes, state_at) != log->follows()) {
    refuse(log->path() + ": it has changes that follow another file than " + path);
  }
}

logged_documents::logged_documents(const std::string& path, const neardup::log_contents& log,
                                   const neardup::journaled_file& file, std::size_t documents,
                                   const logged_form& form) {
  bool has_any = false;
  end_ = as_input([&] {
    return log.replay(path, file, [&](std::string_view record) {
      has_any = true;
      return take(log.path(), record, documents, form);
    });
  });
  if (end_ > 0 && end_ == log.size() && !has_any) say(log.path() + ": it ends before its first change");
  if (end_ > 0 && end_ < log.size()) {
    say(log.path() + ": its last " + counted(log.size() - end_, "byte is", "bytes are") +
        " an unfinished change, which is ignored");
  }
}

bool logged_documents::take(const std::string& path, std::string_view record, std::size_t documents,
                            const logged_form& form) {
  record_parts parts(record);
  const std::size_t usual = 5;
  const auto head = parts.take<std::uint64_t>(usual + (form.keeps_places ? 1 : 0) + (form.keeps_values ? 1 : 0));
  if (!head || head->front() != kind_of_log(form)) return false;
  if (form.keeps_features != ((*head)[4] > 0)) return false;
  const std::uint64_t count = (*head)[2], features_size = form.keeps_features ? (*head)[4] - 1 : 0;
  const std::size_t words = (form.bits + 63) / 64;
  if (count > record.size() / 8) return false;
  const auto removed = parts.take<std::uint32_t>((*head)[1]);
  const auto fingerprints = removed ? parts.take<std::uint64_t>(count * words) : std::nullopt;
  const auto places = fingerprints ? parts.take<stored_place>(form.keeps_places ? count : 0) : std::nullopt;
  const auto paths = places ? parts.take<char>(form.keeps_places ? (*head)[usual] : 0) : std::nullopt;
  const auto value_ends = paths ? parts.take<std::uint64_t>(form.keeps_values ? count : 0) : std::nullopt;
  const auto values = value_ends ? parts.take<char>(form.keeps_values ? head->back() : 0) : std::nullopt;
  const auto name_ends = values ? parts.take<std::uint64_t>(count) : std::nullopt;
  const auto feature_ends = name_ends ? parts.take<std::uint64_t>(form.keeps_features ? count : 0) : std::nullopt;
  const auto features = feature_ends ? parts.take<std::uint32_t>(features_size) : std::nullopt;
  const auto names = features ? parts.take<char>((*head)[3]) : std::nullopt;
  if (!names || !parts.is_empty() || !are_ends(*name_ends, names->size()) ||
      !are_ends(*feature_ends, features->size()) || !are_ends(*value_ends, values->size())) {
    return false;
  }
  const std::size_t before = documents + added_.size();
  if (before + count > UINT32_MAX) return false;
  for (const std::uint32_t number : *removed) {
    if (number >= before || !removed_.insert(number).second) return false;
  }
  const stored_column<char> all_names(path, count, std::as_bytes(*name_ends), std::as_bytes(*names), false);
  const stored_column<std::uint32_t> all_features(path, feature_ends->size(), std::as_bytes(*feature_ends),
                                                  std::as_bytes(*features), false);
  const stored_column<char> all_values(path, value_ends->size(), std::as_bytes(*value_ends), std::as_bytes(*values),
                                       false);
  const stored_places all_places(path, std::as_bytes(*paths), std::as_bytes(*places));
  for (std::size_t i = 0; i < count; ++i) {
    document& d = added_.emplace_back();
    d.words = fingerprints->subspan(i * words, words);
    d.name = all_names[i];
    d.place = all_places[i];
    if (form.keeps_values) d.value = all_values[i];
    if (!form.keeps_features) continue;
    d.features = all_features[i];
    if (form.bits > 0) continue;  // a digest, which need not ascend
    if (std::adjacent_find(d.features.begin(), d.features.end(), std::greater_equal<>()) != d.features.end()) {
      return false;
    }
  }
  return true;
}

}  // namespace command
