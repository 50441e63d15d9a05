// `neardup join`: the candidates between two shards, or in one.
#include <array>
#include <filesystem>
#include <neardup/dedup/all_pairs.hpp>
#include <neardup/dedup/similar_pairs.hpp>
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
    option_row{"--exact", flag, takes::own, section::comparison,
               "all near-duplicates by the .features of the shards, whatever their fingerprints; needs no verify"},
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

void say_joined(const context& c, const join_task& task, const std::string& what) {
  if (c.settings.output.quiet) return;
  const std::string of =
      task.earlier != task.later ? "shards " + std::to_string(task.earlier) + " and " : std::string("shard ");
  say(of + std::to_string(task.later) + ": " + what);
}

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
  save_pairs(c.settings.output.file,
             {.bits = Fingerprint::bits, .distance = c.settings.comparison.distance, .is_checked = false},
             earlier.made_of, std::span(&task, 1), pairs);
  say_joined(c, task, counted(pairs.size(), "candidate", "candidates"));
}

/// The sets of the documents of a shard that are no copies of others.
class sets_of_shard {
 public:
  explicit sets_of_shard(const shard_documents& documents) : documents_(documents) {
    auto copy = documents.copies.begin();
    for (std::size_t record = 0; record < documents.size(); ++record) {
      if (copy != documents.copies.end() && copy->record == record) {
        ++copy;
      } else {
        records_.push_back(record);
      }
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] feature_set operator[](std::size_t i) const { return documents_.documents.features(records_[i]); }
  [[nodiscard]] std::uint64_t id(std::size_t i) const { return id_of(documents_.number, records_[i]); }

 private:
  const shard_documents& documents_;
  std::vector<std::size_t> records_;
};

/// Every pair of near-duplicates of two shards, or within one, once.
void join_exactly(context& c, run_settings& settings) {
  for (const std::string& path : settings.input.paths) {
    std::error_code ignored;
    if (role_of_file(path) != file_role::list || std::filesystem::exists(features_path(path), ignored)) continue;
    throw input_error({features_path(path),
                       "is not there, and --exact compares features: hash --shard N --keep-features writes them"});
  }
  const shard_inputs inputs = open_shard_inputs(settings.input.paths);
  if (inputs.shards.size() != settings.input.paths.size()) {
    throw usage_error("join takes shards, as hash --shard writes them");
  }
  const shard_documents &earlier = *inputs.documents.front(), &later = *inputs.documents.back();
  apply_comparison_of(earlier, settings.fingerprint, settings.comparison);
  if (!settings.comparison.checks_jaccard()) {
    throw input_error(
        {earlier.file.path(), "--exact compares sets by --check jaccard, and this shard is of another check"});
  }
  const sets_of_shard first(earlier), second(later);
  std::vector<id_pair> pairs;
  const double least = *settings.comparison.min_similarity;
  const neardup::similarity_options how{.run = neardup::threads{settings.threads}};
  if (inputs.documents.size() == 2) {
    neardup::visit_similar_pairs(
        first, second, least,
        [&](const auto& pair) {
          pairs.push_back({second.id(pair.second), first.id(pair.first)});
        },
        how);
  } else {
    neardup::visit_similar_pairs(
        first, least,
        [&](const auto& pair) {
          pairs.push_back({first.id(pair.second), first.id(pair.first)});
        },
        how);
  }
  const join_task task{earlier.number, later.number, earlier.list_checksum, later.list_checksum};
  save_pairs(settings.output.file,
             {.bits = settings.fingerprint.bits,
              .distance = settings.comparison.distance,
              .is_checked = true,
              .is_exact = true},
             earlier.file.made_of(), std::span(&task, 1), pairs);
  say_joined(c, task, counted(pairs.size(), "pair", "pairs") + " of near-duplicates");
}

bool run_join(typed_options& typed) {
  std::optional<int> distance;
  const char* told = "--check";
  const bool is_exact = typed.has("--exact");
  const auto take_distance_of_shards = [&](run_settings& to) {
    if (to.input.paths.size() > 2) throw usage_error("join takes one shard, or two");
    take_kind_of_shards(typed, to);
    if (is_exact) return;
    distance = distance_of_shards(to.input.paths);
    if (typed.has("--similarity")) told = "--similarity";
    if (typed.has("--distance")) told = "--distance";
    if (distance && !typed.has(told)) typed.set("--distance", {std::to_string(*distance)});
  };
  if (is_exact) {
    for (const char* const option : {"--similarity", "--distance", "--check"}) {
      if (typed.has(option)) throw usage_error(option + std::string(" with --exact: the shards say what is compared"));
    }
    if (typed.has("--blocks")) throw usage_error("--blocks with --exact: no candidates come from fingerprints");
  }
  const auto take_what_is_compared = [&](run_settings& to) {
    if (is_exact) return;
    take_comparison(typed, to);
    if (!distance || to.comparison.distance == *distance) return;
    throw usage_error(
        told + (" " + typed.text(told)) +
        (typed.has("--distance") ? "" : " stands for --distance " + std::to_string(to.comparison.distance)) +
        ": the shards were made for --distance " + std::to_string(*distance) +
        ", which join takes from them if nothing is given");
  };
  run_settings settings = take_combination(typed, take_distance_of_shards, take_what_is_compared);
  context c(settings);
  if (is_exact) {
    join_exactly(c, settings);
    return c.found_any;
  }
  if (!distance && !settings.output.quiet && !typed.has("--similarity") && !typed.has("--distance")) {
    say(features_path(settings.input.paths.front()) + " is not there: --similarity " +
        number(neardup::default_similarity) + " (the default) means --distance " +
        std::to_string(settings.comparison.distance));
  }
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
With --exact it writes all pairs of near-duplicates, found by the features: merge takes them as they are.
)",
                     takes::blocks | takes::saved_output | takes::running | takes::help,
                     join_options,
                     run_join};

}  // namespace command
