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
      job.y = visit(ys, job.y, job.y_end, xs[job.x], k, take);
      if (job.y < job.y_end) return count;
    }
    return count;
  }

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

 private:
  /// Does the same as visit_close(), also for fingerprints that are too wide for vectors.
  template <class Filter, class Take>
  NEARDUP_ALWAYS_INLINE static std::size_t visit(const Filter* y, std::size_t from, std::size_t end, const Filter& x,
                                                 int k, const Take& take) noexcept {
#if NEARDUP_FORM != NEARDUP_PORTABLE
    // This instruction set has an instruction that counts the ones of a word.
    if constexpr (!vector_filter<Filter>) {
      return portable::visit_close_by([](const Filter& a, const Filter& b) { return count_differing_bits(a, b); }, y,
                                      from, end, x, k, take);
    } else
#endif
      return visit_close(y, from, end, x, k, take);
  }
};
filter_kernels filter_kernels_of(form);

#endif
