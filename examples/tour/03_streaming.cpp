// Makes the fingerprint of a text that arrives in chunks, and the fingerprint of a document from its fields.
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>

int main() {
  const neardup::default_simhasher<> hash;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "Line " + std::to_string(i) + ": наш 文本 comes in pieces. ";

  // The end of a chunk may divide a word, or the bytes of a character. The result is still the fingerprint of the whole
  // text.
  neardup::text_stream stream{hash};
  for (std::size_t i = 0; i < text.size(); i += 7) stream.feed(std::string_view(text).substr(i, 7));
  const auto streamed = stream.finish();
  const bool same = streamed == hash(text);
  std::cout << text.size() << " bytes in chunks of 7: " << (same ? "the fingerprint of the whole\n" : "wrong\n");

  // After finish(), the stream is ready for the next text.
  stream.feed("another ");
  stream.feed("text");
  const bool reused = stream.finish() == hash("another text");

  // The fields of a document are merged as bags of features, so no pair of words spans title and body.
  constexpr std::string_view title = "Seven ways to boil an egg";
  constexpr std::string_view body = "Take a fresh egg, boil some water, and wait for seven minutes.";
  auto document = hash.bag(title);
  document.merge(hash.bag(body));
  std::cout << document.size() << " distinct pairs of words in title and body, fingerprint "
            << hash(document).value().to_hex() << '\n';

  // If a field is removed again, the result is exactly the fingerprint without the field.
  document.subtract(hash.bag(title));
  const bool subtracted = hash(document) == hash(body);
  std::cout << "without the title: " << (subtracted ? "the fingerprint of the body\n" : "wrong\n");
  return same && reused && subtracted ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 40890 bytes in chunks of 7: the fingerprint of the whole
// prints: 16 distinct pairs of words in title and body, fingerprint e1a0482722cc690d
// prints: without the title: the fingerprint of the body
