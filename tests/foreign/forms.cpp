// Compares each version of the kernels with the portable version, on random input and on each instruction set of the
// machine. tools/foreign runs this program on machines where the tests are not built. It prints the number of
// comparisons. The exit status is 1 if a comparison failed.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint/kernels/bin_minima.hpp>
#include <neardup/fingerprint/kernels/xxh3_spans.hpp>
#include <neardup/index/engine/bucket_line.hpp>
#include <neardup/instruction_set.hpp>
#include <neardup/sets/engine/common_elements.hpp>
#include <neardup/sets/engine/rare_first.hpp>
#include <neardup/simd/filters.hpp>
#include <neardup/text/canonical.hpp>
#include <neardup/text/kernels/joined_words.hpp>
#include <neardup/text/kernels/utf8_blocks.hpp>
#include <neardup/text/kernels/word_spans.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/utf8.hpp>

#include "oracle/random_engine.hpp"

namespace {

using namespace neardup;

oracle::random_engine random_source(1);

std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_source() % limit); }

std::size_t comparisons = 0, failures = 0;

/// Runs `work` on each instruction set, and compares the results with those of portable code.
template <class Work>
void compare(const char* name, const Work& work) {
  const instruction_set before = active_instruction_set();
  set_instruction_set(instruction_set::portable);
  const auto expected = work();
  for (const auto& [level, level_name] : detail::instruction_sets) {
    if (!is_available(level)) continue;
    set_instruction_set(level);
    ++comparisons;
    if (work() == expected) continue;
    ++failures;
    std::printf("%s differs on %s\n", name, std::string(level_name).c_str());
  }
  set_instruction_set(before);
}

/// A filter that differs from `base` in a few bits, or in half of them.
template <class Filter>
Filter near_or_far(const Filter& base) {
  Filter result = base;
  auto* const bytes = reinterpret_cast<unsigned char*>(&result);
  if (below(3) == 0) {
    for (std::size_t i = 0; i < sizeof result; ++i) bytes[i] = static_cast<unsigned char>(random_source());
  }
  for (std::size_t flips = below(8); flips > 0; --flips)
    bytes[below(sizeof result)] ^= static_cast<unsigned char>(1U << below(8));
  return result;
}

template <class Filter>
void compare_filters(const char* name) {
  std::vector<Filter> filters(150);
  for (Filter& filter : filters) filter = near_or_far(filters[0]);
  for (std::size_t round = 0; round < 200; ++round) {
    const std::size_t end = below(filters.size() + 1), begin = below(end + 1);
    const int k = static_cast<int>(below(round % 3 == 0 ? 8 * sizeof(Filter) + 1 : 9));
    const std::size_t room = detail::join_step + below(100);
    const bool is_within = below(2) == 0;
    compare(name, [&] {
      std::vector<detail::filter_pair> found(room);
      std::vector<std::pair<std::size_t, std::size_t>> pairs;
      auto job = is_within ? detail::filter_join::within(begin, end, filters.size())
                           : detail::filter_join::across(0, begin, begin, end);
      while (!job.is_done()) {
        const std::size_t count =
            detail::join_filters(filters.data(), filters.data(), job, k, std::span(found), active_instruction_set());
        for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(found[i].x, found[i].y);
      }
      return pairs;
    });
  }
}

template <class Filter>
void compare_scans(const char* name) {
  std::vector<Filter> filters(600);
  for (Filter& filter : filters) filter = near_or_far(filters[0]);
  for (std::size_t round = 0; round < 200; ++round) {
    std::vector<detail::filter_run> runs(1 + below(9));
    for (auto& run : runs) {
      run.count = below(below(2) == 0 ? 12 : 100);
      run.filters = filters.data() + below(filters.size() - run.count);
      run.query = filters[below(filters.size())];
    }
    const int k = static_cast<int>(below(round % 3 == 0 ? 8 * sizeof(Filter) + 1 : 5));
    compare(name, [&] {
      std::vector<detail::filter_hit> hits(detail::hit_capacity);
      std::vector<std::pair<std::size_t, std::size_t>> found;
      const auto scan = detail::filter_scan<Filter>();
      for (detail::scan_position at; at.run < runs.size();) {
        const std::size_t count = scan(runs.data(), runs.size(), at, k, hits.data());
        for (std::size_t i = 0; i < count; ++i) found.emplace_back(hits[i].run, hits[i].position);
      }
      return found;
    });
  }
}

