// `neardup pairs`: every two near-duplicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <neardup/dedup/all_pairs.hpp>
#include <neardup/dedup/similarity.hpp>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"

namespace command {

template <std::size_t Bits>
void run_pairs(context& c) {
  corpus<Bits> all(c.settings);
  for_each_document<Bits>(c, [&](const placed_document<Bits>& d) {
    if (d.facts.has_tokens) all.add(d);
  });

  std::uint64_t count = 0;
  const auto print = [&](const candidate& pair, std::optional<double> similarity) {
    ++count;
    const double estimate = neardup::estimated_cosine<Bits>(pair.distance);
    const std::string a = all.documents.id(pair.a);
    const std::string b = all.documents.id(pair.b);
    if (c.settings.format == output_format::json_lines) {
      c.out << "{\"a\":" << json_string(a) << ",\"b\":" << json_string(b)
            << ",\"distance\":" << std::to_string(pair.distance) << ",\"estimate\":" << number(estimate);
      if (similarity) c.out << ",\"similarity\":" << number(*similarity);
      c.out << "}\n";
    } else {
      c.out << similarity_text(similarity.value_or(estimate)) << '\t' << std::to_string(pair.distance) << '\t'
            << printable(a) << '\t' << printable(b) << '\n';
    }
  };

  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  // Checked by all threads, some at a time, and printed in order.
  constexpr std::size_t checked_at_once = std::size_t{1} << 16;
  std::vector<candidate> waiting;
  const auto print_similar = [&] {
    const auto similarities = similarities_of(c.settings, all.check, waiting, *c.settings.min_similarity);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (similarities[i]) print(waiting[i], similarities[i]);
    }
    waiting.clear();
  };
  neardup::all_pairs(
      all.fingerprints, c.settings.distance,
      [&](std::size_t i, std::size_t j, int distance) {
        const candidate pair{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), distance};
        if (!c.settings.min_similarity) {
          if (!all.check.decides() || all.check.accepts(i, j)) print(pair, std::nullopt);
          return;
        }
        waiting.push_back(pair);
        if (waiting.size() == checked_at_once) print_similar();
      },
      c.settings.blocks, neardup::threads{c.settings.threads});
  if (!waiting.empty()) print_similar();
  finish(c, ": " + counted(count, "pair", "pairs") + " of near-duplicates");
}

}  // namespace command
