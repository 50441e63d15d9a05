// SPDX-License-Identifier: MIT
// Persistent deduplicators: they can be saved and restored, and a log has the changes since the last save.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../dedup/deduplicator.hpp"
#include "../dedup/fingerprint_deduplicator.hpp"
#include "../dedup/stream_deduplicator.hpp"
#include "../detail/bits.hpp"
#include "../detail/compiled.hpp"
#include "../detail/file_operations.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../sets/feature_sets.hpp"
#include "composition_of.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "journal.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class T>
inline constexpr bool is_stream_deduplicator = false;
template <class Deduplicator>
inline constexpr bool is_stream_deduplicator<stream_deduplicator<Deduplicator>> = true;

}  // namespace detail

/// A type that can be saved, restored, and made durable. It is a deduplicator, a fingerprint_deduplicator, or a
/// stream_deduplicator.
template <class T>
concept saved_deduplicator = detail::is_deduplicator<T> || detail::is_stream_deduplicator<T>;

namespace detail {

/// A fixed text. The text's fingerprint and features identify the tokenizer, the hasher, the seed and the check of a
/// deduplicator in a file.
inline constexpr std::string_view deduplicator_probe =
    "A text of Words, words and 1234 numbers; \xe6\x96\x87\xe5\xad\x97 \xc3\x84pfel. It is here to tell checks "
    "apart.";

/// The number of bits of the fingerprint in a description, or 0 if descriptions have no fingerprint.
template <class Description>
inline constexpr std::size_t bits_of_description = [] {
  using fingerprint_type = typename Description::fingerprint_type;
  if constexpr (std::is_void_v<fingerprint_type>) {
    return std::size_t{0};
  } else {
    return fingerprint_type::bits;
  }
}();

/// The distance in the options of a deduplicator that compares sets. Earlier versions wrote larger numbers in its
/// place.
inline constexpr std::uint32_t distance_of_sets = 0xfffffffd;

/// Returns true if the options in `of_file` belong to a class that is not the expected class. If `is_exact` is true,
/// the expected class is deduplicator, which compares sets; otherwise it is fingerprint_deduplicator.
inline bool is_of_other_class(bool is_exact, byte_span of_file) {
  return (get<std::uint32_t>(of_file, 0) == distance_of_sets) != is_exact;
}

/// Returns a text that says how the options of a file differ from the wanted options, such as "no check, not a check of
/// features". Returns an empty text if the options are equal.
NEARDUP_COLD std::string difference_of_options(bool is_exact, byte_span of_file, std::string_view wanted);

/// Encodes the documents and options of a deduplicator for files and logs (docs/decisions/0062-one-journal.md).
template <class Form>
class deduplicator_format {
  using id_type = typename Form::id_type;
  using kept_type = typename Form::kept_type;
  using description_type = typename Form::description_type;
  using fingerprint_type = typename description_type::fingerprint_type;
  using feature_type = typename description_type::feature_type;
  static constexpr bool has_named_ids = std::is_same_v<id_type, std::string>;

 public:
  static constexpr bool is_exact = std::is_void_v<fingerprint_type>;

  /// Returns the deduplicator inside a stream_deduplicator. Returns any other deduplicator itself.
  static const auto& plain(const Form& form) noexcept {
    if constexpr (is_stream_deduplicator<Form>) {
      return form.get();
    } else {
      return form;
    }
  }

