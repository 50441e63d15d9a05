// SPDX-License-Identifier: MIT
// Persistent deduplicators: saving, restoring, and a log of the changes since the last save.
#pragma once

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
#include "engine/append_log.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "file_lock.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class T>
inline constexpr bool is_stream_deduplicator = false;
template <class Deduplicator>
inline constexpr bool is_stream_deduplicator<stream_deduplicator<Deduplicator>> = true;

/// A type that can be saved and logged: a deduplicator, or a stream_deduplicator, whose documents have times.
template <class T>
concept saved_deduplicator = is_deduplicator<T> || is_stream_deduplicator<T>;

/// A fixed text. Files identify the tokenizer, hasher, seed and check of a deduplicator by the fingerprint and the
/// features of this text.
inline constexpr std::string_view deduplicator_probe =
    "A text of Words, words and 1234 numbers; \xe6\x96\x87\xe5\xad\x97 \xc3\x84pfel. It is here to tell checks "
    "apart.";

/// The number of bits of the fingerprints of a description; 0 if it has none.
template <class Description>
inline constexpr std::size_t bits_of_description = [] {
  using fingerprint_type = typename Description::fingerprint_type;
  if constexpr (std::is_void_v<fingerprint_type>) {
    return std::size_t{0};
  } else {
    return fingerprint_type::bits;
  }
}();

/// The distance in the options of a deduplicator that compares sets. Earlier versions wrote larger numbers there.
inline constexpr std::uint32_t distance_of_sets = 0xfffffffd;

/// Returns true if the options of a file are those of a deduplicator of the other class: with fingerprints in place of
/// sets, or the other way round.
inline bool is_of_other_class(bool is_exact, byte_span of_file) {
  return (get<std::uint32_t>(of_file, 0) == distance_of_sets) != is_exact;
}

/// Describes how the options of a file differ from those of a deduplicator, as "WHAT, not WHAT"; empty if they are
/// equal.
NEARDUP_COLD std::string difference_of_options(bool is_exact, byte_span of_file, std::string_view wanted);

/// Encodes the documents and options of deduplicators for files and logs (docs/format.md).
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

  /// Returns the deduplicator inside of a stream_deduplicator, or the deduplicator itself.
  static const auto& plain(const Form& form) noexcept {
    if constexpr (is_stream_deduplicator<Form>) {
      return form.get();
    } else {
      return form;
    }
  }

  /// Encodes the options and types:
  ///
  ///   bytes 0..3    the distance, or 2^32 - 3 if sets of features are compared
  ///   byte 4        the check: 0 none, 1 a callable, 2 of features by Jaccard, 3 of features by cosine
  ///   bytes 5..7    the size of a feature; the form of an id; the size of an id
  ///   bytes 8..15   min_tokens; if sets of features are compared, the least overlap, or 0 if that is 1
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
      min_count = least.min_common == 1 ? 0 : least.min_common;  // both mean the same
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

  /// Describes how the options of a file differ from those of a deduplicator, as "WHAT, not WHAT". Empty if they are
  /// equal.
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
  /// Reads the id at `position`, and advances `position` past it.
  /// Returns: nullopt if the id is truncated.
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

  /// Appends a document: serial number, digest, number of features, is_short, fingerprint, id, features. If sets of
  /// features are compared, digest, is_short and fingerprint are left out.
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

  /// Reads the document at `position`, advances `position` past it, and keeps the document in `form`.
  /// Returns: false if the document is invalid, or does not follow the documents before it.
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

  /// Encodes the times of a stream: the position in all_documents() and the time of each document, in the order in
  /// which documents will be removed.
  static std::string all_times(const Form& form) {
    std::string bytes;
    if constexpr (is_stream_deduplicator<Form>) {
      std::unordered_map<std::uint64_t, std::uint64_t> positions;  // by serial number: the position in all_documents()
      form.get().for_each_kept([&](const kept_type& kept) { positions.emplace(kept.serial, positions.size()); });
      form.for_each_kept([&](const kept_type& kept) {
        put(bytes, positions.at(kept.serial));
        put(bytes, kept.time);
      });
    }
    return bytes;
  }
  /// Sets the times of the kept documents.
  /// Returns: false if `bytes` does not have exactly one time for each document.
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

  /// Returns a number that identifies the tokenizers, hashers and seeds of the fingerprint and of the check: a checksum
  /// of their results for deduplicator_probe.
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

