// Treats traditional and simplified characters as equal. A transliterator of ICU (libicu-dev) converts texts before
// they are tokenized. For full-width forms, the library has `narrowed`.
#include <unicode/translit.h>
#include <unicode/unistr.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <neardup/neardup.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

// Converts a text to simplified characters, then tokenizes it. Several threads may share a transliterator of ICU.
template <neardup::tokenizer Inner>
class simplified {
 public:
  explicit simplified(Inner inner) : inner_(std::move(inner)) {
    UErrorCode error = U_ZERO_ERROR;
    rules_.reset(icu::Transliterator::createInstance("Traditional-Simplified", UTRANS_FORWARD, error));
    if (U_FAILURE(error) != 0) throw std::runtime_error(u_errorName(error));
  }

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    auto whole = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    rules_->transliterate(whole);
    std::string folded;
    whole.toUTF8String(folded);
    inner_(folded, sink);
  }

 private:
  Inner inner_;
  std::shared_ptr<icu::Transliterator> rules_;
};

}  // namespace

int main() {
  using namespace neardup;
  const std::string traditional = "資料庫的備份與還原：請先確認Ｖｅｒｓｉｏｎ　５。";
  const std::string simple = "资料库的备份与还原: 请先确认version 5.";
  const simhasher as_it_stands{normalised{code_point_ngrams{2}}};
  const simhasher folded_first{narrowed{simplified{normalised{code_point_ngrams{2}}}}};
  std::cout << "as they stand: " << hamming_distance(*as_it_stands(traditional), *as_it_stands(simple)) << " bits\n"
            << "folded: " << hamming_distance(*folded_first(traditional), *folded_first(simple)) << " bits\n";
  return folded_first(traditional) == folded_first(simple) ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: as they stand:
// prints: folded: 0 bits
