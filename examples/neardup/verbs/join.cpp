// `neardup join`: the candidates between two shards, or in one.
#include <array>
#include <filesystem>
#include <neardup/dedup/all_pairs.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <neardup/threads.hpp>
#include <system_error>

#include "../ground/text.hpp"
#include "combining.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array join_options{
    option_row{"--similarity", "S", takes::own, section::comparison,
               "chooses the distance, as for hash --shard (default: that of the shards; without their .features "
               "{similarity})",
               usual::with_verb},
    option_row{"--distance", "K", takes::own, section::comparison,
               "candidates differ in at most K bits (default: that of the shards)"},
    option_row{"--check", "M", takes::own, section::comparison, "the measure of --similarity, as for hash --shard"},
};

/// A list whose ids are those of a shard. Throws: input_error.
template <class Fingerprint>
struct shard {
  std::string path;
  std::uint64_t number = 0;
  std::uint64_t checksum = 0;
  neardup::fingerprint_composition made_of;
  std::vector<Fingerprint> fingerprints;
  std::vector<std::uint64_t> ids;  // ascending

  explicit shard(const std::string& file) : path(file), checksum(read_header(file).checksum) {
    as_input([&] {
      const neardup::fingerprint_list<Fingerprint::bits, Fingerprint> list{neardup::mapped_file(file)};
      list.verify();
      made_of = list.made_of();
      fingerprints.reserve(list.size());
      ids.reserve(list.size());
      for (std::size_t i = 0; i < list.size(); ++i) {
        const auto [fingerprint, id] = list[i];
        if (i == 0) number = shard_of(id);
        if (shard_of(id) != number || (i > 0 && id <= ids.back())) {
          throw std::runtime_error(file + ": no shard, its ids are not those of hash --shard");
        }
        fingerprints.push_back(fingerprint);
        ids.push_back(id);
      }
    });
    // Only what lies beside it tells the number of an empty one.
    std::error_code ignored;
    if (ids.empty() && std::filesystem::exists(features_path(file), ignored)) {
      number = shard_documents(features_path(file)).number;
    }
  }
};

/// Every candidate pair of two shards, or within one, once.
template <class Fingerprint>
void join_shards(context& c) {
  std::vector<shard<Fingerprint>> shards;
  for (const std::string& path : c.settings.input.paths) shards.emplace_back(path);
  if (shards.size() == 2) {
    check_composition(shards[1].path, shards[1].made_of, shards[0].made_of);
    if (shards[0].number == shards[1].number) {
      throw input_error({shards[1].path, "is shard " + std::to_string(shards[1].number) + ", as is " + shards[0].path});
    }
    if (shards[1].number < shards[0].number) std::swap(shards[0], shards[1]);
  }
  const shard<Fingerprint>&earlier = shards.front(), &later = shards.back();
  const neardup::join_options how{.blocks = c.settings.comparison.blocks, .run = neardup::threads{c.settings.threads}};
  std::vector<id_pair> pairs;
  const auto add = [&](std::size_t i, std::size_t j, int /*distance*/) {
    pairs.push_back({later.ids[j], earlier.ids[i]});
  };
  if (shards.size() == 2) {
    neardup::visit_pairs(earlier.fingerprints, later.fingerprints, c.settings.comparison.distance, add, how);
  } else {
    neardup::visit_pairs(earlier.fingerprints, c.settings.comparison.distance, add, how);
  }
  const join_task task{earlier.number, later.number, earlier.checksum, later.checksum};
  save_pairs(c.settings.output.file, Fingerprint::bits, c.settings.comparison.distance, false, earlier.made_of,
             std::span(&task, 1), pairs);
  const std::string of =
      shards.size() == 2 ? "shards " + std::to_string(earlier.number) + " and " : std::string("shard ");
  if (!c.settings.output.quiet) {
    say(of + std::to_string(later.number) + ": " + counted(pairs.size(), "candidate", "candidates"));
  }
}

bool run_join(typed_options& typed) {
  std::optional<int> distance;
  const char* told = "--check";
  const auto take_distance_of_shards = [&](run_settings& to) {
    if (to.input.paths.size() > 2) throw usage_error("join takes one shard, or two");
    take_kind_of_shards(typed, to);
    distance = distance_of_shards(to.input.paths);
    if (typed.has("--similarity")) told = "--similarity";
    if (typed.has("--distance")) told = "--distance";
    if (distance && !typed.has(told)) typed.set("--distance", {std::to_string(*distance)});
  };
  const auto take_what_is_compared = [&](run_settings& to) {
    take_comparison(typed, to);
    if (!distance || to.comparison.distance == *distance) return;
    throw usage_error(
        told + (" " + typed.text(told)) +
        (typed.has("--distance") ? "" : " stands for --distance " + std::to_string(to.comparison.distance)) +
        ": the shards were made for --distance " + std::to_string(*distance) +
        ", which join takes from them if nothing is given");
  };
  const run_settings settings = take_combination(typed, take_distance_of_shards, take_what_is_compared);
  context c(settings);
  with_fingerprint(settings.fingerprint.bits, settings.fingerprint.kind,
                   [&]<class Fingerprint>(Fingerprint) { join_shards<Fingerprint>(c); });
  return c.found_any;
}

}  // namespace

extern const verb join_verb;
const verb join_verb{"join",
                     "PATH…",
                     "of many machines: the candidates between two shards, or in one",
                     R"(
Writes to the file that --output names the pairs of documents whose fingerprints are near each other,
between two shards, or within one: each pair once. Of N shards the N * (N + 1) / 2 joins are tasks of
their own. The distance is that of the shards, which stands in their .features files; where these do
not lie beside them, --similarity or --distance has to be the same as for hash --shard.
)",
                     takes::blocks | takes::saved_output | takes::running | takes::help,
                     join_options,
                     run_join};

}  // namespace command