/// Returns the composition, with `kind` set to the kind of the fingerprints of Form, or to the default if there are
/// none.
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

/// The state of a deduplicator in a file.
struct deduplicator_state {
  std::uint64_t number = 0;               ///< identifies the state; a log contains the number of its state
  std::optional<append_log::extent> log;  ///< the log that was merged into the file when it was written
};

/// Writes a deduplicator to a file.
/// Returns: the number of the written state.
template <saved_deduplicator Form>
std::uint64_t write_deduplicator(file_operations& files, const std::string& path, const Form& form,
                                 const fingerprint_composition& made_of,
                                 std::optional<append_log::extent> log = std::nullopt) {
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

/// A deduplicator without times would forget them, and the file could not be opened as a stream again.
[[noreturn]] inline void refuse_times(const std::string& path) {
  fail<std::invalid_argument>({path,
                               ": saved by a stream_deduplicator, with the times of its documents; open it with a "
                               "stream_deduplicator, whose limits may be others, or none"});
}

/// Reads a file into an empty deduplicator.
/// Returns: the state that was read.
template <saved_deduplicator Form>
deduplicator_state read_deduplicator(const std::string& path, Form& form, const fingerprint_composition& made_of) {
  using format = deduplicator_format<Form>;
  if (form.added() != 0) fail<std::invalid_argument>("restore: the deduplicator has documents already");
  const mapped_file mapped(path);
  const container file(mapped.bytes(), path, file_content::deduplicator);
  file.check_sections();
  const byte_span options = file.find(section_tag::options), documents = file.find(section_tag::documents),
                  times = file.find(section_tag::times);
  const std::size_t expected_sections = 1 + (documents.empty() ? 0U : 1U) + (times.empty() ? 0U : 1U);
  if ((options.size() != 40 && options.size() != 56) || file.sections().size() != expected_sections) {
    file.refuse("the sections do not fit each other");
  }
  if (get<std::uint32_t>(options, 0) > distance_of_sets) {
    fail<std::invalid_argument>(
        {path, ": saved with an exact comparison by an earlier version; add its documents to a new one"});
  }
  if (is_of_other_class(deduplicator_format<Form>::is_exact, options)) {
    fail<std::invalid_argument>({path, ": saved with ", format::difference(form, options.first(32))});
  }
  fingerprint_composition expected = composition_for<Form>(made_of);
  // Earlier versions wrote "simhash" by default, whatever the kind was. The options show the true kind.
  if (file.header().made_of.kind == fingerprint_kind::simhash) expected.kind = fingerprint_kind::simhash;
  file.check_composition(expected);
  if (file.header().bits != bits_of_description<typename Form::description_type>) {
    file.refuse("the sections do not fit each other");
  }
  if (const std::string other = format::difference(form, options.first(32)); !other.empty()) {
    fail<std::invalid_argument>({path, ": saved with ", other});
  }
  if (!times.empty() && !is_stream_deduplicator<Form>) refuse_times(path);
  // If this throws, `form` has some documents. It is a copy, so the caller's deduplicator stays empty.
  std::size_t position = 0;
  while (position < documents.size()) {
    if (!format::keep_document(form, documents, position, 0)) file.refuse("a document is damaged");
  }
  const auto added = get<std::uint64_t>(options, 32);
  if (form.size() != file.header().count || form.added() > added) file.refuse("a document is damaged");
  if (!times.empty() && !format::set_times(form, times)) file.refuse("the times of the documents are damaged");
  form.count(added - form.added());
  deduplicator_state state{file.checksum(), std::nullopt};
  if (options.size() > 40) state.log = {get<std::uint64_t>(options, 40), get<std::uint64_t>(options, 48)};
  return state;
}

/// Reads a file into an empty deduplicator.
/// Throws: std::runtime_error if a log with changes is beside the file.
template <saved_deduplicator Form>
void restore_into(const std::string& path, Form& form, const fingerprint_composition& made_of) {
  const auto state = read_deduplicator(path, form, made_of);
  append_log::refuse_changes_beside(path, state.number);
}

}  // namespace detail

