#include "packing.hpp"

#include <algorithm>
#include <array>
#include <neardup/text/utf8.hpp>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "foreign.hpp"
#include "text.hpp"

#ifdef NEARDUP_WITH_ZLIB
#define ZLIB_CONST  // NOLINT(readability-identifier-naming): zlib's name
#include <zlib.h>
#endif
#ifdef NEARDUP_WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

namespace command {

namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";
// Bytes 2 to 4 of a zstd frame without content. Its first byte is 0x50 to 0x5F. Files of pzstd begin with such a frame.
constexpr std::string_view skippable_rest = "\x2a\x4d\x18";
constexpr std::string_view marked_utf8 = "\xEF\xBB\xBF";
constexpr std::string_view utf16_little = "\xFF\xFE";
constexpr std::string_view utf16_big = "\xFE\xFF";
constexpr std::size_t packed_block = std::size_t{1} << 17;

constexpr const char* cut_off = "the compressed data ends too early: the file is cut off";
constexpr const char* corrupt = "the compressed data is corrupt";
constexpr const char* followed = "something else follows the compressed data";

bool is_zstd(std::string_view beginning) {
  if (beginning.starts_with(zstd_magic)) return true;
  return beginning.size() > skippable_rest.size() && (beginning.front() & 0xF0) == 0x50 &&
         beginning.substr(1).starts_with(skippable_rest);
}

/// The base of the readers of gzip, zstd and UTF-16. It reads the file in blocks. read() throws the error of a damaged
/// file only after it has returned all bytes before the damage.
class block_unpacker : public byte_stream {
 public:
  explicit block_unpacker(std::shared_ptr<byte_stream> packed) : packed_(std::move(packed)) {}

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) final {
    for (;;) {
      if (problem_ != nullptr) throw read_error(problem_);
      if (ended_) return 0;
      if (rest_.empty()) {
        const std::size_t count = packed_->read(block_.data(), block_.size(), stop);
        if (count == 0 && stop.load(std::memory_order_relaxed)) return 0;
        rest_ = std::string_view(block_.data(), count);
        at_end_ = count == 0;
      }
      const std::size_t unpacked = unpack(to, size);
      if (unpacked > 0) return unpacked;
    }
  }

 protected:
  /// Removes bytes from the front of rest_, and unpacks them to `to`. Returns the size of the result, at most `size`.
  /// Sets ended_ at the end of the file, or problem_ on an error. If at_end_ is true, no input follows rest_.
  virtual std::size_t unpack(char* to, std::size_t size) = 0;

  std::string_view rest_;
  bool at_end_ = false;
  bool ended_ = false;
  const char* problem_ = nullptr;

 private:
  std::shared_ptr<byte_stream> packed_;
  std::vector<char> block_ = std::vector<char>(packed_block);
};

/// Unpacks one member of a file at a time.
class member_decoder {
 public:
  enum class status { goes_on, ended, damaged };

  virtual ~member_decoder() = default;
  virtual void begin() = 0;
  /// Removes compressed bytes from the front of `packed`, and writes their content to `to`, at most `size` bytes. Sets
  /// `size` to the number of these bytes.
  virtual status step(std::string_view& packed, char* to, std::size_t& size) = 0;
  /// Returns the message about the damage that step() found.
  [[nodiscard]] virtual const char* problem() const = 0;
  [[nodiscard]] virtual std::string_view magic() const = 0;
  /// Returns true if `bytes` begin with the magic bytes of a member, which may have no content.
  [[nodiscard]] virtual bool begins(std::string_view bytes) const { return bytes.starts_with(magic()); }
  /// Returns true if zeros may follow the last member.
  [[nodiscard]] virtual bool may_be_padded() const = 0;
};

/// Unpacks members up to the first damage.
class member_unpacker final : public block_unpacker {
 public:
  member_unpacker(std::shared_ptr<byte_stream> packed, std::unique_ptr<member_decoder> decoder)
      : block_unpacker(std::move(packed)), decoder_(std::move(decoder)) {}