  /// Encodes the options, and the types of ids and features:
  ///
  ///   bytes 0..3    the distance, or 2^32 - 3 if sets of features are compared
  ///   byte 4        the check: 0 none, 1 a callable, 2 of features by Jaccard, 3 of features by cosine
  ///   bytes 5..7    the size of a feature; the form of an id; the size of an id
  ///   bytes 8..15   min_tokens; if sets of features are compared, the least overlap, where 0 means 1
  ///   bytes 16..23  the similarity, a double
  ///   bytes 24..31  identity()
  NEARDUP_COLD static std::string options(const Form& form) {
    const auto& d = plain(form);
    std::uint32_t distance = distance_of_sets;
    std::uint8_t check = 2;
    std::uint64_t min_count = 0;
    double similarity = 0;
    if constexpr (is_exact) {
      const set_threshold& least = d.threshold();
      if (least.measure == set_similarity::cosine) check = 3;
      min_count = least.min_common == 1 ? 0 : least.min_common;  // 0 and 1 mean the same
      similarity = least.similarity;
    } else {
      using plain_type = std::remove_cvref_t<decltype(d)>;
      distance = static_cast<std::uint32_t>(d.distance());
      check = !plain_type::has_check ? 0 : plain_type::checks_features ? 2 : 1;
      min_count = d.describer()->min_tokens();
      similarity = d.similarity();
    }
    std::string bytes;
    put(bytes, distance);
    put(bytes, check);
    put(bytes, static_cast<std::uint8_t>(sizeof(feature_type)));
    if constexpr (has_named_ids) {
      put(bytes, static_cast<std::uint8_t>(id_form_of_strings));
      put(bytes, std::uint8_t{0});
    } else {
      put(bytes, static_cast<std::uint8_t>(form_of_id<id_type>()));
      put(bytes, static_cast<std::uint8_t>(sizeof(id_type)));
    }
    put(bytes, min_count);
    put(bytes, std::bit_cast<std::uint64_t>(similarity));
    put(bytes, identity(d));
    return bytes;
  }

  /// Returns how the options of a file differ from the options of `form`; see difference_of_options().
  NEARDUP_COLD static std::string difference(const Form& form, byte_span of_file) {
    return difference_of_options(is_exact, of_file, options(form));
  }

  static void put_id(std::string& bytes, const id_type& id) {
    if constexpr (has_named_ids) {
      put(bytes, static_cast<std::uint32_t>(id.size()));
      bytes += id;
    } else if constexpr (std::is_integral_v<id_type>) {
      put(bytes, static_cast<std::make_unsigned_t<id_type>>(id));
    } else {
      bytes.append(reinterpret_cast<const char*>(&id), sizeof id);
    }
  }
  /// Reads the id at `position`. Advances `position` to the next byte after the id.
  /// Returns: nullopt if the id is incomplete.
  static std::optional<id_type> get_id(byte_span bytes, std::size_t& position) {
    const auto left = [&] { return bytes.size() - position; };
    const std::size_t begin = position;
    if constexpr (has_named_ids) {
      if (left() < 4) return std::nullopt;
      const std::size_t size = get<std::uint32_t>(bytes, begin);
      if (left() - 4 < size) return std::nullopt;
      position += 4 + size;
      return std::string(to_text(bytes.subspan(begin + 4, size)));
    } else {
      if (left() < sizeof(id_type)) return std::nullopt;
      position += sizeof(id_type);
      if constexpr (std::is_integral_v<id_type>) {
        return static_cast<id_type>(get<std::make_unsigned_t<id_type>>(bytes, begin));
      } else {
        id_type id;
        std::memcpy(&id, bytes.data() + begin, sizeof id);
        return id;
      }
    }
  }

  /// Appends to `bytes` the parts of a document: serial number, digest, number of features, is_short, fingerprint, id,
  /// features. The digest, is_short and the fingerprint are left out if only sets of features are compared.
  static void put_document(std::string& bytes, const kept_type& kept) {
    put(bytes, kept.serial);
    if constexpr (is_exact) {
      put(bytes, static_cast<std::uint32_t>(kept.features.size()));
    } else {
      const set_digest digest = kept.digest.value_or(set_digest{});
      put(bytes, digest[0]), put(bytes, digest[1]);
      put(bytes, static_cast<std::uint32_t>(kept.features.size()));
      put(bytes, std::uint32_t{kept.digest.has_value()});
      put_words(bytes, kept.fingerprint.to_words(), fingerprint_type::bits / 8);
    }
    put_id(bytes, kept.id);
    for (const auto feature : kept.features) put(bytes, feature);
  }

