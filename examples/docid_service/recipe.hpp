// How titles and contents become fingerprints, and when two of them are versions of one text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <neardup/simhash.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace docid {

/// 64 bits, of SimHash or of a min-wise code: stores and indexes only count the bits in which two differ.
using fingerprint = neardup::simhash<64>;
using feature_set = std::vector<std::uint32_t>;

/// What is compared of a text.
struct description {
  std::optional<fingerprint> print;  ///< nothing if the text has no tokens
  feature_set features;              ///< its distinct tokens, hashed and sorted
};

/// Safe from many threads.
using describer = std::function<description(std::string_view)>;

struct describers {
  describer title;
  describer content;
  std::function<feature_set(std::string_view)> pairs;  ///< of a content, for have_similar_pairs()
};

/// A sample of the pairs of neighbouring words has all of them up to this many, and of more the ones with the smallest
/// hashes.
inline constexpr std::size_t max_pairs = 2048;

/// Whether the Jaccard similarity of the pairs of two texts is at least `least`, by their samples. If both have all pairs,
/// that is certain. Otherwise it is an estimate from `max_pairs` pairs or more, with a standard deviation of at most .011
/// (of a similarity of .5), and has to be four of these above `least`: texts that are less similar do not pass.
///
/// The words of long texts on one subject are mostly the same ones (its characters, in Chinese), whatever the texts say.
/// Their pairs are not.
[[nodiscard]] bool have_similar_pairs(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other,
                                      double least);

/// `name` is one of
/// - `minwise`: the distinct words, folded; a Chinese character is a word. Of contents a min-wise code, of titles SimHash;
/// - `words`: the same words, of both SimHash, in which each distinct word counts once;
/// - `pairs`: the same of pairs of words;
/// - `dictionary`: words by the dictionary of jieba in the folder `jieba`, with their counts as weights in levels 1 to 5.
/// Throws: std::runtime_error if there is no such recipe, or the dictionary cannot be read.
describers make_describers(const std::string& name, const std::string& jieba);

/// Within how many bits contents are compared, unless an option says so.
[[nodiscard]] inline int default_distance(const std::string& recipe) { return recipe == "minwise" ? 7 : 10; }

/// Two texts match if their fingerprints are within `distance` bits and their features have a Jaccard similarity of
/// `similarity`; 0: the fingerprints alone decide.
struct rule {
  int distance;
  double similarity;
};

struct cascade_options {
  std::string recipe = "minwise";
  std::string jieba = "/usr/lib/python3/dist-packages/jieba";  // Debian: python3-jieba
  bool by_url = true;
  bool by_title = true;
  bool by_content = true;
  rule title{3, 0.8};
  rule content{default_distance("minwise"), 0.8};
  /// A title of fewer distinct tokens says nothing.
  std::size_t title_tokens = 1;
  /// Nor does a title whose articles have contents with a lower similarity of their pairs of words; 0: contents are not
  /// compared. It is what keeps different articles with one title apart (docs/service.md).
  double title_content = 0.4;
  /// At most so many documents are compared with an article at each step, the nearest first.
  std::size_t candidates = 64;

  /// Bytes of features of documents that are kept in memory for the check; those of others are read from the store.
  std::size_t feature_memory = std::size_t{1} << 30;

  /// What the pairs of words of two contents must have beside their words.
  [[nodiscard]] double content_pairs() const { return content.similarity / 2; }

  /// What the articles describe: dictionary words, 3 bits, and no check of anything.
  void set_original() {
    recipe = "dictionary";
    title = content = {3, 0};
    title_tokens = 0;
    title_content = 0;
  }
};

}  // namespace docid
