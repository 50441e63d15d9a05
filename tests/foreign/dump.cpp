// dump GOLDEN_FOLDER SCRATCH_FOLDER prints values that must be the same on every machine: fingerprints and row keys. On
// little-endian machines, it also prints the content of the golden files and the bytes of saved files. A big-endian
// machine must refuse each file.
// dump without arguments prints the names of the instruction sets of this machine. tools/foreign compares the output of
// machines for each instruction set.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/neardup.hpp>

#include "oracle/random_engine.hpp"

namespace {

using namespace neardup;

std::string text_of(std::uint64_t seed) {
  oracle::random_engine random(seed);
  std::string text;
  for (std::uint64_t i = random() % 60; i > 0; --i) {
    constexpr std::string_view pieces[] = {"word ", "W\xc3\xb6rter ", "\xe5\x8d\x97\xe4\xba\xac", "42 ",
                                           "a-b, ", "\xff",           "\xf0\x9f\x98\x80 "};
    text += pieces[random() % std::size(pieces)];
    text += std::to_string(random() % 50) + " ";
  }
  return text;
}

template <class Hasher>
void print_codes(const Hasher& hash) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto fingerprint = hash(text_of(i));
    std::printf("%s\n", fingerprint ? fingerprint->to_hex().c_str() : "-");
  }
}

template <class Simhasher>
void print_fingerprints(const char* name, const Simhasher& hash) {
  std::printf("%s %s\n", name, to_string(composition_of(hash)).c_str());
  print_codes(hash);
}

std::uint64_t checksum_of_file(const std::string& path) { return xxh3<64>{}(detail::read_file(path)); }

// WASI has no <filesystem>, and no streams of files.
void copy_file(const std::string& from, const std::string& to) {
  const std::string bytes = detail::read_file(from);
  std::FILE* const file = std::fopen(to.c_str(), "wb");
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::abort();
  std::fclose(file);
}

template <class Index>
void print_searches(const char* name, const Index& index) {
  std::printf("%s: %zu pairs\n", name, index.size());
  oracle::random_engine random(9);
  for (const auto& pair : index) {
    auto query = pair.fingerprint;
    for (std::uint64_t flips = random() % 6; flips > 0; --flips) query.flip(random() % Index::bits);
    for (const auto& match : index.search(query, index.default_distance())) {
      std::printf("%llu@%d ", static_cast<unsigned long long>(match.id), match.distance);
    }
  }
  std::printf("\n");
}

template <std::size_t Bits, class Id>
void print_golden(const std::string& folder, const char* name, const std::string& scratch) {
  const auto flat = load<flat_index<Bits, Id>>(folder + "/" + name);
  const auto tables = load<pigeonhole_index<Bits, 3, 4, Id>>(folder + "/" + name);
  print_searches(name, tables);
  save(scratch + "/saved", flat, {.tokenizer = "any"});
  std::printf("%s saved: %016llx\n", name, static_cast<unsigned long long>(checksum_of_file(scratch + "/saved")));
}

#if NEARDUP_EXCEPTIONS
/// Calls each reader and writer of files. Prints a line for each one that does not refuse its file, or whose message
/// lacks the name.
void check_refusals(const std::string& golden, const std::string& scratch) {
  const fingerprint_composition any{.tokenizer = "any"};
  const std::string index = golden + "/4_tables.neardup", sets = golden + "/sets.neardup";
  const std::string list = golden + "/list.neardup", written = scratch + "/written";
  const auto refuses = [&](const char* what, const std::string& name, const auto& call) {
    std::string message = "no refusal";
    try {
      call();
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    const std::string expected = name + ": neardup reads and writes files on little-endian machines only";
    if (message != expected) std::printf("%s: %s\n", what, message.c_str());
    if (detail::system_files().type_of(written) != detail::file_type::none) std::printf("%s: wrote a file\n", what);
  };
  refuses("load an index", index, [&] { static_cast<void>(load<flat_index<64>>(index)); });
  refuses("view an index", index, [&] { index_view<64>{mapped_file(index)}; });
  refuses("save an index", written, [&] { save(written, flat_index<64>(), any); });
  refuses("load sets", sets, [&] { static_cast<void>(load<set_index<>>(sets)); });
  refuses("view sets", sets, [&] { set_index_file<>{mapped_file(sets)}; });
  refuses("save sets", written, [&] { save(written, set_index<>(jaccard{0.5}), any); });
  refuses("read a list", list, [&] { fingerprint_list<64>{mapped_file(list)}; });
  refuses("read records", index, [&] { fingerprint_list<64>(mapped_file(index), any); });
  refuses("save a list", written, [&] { save_list<64>(written, {}, any); });
  refuses("write a list", "save_list", [&] { save_list<64>([](std::string_view) {}, {}, any); });
  refuses("save attachments", written, [&] { save_attachments(written, 64, 0, any, {}); });
  refuses("begin a log", written + ".log", [&] {
    journal log(written);
    log.go_on({}, log_contents(written + ".log"), [](std::string_view) { return true; });
    log.append("a change");
  });
  refuses("read a log", index, [&] { log_contents(index).for_each([](std::string_view) {}); });
  refuses("begin a deduplicator", written, [&] {
    const simhasher hash{words{}};
    durable_deduplicator(written, fingerprint_deduplicator{hash, jaccard{0.7}, {.distance = 15}}, composition_of(hash));
  });
  refuses("save counts", "counts of features", [&] { static_cast<void>(feature_counts<>(1).save()); });
  refuses("load counts", "counts of features", [&] { static_cast<void>(feature_counts<>::load({})); });
  std::printf("checked refusals\n");
}
#else
void check_refusals(const std::string& /*golden*/, const std::string& /*scratch*/) {}
#endif

}  // namespace

