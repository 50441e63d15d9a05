// A deduplicator that outlives its process: saved, restored, and with a log of what was added since.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "../dedup/deduplicator.hpp"
#include "../detail/file_operations.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "composition.hpp"
#include "engine/append_log.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "file_lock.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

namespace detail {

/// What a deduplicator keeps, as bytes and back.
struct deduplicator_access {
  template <class Deduplicator>
  using feature_of = typename Deduplicator::feature_type;

  static constexpr std::string_view probe =
      "A text of Words, words and 1234 numbers; \xe6\x96\x87\xe5\xad\x97 \xc3\x84pfel. It is here to tell checks "
      "apart.";

  /// What tells other tokenizers, hashers and seeds of the fingerprint and of the check, without naming them: what they
  /// make of one text.
  template <class Deduplicator>
  static std::uint64_t identity(const Deduplicator& d) {
    std::string made;
    if (const auto fingerprint = d.hash_(probe)) made = fingerprint->to_hex();
    if constexpr (Deduplicator::checks_features) {
      for (const auto feature : d.check_(probe)) put(made, feature);
    }
    return checksum_of(to_bytes(made));
  }

  ///   bytes 0..3    the distance
  ///   byte 4        0 without a check, 1 with one, 2 with one of features
  ///   bytes 5..7    the size of a feature; the form of an id, and its size
  ///   bytes 8..15   min_tokens
  ///   bytes 16..23  the similarity, a double
  ///   bytes 24..31  what the deduplicator makes of a text, see identity()
  template <class Deduplicator>
  static std::string options(const Deduplicator& d) {
    std::string bytes;
    put(bytes, static_cast<std::uint32_t>(d.index_.max_distance()));
    put(bytes, static_cast<std::uint8_t>(!Deduplicator::has_check ? 0 : Deduplicator::checks_features ? 2 : 1));
    put(bytes, static_cast<std::uint8_t>(sizeof(feature_of<Deduplicator>)));
    put(bytes, static_cast<std::uint8_t>(form_of_id<typename Deduplicator::id_type>()));
    put(bytes, static_cast<std::uint8_t>(sizeof(typename Deduplicator::id_type)));
    put(bytes, std::uint64_t{d.min_tokens_});
    put(bytes, std::bit_cast<std::uint64_t>(d.similarity_));
    put(bytes, identity(d));
    return bytes;
  }

  template <class T>
  static void put_value(std::string& bytes, const T& value) {
    if constexpr (std::is_integral_v<T>) {
      put(bytes, static_cast<std::make_unsigned_t<T>>(value));
    } else {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  template <class T>
  static T get_value(byte_span bytes, std::size_t position) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(get<std::make_unsigned_t<T>>(bytes, position));
    } else {
      T value;
      std::memcpy(&value, bytes.data() + position, sizeof value);
      return value;
    }
  }

  template <class Deduplicator>
  static constexpr std::size_t fixed_size = 32 + Deduplicator::fingerprint_type::bits / 8 +
                                            sizeof(typename Deduplicator::id_type);

  /// A kept document: its serial number, digest, number of features, whether it is short, fingerprint, id, features.
  template <class Deduplicator, class Document>
  static void encode(const Document& document, std::span<const feature_of<Deduplicator>> features, std::string& bytes) {
    put(bytes, document.serial);
    put(bytes, document.digest[0]);
    put(bytes, document.digest[1]);
    put(bytes, static_cast<std::uint32_t>(features.size()));
    put(bytes, std::uint32_t{document.is_short});
    put_words(bytes, document.fingerprint.to_words(), Deduplicator::fingerprint_type::bits / 8);
    put_value(bytes, document.id);
    for (const auto feature : features) put(bytes, feature);
  }

