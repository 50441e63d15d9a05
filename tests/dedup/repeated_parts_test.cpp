// part_collection against a loop over all earlier parts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/dedup/parts/repeated_parts.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::part_collection;
using neardup::repeated_part_options;
using part_labels = std::vector<std::uint32_t>;
using part_documents = std::vector<std::vector<std::string>>;

std::string with_single_spaces(const std::string& part) {
  std::string out;
  for (const char c : part) {
    const bool is_space = std::string(" \t\n\v\f\r").find(c) != std::string::npos;
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// The expected labels: each part is compared with each earlier part that stays.
part_labels plain_labels(const part_documents& documents, const repeated_part_options& how) {
  std::vector<std::string> parts;
  std::vector<std::size_t> document_of;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (const std::string& part : documents[d]) {
      parts.push_back(with_single_spaces(part));
      document_of.push_back(d);
    }
  }
  const neardup::feature_extractor<neardup::default_tokenizer> extract;
  const auto similarity = [&](std::size_t a, std::size_t b) {
    if (how.similarity == 1) return 0.0;
    const auto x = extract(parts[a]), y = extract(parts[b]);
    return std::min(x.size(), y.size()) < how.min_features ? 0.0 : neardup::jaccard_similarity(x, y);
  };
  part_labels label(parts.size());
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    label[i] = i;
    // Equal parts share a label; otherwise it is that of the most similar part that stays.
    for (std::uint32_t j = 0; j < i && label[i] == i; ++j) {
      if (parts[j] == parts[i]) label[i] = label[j];
    }
    const bool is_copy = label[i] != i;
    double best = 0;
    for (std::uint32_t j = 0; j < i && !is_copy; ++j) {
      if (label[j] != j || similarity(i, j) < how.similarity || similarity(i, j) <= best) continue;
      label[i] = j;
      best = similarity(i, j);
    }
  }
  part_labels kept(label);
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    std::set<std::size_t> stands_in;
    for (std::uint32_t j = 0; j < parts.size(); ++j) {
      if (label[j] == label[i]) stands_in.insert(document_of[j]);
    }
    if (stands_in.size() < how.min_documents) kept[i] = i;
  }
  return kept;
}

part_labels collected_labels(const part_documents& documents, const repeated_part_options& how) {
  part_collection<> collected(how);
  std::size_t count = 0;
  for (const auto& document : documents) {
    collected.begin_document();
    for (const std::string& part : document) CHECK(collected.add(part) == count++);
  }
  CHECK(collected.size() == count);
  return collected.decide();
}

part_documents random_documents(std::mt19937& random) {
  std::vector<std::string> stock;
  part_documents documents(random() % 12);
  for (auto& document : documents) {
    for (std::size_t n = random() % 5; n > 0; --n) {
      std::string part;
      if (!stock.empty() && random() % 2 == 0) {
        part = stock[random() % stock.size()];
        for (char& c : part) {
          if (c == ' ' && random() % 9 == 0) c = '\n';
          if (c == 'x' && random() % 6 == 0) c = 'y';
        }
      } else {
        for (std::size_t words = 1 + random() % 20; words > 0; --words) {
          part += "x" + std::to_string(random() % 30) + (random() % 9 == 0 ? "  " : " ");
        }
      }
      stock.push_back(part);
      document.push_back(part);
    }
  }
  return documents;
}

}  // namespace

TEST_CASE("the first of equal or similar parts stays, as a loop over all of them finds", "[parts]") {
  std::mt19937 random(1 + oracle::seed_shift());
  for (int round = 0; round < 3000; ++round) {
    const part_documents documents = random_documents(random);
    repeated_part_options how;
    const double similarities[] = {1, 0.9, 0.7, 0.3};
    how.similarity = similarities[random() % 4];
    how.min_features = random() % 2 == 0 ? neardup::repeated_part_options{}.min_features : random() % 12;
    how.min_documents = 1 + random() % 4;
    if (round % 16 == 0) how.run = neardup::threads{3};
    CHECK(collected_labels(documents, how) == plain_labels(documents, how));
  }
}

TEST_CASE("white space does not tell parts apart, anything else does", "[parts]") {
  CHECK(collected_labels({{"a b"}, {" a\n\tb "}, {"ab"}, {"A b"}, {"a b."}}, {}) == part_labels{0, 0, 2, 3, 4});
}

TEST_CASE("similarities of parts are those by which they were decided", "[parts]") {
  const std::string text = "one two three four five six seven eight nine ten";
  part_collection<> collected({.similarity = 0.6});
  for (const std::string& part : {text, text + " eleven", text, std::string("short"), std::string("other")}) {
    collected.add(part);
  }
  CHECK(collected.decide() == part_labels{0, 0, 0, 3, 4});
  CHECK(collected.similarity(1, 0) == 0.9);
  CHECK(collected.similarity(2, 0) == 1);
  CHECK(collected.similarity(4, 3) == 0);
  CHECK(part_collection<>().decide().empty());
}

TEST_CASE("a collection of parts refuses a similarity that none can have", "[parts]") {
  for (const double wrong : {0.0, -1.0, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(part_collection<>({.similarity = wrong}), std::invalid_argument);
  }
}