int main(int count, char** arguments) {
  if (count == 1) {
    for (const auto& [level, name] : detail::instruction_sets) {
      if (is_available(level)) std::printf("%s\n", std::string(name).c_str());
    }
    return 0;
  }
  if (count != 3) return 2;
  const std::string golden = arguments[1], scratch = arguments[2];
  print_fingerprints("pairs of words", simhasher{shingles{2, normalised{words{}}}});
  print_fingerprints("characters", simhasher{normalised{code_point_ngrams{3}}, log_tf{}, xxh3<128>{7}});
  print_fingerprints("bytes", simhasher{byte_ngrams{5}, levels{4, tf{}}, xxh3<64>{1}});

  print_fingerprints("pairs of characters", simhasher{code_point_ngrams{2}, tf{}, xxh3<128>{2}});
  std::printf("min-wise\n");
  print_codes(minwise_hasher{words{}});
  print_codes(minwise_hasher{normalised{byte_ngrams{5}}, xxh3<64>{3}});

  oracle::random_engine random(3);
  std::vector<simhash<64>> fingerprints;
  for (std::size_t i = 0; i < (std::size_t{1} << 17) + 10; ++i) fingerprints.emplace_back(random());
  band_key<64> keys(layout(64, 3, 5));
  keys.for_each_row(fingerprints[0], 12345, [](std::string_view key) {
    for (const char byte : key) std::printf("%02x", static_cast<unsigned char>(byte));
    std::printf("\n");
  });

  std::printf("files\n");
  if (std::endian::native != std::endian::little) {
    check_refusals(golden, scratch);
    return 0;
  }
  print_golden<64, std::uint32_t>(golden, "4_tables.neardup", scratch);
  print_golden<64, std::uint64_t>(golden, "10_tables.neardup", scratch);
  print_golden<64, std::int16_t>(golden, "radius.neardup", scratch);
  print_golden<128, std::uint32_t>(golden, "128_bits.neardup", scratch);
  print_golden<24, std::uint8_t>(golden, "24_bits.neardup", scratch);
  print_golden<64, std::uint32_t>(golden, "flat.neardup", scratch);

  // Large enough for lines of the cache.
  const frozen_index<64> frozen(3, 4, fingerprints);
  save(scratch + "/large", frozen, {.tokenizer = "any"});
  std::printf("large: %016llx\n", static_cast<unsigned long long>(checksum_of_file(scratch + "/large")));
  if (!(load<frozen_index<64>>(scratch + "/large") == frozen)) std::printf("loaded otherwise\n");

  const fingerprint_list<64> list{mapped_file(golden + "/list.neardup")};
  list.verify();
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::printf("%s %llu\n", list[i].fingerprint.to_hex().c_str(), static_cast<unsigned long long>(list[i].id));
  }

  for (const char* const name : {"deduplicator.neardup", "deduplicator.neardup.log"}) {
    copy_file(golden + "/" + name, scratch + "/" + name);
  }
  const simhasher hash{shingles{2, normalised{words{}}}};
  fingerprint_composition made_of = composition_of(hash);
  made_of.definition = 1;  // the golden file has definition 1
  durable_deduplicator dedup(scratch + "/deduplicator.neardup",
                             fingerprint_deduplicator{hash, jaccard{0.7}, {.distance = 15}}, made_of);
  for (std::uint64_t i = 0; i < 50; ++i) std::printf("%d", dedup.add(text_of(i % 30)).is_new() ? 1 : 0);
  dedup.save();
  std::printf("\ndeduplicator: %016llx\n",
              static_cast<unsigned long long>(checksum_of_file(scratch + "/deduplicator.neardup")));
}
