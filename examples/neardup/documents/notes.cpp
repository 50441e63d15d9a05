#include "notes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/index/recall.hpp>
#include <system_error>

#include "../ground/encoding.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../read/input.hpp"

namespace command {

struct one_text_hint {
  std::array<std::string_view, 2> endings;  ///< endings of file names, or empty
  const char* many;                         ///< the name of such files
  const char *what_reads_one, *what_reads_many;
};

namespace {

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"bytes", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fixed(value, unit == 0 || value >= 99.5 ? 0 : 1) + ' ' + units[unit];
}

/// Returns a duration such as "0:07" or "1:02:03".
std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  const auto two_digits = [](std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::string rest = ':' + two_digits(whole % 60);
  return whole < 3600 ? std::to_string(whole / 60) + rest
                      : std::to_string(whole / 3600) + ':' + two_digits(whole / 60 % 60) + rest;
}

/// Returns the total size of the sources in bytes, or 0 if it is not known without reading them.
std::uint64_t total_size(const std::vector<std::string>& sources) {
  std::uint64_t total = 0;
  for (const std::string& path : sources) {
    std::error_code error;
    const bool is_packed = path.ends_with(".gz") || path.ends_with(".zst");  // progress counts decompressed bytes
    if (is_packed || !std::filesystem::is_regular_file(path, error)) return 0;
    total += std::filesystem::file_size(path, error);
    if (error) return 0;
  }
  return total;
}

constexpr std::array one_text_hints{
    one_text_hint{{},  // files that begin as HTML or XML
                  "pages of HTML or XML",
                  ", with its tags of HTML or XML; take out the text first, for example with trafilatura",
                  ", with their tags of HTML or XML; take out the texts first, for example with trafilatura"},
    one_text_hint{{".jsonl", ".ndjson"},
                  "files of JSON Lines",
                  "; --jsonl reads the records in it",
                  "; --jsonl reads the records in them"},
    one_text_hint{{".csv", ".tsv"},
                  "tables",
                  "; --input-format auto reads the rows in it",
                  "; --input-format auto reads the rows in them"},
    one_text_hint{{".warc", ".wet"},
                  "files of crawls",
                  "; --input-format warc reads the records in it",
                  "; --input-format warc reads the records in them"},
    one_text_hint{{".mbox", ".mbx"},
                  "mail boxes",
                  "; --input-format mail reads the messages in it",
                  "; --input-format mail reads the messages in them"},
    one_text_hint{{".eml"},
                  "messages",
                  ", with its header and in its encoding; --input-format mail reads the text in it",
                  ", with their headers and in their encodings; --input-format mail reads the texts in them"},
    one_text_hint{{".srt", ".vtt"},
                  "files of subtitles",
                  ", with its numbers and times; take out the text first",
                  ", with their numbers and times; take out the texts first"},
    one_text_hint{{}, "", "; if it has records, name their format, such as --input-format csv", ""},  // standard input
};

const one_text_hint* hint_by_name(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  for (const one_text_hint& hint : one_text_hints) {
    for (const std::string_view ending : hint.endings) {
      if (!ending.empty() && name.ends_with(ending)) return &hint;
    }
  }
  return nullptr;
}

}  // namespace

run_notes::run_notes(const input_settings& input, const fingerprint_settings& fingerprint,
                     const comparison_settings& comparison, const std::vector<std::string>& sources, bool quiet)
    : input_(input),
      fingerprint_(fingerprint),
      comparison_(comparison),
      quiet_(quiet),
      bar_(!quiet && is_terminal(stderr)),
      encoding_(input.encoding.empty() ? "UTF-8" : input.encoding),
      weight_(fingerprint.idf_file.empty() ? "" : " of any weight"),
      begin_(std::chrono::steady_clock::now()),
      last_draw_(begin_) {
  if (bar_) total_bytes_ = total_size(sources);
}

run_notes::~run_notes() { clear(); }

void run_notes::bad(const bad_input& input) {
  if (muted_) {
    if (!input_.skip_bad && input.kind == trouble::ends_run) throw input_error(input);
    return;
  }
  if (input.kind == trouble::left_out) {
    ++binary_;
    return;
  }
  if (input.kind == trouble::foreign) return count(foreign_, input.text());
  if (input.unread > 0 && (input_.skip_bad || input.kind == trouble::passed_over)) {
    count(unread_, input.where);
    unread_bytes_ += input.unread;
  }
  // Only the first few bad records are named, because many messages could hide other messages.
  if (input_.skip_bad) return say_first(bad_, 5, "skipped", input.text());
  if (input.kind == trouble::passed_over) return say_first(passed_over_, 20, "skipped", input.text());
  throw input_error(input);
}

