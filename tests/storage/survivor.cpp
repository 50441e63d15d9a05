// A program for kill_test.py, which kills it. It prints which changes are acknowledged, and never ends by itself.
// survivor PATH: adds documents to a durable deduplicator. Prints "start ADDED", then the number of each added
// document.
// survivor PATH stream: the same with batches of documents and a bounded stream.
// survivor PATH sets: the same with sets of features in a durable_set_index.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/stream_deduplicator.hpp>
#include <neardup/sets/set_index.hpp>
#include <neardup/storage/deduplicator_file.hpp>
#include <neardup/storage/durable_set_index.hpp>

namespace {

/// Returns text i. Of every ten texts, the last is a duplicate of the first.
std::string text_of(std::uint64_t i) {
  std::string text;
  const std::uint64_t number = i % 10 == 9 ? i - 9 : i;
  for (std::uint64_t word = 0; word < 20; ++word) text += "w" + std::to_string(number * 1'000 + word * 3) + " ";
  return text;
}

/// Returns true if document i must be kept after `added` acknowledged documents. Every seventh document is erased three
/// documents later. A duplicate is kept if its original was erased before. After a kill, the file may lack the last
/// erasure: the caller skips that document.
bool is_kept(std::uint64_t i, std::uint64_t added) {
  const bool is_duplicate = i % 10 == 9 && (i - 9) % 7 != 0;
  return !is_duplicate && !(i % 7 == 0 && i + 3 < added);
}

int fail(const char* what, std::uint64_t i) {
  std::printf("wrong: %s, document %llu\n", what, static_cast<unsigned long long>(i));
  return 1;
}

void say(const char* what, std::uint64_t number) {
  std::printf("%s%llu\n", what, static_cast<unsigned long long>(number));
  std::fflush(stdout);
}

using namespace neardup;

auto empty_deduplicator() { return deduplicator{feature_extractor{shingles{2, words{}}}, jaccard{0.9}}; }

int run_single(const std::string& path) {
  durable_deduplicator dedup(path, empty_deduplicator());
  std::uint64_t added = dedup.added();
  for (std::uint64_t i = 0; i < added; ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    if (i % 7 == 0 && i + 4 == added) continue;  // this erasure may be missing
    if (dedup.contains(id) != is_kept(i, added)) return fail("it is kept or not, otherwise than said", i);
    if (i + 40 > added && is_kept(i, added) && dedup.find(text_of(i)).original != id) return fail("not found", i);
  }
  say("start ", added);
  for (;;) {
    if (added >= 4 && (added - 4) % 7 == 0) dedup.erase(static_cast<std::uint32_t>(added - 4));
    if (added % 64 == 63) dedup.save();
    dedup.add(text_of(added));
    say("", added++);
  }
}

constexpr std::uint64_t batch_size = 8;
constexpr stream_limits limits{.max_documents = 30, .max_age = 4, .duplicates_renew = true};

struct kept_one {
  std::uint64_t number, time;
  friend bool operator==(const kept_one&, const kept_one&) = default;
};

/// Returns the documents that the stream must keep after `batches` batches, in the order in which they expire. Batch n
/// has time n. Only the last batches matter.
std::vector<kept_one> kept_after(std::uint64_t batches) {
  std::vector<kept_one> kept;
  const std::uint64_t first = batches > 20 ? (batches - 20) / 5 * 5 : 0;  // a batch that begins with a new document
  for (std::uint64_t batch = first; batch < batches; ++batch) {
    std::erase_if(kept, [&](const kept_one& one) { return batch - one.time > limits.max_age; });
    std::vector<std::uint64_t> renewed;
    for (std::uint64_t i = batch * batch_size; i < (batch + 1) * batch_size; ++i) {
      const auto original = std::find_if(kept.begin(), kept.end(),
                                         [&](const kept_one& one) { return text_of(one.number) == text_of(i); });
      if (original == kept.end()) {
        kept.push_back({i, batch});
      } else {
        renewed.push_back(original->number);
      }
    }
    for (const std::uint64_t number : renewed) {
      const auto one = std::find_if(kept.begin(), kept.end(), [&](const kept_one& k) { return k.number == number; });
      one->time = batch;
      std::rotate(one, one + 1, kept.end());
    }
    if (kept.size() > limits.max_documents) {
      kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(limits.max_documents));
    }
  }
  return kept;
}

int run_stream(const std::string& path) {
  durable_deduplicator seen(path, stream_deduplicator(empty_deduplicator(), limits));
  std::uint64_t batches = seen.added() / batch_size;
  std::vector<kept_one> kept;
  seen.for_each_kept([&](const auto& one) { kept.push_back({one.id, one.time}); });
  // The stream may already have removed the documents that are too old for the batch in progress.
  std::vector<kept_one> expected = kept_after(batches), begun = expected;
  std::erase_if(begun, [&](const kept_one& one) { return batches - one.time > limits.max_age; });
  if (kept != expected && kept != begun) return fail("the stream is another", batches);
  say("start ", batches);
  for (;;) {
    if (batches % 64 == 63) seen.save();
    std::vector<std::string> texts;
    std::vector<std::uint32_t> ids;
    for (std::uint64_t i = batches * batch_size; i < (batches + 1) * batch_size; ++i) {
      texts.push_back(text_of(i));
      ids.push_back(static_cast<std::uint32_t>(i));
    }
    seen.add_batch(texts, ids, {}, batches);
    say("", batches++);
  }
}

/// Returns the set that id `id` must have after `steps` steps, or an empty set. Step i stores a set under id i. Three
/// steps later, every seventh set is erased and every fifth set is replaced. Each of these is one change of the index.
std::vector<std::uint32_t> set_after(std::uint64_t id, std::uint64_t steps) {
  if (id >= steps || (id % 7 == 0 && id + 3 < steps)) return {};
  const std::uint64_t number = id % 5 == 1 && id + 3 < steps ? id + 1'000'000 : id;
  std::vector<std::uint32_t> set;
  for (std::uint64_t i = 0; i < 12; ++i)
    set.push_back(static_cast<std::uint32_t>(number / 3 * 100 + i * (1 + number % 3)));
  return set;
}

int run_sets(const std::string& path) {
  durable_set_index<> index(path, set_index<>(neardup::jaccard{0.5}), {.tokenizer = "any"});
  // The largest id tells the number of steps. The erasure or replacement of the last step may be missing.
  std::uint64_t steps = 0;
  index.get().for_each(
      [&](std::uint32_t id, std::span<const std::uint32_t>) { steps = std::max<std::uint64_t>(steps, id + 1); });
  for (std::uint64_t id = 0; id < steps; ++id) {
    const auto expected = set_after(id, steps), before = set_after(id, steps - 1);
    const auto found = index.get().find(static_cast<std::uint32_t>(id));
    const auto is = [&](const std::vector<std::uint32_t>& set) {
      return found ? std::equal(found->begin(), found->end(), set.begin(), set.end()) : set.empty();
    };
    if (!is(expected) && !(id + 4 == steps && is(before))) return fail("another set is stored", id);
    if (id + 40 > steps && found && index.get().nearest(*found)->similarity != 1) return fail("not found", id);
  }
  // Does the erasure or the replacement of step `done` - 1.
  const auto end_step = [&](std::uint64_t done) {
    if (done < 4) return;
    const auto id = static_cast<std::uint32_t>(done - 4);
    if (id % 7 == 0) {
      index.erase(id);
    } else if (id % 5 == 1) {
      index.insert_or_assign(set_after(id, done), id);
    }
  };
  end_step(steps);
  say("start ", steps);
  for (;;) {
    if (steps % 64 == 63) index.save();
    index.insert(set_after(steps, steps + 1), static_cast<std::uint32_t>(steps));
    ++steps;
    end_step(steps);
    say("", steps - 1);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string(arguments[2]) == "stream") return run_stream(arguments[1]);
  if (count == 3 && std::string(arguments[2]) == "sets") return run_sets(arguments[1]);
  return count == 2 ? run_single(arguments[1]) : 2;
}
