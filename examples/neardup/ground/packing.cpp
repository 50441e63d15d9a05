#include "packing.hpp"

#include <algorithm>
#include <array>
#include <neardup/text/utf8.hpp>
#include <new>
#include <vector>

#include "errors.hpp"
#include "foreign.hpp"

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
// What follows the first byte, 0x50 to 0x5F, of a frame that holds no content: pzstd begins with one.
constexpr std::string_view skippable_rest = "\x2a\x4d\x18";
constexpr std::string_view utf16_little = "\xFF\xFE";
constexpr std::string_view utf16_big = "\xFE\xFF";
constexpr std::size_t packed_block = std::size_t{1} << 17;

constexpr const char* cut_off = "the compressed data ends too early: the file is cut off";
constexpr const char* corrupt = "the compressed data is corrupt";
constexpr const char* followed = "something else follows the compressed data";

/// What both unpackers share: a block of the file that is unpacked, and an error that waits until what comes before it
/// was handed over.
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
  /// Unpacks from rest_ as much as there is room for; sets problem_ or ended_. If at_end_, nothing is left to come.
  virtual std::size_t unpack(char* to, std::size_t size) = 0;

  std::string_view rest_;
  bool at_end_ = false;
  bool ended_ = false;
  const char* problem_ = nullptr;

 private:
  std::shared_ptr<byte_stream> packed_;
  std::vector<char> block_ = std::vector<char>(packed_block);
};

/// UTF-16 that begins with a byte order mark, as UTF-8 without one.
class utf16_reader final : public block_unpacker {
 public:
  utf16_reader(std::shared_ptr<byte_stream> text, bool big_endian)
      : block_unpacker(std::move(text)), big_endian_(big_endian) {}

 private:
  std::size_t unpack(char* to, std::size_t size) override {
    for (; waiting_.size() < size && !rest_.empty(); rest_.remove_prefix(1)) {
      take(static_cast<unsigned char>(rest_.front()));
    }
    if (at_end_ && rest_.empty()) {
      if (is_half_ || high_ != 0) put(replacement);
      is_half_ = false;
      high_ = 0;
      ended_ = waiting_.empty();
    }
    const std::size_t count = waiting_.copy(to, size);
    waiting_.erase(0, count);
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
      put(high_ == 0 ? replacement : 0x10000 + ((high_ - 0xD800) << 10U) + (unit - 0xDC00));
      high_ = 0;
      return;
    }
    if (high_ != 0) put(replacement);
    high_ = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    if (high_ == 0) put(unit);
  }

  void put(char32_t c) {
    std::array<char, 4> bytes{};
    waiting_.append(bytes.data(), neardup::encode(c, bytes.data()));
  }

  static constexpr char32_t replacement = 0xFFFD;
  bool big_endian_;
  bool is_first_ = true;
  bool is_half_ = false;
  unsigned half_ = 0;
  char32_t high_ = 0;    // the first half of a pair
  std::string waiting_;  // what was read, in UTF-8
};

#ifdef NEARDUP_WITH_ZLIB

constexpr int gzip_format = 15 + 16;  // the largest window, and a header of gzip's