/// Returns the composition of the features or the fingerprints that a deduplicator compares. If a part is a callable of
/// yours without a description(), fill in a fingerprint_composition yourself.
template <class Features, class Id>
[[nodiscard]] fingerprint_composition composition_of(const deduplicator<Features, Id>& dedup) {
  return composition_of(dedup.describer()->check());
}
template <class Hasher, class Check, class Id>
[[nodiscard]] fingerprint_composition composition_of(const fingerprint_deduplicator<Hasher, Check, Id>& dedup) {
  return composition_of(dedup.describer()->hash());
}
template <class Deduplicator>
[[nodiscard]] fingerprint_composition composition_of(const stream_deduplicator<Deduplicator>& dedup) {
  return composition_of(dedup.get());
}

/// Writes a deduplicator to a file, atomically and durably. A crash leaves the old file or the new one. When the
/// function returns, the new file is on the disk. A stream_deduplicator is saved with its times. `made_of`:
/// composition_of(dedup) if it is not given.
/// Throws: std::runtime_error, which names the file; std::bad_alloc.
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
template <class Features, class Id>
void save(const std::string& path, const deduplicator<Features, Id>& dedup) {
  save(path, dedup, composition_of(dedup));
}
template <class Hasher, class Check, class Id>
void save(const std::string& path, const fingerprint_deduplicator<Hasher, Check, Id>& dedup) {
  save(path, dedup, composition_of(dedup));
}
template <class Deduplicator>
void save(const std::string& path, const stream_deduplicator<Deduplicator>& dedup) {
  save(path, dedup, composition_of(dedup));
}

/// Restores a saved deduplicator, which continues where the saved one stopped. `made_of`: composition_of(empty) if it
/// is not given. A stream restored from a deduplicator without times gives its documents time 0.
/// Precondition: `empty` has no documents, and the same parts and options as the saved deduplicator. Only the limits of
/// a stream may differ.
/// Throws: std::runtime_error, which names the file, if it is damaged, or if a durable_deduplicator has made later
/// changes, which are in its log; std::invalid_argument if parts or options differ; std::bad_alloc.
template <class Features, class Id>
[[nodiscard]] deduplicator<Features, Id> restore(const std::string& path, deduplicator<Features, Id> empty,
                                                 const fingerprint_composition& made_of) {
  detail::restore_into(path, empty, made_of);
  return empty;
}
template <class Hasher, class Check, class Id>
[[nodiscard]] fingerprint_deduplicator<Hasher, Check, Id> restore(const std::string& path,
                                                                  fingerprint_deduplicator<Hasher, Check, Id> empty,
                                                                  const fingerprint_composition& made_of) {
  detail::restore_into(path, empty, made_of);
  return empty;
}
template <class Deduplicator>
[[nodiscard]] stream_deduplicator<Deduplicator> restore(const std::string& path,
                                                        stream_deduplicator<Deduplicator> empty,
                                                        const fingerprint_composition& made_of) {
  detail::restore_into(path, empty, made_of);
  return empty;
}
template <class Features, class Id>
[[nodiscard]] deduplicator<Features, Id> restore(const std::string& path, deduplicator<Features, Id> empty) {
  detail::restore_into(path, empty, composition_of(empty));
  return empty;
}
template <class Hasher, class Check, class Id>
[[nodiscard]] fingerprint_deduplicator<Hasher, Check, Id> restore(const std::string& path,
                                                                  fingerprint_deduplicator<Hasher, Check, Id> empty) {
  detail::restore_into(path, empty, composition_of(empty));
  return empty;
}
template <class Deduplicator>
[[nodiscard]] stream_deduplicator<Deduplicator> restore(const std::string& path,
                                                        stream_deduplicator<Deduplicator> empty) {
  detail::restore_into(path, empty, composition_of(empty));
  return empty;
}