 private:
  std::size_t unpack(char* to, std::size_t size) override {
    if (!inside_) {
      begin_member();
      if (!inside_) return 0;
    }
    const auto status = decoder_->step(rest_, to, size);
    if (status == member_decoder::status::damaged) problem_ = decoder_->problem();
    if (status == member_decoder::status::goes_on && at_end_ && size == 0) problem_ = cut_off;
    if (status == member_decoder::status::ended) {
      inside_ = false;
      ++members_;
    }
    return size;
  }

  /// Begins the next member, or finds the end of the file. Zeros, which fill a tape block, may precede the end.
  void begin_member() {
    if (members_ > 0 && decoder_->may_be_padded()) {
      const std::size_t zeros = std::min(rest_.find_first_not_of('\0'), rest_.size());
      padded_ = padded_ || zeros > 0;
      rest_.remove_prefix(zeros);
    }
    if (rest_.empty()) {
      ended_ = at_end_ && members_ > 0;
      if (at_end_ && members_ == 0) problem_ = cut_off;
    } else if (padded_) {
      problem_ = followed;
    } else {
      decoder_->begin();
      inside_ = true;
    }
  }

  std::unique_ptr<member_decoder> decoder_;
  bool inside_ = false;  // true if a member has begun and not ended
  bool padded_ = false;
  std::uint64_t members_ = 0;
};

/// Compressed bytes that can be read again: a regular file, or a pipe with a temporary copy.
class packed_bytes {
 public:
  packed_bytes(std::shared_ptr<input_file> file, std::shared_ptr<peeking_stream> stream)
      : file_(std::move(file)), stream_(std::move(stream)) {
    if (file_->is_regular()) file_->seek(0);
  }

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) {
    if (file_->is_regular()) return file_->read(to, size, stop);
    const bool is_copied = position_ < end_;
    if (is_copied) size = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - position_));
    if (is_copied) copy_->read_at(position_ - copied_from_, to, size);
    const std::size_t count = is_copied ? size : stream_->read(to, size, stop);
    if (!is_copied && count > 0) {
      if (!copy_) copy_ = std::make_unique<temporary_file>();
      copy_->append({to, count});
      end_ += count;
    }
    position_ += count;
    return count;
  }

  void seek(std::uint64_t position) {
    position_ = position;
    if (file_->is_regular()) file_->seek(position);
  }

  /// Shortens a large copy. Precondition: no byte before `position` will be read again.
  void forget_before(std::uint64_t position) {
    constexpr std::uint64_t most_copied = std::uint64_t{1} << 26;
    if (position - std::min(position, copied_from_) < most_copied) return;
    std::string rest(static_cast<std::size_t>(end_ - position), '\0');
    copy_->read_at(position - copied_from_, rest.data(), rest.size());
    copy_ = std::make_unique<temporary_file>();
    copy_->append(rest);
    copied_from_ = position;
  }

 private:
  std::shared_ptr<input_file> file_;
  std::shared_ptr<peeking_stream> stream_;
  std::unique_ptr<temporary_file> copy_;  // bytes [copied_from_, end_) of a pipe
  std::uint64_t copied_from_ = 0, end_ = 0, position_ = 0;
};