  /// Keeps the document that begins at `position`, which moves on. Returns: whether there is one.
  template <class Deduplicator>
  static bool decode(Deduplicator& d, byte_span bytes, std::size_t& position) {
    constexpr std::size_t bits = Deduplicator::fingerprint_type::bits;
    constexpr std::size_t fixed = fixed_size<Deduplicator>;
    if (bytes.size() - position < fixed) return false;
    typename Deduplicator::document document;
    document.serial = get<std::uint64_t>(bytes, position);
    document.digest = {get<std::uint64_t>(bytes, position + 8), get<std::uint64_t>(bytes, position + 16)};
    const std::size_t count = get<std::uint32_t>(bytes, position + 24);
    const auto is_short = get<std::uint32_t>(bytes, position + 28);
    if (is_short > 1 || count > (bytes.size() - position - fixed) / sizeof(feature_of<Deduplicator>)) return false;
    document.is_short = is_short != 0;
    document.fingerprint =
        typename Deduplicator::fingerprint_type(get_words<words_for(bits)>(bytes, position + 32, bits / 8));
    const auto id = get_value<typename Deduplicator::id_type>(bytes, position + 32 + bits / 8);
    std::vector<feature_of<Deduplicator>> features(count);
    for (std::size_t i = 0; i < count; ++i) {
      features[i] = get<feature_of<Deduplicator>>(bytes, position + fixed + i * sizeof(feature_of<Deduplicator>));
      if (i > 0 && !(features[i - 1] < features[i])) return false;
    }
    if (d.contains(id) || document.serial < d.added_) return false;
    // keep() takes the number of documents for the age of this one.
    d.added_ = document.serial;
    d.keep(id, document, features);
    ++d.added_;
    position += fixed + count * sizeof(feature_of<Deduplicator>);
    return true;
  }

  template <class Deduplicator>
  static std::string encode_kept(const Deduplicator& d, const typename Deduplicator::id_type& id) {
    std::string bytes;
    const auto slot = d.slot_of_.find(id)->second;
    encode<Deduplicator>(d.documents_[slot], d.features_of(slot), bytes);
    return bytes;
  }

  /// All kept documents, the oldest first.
  template <class Deduplicator>
  static std::string encode_all(const Deduplicator& d) {
    std::string bytes;
    for (const auto slot : d.slots_by_age()) encode<Deduplicator>(d.documents_[slot], d.features_of(slot), bytes);
    return bytes;
  }

  template <class Deduplicator>
  static void set_added(Deduplicator& d, std::uint64_t added) noexcept {
    d.added_ = added;
  }
};

/// What a file with a deduplicator says of itself.
struct deduplicator_state {
  std::uint64_t number = 0;               ///< of this state, for a log that follows it
  std::optional<append_log::extent> log;  ///< the log that was beside it when it was written: all of it is in here
};

/// Writes a deduplicator. Returns: the number of this state.
template <class Deduplicator>
std::uint64_t write_deduplicator(file_operations& files, const std::string& path, const Deduplicator& d,
                                 const fingerprint_composition& made_of,
                                 std::optional<append_log::extent> log = std::nullopt) {
  std::string options = deduplicator_access::options(d);
  put(options, d.added());
  if (log) put(options, log->size);
  if (log) put(options, log->checksum);
  const std::string documents = deduplicator_access::encode_all(d);
  const std::array<section_source, 2> sections = {{
      {section_tag::options, 0, to_bytes(options)},
      {section_tag::documents, 0, to_bytes(documents)},
  }};
  const file_header header{file_content::deduplicator,
                           static_cast<std::uint32_t>(Deduplicator::fingerprint_type::bits),
                           {},
                           d.size(),
                           made_of};
  return write_container(files, path, header, sections);
}

/// Fills an empty deduplicator. Returns: the state that was read.
template <class Deduplicator>
deduplicator_state read_deduplicator(const std::string& path, Deduplicator& d, const fingerprint_composition& made_of) {
  if (d.added() != 0) fail<std::invalid_argument>("restore: the deduplicator has documents already");
  const mapped_file mapped(path);
  const container file(mapped.bytes(), path, file_content::deduplicator);
  file.check_composition(made_of);
  file.check_sections();
  const byte_span options = file.find(section_tag::options), documents = file.find(section_tag::documents);
  if (file.header().bits != Deduplicator::fingerprint_type::bits || (options.size() != 40 && options.size() != 56) ||
      file.sections().size() != (documents.empty() ? 1U : 2U)) {
    file.refuse("the sections do not fit each other");
  }
  if (const auto distance = get<std::uint32_t>(options, 0); distance != static_cast<std::uint32_t>(d.distance())) {
    fail<std::invalid_argument>(path + ": saved with a distance of " + std::to_string(distance) + ", not " +
                                std::to_string(d.distance()));
  }
  if (to_text(options.first(32)) != deduplicator_access::options(d)) {
    fail<std::invalid_argument>(path + ": saved with another similarity, min_tokens, check or Id");
  }
  // Built aside: what throws leaves the caller's empty.
  std::size_t position = 0;
  while (position < documents.size()) {
    if (!deduplicator_access::decode(d, documents, position)) file.refuse("a document is damaged");
  }
  const auto added = get<std::uint64_t>(options, 32);
  if (d.size() != file.header().count || d.added() > added) file.refuse("a document is damaged");
  deduplicator_access::set_added(d, added);
  deduplicator_state state{get<std::uint64_t>(mapped.bytes(), 56), std::nullopt};
  if (options.size() > 40) state.log = {get<std::uint64_t>(options, 40), get<std::uint64_t>(options, 48)};
  return state;
}

}  // namespace detail