  /// Reads the document at `position`, and keeps it in `form`. Advances `position` to the next document.
  /// Returns: false if the document is invalid, or if its id or serial number occurred before.
  static bool keep_document(Form& form, byte_span bytes, std::size_t& position, std::uint64_t time) {
    const std::size_t begin = position;
    constexpr std::size_t bits = bits_of_description<description_type>;
    constexpr std::size_t fixed_size = is_exact ? 12 : 32 + bits / 8;
    if (bytes.size() - begin < fixed_size) return false;
    const auto serial = get<std::uint64_t>(bytes, begin);
    const std::size_t count = get<std::uint32_t>(bytes, begin + (is_exact ? 8 : 24));
    description_type document;
    if constexpr (!is_exact) {
      const auto is_short = get<std::uint32_t>(bytes, begin + 28);
      if (is_short > 1) return false;
      if (is_short == 1) {
        document.digest = {get<std::uint64_t>(bytes, begin + 8), get<std::uint64_t>(bytes, begin + 16)};
      }
      document.fingerprint = fingerprint_type(get_words<words_for(bits)>(bytes, begin + 32, bits / 8));
    }
    position = begin + fixed_size;
    const std::optional<id_type> id = get_id(bytes, position);
    if (!id || count > (bytes.size() - position) / sizeof(feature_type)) return false;
    if (is_exact && count == 0) return false;
    std::vector<feature_type> features(count);
    for (std::size_t i = 0; i < count; ++i) {
      features[i] = get<feature_type>(bytes, position + i * sizeof(feature_type));
    }
    if (!is_ascending(std::span<const feature_type>(features))) return false;
    position += count * sizeof(feature_type);
    document.features = features;
    if (form.contains(*id) || serial < form.added()) return false;
    if constexpr (is_stream_deduplicator<Form>) {
      form.keep(*id, document, serial, time);
    } else {
      form.keep(*id, document, serial);
    }
    return true;
  }

  /// Encodes all kept documents, the oldest first.
  static std::string all_documents(const Form& form) {
    std::string bytes;
    plain(form).for_each_kept([&](const kept_type& kept) { put_document(bytes, kept); });
    return bytes;
  }

  /// Encodes the times of the documents of a stream_deduplicator. For each document, in the order in which documents
  /// will be removed: the document's position in all_documents(), and its time.
  static std::string all_times(const Form& form) {
    std::string bytes;
    if constexpr (is_stream_deduplicator<Form>) {
      std::unordered_map<std::uint64_t, std::uint64_t> positions;  // serial number -> position in all_documents()
      form.get().for_each_kept([&](const kept_type& kept) { positions.emplace(kept.serial, positions.size()); });
      form.for_each_kept([&](const kept_type& kept) {
        put(bytes, positions.at(kept.serial));
        put(bytes, kept.time);
      });
    }
    return bytes;
  }
  /// Sets the times of the kept documents.
  /// Returns: false if `bytes` does not have exactly one time for each document, or if the times are not ascending.
  static bool set_times(Form& form, byte_span bytes) {
    if constexpr (is_stream_deduplicator<Form>) {
      std::vector<id_type> ids;
      form.get().for_each_kept([&](const kept_type& kept) { ids.push_back(kept.id); });
      if (bytes.size() != 16 * ids.size()) return false;
      std::vector<bool> seen(ids.size());
      std::uint64_t last = 0;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto position = get<std::uint64_t>(bytes, 16 * i), time = get<std::uint64_t>(bytes, 16 * i + 8);
        const std::size_t place = to_size(position);
        if (position >= ids.size() || seen[place] || time < last) return false;
        seen[place] = true;
        last = time;
        form.renew(ids[place], time);
      }
    }
    return true;
  }

 private:
  static constexpr std::uint8_t id_form_of_strings = 3;