/// Unpacks members. Leaves out members that are damaged or cut off. A member's content is returned only after its
/// checksum is verified: a member with much content is unpacked twice.
class surviving_unpacker final : public byte_stream {
 public:
  surviving_unpacker(std::shared_ptr<input_file> file, std::shared_ptr<peeking_stream> stream,
                     std::unique_ptr<member_decoder> decoder)
      : packed_(std::move(file), std::move(stream)), decoder_(std::move(decoder)) {}

  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop) override {
    for (;;) {
      if (gap_)
        throw gap_error(left_out(corrupt, *std::exchange(gap_, std::nullopt)) +
                        ", up to the next member that is whole");
      if (given_ < held_.size()) {
        const std::size_t count = std::string_view(held_).substr(given_).copy(to, size);
        given_ += count;
        return count;
      }
      held_.clear();
      given_ = 0;
      if (problem_ != nullptr) throw read_error(left_out(problem_, lost_));
      if (ended_) return 0;
      if (!(is_verified_ ? unpack_more(stop) : next_member(stop))) return 0;
    }
  }

 private:
  enum class verdict { whole, damaged, ends_early, stopped };

  static std::string left_out(const char* problem, std::uint64_t bytes) {
    const std::string what(problem);
    return bytes == 0 ? what : what + ": " + counted(bytes, "byte of it was", "bytes of it were") + " left out";
  }

  /// Appends a block of the input to in_, and first drops the bytes before at_ if these are many, or all.
  /// Returns: false if `stop` was set meanwhile.
  bool fill(const std::atomic<bool>& stop) {
    constexpr std::size_t most_behind = std::size_t{1} << 20;
    if (at_ >= most_behind || at_ == in_.size()) {
      in_.erase(0, at_);
      dropped_ += at_;
      at_ = 0;
    }
    const std::size_t old_size = in_.size();
    in_.resize(old_size + packed_block);
    const std::size_t count = packed_.read(in_.data() + old_size, packed_block, stop);
    in_.resize(old_size + count);
    if (count == 0 && stop.load(std::memory_order_relaxed)) return false;
    at_end_ = count == 0;
    return true;
  }

  [[nodiscard]] std::uint64_t place() const noexcept { return dropped_ + at_; }

  /// Makes `position` the next byte to be unpacked.
  void go_to(std::uint64_t position) {
    if (position >= dropped_) {
      at_ = static_cast<std::size_t>(position - dropped_);
      return;
    }
    packed_.seek(position);
    in_.clear();
    dropped_ = position;
    at_ = 0;
    at_end_ = false;
  }

  /// Unpacks the next bytes into held_.
  verdict step(const std::atomic<bool>& stop, bool& has_ended) {
    if (at_ == in_.size() && !at_end_ && !fill(stop)) return verdict::stopped;
    std::string_view rest = std::string_view(in_).substr(at_);
    const std::size_t old_size = rest.size();
    std::array<char, std::size_t{1} << 15> room;
    std::size_t unpacked = room.size();
    const auto status = decoder_->step(rest, room.data(), unpacked);
    held_.append(room.data(), unpacked);
    at_ += old_size - rest.size();
    has_ended = status == member_decoder::status::ended;
    if (status == member_decoder::status::damaged) return verdict::damaged;
    const bool is_stuck = at_end_ && rest.size() == old_size && unpacked == 0;
    return is_stuck && !has_ended ? verdict::ends_early : verdict::whole;
  }

  /// Unpacks the member at `begin` to its end. Afterwards held_ has its content, or unpack_more() will return it.
  verdict verify(std::uint64_t begin, const std::atomic<bool>& stop) {
    constexpr std::size_t most_held = std::size_t{1} << 22;
    go_to(begin);
    decoder_->begin();
    bool is_large = false;
    for (bool has_ended = false; !has_ended;) {
      const verdict so_far = step(stop, has_ended);
      is_large = is_large || held_.size() > most_held;
      if (so_far != verdict::whole || is_large) held_.clear();
      if (so_far != verdict::whole) return so_far;
    }
    ++members_;
    is_verified_ = is_large;
    if (is_large) {
      go_to(begin);
      decoder_->begin();
    }
    return verdict::whole;
  }

  /// Unpacks more of a large member, which was verified.
  /// Returns: false if `stop` was set meanwhile.
  bool unpack_more(const std::atomic<bool>& stop) {
    bool has_ended = false;
    const verdict now = step(stop, has_ended);
    if (now == verdict::stopped) return false;
    if (now != verdict::whole) throw read_error("the file was changed while it was read");
    is_verified_ = !has_ended;
    return true;
  }

  /// Finds the next member that is whole, or the end of the input.
  /// Returns: false if `stop` was set meanwhile.
  bool next_member(const std::atomic<bool>& stop) {
    const auto fill_to = [&](std::size_t size) {
      while (in_.size() - at_ < size && !at_end_) {
        if (!fill(stop)) return false;
      }
      return true;
    };
    const std::string_view magic = decoder_->magic();
    for (;;) {
      if (members_ > 0 && decoder_->may_be_padded()) at_ = std::min(in_.find_first_not_of('\0', at_), in_.size());
      packed_.forget_before(place());
      if (at_ < in_.size() || at_end_) break;
      if (!fill(stop)) return false;
    }
    ended_ = at_ == in_.size();
    if (ended_ && members_ == 0) problem_ = cut_off;
    if (ended_) return true;
    if (!fill_to(magic.size())) return false;
    const bool is_member = decoder_->begins(std::string_view(in_).substr(at_));
    const std::uint64_t begin = place();
    const verdict first = verify(begin, stop);
    if (first == verdict::stopped) return false;
    if (first == verdict::whole) return true;
    // The search begins inside the damaged member, because the damage may hide where the member ends. Many places may
    // look like the beginning of a member, and the same bytes may be unpacked for each of them. So the search has a
    // limit: 16 MB, and 16 times the bytes from `begin` to `reached`.
    constexpr std::uint64_t most_often = 16, most_at_first = std::uint64_t{1} << 24;
    std::uint64_t reached = place(), unpacked = 0;
    go_to(begin + 1);
    for (;;) {
      if (!fill_to(magic.size())) return false;
      const bool goes_on = unpacked < most_at_first + most_often * (reached - begin);
      const std::size_t found = goes_on ? in_.find(magic, at_) : in_.npos;
      if (found == in_.npos) {
        at_ = std::max(at_, in_.size() - std::min(in_.size(), magic.size() - 1));
        if (at_end_) break;
        if (!fill(stop)) return false;
        continue;
      }
      const std::uint64_t candidate = dropped_ + found;
      const verdict now = verify(candidate, stop);
      if (now == verdict::stopped) return false;
      if (now == verdict::whole) {
        gap_ = candidate - begin;
        return true;
      }
      reached = std::max(reached, place());
      unpacked += place() - candidate;
      go_to(candidate + 1);
    }
    ended_ = true;
    problem_ = first == verdict::ends_early ? cut_off : is_member ? corrupt : followed;
    lost_ = dropped_ + in_.size() - begin;
    return true;
  }

  packed_bytes packed_;
  std::unique_ptr<member_decoder> decoder_;
  std::string in_;             // compressed bytes
  std::uint64_t dropped_ = 0;  // number of bytes before in_
  std::size_t at_ = 0;         // position in in_ up to which bytes are unpacked
  bool at_end_ = false;        // no more input follows in_
  std::string held_;           // unpacked content that is not returned yet
  std::size_t given_ = 0;
  bool is_verified_ = false;  // true if the next byte belongs to a large member that was verified
  std::uint64_t members_ = 0;
  std::optional<std::uint64_t> gap_;  // number of bytes that are lost before held_
  bool ended_ = false;
  const char* problem_ = nullptr;
  std::uint64_t lost_ = 0;  // number of bytes that problem_ concerns
};