/// A durable deduplicator, fingerprint_deduplicator or stream_deduplicator: every change is on the disk before the call
/// returns. The state is a file, as save() writes it. Beside it a log, PATH.log, has the changes since the file was
/// written. A batch is one change.
///
/// After a crash, the next process finds all acknowledged changes, and perhaps the one in progress. Only one object at
/// a time may use a path; a file_lock refuses a second object.
/// Guarantee: strong, in memory and on the disk, except that a stream may have removed documents that are too old or
/// exceed its limits. If save() fails, or an error of the log cannot be undone, further changes throw until save()
/// succeeds. In a forked process all changes throw.
/// Example: `durable_deduplicator dedup("seen.neardup", deduplicator{jaccard{0.8}});`
template <class Deduplicator>
class durable_deduplicator {
  static_assert(
      detail::saved_deduplicator<Deduplicator>,
      "neardup: a durable_deduplicator has a deduplicator or a stream_deduplicator in it; guarded goes around "
      "it: guarded<durable_deduplicator<...>>");
  using format = detail::deduplicator_format<Deduplicator>;
  static constexpr bool has_times = detail::is_stream_deduplicator<Deduplicator>;

 public:
  using id_type = typename Deduplicator::id_type;
  using verdict_type = typename Deduplicator::verdict_type;
  using describer_type = typename Deduplicator::describer_type;
  using description_type = typename Deduplicator::description_type;
  using batch_type = typename Deduplicator::batch_type;
  using kept_type = typename Deduplicator::kept_type;
  using workspace = typename Deduplicator::workspace;
  using arrival_type = std::conditional_t<has_times, arrival, void>;

  /// Opens the state at `path`. If there is no file, writes `empty` there. `made_of`: composition_of(empty) if it is
  /// not given.
  /// Throws: the exceptions of restore(); std::runtime_error, which names the file, if another object uses it;
  /// std::runtime_error, which names the log, if the log is damaged, or follows another state than that of the file. In
  /// the second case the file may be an older copy.
  durable_deduplicator(std::string path, Deduplicator empty)
      : durable_deduplicator(std::move(path), with_composition(std::move(empty))) {}
  durable_deduplicator(std::string path, Deduplicator empty, fingerprint_composition made_of)
      : durable_deduplicator(detail::system_files(), std::move(path), std::move(empty), std::move(made_of)) {}

  // Only tests call this constructor, with their own file operations.
  NEARDUP_COLD durable_deduplicator(detail::file_operations& files, std::string path, Deduplicator empty,
                                    fingerprint_composition made_of);

  /// Decides about a document, and keeps it durably if it is new and comparable; see deduplicator::add.
  /// Throws: the exceptions of deduplicator::add; std::runtime_error, which names the log.
  verdict_type add(std::string_view text, id_argument<id_type> id);
  verdict_type add(std::string_view text, id_argument<id_type> id,
                   std::optional<time_argument> now) requires has_times {
    return add(dedup_.describe(text, scratch_), id, now);
  }
  verdict_type add(std::string_view text) requires(!has_times && counting_id<id_type>) {
    return add(text, dedup_.next_id());
  }
  verdict_type add(const description_type& document, id_argument<id_type> id);
  verdict_type add(const description_type& document, id_argument<id_type> id,
                   std::optional<time_argument> now) requires has_times {
    return dedup_.add(document, id, now, put_down());
  }

  /// Removes the document that is kept under this id, if any, then adds the new one, durably; see
  /// deduplicator::replace.
  /// Throws: the exceptions of deduplicator::replace; std::runtime_error, which names the log.
  verdict_type replace(std::string_view text, id_argument<id_type> id) {
    return replace(dedup_.describe(text, scratch_), id);
  }
  verdict_type replace(std::string_view text, id_argument<id_type> id,
                       std::optional<time_argument> now) requires has_times {
    return replace(dedup_.describe(text, scratch_), id, now);
  }
  verdict_type replace(const description_type& document, id_argument<id_type> id);
  verdict_type replace(const description_type& document, id_argument<id_type> id,
                       std::optional<time_argument> now) requires has_times {
    return dedup_.replace(document, id, now, put_down());
  }