  /// Returns a number that identifies the tokenizers, the hashers and the seeds of a deduplicator. The number is a
  /// checksum of the fingerprint and the features of the fixed text `deduplicator_probe`.
  template <class Plain>
  static std::uint64_t identity(const Plain& d) {
    std::string made;
    bool checks_features = is_exact;
    if constexpr (!is_exact) {
      checks_features = Plain::checks_features;
      if (const auto fingerprint = d.describer()->hash()(deduplicator_probe)) made = fingerprint->to_hex();
    }
    if constexpr (requires { d.describer()->check()(deduplicator_probe).size(); }) {
      if (checks_features) {
        for (const auto feature : d.describer()->check()(deduplicator_probe)) put(made, feature);
      }
    }
    return checksum_of(to_bytes(made));
  }
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::string difference_of_options(bool is_exact, byte_span of_file, std::string_view wanted) {
  if (to_text(of_file) == wanted) return "";
  const auto either = [&](const auto& tell) { return tell(of_file) + ", not " + tell(to_bytes(wanted)); };
  const auto differs = [&](std::size_t begin, std::size_t size) {
    return to_text(of_file.subspan(begin, size)) != wanted.substr(begin, size);
  };
  const auto told = [](byte_span bytes) {
    const auto distance = get<std::uint32_t>(bytes, 0);
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   std::bit_cast<double>(get<std::uint64_t>(bytes, 16)));
    const std::string_view similarity(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    if (distance != distance_of_sets) {
      return message_of({"a distance of ", distance, " bits for a similarity of ", similarity});
    }
    return message_of(
        {get<std::uint8_t>(bytes, 4) == 3 ? "sets of a cosine of " : "sets of a Jaccard similarity of ", similarity});
  };
  if (is_of_other_class(is_exact, of_file)) return either(told);
  if (!is_exact && differs(4, 1)) {
    return either([](byte_span bytes) -> std::string {
      switch (get<std::uint8_t>(bytes, 4)) {
        case 0: return "no check";
        case 1: return "a check that is a callable";
        default: return "a check of features";
      }
    });
  }
  if (differs(5, 1)) return "features of another size";
  if (differs(6, 2)) return "another Id";
  if (differs(0, 5) || differs(16, 8)) return either(told);
  if (differs(8, 8)) {
    return either([&](byte_span bytes) {
      return message_of({is_exact ? "min_common " : "min_tokens ", get<std::uint64_t>(bytes, 8)});
    });
  }
  return "another tokenizer, hasher, seed or kind of the fingerprints, or of the check: they make something else of "
         "the "
         "same text";
}

#endif  // NEARDUP_BODIES

/// Returns `made_of`, with the member `kind` set to the kind of the fingerprints of Form. If Form has no fingerprints,
/// `kind` is the default.
template <class Form>
fingerprint_composition composition_for(fingerprint_composition made_of) {
  using fingerprint_type = typename Form::description_type::fingerprint_type;
  if constexpr (std::is_void_v<fingerprint_type>) {
    made_of.kind = fingerprint_composition{}.kind;
  } else {
    made_of.kind = fingerprint_type::kind;
  }
  return made_of;
}

/// Writes a deduplicator to a file.
/// Returns: the number of the file, which is the checksum of its header.
template <saved_deduplicator Form>
std::uint64_t write_deduplicator(file_operations& files, const std::string& path, const Form& form,
                                 const fingerprint_composition& made_of,
                                 const std::optional<log_extent>& log = std::nullopt) {
  using format = deduplicator_format<Form>;
  std::string options = format::options(form);
  put(options, form.added());
  if (log) put(options, log->size);
  if (log) put(options, log->checksum);
  const std::string documents = format::all_documents(form), times = format::all_times(form);
  const std::array<section_source, 3> sections = {{
      {section_tag::options, 0, to_bytes(options)},
      {section_tag::documents, 0, to_bytes(documents)},
      {section_tag::times, 0, to_bytes(times)},
  }};
  const file_header header{file_content::deduplicator,
                           static_cast<std::uint32_t>(bits_of_description<typename Form::description_type>),
                           {},
                           form.size(),
                           composition_for<Form>(made_of)};
  return write_container(files, path, header, sections);
}

/// Refuses to read a file with times into a deduplicator without times. Otherwise the times would be lost when the
/// deduplicator is saved again.
[[noreturn]] inline void refuse_times(const std::string& path) {
  fail<std::invalid_argument>({path,
                               ": saved by a stream_deduplicator, with the times of its documents; open it with a "
                               "stream_deduplicator, whose limits may be others, or none"});
}

/// Reads a file into an empty deduplicator.
template <saved_deduplicator Form>
journaled_file read_deduplicator(const std::string& path, Form& form, const fingerprint_composition& made_of) {
  using format = deduplicator_format<Form>;
  if (form.added() != 0)
    fail<std::invalid_argument>({path, ": pass a deduplicator without documents, not one of ", form.size()});
  const mapped_file mapped(path);
  const container file(mapped.bytes(), path, file_content::deduplicator);
  file.check_sections();
  const byte_span options = file.find(section_tag::options), documents = file.find(section_tag::documents),
                  times = file.find(section_tag::times);
  const std::size_t expected_sections = 1 + (documents.empty() ? 0U : 1U) + (times.empty() ? 0U : 1U);
  if ((options.size() != 40 && options.size() != 56) || file.sections().size() != expected_sections) {
    file.refuse_damage("the sections do not fit each other");
  }
  if (get<std::uint32_t>(options, 0) > distance_of_sets) {
    fail<std::invalid_argument>(
        {path, ": saved with an exact comparison by an earlier version; add its documents to a new one"});
  }
  if (is_of_other_class(deduplicator_format<Form>::is_exact, options)) {
    fail<std::invalid_argument>({path, ": saved with ", format::difference(form, options.first(32))});
  }
  file.check_composition(composition_for<Form>(made_of));
  if (file.header().bits != bits_of_description<typename Form::description_type>) {
    file.refuse_damage("the sections do not fit each other");
  }
  if (const std::string other = format::difference(form, options.first(32)); !other.empty()) {
    fail<std::invalid_argument>({path, ": saved with ", other});
  }
  if (!times.empty() && !is_stream_deduplicator<Form>) refuse_times(path);
  // If a document cannot be read, `form` keeps the documents before it. This is harmless, because `form` is a copy of
  // the caller's deduplicator.
  std::size_t position = 0;
  while (position < documents.size()) {
    if (!format::keep_document(form, documents, position, 0)) {
      file.refuse_damage({"document ", form.size(), " of ", file.header().count, " is damaged"});
    }
  }
  const auto added = get<std::uint64_t>(options, 32);
  if (form.size() != file.header().count || form.added() > added) {
    file.refuse_damage("the header does not fit the documents");
  }
  if (!times.empty() && !format::set_times(form, times)) file.refuse_damage("the times of the documents are damaged");
  form.count(added - form.added());
  journaled_file found{file.checksum()};
  if (options.size() > 40) found.log = {get<std::uint64_t>(options, 40), get<std::uint64_t>(options, 48)};
  return found;
}

}  // namespace detail