/// Converts UTF-16 to UTF-8. Removes the byte order mark.
class utf16_reader final : public block_unpacker {
 public:
  utf16_reader(std::shared_ptr<byte_stream> text, bool big_endian, std::shared_ptr<ill_formed_places> ill_formed)
      : block_unpacker(std::move(text)), big_endian_(big_endian), ill_formed_(std::move(ill_formed)) {}

 private:
  std::size_t unpack(char* to, std::size_t size) override {
    for (; waiting_.size() < size && !rest_.empty(); rest_.remove_prefix(1)) {
      take(static_cast<unsigned char>(rest_.front()));
    }
    if (at_end_ && rest_.empty()) {
      if (is_half_ || high_ != 0) put_replacement();
      is_half_ = false;
      high_ = 0;
      ended_ = waiting_.empty();
    }
    const std::size_t count = waiting_.copy(to, size);
    waiting_.erase(0, count);
    returned_ += count;
    return count;
  }

  void take(unsigned byte) {
    if (!is_half_) {
      half_ = byte;
      is_half_ = true;
      return;
    }
    is_half_ = false;
    const char32_t unit = big_endian_ ? half_ << 8U | byte : byte << 8U | half_;
    const bool is_first = std::exchange(is_first_, false);
    if (is_first && unit == 0xFEFF) return;
    if (unit >= 0xDC00 && unit < 0xE000) {
      const char32_t high = std::exchange(high_, 0);
      return high == 0 ? put_replacement() : put(0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00));
    }
    if (high_ != 0) put_replacement();
    high_ = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    if (high_ == 0) put(unit);
  }

  void put(char32_t c) {
    std::array<char, 4> bytes{};
    waiting_.append(bytes.data(), neardup::encode(c, bytes.data()));
  }

  void put_replacement() {
    const std::uint64_t begin = returned_ + waiting_.size();
    put(neardup::replacement_character);
    ill_formed_->add(begin, returned_ + waiting_.size());
  }

  bool big_endian_;
  std::shared_ptr<ill_formed_places> ill_formed_;
  bool is_first_ = true;
  bool is_half_ = false;
  unsigned half_ = 0;
  char32_t high_ = 0;           // the first half of a surrogate pair
  std::string waiting_;         // decoded input, as UTF-8
  std::uint64_t returned_ = 0;  // number of bytes of UTF-8 before waiting_
};

