// How rare features are: read from a file, or learnt from the input.

#include "context.hpp"

namespace command {

std::shared_ptr<const neardup::idf_table> read_idf(const std::string& path) {
  return as_input([&] {
    auto table = std::make_shared<const neardup::idf_table>(neardup::idf_table::load(path));
    if (table->size() == 0) throw input_error({path, "there is no term in it"});
    return table;
  });
}

std::shared_ptr<const neardup::idf_table> learn_idf(context& c) {
  neardup::idf_learner learner;
  with_tokenizer(c.settings.features, [&](const auto& tokenize) {
    for_each_text_before(c, "learning how rare the features are", [&](const placed_document& d) {
      const auto all_texts = [&](std::string_view, auto&& sink) {
        for (const std::string& text : *d.texts) tokenize(text, sink);
      };
      learner.add(all_texts, {});
    });
  });
  return std::make_shared<const neardup::idf_table>(learner.table());
}

}  // namespace command
