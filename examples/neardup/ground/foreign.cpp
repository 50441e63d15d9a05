#include "foreign.hpp"

#include <algorithm>
#include <array>

namespace command {

namespace {

using namespace std::string_view_literals;

enum class hint { unpack, extract, convert, none };

struct signature {
  std::string_view magic;
  std::string_view what;
  hint how;
  std::string_view tool;
};

constexpr std::array signatures{
    signature{"BZh"sv, "compressed by bzip2", hint::unpack, "bzcat FILE"},
    signature{"\xFD"
              "7zXZ\0"sv,
              "compressed by xz", hint::unpack, "xzcat FILE"},
    signature{"\x5D\0\0"sv, "compressed by lzma", hint::unpack, "xz --format=lzma -dc FILE"},
    signature{"LZIP\x01"sv, "compressed by lzip", hint::unpack, "lzip -dc FILE"},
    signature{"\x89LZO\0\r\n\x1a\n"sv, "compressed by lzop", hint::unpack, "lzop -dc FILE"},
    signature{"\x04\x22\x4D\x18"sv, "compressed by lz4", hint::unpack, "lz4 -dc FILE"},
    signature{"\x02\x21\x4C\x18"sv, "compressed by lz4", hint::unpack, "lz4 -dc FILE"},
    signature{"\x1f\x9d"sv, "compressed by compress", hint::unpack, "zcat FILE"},
    signature{"\xff\x06\0\0sNaPpY"sv, "compressed by snappy", hint::unpack, "snzip -dc FILE"},
    signature{"PK\x03\x04"sv, "an archive of zip", hint::extract, "unzip"},
    signature{"PK\x05\x06"sv, "an empty archive of zip", hint::none, ""},
    signature{"7z\xBC\xAF\x27\x1C"sv, "an archive of 7-Zip", hint::extract, "7z x"},
    signature{"Rar!\x1A\x07"sv, "an archive of RAR", hint::extract, "unrar x"},
    signature{"PAR1\x15"sv, "a Parquet file", hint::convert, "duckdb -c \"COPY 'FILE' TO 'FILE.jsonl' (FORMAT json)\""},
    signature{"ARROW1\0\0"sv, "an Arrow file", hint::convert,
              "python3 -c \"import pyarrow.feather as f; f.read_table('FILE').to_pandas().to_json('FILE.jsonl', "
              "orient='records', lines=True)\""},
    signature{"\xff\xff\xff\xff"sv, "an Arrow stream, or other binary data", hint::none, ""},
    signature{"FEA1\0"sv, "a Feather file", hint::none, ""},
    signature{"Obj\x01"sv, "an Avro file", hint::convert, "avro-tools tojson FILE > FILE.jsonl"},
    signature{"SQLite format 3\0"sv, "a database of SQLite", hint::convert, "sqlite3 -json FILE 'SELECT …'"},
    signature{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", hint::none, ""},
    signature{"\x93NUMPY"sv, "an array of NumPy", hint::none, ""},
    signature{"\x80\x02"sv, "a pickle of Python", hint::none, ""},
    signature{"\x80\x03"sv, "a pickle of Python", hint::none, ""},
    signature{"\x80\x04\x95"sv, "a pickle of Python", hint::none, ""},
    signature{"\x80\x05\x95"sv, "a pickle of Python", hint::none, ""},
    signature{"%PDF-"sv, "a PDF file", hint::convert, "pdftotext FILE"},
    signature{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "a Word, Excel or PowerPoint file of before 2007", hint::none, ""},
    signature{"\x7f"
              "ELF"sv,
              "a program", hint::none, ""},
    signature{"\x89PNG\r\n\x1a\n"sv, "a picture (PNG)", hint::none, ""},
    signature{"\xff\xd8\xff"sv, "a picture (JPEG)", hint::none, ""},
    signature{"GIF89a"sv, "a picture (GIF)", hint::none, ""},
    signature{"GIF87a"sv, "a picture (GIF)", hint::none, ""},
    signature{"\xFF\xFE\0\0"sv, "UTF-32", hint::unpack, "iconv -f UTF-32 -t UTF-8 FILE"},
    signature{"\0\0\xFE\xFF"sv, "UTF-32", hint::unpack, "iconv -f UTF-32 -t UTF-8 FILE"},
    signature{"\x89NDUP\r\n\x1a"sv, "a file of neardup's", hint::none, ""},
    signature{"\x89NDUL\r\n\x1a"sv, "a log of neardup's", hint::none, ""},
};

static_assert(std::ranges::all_of(signatures,
                                  [](const signature& s) { return s.magic.size() <= longest_foreign_magic; }));

/// Returns true if `beginning` is the beginning of a bzip2 file: "BZh", a digit from 1 to 9, then 12 decimal digits of
/// pi, two per byte. If the content is empty, the digits are those of the square root of pi. "BZh" alone can also begin
/// a text.
bool is_bzip2(std::string_view beginning) {
  return beginning.size() >= 10 && beginning[3] >= '1' && beginning[3] <= '9' &&
         (beginning.substr(4, 6) == "1AY&SY"sv || beginning.substr(4, 6) == "\x17\x72\x45\x38\x50\x90"sv);
}

std::string text_of(const signature& found) {
  std::string text(found.what);
  switch (found.how) {
    case hint::unpack:
      text += found.what.starts_with("UTF") ? "; convert it first, as in: " : "; unpack it first, as in: ";
      return text.append(found.tool) + " | neardup … -";
    case hint::extract: return text + "; extract it first, as by: " + std::string(found.tool);
    case hint::convert: return text + "; make text of it first, perhaps (untested) by: " + std::string(found.tool);
    case hint::none: break;
  }
  return text + ", and no text";
}

}  // namespace

bool may_be_foreign(std::string_view beginning) {
  return std::ranges::any_of(signatures, [&](const signature& s) {
    // is_bzip2() needs 10 bytes, so with fewer bytes the file may still be foreign.
    if (s.magic == "BZh"sv && beginning.starts_with(s.magic)) return beginning.size() < 10 && !is_bzip2(beginning);
    return s.magic.starts_with(beginning);
  });
}

std::optional<foreign_content> foreign_format(std::string_view beginning) {
  for (const signature& s : signatures) {
    if (beginning.starts_with(s.magic) && (s.magic != "BZh"sv || is_bzip2(beginning))) {
      return foreign_content{text_of(s), s.how != hint::none};
    }
  }
  return std::nullopt;
}

std::optional<foreign_content> foreign_archive(std::string_view beginning) {
  constexpr std::size_t place = 257;
  if (beginning.size() <= place) return std::nullopt;
  // The magic bytes of POSIX or GNU tar. The zero bytes are compared as well, because a text may contain "ustar".
  const std::string_view magic = beginning.substr(place);
  if (!magic.starts_with("ustar\0"sv) && !magic.starts_with("ustar  \0"sv)) return std::nullopt;
  return foreign_content{"an archive of tar; extract it first, as by: tar -x", true};
}

std::optional<std::string> foreign_packer_of(std::string_view name) {
  using ending = std::pair<std::string_view, std::string_view>;
  for (const auto& [end, packer] :
       {ending{".bz2", "bzip2"}, ending{".xz", "xz"}, ending{".lzma", "lzma"}, ending{".lz4", "lz4"},
        ending{".lz", "lzip"}, ending{".lzo", "lzop"}, ending{".Z", "compress"}, ending{".br", "brotli"},
        ending{".sz", "snappy"}, ending{".zip", "zip"}, ending{".7z", "7-Zip"}, ending{".rar", "RAR"},
        ending{".tgz", "tar"}, ending{".tar", "tar"}, ending{".parquet", "Parquet"}, ending{".arrow", "Arrow"}}) {
    if (name.ends_with(end)) return std::string(packer);
  }
  return std::nullopt;
}

}  // namespace command