void run_notes::say_first(tally& t, std::uint64_t most, const std::string& what, const std::string& text) {
  if (t.count <= most) {
    clear();
    say(t.count < most ? what + ' ' + text : "further input is " + what + ", and not named");
  }
  count(t, text);
}

bool run_notes::note(tally& t, const std::string& where, const std::string& what) {
  if (!input_.strict) {
    if (!muted_) count(t, where);
    return true;
  }
  bad({where, what});
  return false;
}

void run_notes::unknown_charset(const std::string& source, const std::string& label, std::uint64_t documents) {
  constexpr std::size_t most = 20;
  if (muted_) return;
  const std::string what = source + ": the unknown charset '" + printable(label) + '\'';
  const auto found = std::find_if(unknown_charsets_.begin(), unknown_charsets_.end(),
                                  [&](const auto& one) { return one.first == what; });
  if (found != unknown_charsets_.end()) {
    found->second += documents;
  } else if (unknown_charsets_.size() < most) {
    unknown_charsets_.emplace_back(what, documents);
  } else {
    further_unknown_ += documents;
  }
}

bool run_notes::ill_formed(const std::string& where, const source& from, std::string_view charset) {
  // Each part of a crawl or a mail may name its own encoding, so the note has `charset`, not the encoding of the input.
  const bool has_own = is_of_mail(from.unit) || (from.unit == unit_of_input::warc && input_.encoding.empty());
  const std::string encoding = from.utf16 ? "UTF-16"
                               : has_own  ? (charset.empty() ? "text" : std::string(charset))
                                          : encoding_;
  return note(ill_formed_[encoding], where, "not well-formed " + encoding);
}

void run_notes::read_as_one_text(const std::string& path, bool is_html) {
  if (muted_) return;
  if (is_html) return count(as_one_text_[&one_text_hints.front()], path == "-" ? "standard input" : path);
  if (path == "-" && input_.unit == unit_of_input::automatic) {
    return count(as_one_text_[&one_text_hints.back()], "standard input");
  }
  if (const one_text_hint* const hint = hint_by_name(path)) count(as_one_text_[hint], path);
}

bool run_notes::repeats_id(std::string_view id, const source& from, std::uint64_t line) {
  if (muted_ || ids_.insert(neardup::xxh3<64>{}(id))) return false;
  if (repeated_ids_++ == 0) first_repeated_ = '"' + std::string(id) + "\" in " + from.where(line);
  return true;
}

void run_notes::knows_id(std::string_view id) { static_cast<void>(ids_.insert(neardup::xxh3<64>{}(id))); }

void run_notes::advance(std::uint64_t documents, std::uint64_t bytes) {
  if (muted_) return;
  documents_ += documents;
  bytes_ += bytes;
  if (!bar_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(bytes_) / seconds);
  std::string line;
  if (total_bytes_ > 0) {
    const std::uint64_t percent = std::min<std::uint64_t>(100, bytes_ * 100 / total_bytes_);
    constexpr std::size_t width = 24;
    const std::size_t full = static_cast<std::size_t>(percent) * width / 100;
    line = '[' + std::string(full, '#') + std::string(width - full, '.') + "] " + std::to_string(percent) + " %  ";
  }
  line += counted(documents_, "document", "documents") + ", " + size_text(bytes_) + ", " + size_text(rate) + "/s";
  // In the first half second, the rate is too inexact for an estimate.
  if (total_bytes_ > bytes_ && bytes_ > 0 && seconds > 0.5) {
    line += ", " + duration_text(seconds * static_cast<double>(total_bytes_ - bytes_) / static_cast<double>(bytes_)) +
            " left";
  }
  draw(line);
}

void run_notes::compare_texts(std::size_t done, std::size_t all, bool meets_all) {
  constexpr std::size_t many = 5000;
  const auto now = std::chrono::steady_clock::now();
  if (quiet_) return;
  if (done == 0) {
    comparison_begin_ = now;
    has_said_time_ = false;
    if (meets_all && all > many && !std::exchange(has_said_square_, true)) {
      clear();
      say("--check edit compares each of " + grouped(all) +
          " texts with all of a similar length: the time grows with the square of this number");
    }
  }
  const double seconds = std::chrono::duration<double>(now - comparison_begin_).count();
  const bool draws = bar_ && now - last_draw_ >= std::chrono::milliseconds(100);
  const bool says = !bar_ && !has_said_time_ && seconds > 10;
  if (done == 0 || done == all || !(draws || says)) return;
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const std::string left = duration_text(seconds * (1 / (share * share) - 1)) + " left";
  const std::string text = "comparing texts: " + grouped(done) + " of " + counted(all, "document", "documents");
  if (draws) {
    last_draw_ = now;
    // In the first half second, the estimate is too inexact.
    draw(text + (seconds > 0.5 ? ", " + left : ""));
  } else {
    has_said_time_ = true;
    say(text + " after " + duration_text(seconds) + ", about " + left);
  }
}

