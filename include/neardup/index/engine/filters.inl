// SPDX-License-Identifier: MIT
// The kernels of filters.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_BASELINE

struct filter_kernels {
  template <class Filter>
  static std::size_t join(const Filter* xs, const Filter* ys, filter_join& job, int k,
                          std::span<filter_pair> found) noexcept {
    std::size_t count = 0;
    for (; !job.is_done(); job.advance()) {
      const auto take = [&](std::size_t first, std::uint64_t bits, std::size_t spacing) {
        if (found.size() - count < join_step) return false;
        for (; bits != 0; bits &= bits - 1) {
          found[count++] = {job.x, first + static_cast<std::size_t>(std::countr_zero(bits)) / spacing};
        }
        return true;
      };
      job.y = visit_close(ys, job.y, job.y_end, xs[job.x], k, take);
      if (job.y < job.y_end) return count;
    }
    return count;
  }

#if NEARDUP_FORM != NEARDUP_AVX512
  /// Continues the scan of `count` filter_runs at the position `at`, until all runs are scanned or `hits` is full. Then
  /// `at` is the position where the scan stopped.
  /// Returns: the number of hits.
  template <class Filter, class Run>
  static std::size_t scan(const Run* runs, std::size_t count, scan_position& at, int k, filter_hit* hits) noexcept {
    std::size_t found = 0;
    for (; at.run < count; ++at.run, at.at = 0) {
      const filter_run& run = runs[at.run];
      const auto take = [&](std::size_t first, std::uint64_t bits, std::size_t spacing) {
        if (found > hit_capacity - filter_lanes<Filter>) return false;
        for (; bits != 0; bits &= bits - 1) {
          hits[found++] = {at.run, first + static_cast<std::size_t>(std::countr_zero(bits)) / spacing};
        }
        return true;
      };
      const auto* const filters = static_cast<const Filter*>(run.filters);
      at.at = visit_close(filters, at.at, run.count, static_cast<Filter>(run.query), k, take);
      if (at.at < run.count) return found;
    }
    return found;
  }
#else
  // Whole cache lines are loaded, and masks exclude filters before and after the filter_run. Loads that begin at the
  // first filter of the run would mostly straddle two cache lines, which is slower. The last load would also wait for a
  // line after the end of the run, which was not prefetched.

  template <class Filter, class Run>
  static std::size_t scan(const Run* runs, std::size_t count, scan_position& at, int k, filter_hit* hits) noexcept {
    constexpr std::size_t lanes = 64 / sizeof(Filter);
    const __m512i limit = broadcast(static_cast<Filter>(k));
    std::size_t found = 0;
    for (std::size_t number = at.run; number < count; ++number, at.at = 0) {
      const filter_run& run = runs[number];
      const __m512i query = broadcast(static_cast<Filter>(run.query));
      const auto first = reinterpret_cast<std::uintptr_t>(run.filters) + at.at * sizeof(Filter);
      // `before`: the number of lanes of the first cache line that precede the filter_run; the mask `valid` excludes
      // these lanes. `line`: the address of the cache line.
      std::size_t before = first % 64 / sizeof(Filter);
      const char* line = static_cast<const char*>(run.filters) + at.at * sizeof(Filter) - before * sizeof(Filter);
      // The position of lane 0 in the filter_run; modulo 2^64, because lane 0 may precede the run.
      std::size_t position = at.at - before;
      for (; position + before < run.count; line += 64, position += lanes, before = 0) {
        if (found > hit_capacity - lanes) {
          at = {number, position + before};
          return found;
        }
        const std::size_t left = run.count - position;
        const unsigned within = _bzhi_u32(~0U, static_cast<unsigned>(left < lanes ? left : lanes));
        const unsigned valid = within >> before << before;
        auto matching =
            static_cast<unsigned>(close_bits<true>(reinterpret_cast<const Filter*>(line), valid, query, limit));
        // The first hit is stored without a branch, which would be mispredicted. A second hit in one cache
        // line is rare.
        hits[found] = {number, position + _tzcnt_u32(matching)};
        found += matching != 0 ? 1 : 0;
        for (matching = _blsr_u32(matching); matching != 0; matching = _blsr_u32(matching)) {
          hits[found++] = {number, position + _tzcnt_u32(matching)};
        }
      }
    }
    at = {count, 0};
    return found;
  }
#endif
};
filter_kernels filter_kernels_of(form);

#endif
