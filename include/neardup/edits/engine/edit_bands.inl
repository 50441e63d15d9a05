// SPDX-License-Identifier: MIT
// The kernel of edit_bands.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_NEON

struct band_kernels {
#if NEARDUP_FORM == NEARDUP_PORTABLE
  using vector = std::uint64_t;
#elif NEARDUP_FORM == NEARDUP_AVX512
  using vector = std::uint64_t __attribute__((vector_size(64)));
#elif NEARDUP_FORM == NEARDUP_AVX2
  using vector = std::uint64_t __attribute__((vector_size(32)));
#else
  using vector = baseline_words;
#endif
  static constexpr std::size_t lanes = sizeof(vector) / sizeof(std::uint64_t);
  static constexpr std::size_t stride = 2 * lanes;  // words for each column, and for each code point

  static NEARDUP_ALWAYS_INLINE void load(vector& to, const std::uint64_t* from) noexcept {
    std::memcpy(&to, from, sizeof to);
  }
  static NEARDUP_ALWAYS_INLINE void store(std::uint64_t* to, const vector& from) noexcept {
    std::memcpy(to, &from, sizeof from);
  }

#if NEARDUP_FORM == NEARDUP_AVX512
  // g++ 12 would need up to three instructions for each of these two functions.
  static NEARDUP_ALWAYS_INLINE vector or_neither(const vector& a, const vector& b, const vector& c) noexcept {
    return reinterpret_cast<vector>(_mm512_ternarylogic_epi64(
        reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b), reinterpret_cast<__m512i>(c), 0xf1));
  }
  static NEARDUP_ALWAYS_INLINE vector shifted(const vector& rows, const vector& above) noexcept {
    return reinterpret_cast<vector>(
        _mm512_shldi_epi64(reinterpret_cast<__m512i>(rows), reinterpret_cast<__m512i>(above), 1));
  }
#else
  /// Returns a | ~(b | c).
  static NEARDUP_ALWAYS_INLINE vector or_neither(const vector& a, const vector& b, const vector& c) noexcept {
    return a | ~(b | c);
  }
  /// Moves the bits of `rows` up by one. The highest bit of `above` becomes the lowest bit.
  static NEARDUP_ALWAYS_INLINE vector shifted(const vector& rows, const vector& above) noexcept {
    return (rows + rows) | (above >> 63);
  }
