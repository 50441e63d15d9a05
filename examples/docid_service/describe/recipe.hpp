// Computes fingerprints and features of titles and contents, and compares the pairs of words of two contents.
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

/// A SimHash or a min-wise code of 64 bits. Both have this type, because stores and indexes only count differing bits.
using fingerprint = neardup::simhash<64>;
using feature_set = std::vector<std::uint32_t>;

/// The fingerprint and the features by which a text is compared.
struct description {
  std::optional<fingerprint> print;  ///< nullopt if the text has no tokens
  feature_set features;              ///< the distinct tokens of the text, as ascending hashes

  friend bool operator==(const description&, const description&) = default;
};

/// Describes a text.
/// Thread safety: may be called from many threads.
using describer = std::function<description(std::string_view)>;

struct describers {
  describer title;
  describer content;
  std::function<feature_set(std::string_view)> pairs;  ///< pairs of a content, for have_similar_pairs()
};

/// Returns the distinct pairs of neighbouring words of a text, as hashes in ascending order. Here a Chinese character
/// is a word, whatever the recipe. The result for a text of one word is the hash of that word.
[[nodiscard]] feature_set all_pairs_of(std::string_view text);

/// The greatest size of a sample of pairs. A sample has all pairs of its text. If the text has more than `max_pairs`
/// pairs, the sample has the pairs with the smallest hashes.
inline constexpr std::size_t max_pairs = 2048;

/// Compares two texts by their pairs of neighbouring words. Returns true if the Jaccard similarity of the two sets of
/// pairs is at least `least`. `one` and `other` are samples of these sets. If both samples have fewer than `max_pairs`
/// pairs, the answer is exact. Otherwise the similarity is an estimate from at least `max_pairs` pairs, with a standard
/// deviation of at most .011 (at a similarity of .5). Then the estimate has to be at least `least` plus four standard
/// deviations, or 1, so that less similar texts do not pass.
///
/// Pairs are compared because long texts on one subject mostly have the same words (in Chinese: characters), but
/// not the same pairs of words, unless the texts say the same.
[[nodiscard]] bool have_similar_pairs(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other,
                                      double least);

/// Returns the Jaccard similarity of the sets of pairs of two texts, or an estimate of it, from samples of these sets.
[[nodiscard]] double similarity_of_pairs(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other);

/// Returns the describers of a recipe. `name` is one of
/// - `minwise`: distinct words in lower case; a Chinese character is a word. Contents have a min-wise code, titles a
///   SimHash;
/// - `words`: the same words. Contents and titles have a SimHash, in which each distinct word counts once;
/// - `pairs`: like `words`, with pairs of these words;
/// - `dictionary`: words of the dictionary of jieba in the folder `jieba`, with their counts as weights in levels 1 to
///   5.
/// Throws: std::runtime_error if there is no such recipe, or the dictionary cannot be read.
describers make_describers(const std::string& name, const std::string& jieba);

/// Returns the default distance, in bits, within which contents are compared with this recipe.
[[nodiscard]] inline int default_distance(const std::string& recipe) { return recipe == "minwise" ? 7 : 10; }

}  // namespace docid