void run_notes::phase(const std::string& what) {
  if (bar_) draw(what + " …");
}

void run_notes::draw(const std::string& line) {
  // "\r" returns to the beginning of the line, and "\x1b[K" erases the rest of a longer, older text.
  const std::string text = "\r" + line + "\x1b[K";
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  std::fflush(stderr);
  drawn_ = true;
}

void run_notes::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

std::optional<std::string> run_notes::note_on_short_texts() const {
  constexpr std::uint64_t few_documents = 20;
  const double similarity = comparison_.min_similarity.value_or(0);
  if (!comparison_.checks_jaccard() || fingerprint_.are_given || similarity <= 0 || similarity >= 1)
    return std::nullopt;
  using enum neardup::feature_kind;
  const feature_setting& features = comparison_.check_features;
  const auto kind = features.choice.kind;
  if (kind == longest_sentences) return std::nullopt;  // their number does not depend on the text's length
  const std::size_t changed = features.needs_dictionary() ? 1 : features.choice.size;
  const std::size_t enough = neardup::features_to_bear(changed, similarity);
  std::uint64_t all = 0, too_short = 0;
  for (std::size_t count = 0; count < with_features_.size(); ++count) {
    all += with_features_[count];
    too_short += count < enough ? with_features_[count] : 0;
  }
  if (all < few_documents || 2 * too_short < all || enough >= with_features_.size()) return std::nullopt;
  std::size_t median = 0;
  for (std::uint64_t seen = 0; 2 * seen < all; ++median) seen += with_features_[median];
  --median;

  const bool is_of_characters = kind == chars || kind == bytes || kind == canonical_chars || kind == letters;
  std::string text = grouped(too_short) + " of " + counted(all, "document has", "documents have") + " fewer than " +
                     std::to_string(enough) + " features: one " + (is_of_characters ? "character" : "word") +
                     " changed makes their similarity less than " + number(similarity);
  if (comparison_.is_bound_to_index) return text;
  std::string hint;
  const double borne =
      median > changed ? static_cast<double>(median - changed) / static_cast<double>(median + changed) : 0;
  const auto similarity_text = [](double value) { return "--similarity " + fixed(std::floor(value * 10) / 10, 1); };
  if (borne >= 0.3) hint = similarity_text(borne);
  if (!is_of_characters) {
    const std::size_t words = median + changed - 1;
    if (words < 4) {
      hint = "--check edit";  // a replaced word is at least half of the union of the words
    } else if (changed > 1) {
      neardup::feature_choice single = features.choice;
      single.size = 1;
      hint += std::string(hint.empty() ? "" : ", or ") + "--check-features " + neardup::to_string(single) + ' ' +
              similarity_text(static_cast<double>(words - 1) / static_cast<double>(words + 1));
    }
  }
  return hint.empty() ? text : text + "; for such short texts, try " + hint;
}

std::optional<std::string> run_notes::note_on_spelling() const {
  if (!fingerprint_.spelling || comparison_.is_bound_to_index) return std::nullopt;
  const std::uint64_t seen = fingerprint_.spelling->seen, changed = fingerprint_.spelling->changed;
  if (20 * changed <= seen) return std::nullopt;  // at most 5 %
  neardup::feature_choice canonical = fingerprint_.features.choice;
  canonical.kind = canonical.kind == neardup::feature_kind::chars ? neardup::feature_kind::canonical_chars
                                                                  : neardup::feature_kind::canonical_words;
  return grouped(changed) + " of the first " + counted(seen, "document has", "documents have") +
         " characters that can be spelt otherwise (accents, forms of letters, words cut at line ends …): --features " +
         neardup::to_string(canonical) + " treats the spellings as equal";
}

