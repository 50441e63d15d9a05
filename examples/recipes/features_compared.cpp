// Prints the similarity of pairs of short texts, by the usual features and by more suitable features.
// docs/how-to/choose-features.md has the results as a table.
#include <neardup/neardup.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

using namespace neardup;

double similarity(std::string_view features, std::string_view a, std::string_view b) {
  return with_tokenizer(parse_features(features), [&](const auto& tokenizer) {
    const feature_extractor extract{tokenizer};
    const auto first = extract(a), second = extract(b);
    return jaccard_similarity(first, second);
  });
}

int main() {
  struct row {
    const char* texts;
    const char* usual;
    const char* better;
    const char* a;
    const char* b;
  };
  const std::vector<row> rows = {
      {"prose", "words", "words:2", "The river rose in the night and took the bridge with it.",
       "The river rose, in the night, and took the old bridge with it."},
      {"news", "words:2", "words", "Minister resigns after weeks of protest over the price of bread",
       "After weeks of protest over the price of bread, the minister resigns"},
      {"title", "words:2", "chars:4", "Colour management in digital printing", "Color management in digital printing"},
      {"operators", "words:2", "code:2", "if (a < b && x + y > 2) return;", "if (a > b || x - y < -2) return;"},
      {"layout", "bytes:8", "code:4", "for (int i = 0; i < n; ++i) sum += a[i] * b[i];",
       "for (int i=0; i<n; ++i)\n  sum += a[i]*b[i];"},
      {"mathematics", "words", "code:2", "x + y - 2 = 0", "x - y + 2 = 0"},
      {"log", "words:2", "masked:words:2",
       "2026-08-01T10:00:01 sshd[811]: Failed password for root from 10.0.0.7 port 50514 ssh2",
       "2026-08-01T10:00:04 sshd[812]: Failed password for root from 10.0.0.9 port 41818 ssh2"},
      {"subtitles", "words:2", "masked:words:2",
       "1\n00:00:01,000 --> 00:00:03,500\nWhere have you been?\n\n2\n00:00:04,000 --> 00:00:06,200\nOut, looking for "
       "the dog.\n",
       "1\n00:00:02,140 --> 00:00:04,640\nWhere have you been?\n\n2\n00:00:05,140 --> 00:00:07,340\nOut, looking for "
       "the dog.\n"},
      {"OCR", "words:2", "chars:5", "the party shall file his complaint with the clerk of the court",
       "the party shall flle his complaint with the cIerk of the court"},
      {"Chinese", "words:2", "words", "\u6211\u4eec\u660e\u5929\u53bb\u5317\u4eac",
       "\u660e\u5929\u6211\u4eec\u53bb\u5317\u4eac"},
      {"Arabic", "words", "canonical:words",
       "\u0627\u0644\u0633\u064e\u0651\u0644\u0627\u0645\u064f \u0639\u064e\u0644\u064e\u064a\u0643\u064f\u0645",
       "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645"},
      {"Persian", "words", "canonical:words", "\u06a9\u062a\u0627\u0628 \u0641\u0627\u0631\u0633\u06cc",
       "\u0643\u062a\u0627\u0628 \u0641\u0627\u0631\u0633\u064a"},
      {"names", "words", "canonical:words", "M\u00fcller, Jos\u00e9", "Jose\u0301 Mu\u0308ller"},
      {"Vietnamese", "words", "canonical:words", "c\u1ed9ng ho\u00e0", "c\u1ed9ng h\u00f2a"},
      {"web page", "words", "canonical:words", "Andr\u00e9 Dupont", "Andr&eacute; Dupont"},
      {"PDF file", "words:2", "canonical:words:2", "An example of a paragraph that is set in a narrow column",
       "An exam-\nple of a para\u00ad\ngraph that is set in a narrow column"},
      {"cut words", "words:2", "spaced:words:2", "\u5206\u8bcd \u5f88 \u597d \u7528",
       "\u5206 \u8bcd\u5f88 \u597d\u7528"},
      {"data", "words:2", "masked:words:2",
       "A picture: data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4 of a dot",
       "A picture: data:image/png;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs6Kz8/c29tZXRoaW5n of a dot"},
  };
  for (const row& one : rows) {
    std::printf("%s: %s %.2f, %s %.2f\n", one.texts, one.usual, similarity(one.usual, one.a, one.b), one.better,
                similarity(one.better, one.a, one.b));
  }
}
// prints: prose: words 0.91, words:2 0.77
// prints: news: words:2 0.75, words 1.00
// prints: title: words:2 0.60, chars:4 0.81
// prints: operators: words:2 1.00, code:2 0.23
// prints: layout: bytes:8 0.12, code:4 1.00
// prints: mathematics: words 1.00, code:2 0.20
// prints: log: words:2 0.38, masked:words:2 1.00
// prints: subtitles: words:2 0.38, masked:words:2 1.00
// prints: OCR: words:2 0.47, chars:5 0.70
// prints: Chinese: words:2 0.50, words 1.00
// prints: Arabic: words 0.00, canonical:words 1.00
// prints: Persian: words 0.00, canonical:words 1.00
// prints: names: words 0.00, canonical:words 1.00
// prints: Vietnamese: words 0.33, canonical:words 1.00
// prints: web page: words 0.25, canonical:words 1.00
// prints: PDF file: words:2 0.41, canonical:words:2 1.00
// prints: cut words: words:2 1.00, spaced:words:2 0.00
// prints: data: words:2 0.58, masked:words:2 1.00