class gzip_unpacker final : public block_unpacker {
 public:
  explicit gzip_unpacker(std::shared_ptr<byte_stream> packed) : block_unpacker(std::move(packed)) {
    if (::inflateInit2(&stream_, gzip_format) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_unpacker() override { ::inflateEnd(&stream_); }

 private:
  std::size_t unpack(char* to, std::size_t size) override {
    if (!inside_) {
      begin_member();
      if (!inside_) return 0;
    }
    const auto room = static_cast<uInt>(std::min<std::size_t>(size, std::size_t{1} << 30));
    stream_.next_in = reinterpret_cast<const Bytef*>(rest_.data());
    stream_.avail_in = static_cast<uInt>(rest_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(rest_.size() - stream_.avail_in);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      inside_ = false;
      ++members_;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      problem_ = corrupt;
    } else if (at_end_ && stream_.avail_out == room) {
      problem_ = cut_off;
    }
    return room - stream_.avail_out;
  }

  /// Between members: another one, zeros that fill a block of a tape, or the end.
  void begin_member() {
    if (members_ > 0) {
      const std::size_t zeros = std::min(rest_.find_first_not_of('\0'), rest_.size());
      if (zeros > 0) padded_ = true;
      rest_.remove_prefix(zeros);
    }
    if (rest_.empty()) {
      if (!at_end_) return;
      if (members_ == 0) problem_ = cut_off;
      ended_ = members_ > 0;
      return;
    }
    if (padded_ || rest_.front() != gzip_magic.front()) {
      problem_ = followed;
      return;
    }
    if (members_ > 0 && ::inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
    inside_ = true;
  }

  z_stream stream_{};
  bool inside_ = false;  // a member
  bool padded_ = false;
  std::uint64_t members_ = 0;
};

class gzip_packer final : public packer {
 public:
  gzip_packer() {
    constexpr int memory = 8;  // as zlib has it
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

/// What `zstd --long=31` needs, the most that the tool writes; libzstd alone stops at 2^27. Machines of 32 bits do with
/// half. A window lies in memory, as far as the content fills it.
constexpr int largest_window = 31;

class zstd_unpacker final : public block_unpacker {
 public:
  explicit zstd_unpacker(std::shared_ptr<byte_stream> packed)
      : block_unpacker(std::move(packed)), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    const int window = std::min(largest_window, ::ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window);
  }
  ~zstd_unpacker() override { ::ZSTD_freeDStream(stream_); }

 private:
  std::size_t unpack(char* to, std::size_t size) override {
    ZSTD_inBuffer in{rest_.data(), rest_.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    if (at_end_ && between_frames_) {
      ended_ = true;
      return 0;
    }
    // Several frames, and those that hold nothing, are its business.
    const std::size_t status = ::ZSTD_decompressStream(stream_, &out, &in);
    rest_.remove_prefix(in.pos);
    if (::ZSTD_isError(status) != 0) {
      problem_ = problem_of(::ZSTD_getErrorCode(status));
    } else {
      between_frames_ = status == 0;
      frames_ = frames_ || between_frames_;
      if (at_end_ && out.pos == 0 && !between_frames_) problem_ = cut_off;
    }
    return out.pos;
  }

  [[nodiscard]] const char* problem_of(ZSTD_ErrorCode error) const {
    switch (error) {
      case ZSTD_error_frameParameter_windowTooLarge:
        return "compressed by zstd with a window above 2 GB; compress it anew with --long=31 at most";
      case ZSTD_error_memory_allocation:
        return "there is not enough memory for the window that zstd compressed it with";
      case ZSTD_error_prefix_unknown: return frames_ ? followed : corrupt;
      default: return corrupt;
    }
  }

  ZSTD_DStream* stream_;
  bool between_frames_ = false;
  bool frames_ = false;
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

bool is_zstd(std::string_view beginning) {
  if (beginning.starts_with(zstd_magic)) return true;
  return beginning.size() > skippable_rest.size() && (beginning.front() & 0xF0) == 0x50 &&
         beginning.substr(1).starts_with(skippable_rest);
}

/// The first bytes of a file, as many as tell what it is. Of a pipe no more than is needed: the rest may be long in
/// coming.
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
    if (beginning.size() < size) break;  // the end
  }
  return beginning;
}

std::shared_ptr<peeking_stream> unzipped(const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         const std::atomic<bool>& stop) {
  const std::string_view beginning = magic_of(*file, stop);
  if (beginning.starts_with(gzip_magic)) {
#ifdef NEARDUP_WITH_ZLIB
    return std::make_shared<peeking_stream>(std::make_shared<gzip_unpacker>(file));
#else
    throw read_error(
        "compressed by gzip, and this neardup is built without zlib; unpack it first, as in: zcat FILE | neardup … -");
#endif
  }
  if (is_zstd(beginning)) {
#ifdef NEARDUP_WITH_ZSTD
    return std::make_shared<peeking_stream>(std::make_shared<zstd_unpacker>(file));
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

std::string_view peeking_stream::peek(std::size_t size, const std::atomic<bool>& stop) {
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
    if (failure_ && ahead_.empty()) std::rethrow_exception(failure_);
  }
  return std::string_view(ahead_).substr(0, size);
}

std::size_t peeking_stream::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  if (ahead_.empty() && failure_) std::rethrow_exception(failure_);
  if (ahead_.empty()) return from_->read(to, size, stop);
  const std::size_t count = ahead_.copy(to, size);
  ahead_.erase(0, count);
  return count;
}

std::shared_ptr<peeking_stream> unpacked(const std::shared_ptr<peeking_stream>& file, const std::string& name,
                                         when_foreign foreign, const std::atomic<bool>& stop) {
  std::shared_ptr<peeking_stream> text = unzipped(file, name, stop);
  const std::string_view beginning = magic_of(*text, stop);
  const auto found = foreign_format(beginning);
  if (found && foreign == when_foreign::refuse) throw foreign_file(found->text, found->may_hold_texts);
  if (found) return text;
  const bool is_little = beginning.starts_with(utf16_little), is_big = beginning.starts_with(utf16_big);
  if (!is_little && !is_big) return text;
  return std::make_shared<peeking_stream>(std::make_shared<utf16_reader>(std::move(text), is_big));
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
    throw usage_error("--output " + name + ": that name promises a file of " + *other +
                      ", which neardup does not write; it compresses into .gz and .zst");
  }
  return nullptr;
}

}  // namespace command
