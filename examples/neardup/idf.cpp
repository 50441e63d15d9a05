#include <string>
#include <string_view>
#include <system_error>

#include "context.hpp"
#include "features.hpp"

namespace command {

namespace {

template <class Tokenizer>
class learning_pass {
 public:
  learning_pass(context& c, const Tokenizer& tokenize) : context_(c), tokenize_(tokenize), reader_(c.settings) {}

  neardup::idf_table run() {
    const std::atomic<bool> never{false};
    batch_reader batches(context_.settings, context_.sources, true);
    for (batch next; batches.next(next, never);) {
      if (next.bad) {
        bad(*next.bad);
      } else if (next.has_lines()) {
        learn_lines(next);
      } else {
        for (const auto& file : next.files) learn_file(*file);
      }
    }
    return learner_.table();
  }

 private:
  /// What --skip-bad skips is said in the second pass.
  void bad(const bad_input& input) const {
    if (!context_.settings.skip_bad) throw input_error(input);
  }

  void learn() {
    const auto all_texts = [this](std::string_view, auto&& sink) {
      for (const std::string_view text : record_.fields) tokenize_(text, sink);
    };
    learner_.add(all_texts, {});
  }

  void learn_lines(const batch& lines) {
    if (lines.offset == 0) lines_before_ = 0;
    lines_before_ += for_each_line(lines, [&](const line_of_batch& line) {
      if (reader_.is_blank(line.content)) return;
      if (const auto wrong = reader_.read(line.content, record_)) {
        bad({lines.from->name() + ':' + std::to_string(lines_before_ + line.index + 1), *wrong});
      } else {
        learn();
      }
    });
  }

  void learn_file(source& file) {
    std::string whole;
    try {
      read_file(file, true, buffer_, [&](std::string_view text, bool) { whole.append(text); });
    } catch (const std::system_error& error) {
      return bad({file.name(), error.code().message()});
    }
    record_.fields.assign(1, whole);
    learn();
  }

  context& context_;
  Tokenizer tokenize_;
  record_reader reader_;
  record record_;
  byte_buffer buffer_;
  neardup::idf_learner learner_;
  std::uint64_t lines_before_ = 0;
};

}  // namespace

std::shared_ptr<const neardup::idf_table> learn_idf(context& c) {
  c.notes.phase("learning how rare the features are");
  c.sources.remember();
  auto table = with_tokenizer(c.settings.features, [&](const auto& tokenizer) {
    return std::make_shared<const neardup::idf_table>(learning_pass(c, tokenizer).run());
  });
  c.sources.rewind();
  return table;
}

}  // namespace command
