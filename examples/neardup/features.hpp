// From the choice of features to the library's tokenizers.
#pragma once

#include <neardup/text.hpp>
#include <utility>

#include "options.hpp"

namespace command {

/// Calls `use(tokenizer)` with the tokenizer of a choice: each is a type of its own, so this is where run time ends.
template <class Use>
auto with_tokenizer(const feature_choice& features, Use&& use) {
  switch (features.kind) {
    case feature_choice::unit::chars: return use(neardup::normalised{neardup::code_point_ngrams{features.size}});
    case feature_choice::unit::bytes: return use(neardup::byte_ngrams{features.size});
    case feature_choice::unit::words: break;
  }
  if (features.size == 1) return use(neardup::normalised{neardup::words{}});
  return use(neardup::normalised{neardup::shingles{features.size, neardup::words{}}});
}

}  // namespace command
