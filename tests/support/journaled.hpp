// A kind of file with a log, for the tests that all kinds share. A test opens the file, changes it step by step, and
// reads its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/storage/journal.hpp>

#include "faulty_files.hpp"
#include "temporary_folder.hpp"

namespace support {

/// An open file with its log.
class journaled {
 public:
  journaled() = default;
  journaled(const journaled&) = delete;
  journaled& operator=(const journaled&) = delete;
  virtual ~journaled() = default;
  /// The observable state, as text.
  [[nodiscard]] virtual std::string state() const = 0;
  virtual void step(std::size_t i) = 0;
  /// Does the part of a step that is a separate change, and so may be on the disk without the rest. Most kinds have
  /// none.
  virtual void begin_step(std::size_t i) = 0;
  virtual void save() = 0;
};

/// A kind of file with a log.
struct journaled_kind {
  std::string name;
  std::size_t steps;
  /// Opens or creates the file at a path. Uses `faulty_files` if it is not null, otherwise the system's operations.
  std::function<std::unique_ptr<journaled>(const std::string& path, faulty_files*)> open;
  std::vector<std::string> wrong_records;  ///< records that do not fit the state after the last step

  [[nodiscard]] std::string state_in(const std::string& path) const { return open(path, nullptr)->state(); }

  /// `done[i]`: the state after i steps. `begun[i]`: the state after i steps and begin_step(i).
  struct all_states {
    std::vector<std::string> done, begun;

    /// Returns true if `found` is the state after `done_steps` steps, with or without the begun part of the next step.
    /// If `next_may_be_there`, the state after the whole next step is also right.
    [[nodiscard]] bool is_acknowledged(const std::string& found, std::size_t done_steps, bool next_may_be_there) const {
      if (found == done[done_steps] || (done_steps < begun.size() && found == begun[done_steps])) return true;
      return next_may_be_there && done_steps + 1 < done.size() && found == done[done_steps + 1];
    }
  };
  [[nodiscard]] all_states states() const;
};

/// Copies the file at a path, and its log if there is one.
inline void copy_with_log(const std::string& from, const std::string& to) {
  for (const std::string suffix : {"", ".log"}) {
    std::filesystem::remove(to + suffix);
    if (std::filesystem::exists(from + suffix)) std::filesystem::copy_file(from + suffix, to + suffix);
  }
}

inline journaled_kind::all_states journaled_kind::states() const {
  const temporary_folder folder;
  all_states result;
  const auto d = open(folder / "d", nullptr);
  result.done.push_back(d->state());
  for (std::size_t i = 0; i < steps; ++i) {
    copy_with_log(folder / "d", folder / "begun");
    const auto other = open(folder / "begun", nullptr);
    other->begin_step(i);
    result.begun.push_back(other->state());
    d->step(i);
    result.done.push_back(d->state());
  }
  return result;
}

/// Makes a kind from steps, and from functions that open a file and read its state.
template <class Durable>
journaled_kind kind_of(std::string name, std::vector<std::function<void(Durable&)>> steps,
                       std::function<std::string(const Durable&)> state_of,
                       std::function<Durable(neardup::detail::file_operations&, const std::string&)> open,
                       std::vector<std::string> wrong_records,
                       std::function<void(Durable&, std::size_t)> begin_step = nullptr) {
  struct parts {
    std::vector<std::function<void(Durable&)>> steps;
    std::function<std::string(const Durable&)> state_of;
    std::function<void(Durable&, std::size_t)> begin_step;
  };
  class opened final : public journaled {
   public:
    opened(std::shared_ptr<const parts> all, Durable value) : all_(std::move(all)), value_(std::move(value)) {}
    [[nodiscard]] std::string state() const override { return all_->state_of(value_); }
    void step(std::size_t i) override { all_->steps[i](value_); }
    void begin_step(std::size_t i) override {
      if (all_->begin_step) all_->begin_step(value_, i);
    }
    void save() override { value_.save(); }

   private:
    std::shared_ptr<const parts> all_;
    Durable value_;
  };
  const std::size_t count = steps.size();
  const auto all = std::make_shared<const parts>(parts{std::move(steps), std::move(state_of), std::move(begin_step)});
  return {std::move(name), count,
          [all, open](const std::string& path, faulty_files* files) -> std::unique_ptr<journaled> {
            auto& operations = files == nullptr ? neardup::detail::system_files() : *files;
            return std::make_unique<opened>(all, open(operations, path));
          },
          std::move(wrong_records)};
}

/// Appends a record with any payload and right checksums to a log.
inline void append_record(const std::string& log, std::string_view payload) {
  const std::string bytes = read_bytes(log);
  const auto number = neardup::detail::log_frame(bytes).number();
  write_bytes(log, bytes + neardup::detail::log_frame::encode_record(payload, bytes.size(), number.value()));
}

inline std::string with_flipped_bit(std::string bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ 1U << bit % 8);
  return bytes;
}

/// Returns text number i. If i is odd, the text is a near-duplicate of text i - 1.
inline std::string text_of(std::uint32_t i) {
  std::string text;
  for (std::uint32_t word = 0; word < 20; ++word) text += "word" + std::to_string((i / 2) * 1000 + word * 7) + " ";
  return i % 2 == 0 ? text : text + "more";
}

/// The messages with which damaged logs are refused.
inline const std::string damaged_header =
    "its header is damaged; restore the file and its log from a copy, or move the log away to go on without its "
    "changes";

inline std::string refused_record(std::size_t begin, const std::string& what) {
  const std::string at = std::to_string(begin);
  return "the record at byte " + at + ' ' + what + "; restore the file and its log from a copy, or cut the log to " +
         at + " bytes to go on without this change and all later ones";
}

inline std::string refusal_of_version(int version) {
  return "format version " + std::to_string(version) +
         "; this program reads version 1. Make the file anew, or use the version of neardup that wrote it";
}

/// Returns the log with version 7 in its header, and a right checksum of the header.
inline std::string with_version_7(std::string log) {
  log[8] = 7;
  const std::uint64_t checksum =
      neardup::detail::checksum_of(neardup::detail::to_bytes(std::string_view(log).substr(0, 24)));
  for (std::size_t i = 0; i < 8; ++i) log[24 + i] = static_cast<char>(checksum >> 8 * i & 0xff);
  return log;
}

}  // namespace support