void run_notes::finish(const std::string& summary, const source_walker& sources, std::uint64_t against) {
  clear();
  const auto note = [](std::uint64_t count, const std::string& one, const std::string& many, const std::string& rest) {
    if (count > 0) say(counted(count, one, many) + rest);
  };
  const auto example = [](const tally& t) { return (t.count == 1 ? " (" : " (the first: ") + t.first + ")"; };
  if (!quiet_) {
    say(summary);
    if (documents_ == against) say("there were no documents in the input");
    for (const auto& [encoding, found] : ill_formed_) {
      note(found.count, "document is not well-formed " + encoding, "documents are not well-formed " + encoding,
           example(found) + "; ill-formed bytes read as U+FFFD");
    }
    if (const auto likely = input_.encoding.empty() ? likely_encoding(sample_) : std::nullopt) {
      say("the ill-formed bytes look like " + *likely + "; --encoding " + *likely + " reads all documents so");
    }
    note(without_tokens_.count, "document has no tokens", "documents have no tokens",
         weight_ + example(without_tokens_) + " and cannot be compared");
    if (const auto short_texts = note_on_short_texts()) say(*short_texts);
    if (const auto spelling = note_on_spelling()) say(*spelling);
    if (fingerprint_.met_term && !*fingerprint_.met_term && documents_ > without_tokens_.count) {
      say("no feature of the documents is a term in " + fingerprint_.idf_file +
          ": each has the median weight; 'neardup tokens' lists features");
    }
    for (const one_text_hint& hint : one_text_hints) {
      const auto found = as_one_text_.find(&hint);
      if (found == as_one_text_.end()) continue;
      if (found->second.count == 1) {
        say(found->second.first + " was read as one text" + hint.what_reads_one);
      } else {
        note(found->second.count, "", hint.many,
             " were read as one text each" + example(found->second) + hint.what_reads_many);
      }
    }
    note(without_line_ends_.count, "source is one line with carriage returns in it",
         "sources are one line each with carriage returns in it", example(without_line_ends_) + hint_at_returns);
    const std::string read_as = input_.encoding.empty() ? "UTF-8" : input_.encoding;
    for (const auto& [what, count] : unknown_charsets_) {
      std::string line = what;
      say(line.append(" of ").append(counted(count, "record", "records")).append(" is read as ").append(read_as));
    }
    note(further_unknown_, "record", "records", " of other sources or charsets, unknown as well");
    note(undecoded_.count, "mail has a part", "mails have parts",
         std::string(" that cannot be decoded, and ") +
             (undecoded_.count == 1 ? "is read as it stands" : "are read as they stand") + example(undecoded_));
    note(attachments_.count, "mail has attachments", "mails have attachments",
         ", which are not compared" + example(attachments_));
    note(repeated_ids_, "document has the id of an earlier document", "documents have ids of earlier documents",
         (repeated_ids_ == 1 ? " (" : " (the first: ") + first_repeated_ + ")");
    if (const std::uint64_t count = left_out_.html + left_out_.packed + left_out_.no_text; count > 0) {
      const std::string packed =
          left_out_.packed == 0 ? "" : grouped(left_out_.packed) + " of text that is packed (Content-Encoding), ";
      say(counted(count, "record of a crawl was", "records of crawls were") + " left out: " + grouped(left_out_.html) +
          " of HTML, " + packed + grouped(left_out_.no_text) +
          " of other types (requests, metadata, pictures …); only plain text is read");
    }
    note(sources.reached_twice(), "file or folder was", "files and folders were",
         " reached more than once, by links or arguments, and read once");
    note(sources.special_files(), "pipe, socket or device in a folder was", "pipes, sockets or devices in folders were",
         " left out");
    note(sources.hidden(), "hidden file or folder was", "hidden files or folders were",
         " left out; --hidden reads them");
    if (!input_.reads_binary) {
      note(zeros_.count, "document has zero bytes", "documents have zero bytes",
           example(zeros_) +
               ": is that text? UTF-16 without a byte order mark becomes UTF-8 by iconv -f UTF-16LE -t UTF-8 FILE");
    }
    note(foreign_.count, "file in a folder was", "files in folders were",
         " left out: not text" + example(foreign_) + "; --binary reads the bytes");
    note(binary_, "binary file in a folder was", "binary files in folders were", " left out; --binary reads them");
  }
  note(bad_.count, "bad input was", "bad inputs were", " skipped (the first: " + bad_.first + ")");
  if (unread_.count > 0) {
    throw input_error({"", counted(unread_bytes_, "byte", "bytes") + " behind bad input " +
                               (unread_bytes_ == 1 ? "was" : "were") +
                               " not read: no place in them certainly begins a record" + example(unread_)});
  }
  if (input_.skip_bad && documents_ == against && bad_.count > 0) {
    throw input_error({"", "all of the input was bad: no document could be read"});
  }
  if (passed_over_.count == 0) return;
  throw input_error({"", counted(passed_over_.count, "file or folder was", "files or folders were") +
                             " skipped (the first: " + passed_over_.first + ")"});
}

}  // namespace command
