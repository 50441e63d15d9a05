#include "audit.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <neardup/index/flat_index.hpp>
#include <neardup/index/recall.hpp>
#include <unordered_map>
#include <utility>

#include "fingerprints.hpp"
#include "minhash.hpp"

namespace accuracy {

namespace {

/// For each document, the earlier documents that are its near-duplicates according to the truth.
using neighbours = std::vector<std::vector<std::uint32_t>>;

neighbours earlier_ones(const pair_check& truth, std::size_t documents) {
  neighbours result(documents);
  for (const similar_pair& pair : truth.pairs) result[pair.b].push_back(pair.a);
  return result;
}

/// Removes each document for which `is_like_a_kept_one(document)` is true. Calls `keep(document)` for each other
/// document.
removal remove(std::string method, const neighbours& truth,
               const std::function<bool(std::uint32_t)>& is_like_a_kept_one,
               const std::function<void(std::uint32_t)>& keep) {
  removal result{.method = std::move(method)};
  std::vector<char> is_kept(truth.size(), 0);
  for (std::uint32_t i = 0; i < truth.size(); ++i) {
    const bool has_alike =
        std::any_of(truth[i].begin(), truth[i].end(), [&](std::uint32_t j) { return is_kept[j] != 0; });
    if (is_like_a_kept_one(i)) {
      ++result.removed;
      result.wrongly += has_alike ? 0 : 1;
    } else {
      is_kept[i] = 1;
      keep(i);
      result.missed += has_alike ? 1 : 0;
    }
  }
  return result;
}

/// The kept documents. There is a hash table for each band. Its key is this band of the MinHash signature.
class band_tables {
 public:
  explicit band_tables(const std::vector<minhash_signature>& signatures)
      : signatures_(signatures), tables_(minhash_report::bands) {}

  /// Returns true if `accepts` is true for any kept document that shares a band with `document`.
  [[nodiscard]] bool any(std::uint32_t document, const std::function<bool(std::uint32_t)>& accepts) const {
    for (std::size_t band = 0; band < tables_.size(); ++band) {
      const auto found = tables_[band].find(key(document, band));
      if (found == tables_[band].end()) continue;
      if (std::any_of(found->second.begin(), found->second.end(), accepts)) return true;
    }
    return false;
  }

  void add(std::uint32_t document) {
    for (std::size_t band = 0; band < tables_.size(); ++band) tables_[band][key(document, band)].push_back(document);
  }

 private:
  [[nodiscard]] std::string key(std::uint32_t document, std::size_t band) const {
    const auto* const rows = signatures_[document].data() + band * minhash_report::rows;
    return {reinterpret_cast<const char*>(rows), minhash_report::rows * sizeof *rows};
  }

  const std::vector<minhash_signature>& signatures_;
  std::vector<std::unordered_map<std::string, std::vector<std::uint32_t>>> tables_;
};

removal by_bands(std::string method, const neighbours& truth, const std::vector<std::vector<std::uint64_t>>& features,
                 const std::vector<minhash_signature>& signatures, std::size_t least_agreeing) {
  band_tables kept(signatures);
  return remove(
      std::move(method), truth,
      [&](std::uint32_t i) {
        return !features[i].empty() && kept.any(i, [&](std::uint32_t j) {
          std::size_t agreeing = 0;
          for (std::size_t p = 0; p < minhash_permutations; ++p)
            agreeing += signatures[i][p] == signatures[j][p] ? 1 : 0;
          return agreeing >= least_agreeing;
        });
      },
      [&](std::uint32_t i) {
        if (!features[i].empty()) kept.add(i);
      });
}

/// Removes documents by the distance of fingerprints. Documents within k bits are candidates, and `accepts(a, b)`
/// decides.
removal by_distance(std::string method, const neighbours& truth, const fingerprints& prints, int k,
                    const std::function<bool(std::uint32_t, std::uint32_t)>& accepts) {
  neardup::flat_index<64> kept;
  return remove(
      std::move(method), truth,
      [&](std::uint32_t i) {
        if (!prints.has(i)) return false;
        bool found = false;
        kept.for_each_match(neardup::simhash<64>(prints.first_word(i)), k, [&](const auto& match) {
          found = accepts(match.id, i);
          return !found;
        });
        return found;
      },
      [&](std::uint32_t i) {
        if (prints.has(i)) kept.insert(neardup::simhash<64>(prints.first_word(i)), i);
      });
}

}  // namespace

std::vector<removal> audit_removals(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                                    const feature_choice& choice, const pair_check& truth, double similarity,
                                    std::uint64_t seed, unsigned threads) {
  const neighbours alike = earlier_ones(truth, input.texts.size());
  const std::vector<minhash_signature> signatures = minhash_signatures(features, threads);
  const auto least = static_cast<std::size_t>(similarity * static_cast<double>(minhash_permutations) + 0.999);
  const auto prints = [&](weighting kind) { return make_fingerprints({choice, kind, 64, seed}, input.texts, threads); };
  const auto all = [](std::uint32_t, std::uint32_t) { return true; };
  const auto exactly = [&](std::uint32_t a, std::uint32_t b) { return contains(truth, a, b); };
  const int by_votes = neardup::distance_for(64, similarity);
  const int by_codes = neardup::distance_for(64, similarity, neardup::fingerprint_kind::minwise);

  std::vector<removal> result;
  result.push_back(by_bands("MinHash, 25 bands of 5, no check", alike, features, signatures, 0));
  result.push_back(by_bands("MinHash, estimated by 128 minima", alike, features, signatures, least));
  const auto simhashes = prints(weighting::unit);
  result.push_back(by_distance("SimHash, k = 3, no check", alike, *simhashes, 3, all));
  result.push_back(
      by_distance("SimHash, k = " + std::to_string(by_votes) + ", no check", alike, *simhashes, by_votes, all));
  result.push_back(by_distance("min-wise codes, k = " + std::to_string(by_codes) + ", checked exactly", alike,
                               *prints(weighting::minwise), by_codes, exactly));
  return result;
}

}  // namespace accuracy