/// Returns the composition of the features or the fingerprints that a deduplicator compares. If a part is your own and
/// has no description(), do not call this function, but fill in a fingerprint_composition.
template <saved_deduplicator Form>
[[nodiscard]] fingerprint_composition composition_of(const Form& dedup) {
  using format = detail::deduplicator_format<Form>;
  if constexpr (format::is_exact) {
    return composition_of(format::plain(dedup).describer()->check());
  } else {
    return composition_of(format::plain(dedup).describer()->hash());
  }
}

/// Writes a deduplicator to a file, atomically and durably. After a crash, there is either the old file or the new one.
/// When the function returns, the new file is on the disk. A stream_deduplicator is saved with the times of its
/// documents. `made_of`: the composition; the default is composition_of(dedup).
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::bad_alloc.
/// Memory: a copy of the kept documents.
template <class Features, class Id>
void save(const std::string& path, const deduplicator<Features, Id>& dedup, const fingerprint_composition& made_of) {
  detail::write_deduplicator(detail::system_files(), path, dedup, made_of);
}
template <class Hasher, class Check, class Id>
void save(const std::string& path, const fingerprint_deduplicator<Hasher, Check, Id>& dedup,
          const fingerprint_composition& made_of) {
  detail::write_deduplicator(detail::system_files(), path, dedup, made_of);
}
template <class Deduplicator>
void save(const std::string& path, const stream_deduplicator<Deduplicator>& dedup,
          const fingerprint_composition& made_of) {
  detail::write_deduplicator(detail::system_files(), path, dedup, made_of);
}
template <saved_deduplicator Form>
void save(const std::string& path, const Form& dedup) {
  save(path, dedup, composition_of(dedup));
}

