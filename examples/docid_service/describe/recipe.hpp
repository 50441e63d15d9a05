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

  friend bool operator==(const description&, const description&) = default;
};

/// Safe from many threads.
using describer = std::function<description(std::string_view)>;

struct describers {
  describer title;
  describer content;
  std::function<feature_set(std::string_view)> pairs;  ///< of a content, for have_similar_pairs()
};

/// The distinct pairs of neighbouring words of a text, as hashes, ascending; whatever the recipe, a Chinese character is a
/// word. Of a text of one word that word.
[[nodiscard]] feature_set all_pairs_of(std::string_view text);

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

/// That similarity, or the estimate of it.
[[nodiscard]] double similarity_of_pairs(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other);

/// `name` is one of
/// - `minwise`: the distinct words, folded; a Chinese character is a word. Of contents a min-wise code, of titles SimHash;
/// - `words`: the same words, of both SimHash, in which each distinct word counts once;
/// - `pairs`: the same of pairs of words;
/// - `dictionary`: words by the dictionary of jieba in the folder `jieba`, with their counts as weights in levels 1 to 5.
/// Throws: std::runtime_error if there is no such recipe, or the dictionary cannot be read.
describers make_describers(const std::string& name, const std::string& jieba);

/// Within how many bits contents are compared, unless an option says so.
[[nodiscard]] inline int default_distance(const std::string& recipe) { return recipe == "minwise" ? 7 : 10; }

}  // namespace docid
