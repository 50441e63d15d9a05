#include "running.hpp"

#include "../describe/dictionary.hpp"
#include "../ground/errors.hpp"
#include "../line/comparison.hpp"

namespace command {

namespace {

/// Reads the IDF table of --idf-file.
/// Throws: input_error if the table cannot be read, or is empty.
std::shared_ptr<const neardup::idf_table> read_idf(const std::string& path) {
  return as_input(
      [&] {
        auto table = std::make_shared<const neardup::idf_table>(neardup::idf_table::load(path));
        if (table->size() == 0) throw input_error({path, "there is no term in it"});
        return table;
      },
      "--idf-file");
}

std::shared_ptr<const neardup::idf_table> learn_idf(context& c) {
  neardup::idf_learner learner;
  document_texts texts;
  feature_setting features = c.settings.fingerprint.features;
  features.counted_texts = std::make_shared<const document_texts*>(&texts);
  const auto tokenize = make_tokenizer(features);
  for_each_text_before(c, "learning how rare the features are", [&](const placed_document& d) {
    texts.assign(d.texts->begin(), d.texts->end());
    const auto all_texts = [&](std::string_view, auto&& sink) {
      for (const std::string_view text : texts) tokenize(text, sink);
    };
    learner.add(all_texts, {});
  });
  return std::make_shared<const neardup::idf_table>(learner.table());
}

/// Sets the width of codes to the width of the first code, unless an option or an index gives the width.
void settle_width(context& c, run_settings& to) {
  if (to.input.code_bits != 0) return;
  const std::optional<std::string> code = first_text(to.input, c.sources);
  if (!code) {
    // Without codes, the width of an index is unknown. Other verbs need no width, because they have nothing to compare.
    if (to.output.is_saved) throw usage_error("there is no code in the input; --bits N says how wide they will be");
    return;
  }
  to.input.code_bits = to.fingerprint.bits = 4 * code->size();
  check_distance(to);
}

}  // namespace

bool run_on_documents(run_settings& settings, const std::function<void(context&)>& run) {
  if (settings.output.is_saved) check_output(settings.output.file);
  fingerprint_settings& fingerprint = settings.fingerprint;
  load_dictionary(fingerprint.words, fingerprint.features, settings.comparison.check_features, settings.output.quiet);
  if (fingerprint.folds_chinese) {
    const auto fold = std::make_shared<const chinese_fold>(chinese_fold::of_opencc());
    fingerprint.fold = fold->identity();
    settings.input.fold = fold;
  }
  if (!fingerprint.idf_file.empty()) {
    fingerprint.idf = read_idf(fingerprint.idf_file);
    fingerprint.met_term = std::make_shared<std::atomic<bool>>(false);
  }
  const auto kind = fingerprint.features.choice.kind;
  if (!fingerprint.are_given && !fingerprint.are_codes && !fingerprint.features.needs_dictionary() &&
      !settings.comparison.only_copies &&
      (kind == neardup::feature_kind::words || kind == neardup::feature_kind::chars)) {
    fingerprint.spelling = std::make_shared<spelling_count>();
  }
  context c(settings);
  if (fingerprint.are_codes) settle_width(c, settings);
  if (!settings.output.quiet) say_choice(settings);
  if (fingerprint.learns_idf()) fingerprint.idf = learn_idf(c);
  run(c);
  return c.found_any;
}

}  // namespace command