/// Restores a saved deduplicator. The result continues where the saved deduplicator stopped. `made_of`: the
/// composition; the default is composition_of(empty). If a stream_deduplicator is restored from a file without times,
/// all documents get the time 0.
/// Precondition: `empty` has no documents, and has the parts and options of the saved deduplicator. Only the limits of
/// a stream_deduplicator may differ.
/// Throws: std::runtime_error if the file is damaged, or if the log of a durable_deduplicator has later changes; the
/// message names the file. std::invalid_argument if parts or options differ; std::bad_alloc.
template <saved_deduplicator Form>
[[nodiscard]] Form restore(const std::string& path, Form empty, const fingerprint_composition& made_of) {
  detail::refuse_changes_beside(path, detail::read_deduplicator(path, empty, made_of).number);
  return empty;
}
template <saved_deduplicator Form>
[[nodiscard]] Form restore(const std::string& path, Form empty) {
  const fingerprint_composition made_of = composition_of(empty);
  return restore(path, std::move(empty), made_of);
}

namespace detail {

/// Writes the changes of a deduplicator to the log of its journal.
template <class Form>
class change_writer final : public change_hook<typename Form::change_type> {
 public:
  change_writer(file_operations& files, const std::string& path) : log(files, path) {}

  void commit(const typename Form::change_type& change) override;

  journal log;
};

template <class Form>
void change_writer<Form>::commit(const typename Form::change_type& change) {
  using format = deduplicator_format<Form>;
  std::string record;
  if (!is_stream_deduplicator<Form> && change.verdicts.size() == 1 && change.replaced.empty()) {
    record = change.kept.empty() ? "D" : "K";
    if (!change.kept.empty()) format::put_document(record, change.kept.front());
    return log.append(record);
  }
  record = "S";
  put(record, change.time);
  put(record, change.added);
  const auto put_ids = [&](char what, const auto& ids) {
    for (const auto& id : ids) {
      record += what;
      format::put_id(record, id);
    }
  };
  put_ids('E', change.replaced);
  for (const auto& kept : change.kept) {
    record += 'K';
    format::put_document(record, kept);
  }
  put_ids('R', change.renewed);
  put_ids('E', change.gone);
  log.append(record);
}

/// The base class of a durable_deduplicator. If `Form` is not a saved_deduplicator, the base class is deduplicator<>, so
/// that the compiler prints little more than the static_assert of durable_deduplicator.
template <class Form>
using saved_or_default = std::conditional_t<saved_deduplicator<Form>, Form, deduplicator<>>;

}  // namespace detail

/// A durable deduplicator, fingerprint_deduplicator or stream_deduplicator. Every change is on the disk before the call
/// returns. The state is in a file, as save() writes it. The log PATH.log has the changes since the file was written. A
/// batch is one change.
///
/// After a crash, the next process finds all changes whose calls had returned, and perhaps also the change that was in
/// progress. Only one object at a time may use a path. A file_lock prevents a second object.
/// Guarantee: strong, in memory and on the disk, with one exception: a stream_deduplicator may have removed documents
/// that are too old or exceed its limits. If save() fails, or if an error of the log cannot be undone, further changes
/// throw until save() succeeds. In a forked process, all changes throw.
/// This class has the members of Deduplicator. Members that change something may also throw std::runtime_error, whose
/// message names the log. A batch is either wholly on the disk or not at all, and the call waits for the disk once. A
/// stream_deduplicator with `max_bytes` may split the batch into pieces of at most max_piece() documents. Each piece is
/// then on the disk wholly or not at all, and the call waits for the disk once per piece.
/// Example: `durable_deduplicator dedup("seen.neardup", deduplicator{jaccard{0.8}});`
template <class Form>
class durable_deduplicator : private detail::saved_or_default<Form> {
  using Deduplicator = detail::saved_or_default<Form>;
  using format = detail::deduplicator_format<Deduplicator>;
  static constexpr bool has_times = detail::is_stream_deduplicator<Deduplicator>;