  /// Decides about many documents in order; see deduplicator::add_batch. The batch is on the disk as a whole or not at
  /// all. The call waits for the disk once. With max_bytes, this holds for each piece of the batch
  /// (stream_deduplicator::max_piece).
  /// Throws: the exceptions of deduplicator::add_batch; std::runtime_error, which names the log; std::length_error if
  /// the kept documents of the batch take 4 GiB.
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, std::span<const id_type> ids,
                                      const any_runner& run = {}) requires(!has_times) {
    return add_described(dedup_.describe_batch(texts, run, scratch_), ids, run, {});
  }
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, std::span<const id_type> ids, const any_runner& run = {},
                                      const arrival& at = {}) requires has_times {
    return add_described(dedup_.describe_batch(texts, run, scratch_), ids, run, at);
  }
  std::vector<verdict_type> add_batch(const batch_type& batch, std::span<const id_type> ids,
                                      const any_runner& run = {}) requires(!has_times) {
    return add_described(batch, ids, run, {});
  }
  std::vector<verdict_type> add_batch(const batch_type& batch, std::span<const id_type> ids, const any_runner& run = {},
                                      const arrival& at = {}) requires has_times {
    return add_described(batch, ids, run, at);
  }

  /// Erases a kept document, durably.
  /// Returns: true if a document with this id was kept.
  /// Throws: std::runtime_error, which names the log; the document is still kept then.
  bool erase(id_argument<id_type> id);

  /// Removes documents that are too old or exceed max_bytes, durably; see stream_deduplicator::expire.
  void expire(time_argument now) requires has_times { dedup_.expire(now, put_down()); }

  /// Writes the state to the file, and begins a new log, so that the next start replays less.
  /// Throws: std::runtime_error, which names the file; std::bad_alloc.
  void save();

  // The following members call the members of Deduplicator with the same names.
  [[nodiscard]] verdict_type find(std::string_view text) const { return dedup_.find(text); }
  [[nodiscard]] verdict_type find(std::string_view text, workspace& scratch) const {
    return dedup_.find(text, scratch);
  }
  [[nodiscard]] verdict_type find(const description_type& document, workspace& scratch) const {
    return dedup_.find(document, scratch);
  }
  [[nodiscard]] bool contains(id_argument<id_type> id) const noexcept { return dedup_.contains(id); }
  [[nodiscard]] std::size_t size() const noexcept { return dedup_.size(); }
  [[nodiscard]] bool empty() const noexcept { return dedup_.empty(); }
  [[nodiscard]] std::uint64_t added() const noexcept { return dedup_.added(); }
  template <class Visit>
  void for_each_kept(Visit&& visit) const {
    dedup_.for_each_kept(std::forward<Visit>(visit));
  }
  [[nodiscard]] const auto& describer() const noexcept { return dedup_.describer(); }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return dedup_.memory_usage(); }

  /// Returns the inner deduplicator, to read its options and documents.
  [[nodiscard]] const Deduplicator& get() const noexcept { return dedup_; }

 private:
  struct described_form {
    fingerprint_composition made_of;
    Deduplicator empty;
  };
  static described_form with_composition(Deduplicator empty) { return {composition_of(empty), std::move(empty)}; }
  durable_deduplicator(std::string path, described_form form)
      : durable_deduplicator(std::move(path), std::move(form.empty), std::move(form.made_of)) {}

  [[nodiscard]] std::string log_path() const { return path_ + ".log"; }

  [[nodiscard]] bool is_there(const std::string& path) const {
    if (const auto there = files_->type_of(path)) return *there != detail::file_type::none;
    detail::fail_with_errno("open", path);
  }

  [[noreturn]] void refuse_log(const char* what) const {
    detail::fail<std::runtime_error>({log_path(), ": it follows another file than ", path_, " (", what,
                                      "); put that file back, or move the log away"});
  }

  std::vector<verdict_type> add_described(const batch_type& batch, std::span<const id_type> ids, const any_runner& run,
                                          [[maybe_unused]] const arrival& at);

  /// Returns the `commit` callback, which writes a change to the log.
  auto put_down() {
    return [this](const auto& change) { log_.append(record_of(change)); };
  }

  template <class Change>
  std::string record_of(const Change& change) const {
    std::string record;
    const bool adds_one = change.verdicts.size() == 1 && change.replaced.empty();
    if (!has_times && adds_one && change.kept.empty()) return "D";
    if (!has_times && adds_one) {
      record = "K";
      format::put_document(record, change.kept.front());
      return record;
    }
    record = "S";
    detail::put(record, change.time);
    detail::put(record, dedup_.added() + change.verdicts.size());
    const auto put_ids = [&](char what, const auto& ids) {
      for (const id_type& id : ids) {
        record += what;
        format::put_id(record, id);
      }
    };
    put_ids('E', change.replaced);
    for (const kept_type& kept : change.kept) {
      record += 'K';
      format::put_document(record, kept);
    }
    put_ids('R', change.renewed);
    put_ids('E', change.gone);
    return record;
  }

  void replay(std::string_view payload) {
    if (!is_replayed(detail::to_bytes(payload))) {
      detail::fail<std::runtime_error>({log_path(), ": a record does not fit what is before it"});
    }
  }

  // Applies a record of the log.
  // Returns: false if the record is invalid.
  bool is_replayed(detail::byte_span bytes);

  bool is_erased(detail::byte_span bytes, std::size_t& position) {
    const auto id = format::get_id(bytes, position);
    return id && dedup_.erase(*id);
  }
  bool is_renewed(detail::byte_span bytes, std::size_t& position, [[maybe_unused]] std::uint64_t time) {
    if constexpr (has_times) {
      const auto id = format::get_id(bytes, position);
      return id && dedup_.renew(*id, time);
    } else {
      static_cast<void>(bytes), static_cast<void>(position);
      detail::refuse_times(log_path());
    }
  }

  detail::file_operations* files_;
  std::string path_;
  file_lock lock_;
  fingerprint_composition made_of_;
  Deduplicator dedup_;
  detail::append_log log_;
  workspace scratch_;
};

