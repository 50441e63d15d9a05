// `neardup groups`: what is connected by a chain of near-duplicates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <neardup/dedup/all_pairs.hpp>
#include <neardup/dedup/cluster.hpp>
#include <neardup/dedup/similarity.hpp>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"

namespace command {

/// Numbers that are united step by step; the smallest of a component stands for it.
class components {
 public:
  explicit components(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> labels() && {
    for (std::uint32_t i = 0; i < parent_.size(); ++i) find(i);
    for (std::uint32_t i = 0; i < parent_.size(); ++i) parent_[i] = parent_[parent_[i]];
    return std::move(parent_);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// The first document with the same text, for each. Copies are many in real corpora; each needs one check, not one with
/// every other.
template <std::size_t Bits>
std::vector<std::uint32_t> first_copies(const corpus<Bits>& all) {
  std::vector<std::uint32_t> order(all.fingerprints.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto text = [&](std::uint32_t i) { return std::tie(all.fingerprints[i], all.text_hashes[i]); };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return text(a) != text(b) ? text(a) < text(b) : a < b; });
  std::vector<std::uint32_t> first(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    first[order[i]] = i > 0 && text(order[i]) == text(order[i - 1]) ? first[order[i - 1]] : order[i];
  }
  return first;
}

/// The components of the pairs that pass the check.
template <std::size_t Bits>
std::vector<std::uint32_t> checked_components(context& c, const corpus<Bits>& all) {
  components joined(all.fingerprints.size());
  similarity_checker checker(c.settings, all.documents, [&](const candidate& pair, double similarity) {
    if (similarity >= *c.settings.min_similarity) joined.unite(pair.a, pair.b);
  });

  // Copies are alike, unless the check finds no features in them: one of them tells.
  const std::vector<std::uint32_t> first = first_copies(all);
  std::vector<std::uint32_t> copy_of_first(first.size(), 0);  // 0 is a first one, never a copy
  std::vector<std::uint32_t> firsts;
  std::vector<neardup::simhash<Bits>> fingerprints;
  for (std::uint32_t i = 0; i < first.size(); ++i) {
    if (first[i] == i) {
      firsts.push_back(i);
      fingerprints.push_back(all.fingerprints[i]);
    } else if (copy_of_first[first[i]] == 0) {
      copy_of_first[first[i]] = i;
      checker.add({first[i], i, 0});
    }
  }

  // What is connected already needs no check.
  neardup::all_pairs(
      fingerprints, c.settings.distance,
      [&](std::size_t i, std::size_t j, int distance) {
        if (joined.find(firsts[i]) != joined.find(firsts[j])) checker.add({firsts[i], firsts[j], distance});
      },
      blocks_of(c.settings));
  checker.finish();
  for (std::uint32_t i = 0; i < first.size(); ++i) {
    if (first[i] == i) continue;
    if (joined.find(first[i]) == joined.find(copy_of_first[first[i]])) joined.unite(first[i], i);
  }
  return std::move(joined).labels();
}

/// For each document the first one of its group.
template <std::size_t Bits>
std::vector<std::uint32_t> find_components(context& c, const corpus<Bits>& all) {
  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  if (c.settings.min_similarity) return checked_components(c, all);
  return neardup::cluster(all.fingerprints, c.settings.distance, blocks_of(c.settings));
}

/// Prints groups, one member after the other.
template <std::size_t Bits>
class group_printer {
 public:
  group_printer(context& c, const corpus<Bits>& all) : context_(c), all_(all) {}

  struct member {
    std::uint32_t document;
    int distance;       // to the first member
    double similarity;  // to it: exact if checked, else estimated
  };

  void print(const std::vector<member>& members) {
    ++groups_;
    documents_ += members.size();
    if (context_.settings.format == output_format::json_lines) {
      print_json(members);
    } else {
      print_text(members);
    }
  }

  [[nodiscard]] std::uint64_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }

 private:
  void print_json(const std::vector<member>& members) {
    output& out = context_.out;
    out << "{\"group\":" << std::to_string(groups_ - 1) << ",\"size\":" << std::to_string(members.size())
        << ",\"members\":[";
    bool first = true;
    for (const member& m : members) {
      if (!std::exchange(first, false)) out << ',';
      out << "{\"id\":" << json_string(all_.documents.id(m.document)) << ",\"distance\":" << std::to_string(m.distance);
      if (context_.settings.min_similarity) out << ",\"similarity\":" << number(m.similarity);
      out << '}';
    }
    out << "]}\n";
  }

  void print_text(const std::vector<member>& members) {
    output& out = context_.out;
    const auto least = std::min_element(members.begin(), members.end(),
                                        [](const member& a, const member& b) { return a.similarity < b.similarity; });
    if (groups_ > 1) out << '\n';
    out << counted(members.size(), "document", "documents") << ", similarity "
        << (least->similarity >= 1 ? "1.000" : similarity_text(least->similarity) + " at least to the first") << '\n';
    for (const member& m : members) {
      out << "  " << similarity_text(m.similarity) << "  " << printable(all_.documents.id(m.document)) << '\n';
    }
  }

  context& context_;
  const corpus<Bits>& all_;
  std::uint64_t groups_ = 0;
  std::uint64_t documents_ = 0;
};

template <std::size_t Bits>
void run_groups(context& c) {
  corpus<Bits> all(c.settings);
  for_each_document<Bits>(c, [&](const placed_document<Bits>& d) {
    if (d.facts.has_tokens) all.add(d, c.settings.min_similarity.has_value());
  });
  const std::vector<std::uint32_t> label = find_components(c, all);

  // The members of each group, one group behind the other, both in the order of the input.
  std::vector<std::uint32_t> size(label.size(), 0);
  for (const std::uint32_t first : label) ++size[first];
  std::vector<std::uint32_t> grouped_documents;
  for (std::uint32_t i = 0; i < label.size(); ++i) {
    if (size[label[i]] > 1) grouped_documents.push_back(i);
  }
  std::stable_sort(grouped_documents.begin(), grouped_documents.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return label[a] < label[b]; });

  group_printer<Bits> printer(c, all);
  std::vector<typename group_printer<Bits>::member> members;
  const auto add = [&](std::uint32_t document, int distance, double similarity) {
    members.push_back({document, distance, similarity});
    if (members.size() < size[label[document]]) return;
    printer.print(members);
    members.clear();
  };
  similarity_checker checker(c.settings, all.documents,
                             [&](const candidate& pair, double similarity) { add(pair.b, pair.distance, similarity); });
  for (const std::uint32_t i : grouped_documents) {
    const int distance = neardup::hamming_distance(all.fingerprints[label[i]], all.fingerprints[i]);
    if (c.settings.min_similarity) {
      checker.add({label[i], i, distance});
    } else {
      add(i, distance, neardup::estimated_cosine<Bits>(distance));
    }
  }
  checker.finish();
  finish(c, ": " + counted(printer.groups(), "group", "groups") + " of near-duplicates, " +
                counted(printer.documents(), "document", "documents") + " in them");
}

}  // namespace command