#ifdef NEARDUP_WITH_ZLIB

constexpr int gzip_format = 15 + 16;  // the largest window, and gzip's header

class gzip_member final : public member_decoder {
 public:
  gzip_member() {
    if (::inflateInit2(&stream_, gzip_format) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_member() override { ::inflateEnd(&stream_); }

  void begin() override {
    if (::inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
    problem_ = nullptr;
  }

  status step(std::string_view& packed, char* to, std::size_t& size) override {
    if (problem_ == nullptr) problem_ = packed.starts_with(gzip_magic.front()) ? corrupt : followed;
    if (problem_ == followed) {
      size = 0;
      return status::damaged;
    }
    constexpr std::size_t most = std::size_t{1} << 30;
    const auto room = static_cast<uInt>(std::min(size, most));
    stream_.next_in = reinterpret_cast<const Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(std::min(packed.size(), most));
    const uInt before = stream_.avail_in;
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    packed.remove_prefix(before - stream_.avail_in);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    size = room - stream_.avail_out;
    if (result == Z_STREAM_END) return status::ended;
    return result == Z_OK || result == Z_BUF_ERROR ? status::goes_on : status::damaged;
  }

  [[nodiscard]] const char* problem() const override { return problem_; }
  [[nodiscard]] std::string_view magic() const override { return gzip_magic; }
  [[nodiscard]] bool may_be_padded() const override { return true; }

 private:
  z_stream stream_{};
  const char* problem_ = nullptr;  // the message if the member is damaged; set by its first step
};

class gzip_packer final : public packer {
 public:
  gzip_packer() {
    constexpr int memory = 8;  // zlib's default level of memory
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~gzip_packer() override { ::deflateEnd(&stream_); }

  std::string_view pack(std::string_view bytes, mode how) override {
    packed_.clear();
    std::array<char, std::size_t{1} << 14> room;
    constexpr std::size_t most = std::size_t{1} << 30;
    do {
      const std::string_view part = bytes.substr(0, most);
      bytes.remove_prefix(part.size());
      const bool last = bytes.empty();
      stream_.next_in = reinterpret_cast<const Bytef*>(part.data());
      stream_.avail_in = static_cast<uInt>(part.size());
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(room.data());
        stream_.avail_out = static_cast<uInt>(room.size());
        ::deflate(&stream_, !last || how == mode::more ? Z_NO_FLUSH : how == mode::flush ? Z_SYNC_FLUSH : Z_FINISH);
        packed_.append(room.data(), room.size() - stream_.avail_out);
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
    return packed_;
  }

 private:
  z_stream stream_{};
  std::string packed_;
};

#endif

#ifdef NEARDUP_WITH_ZSTD

/// The base-2 logarithm of the largest window that the tool zstd writes (`--long=31`). libzstd's default limit is 27.
/// 32-bit machines support half of this window. A window takes only as much memory as the content fills.
constexpr int largest_window = 31;

/// Unpacks a frame of a zstd file. The frame may have no content.
class zstd_frame final : public member_decoder {
 public:
  zstd_frame() : stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    const int window = std::min(largest_window, ::ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window);
  }
  ~zstd_frame() override { ::ZSTD_freeDStream(stream_); }

  void begin() override { ::ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }

  status step(std::string_view& packed, char* to, std::size_t& size) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t result = ::ZSTD_decompressStream(stream_, &out, &in);
    packed.remove_prefix(in.pos);
    size = out.pos;
    if (::ZSTD_isError(result) != 0) {
      error_ = ::ZSTD_getErrorCode(result);
      return status::damaged;
    }
    has_frames_ = has_frames_ || result == 0;
    return result == 0 ? status::ended : status::goes_on;
  }

  [[nodiscard]] const char* problem() const override {
    switch (error_) {
      case ZSTD_error_frameParameter_windowTooLarge:
        return "compressed by zstd with a window above 2 GB; compress it anew with --long=31 at most";
      case ZSTD_error_memory_allocation:
        return "there is not enough memory for the window that zstd compressed it with";
      case ZSTD_error_prefix_unknown: return has_frames_ ? followed : corrupt;
      default: return corrupt;
    }
  }

  [[nodiscard]] std::string_view magic() const override { return zstd_magic; }
  [[nodiscard]] bool begins(std::string_view bytes) const override { return is_zstd(bytes); }
  [[nodiscard]] bool may_be_padded() const override { return false; }

 private:
  ZSTD_DStream* stream_;
  ZSTD_ErrorCode error_ = ZSTD_error_no_error;
  bool has_frames_ = false;
};

class zstd_packer final : public packer {
 public:
  zstd_packer() : stream_(::ZSTD_createCCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~zstd_packer() override { ::ZSTD_freeCCtx(stream_); }

  std::string_view pack(std::string_view bytes, mode how) override {
    packed_.clear();
    std::array<char, std::size_t{1} << 14> room;
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    const ZSTD_EndDirective directive = how == mode::more    ? ZSTD_e_continue
                                        : how == mode::flush ? ZSTD_e_flush
                                                             : ZSTD_e_end;
    for (;;) {
      ZSTD_outBuffer part{room.data(), room.size(), 0};
      const std::size_t left = ::ZSTD_compressStream2(stream_, &part, &in, directive);
      if (::ZSTD_isError(left) != 0) throw output_error(std::string("zstd: ") + ::ZSTD_getErrorName(left));
      packed_.append(room.data(), part.pos);
      if (how == mode::more ? in.pos == in.size : left == 0) return packed_;
    }
  }

 private:
  ZSTD_CCtx* stream_;
  std::string packed_;
};

#endif

/// Returns the first bytes of a file, as many as are needed to detect its format. Reads no more of a pipe than needed,
/// because the rest may take long to arrive.
std::string_view magic_of(peeking_stream& file, const std::atomic<bool>& stop) {
  const auto is_open = [](std::string_view beginning) {
    const auto may_become = [&](std::string_view magic) { return magic.starts_with(beginning); };
    if (may_become(gzip_magic) || may_become(zstd_magic) || may_become(utf16_big)) return true;
    const bool may_be_skippable = !beginning.empty() && beginning.size() <= skippable_rest.size() &&
                                  (beginning.front() & 0xF0) == 0x50 && skippable_rest.starts_with(beginning.substr(1));
    return may_be_skippable || may_be_foreign(beginning);
  };
  std::string_view beginning;
  for (std::size_t size = 1; size <= longest_foreign_magic && is_open(beginning); ++size) {
    beginning = file.peek(size, stop);
    if (beginning.size() < size) break;  // the end of the file
  }
  return beginning;
}

std::shared_ptr<peeking_stream> unzipped([[maybe_unused]] const std::shared_ptr<input_file>& opened,
                                         const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         [[maybe_unused]] when_damaged damaged, const std::atomic<bool>& stop) {
  const std::string_view beginning = magic_of(*file, stop);
  [[maybe_unused]] const auto unpacked_by = [&](std::unique_ptr<member_decoder> decoder) {
    std::shared_ptr<byte_stream> content;
    if (damaged == when_damaged::stop) {
      content = std::make_shared<member_unpacker>(file, std::move(decoder));
    } else {
      content = std::make_shared<surviving_unpacker>(opened, file, std::move(decoder));
    }
    return std::make_shared<peeking_stream>(std::move(content));
  };
  if (beginning.starts_with(gzip_magic)) {
#ifdef NEARDUP_WITH_ZLIB
    return unpacked_by(std::make_unique<gzip_member>());
#else
    throw read_error(
        "compressed by gzip, and this neardup is built without zlib; unpack it first, as in: zcat FILE | neardup … -");
#endif
  }
  if (is_zstd(beginning)) {
#ifdef NEARDUP_WITH_ZSTD
    return unpacked_by(std::make_unique<zstd_frame>());
#else
    throw read_error(
        "compressed by zstd, and this neardup is built without libzstd; unpack it first, as in: zstdcat FILE | neardup "
        "… -");
#endif
  }
  for (const auto& [ending, tool] : {std::pair(".gz", "gzip"), std::pair(".zst", "zstd")}) {
    if (!name.ends_with(ending)) continue;
    if (beginning.empty()) throw read_error(cut_off);
    throw read_error(std::string("not compressed by ") + tool + ", although its name ends in " + ending);
  }
  return file;
}

}  // namespace

void ill_formed_places::add(std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  if (!places_.empty() && begin < places_.back().second) return;
  if (!places_.empty() && begin == places_.back().second) {
    places_.back().second = end;
  } else {
    places_.emplace_back(begin, end);
  }
}

bool ill_formed_places::any_in(std::uint64_t begin, std::uint64_t end) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::upper_bound(places_.begin(), places_.end(), begin,
                                      [](std::uint64_t place, const auto& range) { return place < range.second; });
  return first != places_.end() && first->first < end;
}

std::string_view peeking_stream::peek(std::size_t size, const std::atomic<bool>& stop) {
  if (ahead_.empty() && failure_) throw_failure();
  while (ahead_.size() < size && !ended_) {
    const std::size_t old_size = ahead_.size();
    ahead_.resize(size);
    std::size_t count = 0;
    try {
      count = from_->read(ahead_.data() + old_size, size - old_size, stop);
    } catch (const read_error&) {
      failure_ = std::current_exception();
    }
    ahead_.resize(old_size + count);
    ended_ = count == 0;
    if (failure_ && ahead_.empty()) throw_failure();
  }
  return std::string_view(ahead_).substr(0, size);
}

void peeking_stream::throw_failure() {
  ended_ = false;  // but more bytes may follow a gap
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::size_t peeking_stream::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  if (ahead_.empty() && failure_) throw_failure();
  if (ahead_.empty()) return from_->read(to, size, stop);
  const std::size_t count = ahead_.copy(to, size);
  ahead_.erase(0, count);
  return count;
}

std::shared_ptr<peeking_stream> unpacked(const std::shared_ptr<input_file>& opened,
                                         const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         when_foreign foreign, when_damaged damaged, std::optional<byte_order> unmarked,
                                         std::shared_ptr<ill_formed_places>& utf16, const std::atomic<bool>& stop) {
  std::shared_ptr<peeking_stream> text = unzipped(opened, file, name, damaged, stop);
  std::string_view beginning;
  try {
    beginning = magic_of(*text, stop);
  } catch (const gap_error&) {
    text->throw_again(std::current_exception());
    return text;  // the beginning of the file is lost
  }
  const auto found = foreign_format(beginning);
  if (found && foreign == when_foreign::refuse) throw foreign_file(found->text, found->may_hold_texts);
  if (found) return text;
  bool is_little = beginning.starts_with(utf16_little), is_big = beginning.starts_with(utf16_big);
  const auto begins_with = [&](std::string_view bytes) { return text->peek(bytes.size(), stop) == bytes; };
  if (!is_little && !is_big && unmarked && !begins_with(marked_utf8) && !begins_with("WARC/1.")) {
    is_little = *unmarked == byte_order::little;
    is_big = !is_little;
  }
  if (!is_little && !is_big) return text;
  if (!utf16) utf16 = std::make_shared<ill_formed_places>();
  return std::make_shared<peeking_stream>(std::make_shared<utf16_reader>(std::move(text), is_big, utf16));
}

std::unique_ptr<packer> make_packer(const std::string& name) {
  if (name.ends_with(".gz")) {
#ifdef NEARDUP_WITH_ZLIB
    return std::make_unique<gzip_packer>();
#else
    throw usage_error("--output " + name + ": this neardup is built without zlib; write elsewhere and pack it by gzip");
#endif
  }
  if (name.ends_with(".zst")) {
#ifdef NEARDUP_WITH_ZSTD
    return std::make_unique<zstd_packer>();
#else
    throw usage_error("--output " + name +
                      ": this neardup is built without libzstd; write elsewhere and pack it by zstd");
#endif
  }
  if (const auto other = foreign_packer_of(name)) {
    throw usage_error("--output " + name + ": neardup does not write " + *other +
                      "; use a name that ends in .gz or .zst");
  }
  return nullptr;
}

}  // namespace command