void compare_lines() {
  constexpr std::size_t most = 16;
  for (std::size_t round = 0; round < 200; ++round) {
    std::vector<detail::bucket_line> lines(most);
    std::vector<detail::line_probe> probes;
    for (auto& line : lines) {
      std::array<std::uint32_t, detail::bucket_line::capacity> filters{}, slots{};
      const auto query = static_cast<std::uint16_t>(random_source());
      for (auto& filter : filters) filter = near_or_far(query);
      line = detail::bucket_line(below(18), filters.data(), slots.data(), below(1000));
      probes.push_back({&line, query, 0});
    }
    compare("bucket lines", [&] {
      detail::line_findings<most> findings;
      detail::line_scan<most>()(probes.data(), probes.size(), static_cast<int>(round % 17), findings);
      std::vector<std::uint32_t> found(
          findings.overflows.begin(),
          findings.overflows.begin() + static_cast<std::ptrdiff_t>(findings.overflow_count));
      for (std::size_t i = 0; i < findings.hit_count; ++i) {
        found.push_back(findings.hits[i].probe);
        found.push_back(findings.hits[i].position);
      }
      return found;
    });
  }
}

std::vector<std::uint32_t> random_set(std::size_t size, std::uint32_t most) {
  std::vector<std::uint32_t> set(size);
  for (auto& element : set) element = static_cast<std::uint32_t>(random_source()) % most * (0xffffffffU / most);
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

void compare_sets() {
  for (std::size_t round = 0; round < 300; ++round) {
    const auto most = static_cast<std::uint32_t>(1 + below(round % 2 == 0 ? 300 : 5000));
    const auto a = random_set(below(200), most), b = random_set(below(200), most);
    compare("common elements", [&] {
      const std::span<const std::uint32_t> first(a), second(b);
      return detail::count_common(first, second, 0);
    });
    // If the count is below `least`, the kernel may return any smaller number.
    const std::size_t least = below(60);
    compare("common elements, bounded", [&] {
      const std::size_t count =
          detail::count_common(std::span<const std::uint32_t>(a), std::span<const std::uint32_t>(b), least);
      return count < least ? 0 : count;
    });

    // Many equal counts, and many equal tokens.
    const std::uint32_t many = below(2) == 0 ? 3 : 0x7fff;
    const auto count_of = [&](std::uint32_t token) { return static_cast<std::uint32_t>(token * 0x9e3779b9U % many); };
    struct counts_type {
      decltype(count_of) of;
      void prefetch(std::uint32_t) const {}
      std::uint16_t operator[](std::uint32_t token) const { return static_cast<std::uint16_t>(of(token)); }
    };
    if (a.empty()) continue;
    const std::size_t wanted = 1 + below(a.size());
    compare("prefixes", [&] {
      detail::prefix_finder finder;
      const auto prefix = finder.find(std::span<const std::uint32_t>(a), wanted, counts_type{count_of});
      return std::vector<std::uint64_t>(prefix.begin(), prefix.end());
    });
  }
}

/// A text of pieces that meet in many ways: ASCII, Latin-1, Han, separators of three bytes, ill-formed bytes.
std::string random_text(std::size_t pieces) {
  constexpr std::string_view some[] = {"a",
                                       "Z9",
                                       "the",
                                       " ",
                                       ", ",
                                       "Quartz",
                                       "word",
                                       "\xe5\x8d\x97",
                                       "\xe4\xba\xac",
                                       "\xef\xbc\x8c",
                                       "\xe3\x80\x82",
                                       "\xc3\x84",
                                       "\xc2\xaa",
                                       "\xc2\xad",
                                       "\xc3\x97",
                                       "\xff",
                                       "\xe2\x80\x94",
                                       "\xe4\xb7\x80",
                                       "\xe2\x80\x8b",
                                       "\xef\xbc\xa1",
                                       "\xd0\x96",
                                       "\xf0\x9f\x98\x80",
                                       "\xe5",
                                       "\xc3"};
  const std::size_t kinds = below(2) == 0 ? 7 : std::size(some);
  const bool is_chinese = below(3) == 0;
  std::string text;
  for (; pieces > 0; --pieces) {
    if (is_chinese && below(8) != 0) {
      char bytes[4];
      text.append(bytes, encode(static_cast<char32_t>(0x4e00 + below(0x5200)), bytes));
    } else {
      text += some[below(kinds)];
    }
  }
  return text;
}

void compare_texts() {
  for (std::size_t round = 0; round < 500; ++round) {
    const std::string text = random_text(below(round % 10 == 0 ? 1500 : 90));
    // A well-formed text, with one byte changed or not.
    std::string whole;
    for (std::size_t i = below(200); i > 0; --i) {
      char c[4];
      const auto limit = static_cast<std::size_t>(below(3) == 0 ? 0x11'0000 : below(2) == 0 ? 0x1'0000 : 0x800);
      whole.append(c, encode(static_cast<char32_t>(below(limit)), c));
    }
    if (!whole.empty() && below(2) == 0) whole[below(whole.size())] = static_cast<char>(random_source());
    compare("validation of texts", [&] { return detail::is_well_formed(whole, active_instruction_set()); });
    compare("validation of any bytes", [&] { return detail::is_well_formed(text, active_instruction_set()); });
    compare("normalised texts", [&] { return normalise(text); });
    compare("canonical texts", [&] { return canonicalise(text); });
    compare("words", [&] {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
      detail::word_span_finder finder(text);
      for (detail::token_spans spans; finder.next(spans);) {
        for (std::size_t i = 0; i < spans.count; ++i) words.emplace_back(spans.begin[i], spans.end[i]);
      }
      return words;
    });

    const std::size_t n = 1 + below(3);
    std::size_t cut = below(text.size() + 1);
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80) ++cut;  // whole characters
    for (const auto form : {detail::word_form::as_written, detail::word_form::folded, detail::word_form::normalised}) {
      compare("joined words", [&] {
        std::vector<std::string> shingles;
        const auto add = [&](const char* joined, const detail::span_view& spans) {
          for (std::size_t i = 0; i < spans.count; ++i) {
            shingles.emplace_back(joined + spans.begin[i], spans.end[i] - spans.begin[i]);
          }
        };
        detail::joined_words words;
        words.start(n, form);
        words.append(std::string_view(text).substr(0, cut), add);
        words.append(std::string_view(text).substr(cut), add);
        words.finish(add);
        return shingles;
      });
    }

    std::string bytes(1200, ' ');
    for (char& c : bytes) c = static_cast<char>(random_source());
    std::vector<std::uint32_t> begin, end;
    for (std::size_t i = below(200); i > 0; --i) {
      begin.push_back(static_cast<std::uint32_t>(below(1000)));
      end.push_back(begin.back() + 1 + static_cast<std::uint32_t>(below(i % 9 == 0 ? 150 : 40)));
    }
    compare("min-wise codes", [&] {
      detail::bin_minima<256> minima;
      std::vector<std::uint64_t> hashes(begin.begin(), begin.end());
      for (std::uint64_t& hash : hashes) hash = detail::mix(hash);
      minima.add(hashes.data(), hashes.size());
      return minima.code();
    });
    compare("hashes of spans", [&] {
      std::vector<std::uint64_t> hashes(begin.size() + 8);
      std::uint64_t* const columns[] = {hashes.data()};
      detail::hash_spans(bytes.data(), {begin.data(), end.data(), begin.size()}, round, columns, 1,
                         active_instruction_set());
      hashes.resize(begin.size());
      std::sort(hashes.begin(), hashes.end());  // their order is unspecified
      return hashes;
    });
  }
}

}  // namespace

int main() {
  compare_filters<std::uint32_t>("joins of 32 bits");
  compare_filters<std::uint64_t>("joins of 64 bits");
  compare_filters<std::array<std::uint64_t, 1>>("joins of a word");
  compare_filters<std::array<std::uint64_t, 2>>("joins of 2 words");
  compare_filters<std::array<std::uint64_t, 3>>("joins of 3 words");
  compare_filters<std::array<std::uint64_t, 4>>("joins of 4 words");
  compare_filters<std::array<std::uint64_t, 7>>("joins of 7 words");
  compare_scans<std::uint32_t>("scans of 32 bits");
  compare_scans<std::uint64_t>("scans of 64 bits");
  compare_lines();
  compare_sets();
  compare_texts();
  std::printf("%zu comparisons, %zu failed\n", comparisons, failures);
  return failures == 0 ? 0 : 1;
}