 public:
  using typename Deduplicator::batch_type;
  using typename Deduplicator::describer_type;
  using typename Deduplicator::description_type;
  using typename Deduplicator::id_type;
  using typename Deduplicator::kept_type;
  using typename Deduplicator::verdict_type;
  using typename Deduplicator::workspace;

  /// Opens the state at `path`. If there is no file, `initial` is written to a new file. `made_of`: the composition;
  /// the default is composition_of(initial).
  /// Throws: the exceptions of restore(). std::runtime_error if another object uses the file; the message names the
  /// file. std::runtime_error if the log is damaged, or does not belong to the state in the file; the message names the
  /// log. In the last case, the file may be an older copy.
  durable_deduplicator(std::string path, Deduplicator initial)
      : durable_deduplicator(std::move(path), with_composition(std::move(initial))) {}
  durable_deduplicator(std::string path, Deduplicator initial, fingerprint_composition made_of)
      : durable_deduplicator(detail::system_files(), std::move(path), std::move(initial), std::move(made_of)) {}

  // Only tests call this constructor, with their own file operations.
  NEARDUP_COLD durable_deduplicator(detail::file_operations& files, std::string path, Deduplicator initial,
                                    fingerprint_composition made_of);

  using Deduplicator::add;
  using Deduplicator::add_batch;
  using Deduplicator::added;
  using Deduplicator::contains;
  using Deduplicator::describer;
  using Deduplicator::empty;
  using Deduplicator::find;
  using Deduplicator::for_each_kept;
  using Deduplicator::memory_usage;
  using Deduplicator::replace;
  using Deduplicator::size;

  /// Erases a kept document. The change is on the disk when the function returns.
  /// Returns: true if a document with this id was kept.
  /// Throws: std::runtime_error if the log cannot be written; the message names the log. The document is then kept.
  bool erase(id_argument<id_type> id);

  /// Removes documents that are too old or exceed max_bytes; see stream_deduplicator::expire(). The change is on the
  /// disk when the function returns.
  void expire(time_argument now) requires has_times { Deduplicator::expire(now); }

  /// Writes the state to the file, and begins a new log. So the next start has fewer changes to replay.
  /// Throws: std::runtime_error if the file cannot be written; the message names the file. std::bad_alloc.
  void save() { writer_->log.save(*this); }

  /// Returns the deduplicator that this object wraps, so that you can read the deduplicator's options and documents.
  [[nodiscard]] const Deduplicator& get() const noexcept { return *this; }

 private:
  struct described_form {
    fingerprint_composition made_of;
    Deduplicator initial;
  };
  static described_form with_composition(Deduplicator initial) { return {composition_of(initial), std::move(initial)}; }
  durable_deduplicator(std::string path, described_form form)
      : durable_deduplicator(std::move(path), std::move(form.initial), std::move(form.made_of)) {}

  friend class journal;

  journaled_file read(const std::string& path) { return detail::read_deduplicator(path, inner(), made_of_); }
  std::uint64_t write(const std::string& path, const std::optional<log_extent>& log) {
    return detail::write_deduplicator(writer_->log.files(), path, get(), made_of_, log);
  }
  // Applies a record of the log to the deduplicator.
  bool replay(std::string_view record);

  Deduplicator& inner() noexcept { return *this; }

  bool is_erased(detail::byte_span bytes, std::size_t& position) {
    const auto id = format::get_id(bytes, position);
    return id && Deduplicator::erase(*id);
  }
  bool is_renewed(detail::byte_span bytes, std::size_t& position, [[maybe_unused]] std::uint64_t time) {
    if constexpr (has_times) {
      const auto id = format::get_id(bytes, position);
      return id && Deduplicator::renew(*id, time);
    } else {
      static_cast<void>(bytes), static_cast<void>(position);
      detail::refuse_times(writer_->log.log_path());
    }
  }

