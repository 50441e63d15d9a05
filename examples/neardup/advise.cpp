#include "advise.hpp"

#include <algorithm>
#include <cstdint>
#include <neardup/dedup/advice/advice.hpp>
#include <neardup/threads.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "context.hpp"
#include "run.hpp"
#include "text_pass.hpp"

namespace command {

namespace {

/// Of a text that is longer only so many bytes, its first ones, are looked at: the advisor compares whole texts, and
/// what fingerprints and features make of the rest of so long a text is hardly different.
constexpr std::size_t advised_bytes = whole_file_limit;

neardup::advice_request request_of(const options& settings) {
  neardup::advice_request request{.similarity = *settings.min_similarity,
                                  .check = settings.check_features.choice,
                                  .recall = settings.advice.recall,
                                  .seed = settings.seed};
  if (settings.advice.features) request.features = {*settings.advice.features};
  return request;
}

/// Whether a text has any token.
bool has_tokens(const feature_choice& features, std::string_view text) {
  return neardup::with_tokenizer(features, [text](const auto& tokenize) {
    bool found = false;
    const auto sink = [&found](std::string_view) { found = true; };
    constexpr std::size_t beginning = 256;  // mostly that is enough
    tokenize(text.substr(0, beginning), sink);
    if (!found && text.size() > beginning) tokenize(text, sink);
    return found;
  });
}

/// The two passes over the input.
class advice_passes {
 public:
  explicit advice_passes(context& c) : context_(c), look_(request_of(c.settings)) {}

  neardup::advice run() {
    context_.notes.phase("drawing a sample");
    context_.sources.remember();
    for_each_text(
        context_, advised_bytes, [this](const passing_document& d) { sample(d); },
        [this](const bad_input& bad) { pass_over(context_.settings, bad); });
    context_.sources.rewind();
    for_each_text(
        context_, advised_bytes, [this](const passing_document& d) { compare(d); },
        [this](const bad_input& bad) { context_.notes.bad(bad); });
    compare_waiting();
    if (compared_ != sampled_) throw input_error({"", "the input was changed while it was being read"});
    if (sampled_ == 0) return {};
    context_.notes.phase("counting candidates");
    return look_.finish(run_);
  }

  /// The number of documents that were too large to be looked at whole.
  [[nodiscard]] std::uint64_t cut() const noexcept { return cut_; }

 private:
  void sample(const passing_document& document) {
    const std::string_view text = joined(document.texts);
    if (context_.settings.strict) {
      // Such documents are bad input, which the second pass says.
      if (document.ill_formed) return pass_over(context_.settings, {document.where(), "not well-formed UTF-8"});
      if (!has_tokens(context_.settings.check_features.choice, text)) {
        return pass_over(context_.settings, {document.where(), "a document without tokens"});
      }
    }
    look_.sample(text);
    ++sampled_;
  }

  void compare(const passing_document& document) {
    const std::string_view text = joined(document.texts);
    if (document.line == 0) context_.notes.read_as_one_text(document.from.path);
    if (document.ill_formed && !context_.notes.ill_formed(document.where())) return;
    if (!has_tokens(context_.settings.check_features.choice, text) && !context_.notes.without_tokens(document.where()))
      return;
    if (document.is_cut) ++cut_;
    waiting_.emplace_back(text);
    waiting_bytes_ += text.size();
    context_.notes.advance(1, document.bytes);
    // Enough that starting threads does not count.
    constexpr std::size_t bytes_at_once = std::size_t{1} << 22, documents_at_once = 4096;
    if (waiting_bytes_ >= bytes_at_once || waiting_.size() == documents_at_once) compare_waiting();
  }

  void compare_waiting() {
    if (waiting_.empty()) return;
    if (compared_ + waiting_.size() > sampled_)
      throw input_error({"", "the input was changed while it was being read"});
    look_.compare(waiting_, run_);
    compared_ += waiting_.size();
    waiting_.clear();
    waiting_bytes_ = 0;
  }

  /// The texts of a record as one.
  std::string_view joined(const std::vector<std::string_view>& texts) {
    if (texts.size() == 1) return texts.front();
    joined_.clear();
    for (const std::string_view text : texts) {
      if (!joined_.empty()) joined_ += '\n';
      joined_ += text;
    }
    return joined_;
  }

  context& context_;
  neardup::advisor<128> look_;
  neardup::threads run_{context_.settings.threads};
  std::uint64_t sampled_ = 0;   // documents that the advisor knows of
  std::uint64_t compared_ = 0;  // of them
  std::uint64_t cut_ = 0;
  std::vector<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::string joined_;
};

/// Leaves the setups of the width that was asked for.
void restrict_to_wanted(const options& settings, neardup::advice& found) {
  const advice_settings& wanted = settings.advice;
  std::erase_if(found.setups, [&](const neardup::setup& s) {
    return (wanted.features && s.features != *wanted.features) || (wanted.bits && s.bits != *wanted.bits);
  });
  if (found.setups.empty()) return;
  found.recommended = neardup::recommended_setup(found.setups, wanted.recall);
  found.is_reached = found.setups[found.recommended].recall >= wanted.recall;
}

}  // namespace

void run_advise(const options& settings) {
  context c(settings);
  advice_passes passes(c);
  neardup::advice found = passes.run();
  restrict_to_wanted(settings, found);
  if (settings.format == output_format::json_lines) {
    print_advice_json(c.out, settings, found);
  } else {
    print_advice_text(c.out, settings, found);
  }
  if (passes.cut() > 0 && !settings.quiet) {
    say(counted(passes.cut(), "document is", "documents are") +
        " larger than 16 MB; the advice is on the first 16 MB of each");
  }
  finish(c, "");
}

}  // namespace command