template <class Deduplicator>
durable_deduplicator<Deduplicator>::durable_deduplicator(detail::file_operations& files, std::string path,
                                                         Deduplicator empty, fingerprint_composition made_of)
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
    // An earlier process saved this state, and was stopped before it began a new log. The file contains all changes of
    // the old log.
    log_ = detail::append_log::create(*files_, log_path(), state.number);
  } else if (!has_log) {
    save();
  } else if (!log_state) {
    detail::fail<std::runtime_error>({log_path(), ": ", detail::append_log::problem_of(bytes)});
  } else {
    refuse_log(has_file ? "this is another one" : "there is none");
  }
}

template <class Deduplicator>
auto durable_deduplicator<Deduplicator>::add(std::string_view text, id_argument<id_type> id) -> verdict_type {
  return add(dedup_.describe(text, scratch_), id);
}

template <class Deduplicator>
auto durable_deduplicator<Deduplicator>::add(const description_type& document, id_argument<id_type> id)
    -> verdict_type {
  if constexpr (has_times) {
    return add(document, id, std::nullopt);
  } else {
    return dedup_.add(document, id, put_down());
  }
}

template <class Deduplicator>
auto durable_deduplicator<Deduplicator>::replace(const description_type& document, id_argument<id_type> id)
    -> verdict_type {
  if constexpr (has_times) {
    return replace(document, id, std::nullopt);
  } else {
    return dedup_.replace(document, id, put_down());
  }
}

template <class Deduplicator>
bool durable_deduplicator<Deduplicator>::erase(id_argument<id_type> id) {
  if (!dedup_.contains(id)) return false;
  std::string payload("E");
  format::put_id(payload, id);
  log_.append(payload);
  return dedup_.erase(id);
}