/// Writes all that a deduplicator keeps to a file, which is whole and on the disk when this returns, or what was there
/// before. Throws: std::runtime_error naming the file; std::bad_alloc. Memory: a copy of what is kept.
template <class Simhasher, class Check, class Id>
void save(const std::string& path, const deduplicator<Simhasher, Check, Id>& dedup,
          const fingerprint_composition& made_of) {
  detail::write_deduplicator(detail::system_files(), path, dedup, made_of);
}

/// The deduplicator that was saved: goes on where that one was. `empty` is one of the same parts and options, to which
/// nothing was added.
/// Throws: std::runtime_error naming the file, if it is damaged; std::invalid_argument, if it was saved with other
/// parts or options; std::bad_alloc.
template <class Simhasher, class Check, class Id>
[[nodiscard]] deduplicator<Simhasher, Check, Id> restore(const std::string& path,
                                                         deduplicator<Simhasher, Check, Id> empty,
                                                         const fingerprint_composition& made_of) {
  detail::read_deduplicator(path, empty, made_of);
  return empty;
}

/// A deduplicator whose every step is on the disk before it is acknowledged: in the file of save(), or in a log beside
/// it, PATH.log, of what came since.
///
/// Whatever ends the process, the next one finds all that was acknowledged, and nothing else but perhaps the step that
/// was under way. One object at a time may have a path: a file_lock of it refuses a second one.
/// Guarantee: what throws changes neither the deduplicator nor what a later process finds. If save() fails, or an error
/// of the log cannot be undone, further changes throw until save() succeeds.
/// Example: `durable_deduplicator dedup("seen.neardup", deduplicator{hash}, composition_of(hash));`
template <class Deduplicator>
class durable_deduplicator {
  using access = detail::deduplicator_access;

 public:
  using id_type = typename Deduplicator::id_type;
  using verdict_type = typename Deduplicator::verdict_type;

  /// What is at `path`, or `empty` if there is nothing yet.
  /// Throws: as restore(); std::runtime_error naming the file, if another object has it; naming the log, if it is
  /// damaged, or follows another file than the one at `path`, which may be an older copy.
  durable_deduplicator(std::string path, Deduplicator empty, fingerprint_composition made_of)
      : durable_deduplicator(detail::system_files(), std::move(path), std::move(empty), std::move(made_of)) {}