#endif

  /// The cells of a band in one column. Bit i of `rises` is set if cell i + 1 is one more than cell i. Bit i of `falls`
  /// is set if cell i + 1 is one less than cell i.
  struct cells {
    vector rises = vector{} - 1, falls = vector{};

    /// Moves to the next column. The bits of `match` are the rows whose code point equals the code point of the column.
    /// On entry, the highest bits of `up` and `down` are the differences along the row above the band. On return, they
    /// are the differences along the last row of the band.
    NEARDUP_ALWAYS_INLINE void move(const vector& match, vector& up, vector& down) noexcept {
      const vector rises_above = up, falls_above = down;
      // A diagonal move costs 0 in two cases: the code points are equal, or the cell above or to the left is less than
      // the diagonal cell.
      const vector matching = match | (falls_above >> 63);
      const vector free = (((matching & rises) + rises) ^ rises) | matching | falls;
      up = or_neither(falls, free, rises);
      down = rises & free;
      const vector steps_up = shifted(up, rises_above), steps_down = shifted(down, falls_above);
      const vector diagonal = match | falls;
      rises = or_neither(steps_down, diagonal, steps_up);
      falls = steps_up & diagonal;
    }
  };

  /// Computes the upper band of `step`, and the lower band unless it is empty.
  static void compute(band_step& step) noexcept {
    const bool has_lower = step.lower.begin < step.lower.end;
    mark(step, 0);
    if (has_lower) mark(step, 1);
    for (std::size_t i = step.filled; i < step.lower.end; ++i) {
      store(step.steps + (i + 1) * stride, vector{} - 1);
      store(step.steps + (i + 1) * stride + lanes, vector{});
    }
    cells upper, lower;
    std::size_t i = step.upper.begin;
    std::uint64_t* at = step.steps + (i + 1) * stride;
    const auto visit = [&](std::size_t end, const auto& move) NEARDUP_INLINE_LAMBDA {
      for (; i < end; ++i, at += stride) {
        vector up, down;
        load(up, at);
        load(down, at + lanes);
        move(step.matches + step.text[i] * stride, up, down);
        store(at, up);
        store(at + lanes, down);
      }
    };
    const auto move_upper = [&](const std::uint64_t* matches, vector& up, vector& down) NEARDUP_INLINE_LAMBDA {
      vector match;
      load(match, matches);
      upper.move(match, up, down);
    };
    const auto move_lower = [&](const std::uint64_t* matches, vector& up, vector& down) NEARDUP_INLINE_LAMBDA {
      vector match;
      load(match, matches + lanes);
      lower.move(match, up, down);
    };
    visit(step.lower.begin, move_upper);
    visit(step.upper.end, [&](const std::uint64_t* matches, vector& up, vector& down) NEARDUP_INLINE_LAMBDA {
      move_upper(matches, up, down);
      move_lower(matches, up, down);
    });
    visit(step.lower.end, move_lower);
    store(step.last[0], upper.rises);
    store(step.last[0] + lanes, upper.falls);
    store(step.last[1], lower.rises);
    store(step.last[1] + lanes, lower.falls);
    clear(step);
  }

  /// Moves from column `begin` to `end`: adds the differences between these columns to `values`, one value per lane.
  static void advance(const std::uint64_t* steps, std::size_t begin, std::size_t end, std::uint64_t* values) noexcept {
    vector value, up, down;
    load(value, values);
    for (std::size_t i = begin; i < end; ++i) {
      load(up, steps + (i + 1) * stride);
      load(down, steps + (i + 1) * stride + lanes);
      value += (up >> 63) - (down >> 63);
    }
    store(values, value);
  }

  /// Counts in `limits`, for each lane, the cells of a row that paths of cost at most `most` cannot reach.
  static void narrow(const std::uint64_t* steps, std::size_t begin, std::size_t end, row_limits& limits) noexcept {
    const auto next = static_cast<std::ptrdiff_t>(stride);
    count_lost(steps + (begin + 1) * stride, next, lanes, 0, end - begin, limits.spare_left, limits.lost_left);
    count_lost(steps + end * stride, -next, 0, lanes, end - begin, limits.spare_right, limits.lost_right);
  }

 private:
  /// Counts the cells with a negative `spare`, from one end of a row on. The step from the first cell to the next has its
  /// words at `at`. The words of each further step are `next` words farther. `spare` grows by 0 to 2 with each cell: by 1, by
  /// the highest bit of the word `plus`, and less the highest bit of the word `minus`. So the negative cells are the
  /// first cells, and the count ends soon after the last one of all lanes.
  static void count_lost(const std::uint64_t* at, std::ptrdiff_t next, std::size_t plus, std::size_t minus,
                         std::size_t cells, row_limits::words& spare, row_limits::words& lost) noexcept {
    constexpr std::size_t cells_at_once = 8;
    vector left, more, less;
    load(left, spare);
    vector count = left >> 63;
    for (;;) {
      std::uint64_t any = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane) any |= spare[lane];
      if (cells == 0 || any >> 63 == 0) break;
      const std::size_t some = (std::min)(cells, cells_at_once);
      for (std::size_t i = 0; i < some; ++i, at += next) {
        load(more, at + plus);
        load(less, at + minus);
        left += (more >> 63) - (less >> 63) + 1;
        count += left >> 63;
      }
      cells -= some;
      store(spare, left);
    }
    store(lost, count);
  }

  /// Returns the rows of a lane in the upper (0) or lower (1) band.
  static std::span<const char32_t> rows_of(const band_step& step, std::size_t lane, std::size_t band) noexcept {
    const std::span<const char32_t> pattern = step.patterns[lane];
    const std::size_t first = (std::min)(band * word_bits, pattern.size());
    return pattern.subspan(first, (std::min)(word_bits, pattern.size() - first));
  }

  /// Sets the bits of the rows of a band in step.matches.
  static void mark(const band_step& step, std::size_t band) noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::uint64_t* const masks = step.matches + band * lanes + lane;
      std::uint64_t row = 1;
      for (const char32_t c : rows_of(step, lane, band)) {
        masks[c * stride] |= row;
        row <<= 1;
      }
    }
  }

  /// Sets all words of step.matches to 0.
  static void clear(const band_step& step) noexcept {
    if (step.alphabet <= lanes * word_bits) {
      std::fill_n(step.matches, step.alphabet * stride, 0);
      return;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t band = 0; band < 2; ++band) {
        for (const char32_t c : rows_of(step, lane, band)) step.matches[c * stride + band * lanes + lane] = 0;
      }
    }
  }
};
band_kernels band_kernels_of(form);

#endif
