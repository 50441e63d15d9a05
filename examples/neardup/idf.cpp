#include <cstddef>
#include <limits>
#include <string_view>

#include "context.hpp"
#include "text_pass.hpp"

namespace command {

std::shared_ptr<const neardup::idf_table> learn_idf(context& c) {
  c.notes.phase("learning how rare the features are");
  c.sources.remember();
  neardup::idf_learner learner;
  with_tokenizer(c.settings.features, [&](const auto& tokenize) {
    for_each_text(
        c, std::numeric_limits<std::size_t>::max(),
        [&](const passing_document& document) {
          const auto all_texts = [&](std::string_view, auto&& sink) {
            for (const std::string_view text : document.texts) tokenize(text, sink);
          };
          learner.add(all_texts, {});
        },
        [&](const bad_input& bad) { pass_over(c.settings, bad); });
  });
  c.sources.rewind();
  return std::make_shared<const neardup::idf_table>(learner.table());
}

}  // namespace command