  std::unique_ptr<detail::change_writer<Deduplicator>> writer_;
  fingerprint_composition made_of_;

  // The static_assert is last, because clang skips the members after a failed static_assert.
  static_assert(saved_deduplicator<Form>,
                "neardup: a durable_deduplicator has a deduplicator or a stream_deduplicator in it: write "
                "durable_deduplicator{path, deduplicator{jaccard{0.8}}}; guarded goes around it: "
                "guarded<durable_deduplicator<...>>");
};

template <class Form>
durable_deduplicator(std::string, Form) -> durable_deduplicator<Form>;
template <class Form>
durable_deduplicator(std::string, Form, fingerprint_composition) -> durable_deduplicator<Form>;

template <class Form>
durable_deduplicator<Form>::durable_deduplicator(detail::file_operations& files, std::string path, Deduplicator initial,
                                                 fingerprint_composition made_of)
    : Deduplicator(std::move(initial)),
      writer_(std::make_unique<detail::change_writer<Deduplicator>>(files, path)),
      made_of_(std::move(made_of)) {
  writer_->log.open(*this);
  this->commit_to(writer_.get());
}

template <class Form>
bool durable_deduplicator<Form>::erase(id_argument<id_type> id) {
  if (!contains(id)) return false;
  std::string payload("E");
  format::put_id(payload, id);
  writer_->log.append(payload);
  return Deduplicator::erase(id);
}

template <class Form>
bool durable_deduplicator<Form>::replay(std::string_view record) {
  const detail::byte_span bytes = detail::to_bytes(record);
  if (bytes.empty()) return false;
  const auto what = static_cast<char>(bytes[0]);
  const std::uint64_t before = added();
  std::size_t position = 1;
  if (what == 'D' && bytes.size() == 1) {
    this->count(1);
    return true;
  }
  if (what == 'K') {
    return format::keep_document(inner(), bytes, position, 0) && position == bytes.size() && added() == before + 1;
  }
  if (what == 'E') return is_erased(bytes, position) && position == bytes.size();
  if (what != 'S' || bytes.size() < 17) return false;
  const auto time = detail::get<std::uint64_t>(bytes, 1), added_then = detail::get<std::uint64_t>(bytes, 9);
  if (!has_times && time != 0) detail::refuse_times(writer_->log.log_path());
  for (position = 17; position < bytes.size();) {
    switch (static_cast<char>(bytes[position++])) {
      case 'E':
        if (!is_erased(bytes, position)) return false;
        break;
      case 'K':
        if (!format::keep_document(inner(), bytes, position, time)) return false;
        break;
      case 'R':
        if (!is_renewed(bytes, position, time)) return false;
        break;
      default: return false;
    }
  }
  if (added() > added_then) return false;
  this->count(added_then - added());
  return true;
}

#if defined(NEARDUP_COMPILED)
#define NEARDUP_DURABLE(Plain, Id)                                                                       \
  NEARDUP_STORAGE_TEMPLATE durable_deduplicator<Plain<Id>>::durable_deduplicator(                        \
      detail::file_operations&, std::string, Plain<Id>, fingerprint_composition);                        \
  NEARDUP_STORAGE_TEMPLATE void detail::change_writer<Plain<Id>>::commit(const Plain<Id>::change_type&); \
  NEARDUP_STORAGE_TEMPLATE bool durable_deduplicator<Plain<Id>>::erase(id_argument<Id>);                 \
  NEARDUP_STORAGE_TEMPLATE bool durable_deduplicator<Plain<Id>>::replay(std::string_view);
NEARDUP_DURABLE(detail::default_deduplicator, std::uint32_t)
NEARDUP_DURABLE(detail::default_deduplicator, std::string)
#undef NEARDUP_DURABLE
#endif

}  // namespace neardup::inline v0
