// A program that is killed: adds documents to a durable deduplicator, and says which it has acknowledged.
// survivor PATH: prints "start ADDED", then the number of each document that was added; never ends by itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/storage/deduplicator_file.hpp>

namespace {

/// Of every ten documents the last is a duplicate of the first.
std::string text_of(std::uint64_t i) {
  std::string text;
  const std::uint64_t number = i % 10 == 9 ? i - 9 : i;
  for (std::uint64_t word = 0; word < 20; ++word) text += "w" + std::to_string(number * 1'000 + word * 3) + " ";
  return text;
}

/// What must be kept once so many documents were added: every seventh is erased three documents later (the last erasure
/// may not have come); a duplicate is not kept, unless its original is erased by then.
bool is_kept(std::uint64_t i, std::uint64_t added) {
  const bool is_duplicate = i % 10 == 9 && (i - 9) % 7 != 0;
  return !is_duplicate && !(i % 7 == 0 && i + 3 < added);
}

int fail(const char* what, std::uint64_t i) {
  std::printf("wrong: %s, document %llu\n", what, static_cast<unsigned long long>(i));
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  using namespace neardup;
  const simhasher hash{shingles{2, words{}}};
  durable_deduplicator dedup(arguments[1], deduplicator{hash, {.similarity = 0.9}}, composition_of(hash));
  std::uint64_t added = dedup.get().added();
  for (std::uint64_t i = 0; i < added; ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    if (i % 7 == 0 && i + 4 == added) continue;  // its erasure was under way
    if (dedup.get().contains(id) != is_kept(i, added)) return fail("it is kept or not, otherwise than said", i);
    if (i + 40 > added && is_kept(i, added) && dedup.get().find(text_of(i)).original != id) return fail("not found", i);
  }
  std::printf("start %llu\n", static_cast<unsigned long long>(added));
  std::fflush(stdout);
  for (;;) {
    if (added >= 4 && (added - 4) % 7 == 0) dedup.erase(static_cast<std::uint32_t>(added - 4));
    if (added % 64 == 63) dedup.save();
    dedup.add(text_of(added));
    std::printf("%llu\n", static_cast<unsigned long long>(added++));
    std::fflush(stdout);
  }
}