  // With file operations of a test's own.
  durable_deduplicator(detail::file_operations& files, std::string path, Deduplicator empty,
                       fingerprint_composition made_of)
      : files_(&files),
        path_(detail::settled_path(std::move(path))),
        lock_(path_),
        made_of_(std::move(made_of)),
        dedup_(std::move(empty)) {
    const bool has_log = is_there(log_path());
    const std::string bytes = has_log ? detail::read_file(log_path()) : "";
    const auto log_state = detail::append_log::state_of(bytes);
    const bool has_file = is_there(path_);
    detail::deduplicator_state state;
    if (has_file) state = detail::read_deduplicator(path_, dedup_, made_of_);
    if (has_file && log_state == state.number) {
      log_ = detail::append_log::open(*files_, log_path(), bytes, state.number,
                                      [&](std::string_view payload) { replay(payload); });
    } else if (has_file && (!has_log || detail::append_log::extent_of(bytes) == state.log)) {
      // The process was stopped before it began the log of this state, which has all of the one before.
      log_ = detail::append_log::create(*files_, log_path(), state.number);
    } else if (!has_log) {
      save();
    } else if (!log_state) {
      detail::fail<std::runtime_error>(log_path() + ": its header is damaged, or of a later version");
    } else {
      refuse_log(has_file ? "this is another one" : "there is none");
    }
  }

  /// As the deduplicator's. Throws: besides, std::runtime_error naming the log.
  verdict_type add(std::string_view text, const id_type& id) {
    const verdict_type result = dedup_.add(text, id);
    finish(result, id);
    return result;
  }
  verdict_type add(std::string_view text) requires counting_id<id_type> {
    const auto number = dedup_.added();
    const verdict_type result = dedup_.add(text);
    finish(result, static_cast<id_type>(number));
    return result;
  }

  /// As the deduplicator's, and on the disk.
  /// Throws: std::runtime_error naming the log; then the document is kept still.
  bool erase(const id_type& id) {
    if (!dedup_.contains(id)) return false;
    std::string payload("E");
    access::put_value(payload, id);
    log_.append(payload);
    return dedup_.erase(id);
  }

  /// Writes all to the file and begins a new log: what a later start then need not replay.
  /// Throws: std::runtime_error naming the file; std::bad_alloc.
  void save() {
    log_.settle();
    log_.stop();
    // Not as this object remembers it: an earlier save may have failed on either side of renaming.
    std::optional<detail::append_log::extent> log;
    if (is_there(log_path())) {
      const mapped_file mapped(log_path());
      log = detail::append_log::extent_of(detail::to_text(mapped.bytes()));
    }
    const std::uint64_t state = detail::write_deduplicator(*files_, path_, dedup_, made_of_, log);
    log_ = detail::append_log::create(*files_, log_path(), state);
  }

  /// For searches, and what it tells of itself.
  [[nodiscard]] const Deduplicator& get() const noexcept { return dedup_; }

 private:
  [[nodiscard]] std::string log_path() const { return path_ + ".log"; }

  static bool is_there(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) == 0) return true;
    if (errno != ENOENT) detail::fail_with_errno("open", path);
    return false;
  }

  [[noreturn]] void refuse_log(const char* what) const {
    detail::fail<std::runtime_error>(log_path() + ": it follows another file than " + path_ + " (" + what +
                                     "); put that file back, or move the log away");
  }

  // Puts down what add() did, or takes it back.
  void finish(const verdict_type& result, const id_type& id) {
    const bool is_kept = result.is_new() && result.has_fingerprint;
    detail::undo adding{[&] {
      if (is_kept) dedup_.erase(id);
      access::set_added(dedup_, dedup_.added() - 1);
    }};
    log_.append(is_kept ? "K" + access::encode_kept(dedup_, id) : std::string("D"));
    adding.is_due = false;
  }

  void replay(std::string_view payload) {
    const auto bytes = detail::to_bytes(payload);
    const std::uint64_t added = dedup_.added();
    std::size_t position = 1;
    bool is_right = false;
    if (payload == "D") {
      access::set_added(dedup_, added + 1);
      is_right = true;
    } else if (payload.starts_with('K')) {
      is_right = access::decode(dedup_, bytes, position) && position == bytes.size() && dedup_.added() == added + 1;
    } else if (payload.starts_with('E') && bytes.size() == 1 + sizeof(id_type)) {
      is_right = dedup_.erase(access::get_value<id_type>(bytes, position));
    }
    if (!is_right) detail::fail<std::runtime_error>(log_path() + ": a record does not fit what is before it");
  }

  detail::file_operations* files_;
  std::string path_;
  file_lock lock_;
  fingerprint_composition made_of_;
  Deduplicator dedup_;
  detail::append_log log_;
};

}  // namespace neardup::inline v0