template <class Deduplicator>
void durable_deduplicator<Deduplicator>::save() {
  log_.settle();
  log_.close();
  // Reads the log on the disk to compute its extent, because an earlier save() may have failed before or after it
  // renamed the file.
  std::optional<detail::append_log::extent> log;
  if (is_there(log_path())) {
    const mapped_file mapped(log_path());
    log = detail::append_log::extent_of(detail::to_text(mapped.bytes()));
  }
  const std::uint64_t state = detail::write_deduplicator(*files_, path_, dedup_, made_of_, log);
  log_ = detail::append_log::create(*files_, log_path(), state);
}

template <class Deduplicator>
auto durable_deduplicator<Deduplicator>::add_described(const batch_type& batch, std::span<const id_type> ids,
                                                       const any_runner& run, [[maybe_unused]] const arrival& at)
    -> std::vector<verdict_type> {
  if constexpr (has_times) {
    return dedup_.add_batch(batch, ids, run, at, put_down());
  } else {
    return dedup_.add_batch(batch, ids, run, put_down());
  }
}

template <class Deduplicator>
bool durable_deduplicator<Deduplicator>::is_replayed(detail::byte_span bytes) {
  if (bytes.empty()) return false;
  const auto what = static_cast<char>(bytes[0]);
  const std::uint64_t added = dedup_.added();
  std::size_t position = 1;
  if (what == 'D' && bytes.size() == 1) {
    dedup_.count(1);
    return true;
  }
  if (what == 'K') {
    return format::keep_document(dedup_, bytes, position, 0) && position == bytes.size() && dedup_.added() == added + 1;
  }
  if (what == 'E') return is_erased(bytes, position) && position == bytes.size();
  if (what != 'S' || bytes.size() < 17) return false;
  const auto time = detail::get<std::uint64_t>(bytes, 1), added_then = detail::get<std::uint64_t>(bytes, 9);
  if (!has_times && time != 0) detail::refuse_times(log_path());
  for (position = 17; position < bytes.size();) {
    switch (static_cast<char>(bytes[position++])) {
      case 'E':
        if (!is_erased(bytes, position)) return false;
        break;
      case 'K':
        if (!format::keep_document(dedup_, bytes, position, time)) return false;
        break;
      case 'R':
        if (!is_renewed(bytes, position, time)) return false;
        break;
      default: return false;
    }
  }
  if (dedup_.added() > added_then) return false;
  dedup_.count(added_then - dedup_.added());
  return true;
}

#if defined(NEARDUP_COMPILED)
#define NEARDUP_DURABLE(Plain, Id)                                                                                  \
  NEARDUP_STORAGE_TEMPLATE durable_deduplicator<Plain<Id>>::durable_deduplicator(                                   \
      detail::file_operations&, std::string, Plain<Id>, fingerprint_composition);                                   \
  NEARDUP_STORAGE_TEMPLATE verdict<Id> durable_deduplicator<Plain<Id>>::add(std::string_view, id_argument<Id>);     \
  NEARDUP_STORAGE_TEMPLATE verdict<Id> durable_deduplicator<Plain<Id>>::add(const Plain<Id>::description_type&,     \
                                                                            id_argument<Id>);                       \
  NEARDUP_STORAGE_TEMPLATE verdict<Id> durable_deduplicator<Plain<Id>>::replace(const Plain<Id>::description_type&, \
                                                                                id_argument<Id>);                   \
  NEARDUP_STORAGE_TEMPLATE std::vector<verdict<Id>> durable_deduplicator<Plain<Id>>::add_described(                 \
      const Plain<Id>::batch_type&, std::span<const Id>, const any_runner&, const arrival&);                        \
  NEARDUP_STORAGE_TEMPLATE bool durable_deduplicator<Plain<Id>>::erase(id_argument<Id>);                            \
  NEARDUP_STORAGE_TEMPLATE void durable_deduplicator<Plain<Id>>::save();                                            \
  NEARDUP_STORAGE_TEMPLATE bool durable_deduplicator<Plain<Id>>::is_replayed(detail::byte_span);
NEARDUP_DURABLE(detail::default_deduplicator, std::uint32_t)
NEARDUP_DURABLE(detail::default_deduplicator, std::string)
#undef NEARDUP_DURABLE
#endif

}  // namespace neardup::inline v0
