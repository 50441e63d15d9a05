// `neardup join`: finds near-duplicates, or candidates for them, between two shards or within one.
#include <array>
#include <filesystem>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/pairs.hpp>
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
               "as for hash --shard (default: that of the shards; without their .features {similarity})",
               usual::with_verb},
    option_row{
        "--distance", "K", takes::own, section::comparison,
        "candidates by fingerprints, which differ in at most K bits (default where fingerprints are compared: that "
        "of the shards)"},
    option_row{
        "--kind", "KIND", takes::own, section::comparison,
        "candidates by fingerprints, which are of this kind: auto, or simhash or minwise as the shards have them"},
    option_row{"--check", "M", takes::own, section::comparison, "the measure of --similarity, as for hash --shard"},
    option_row{"--exact", flag, takes::own, section::comparison,
               "miss nothing: pairs by the .features of the shards. That is the default, unless --distance, --kind or "
               "--blocks, or another --distance, --kind or --bits of hash, asks for fingerprints; with it, what would "
               "miss a pair is refused",
               usual::with_verb, "refuse what would miss a pair; by default none is missed where there are features"},
};

/// A list with the ids of a shard. Throws: input_error.
template <class Fingerprint>
struct shard {
  std::string path;
  std::uint64_t number = 0;
  std::uint64_t checksum = 0;
  neardup::fingerprint_composition made_of;
  std::vector<Fingerprint> fingerprints;
  std::vector<std::uint64_t> ids;  // ids of the shard, ascending

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
    // The number of an empty shard is only in the file beside it.
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

/// Finds each candidate pair of two shards, or within one, once.
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

/// The sets of a shard's documents, without copies.
class sets_of_shard {
 public:
  sets_of_shard(const shard_documents& documents, similarity_measure check) : documents_(documents), check_(check) {
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
  [[nodiscard]] feature_set operator[](std::size_t i) const {
    return set_in(documents_.documents.features(records_[i]), check_);
  }
  [[nodiscard]] std::uint64_t id(std::size_t i) const { return id_of(documents_.number, records_[i]); }

 private:
  const shard_documents& documents_;
  similarity_measure check_;
  std::vector<std::size_t> records_;
};

/// Why the features of shards cannot be joined, and why they are not joined by default; empty if there is no objection.
struct objection {
  std::string to_exact, to_default;
};
objection objection_of(const shard_comparison& shards) {
  const std::string& name = shards.first;
  fingerprint_settings fingerprint;
  comparison_settings comparison;
  apply_comparison(features_path(name), shards.settings, fingerprint, comparison);
  fingerprint.bits = read_header(name).bits;
  if (!comparison.min_similarity) return {name + " was made with --distance alone", ""};
  if (comparison.check == similarity_measure::edit) return {name + " was made with --check edit", ""};
  const std::string& weights = shards.made_of.weighter;
  const bool has_weights =
      !(weights.empty() || weights == "unit") || shards.made_of.tokenizer.find("keywords(") != std::string::npos;
  if (has_weights && comparison.check == similarity_measure::cosine) {
    return {name + " was made with --check cosine and weights", ""};
  }
  if (has_weights) return {"", name + " was made with weights"};
  if (!are_chosen_by_similarity(fingerprint, comparison)) {
    return {"", name + " has a distance, a kind or bits of its own"};
  }
  return {};
}

/// Reads a whole list of fingerprints. Throws: input_error if it is damaged.
void verify_list(const std::string& path) {
  const stored_fingerprints stored = read_header(path);
  as_input([&] {
    with_fingerprint(stored.bits, stored.kind, [&]<class Fingerprint>(Fingerprint) {
      neardup::fingerprint_list<Fingerprint::bits, Fingerprint>{neardup::mapped_file(path)}.verify();
    });
  });
}

/// Finds each pair of near-duplicates of two shards, or within one, once.
void join_exactly(context& c, run_settings& settings) {
  for (const std::string& path : settings.input.paths) {
    if (role_of_file(path) == file_role::list) verify_list(path);
  }
  const shard_inputs inputs = open_shard_inputs(settings.input.paths);
  if (inputs.shards.size() != settings.input.paths.size()) {
    throw usage_error("join takes shards, as hash --shard writes them");
  }
  if (inputs.documents.size() != inputs.shards.size()) {
    throw input_error({inputs.shards.back(), "is shard " + std::to_string(inputs.documents.front()->number) +
                                                 ", as is " + inputs.shards.front()});
  }
  const shard_documents &earlier = *inputs.documents.front(), &later = *inputs.documents.back();
  apply_comparison_of(earlier, settings.fingerprint, settings.comparison);
  const similarity_measure check = settings.comparison.check;
  const sets_of_shard first(earlier, check), second(later, check);
  std::vector<id_pair> pairs;
  const double least = *settings.comparison.min_similarity;
  const neardup::set_join_options how{.measure = check == similarity_measure::cosine ? neardup::set_similarity::cosine
                                                                                     : neardup::set_similarity::jaccard,
                                      .run = neardup::threads{settings.threads}};
  if (inputs.documents.size() == 2) {
    neardup::visit_pairs(
        first, second, least,
        [&](const auto& pair) {
          pairs.push_back({second.id(pair.second), first.id(pair.first)});
        },
        how);
  } else {
    neardup::visit_pairs(
        first, least,
        [&](const auto& pair) {
          pairs.push_back({first.id(pair.second), first.id(pair.first)});
        },
        how);
  }
  as_input([&] {
    for (const auto& documents : inputs.documents) documents->file.check_file();
  });
  const join_task task{earlier.number, later.number, earlier.list_checksum, later.list_checksum};
  save_pairs(settings.output.file,
             {.bits = settings.fingerprint.bits,
              .distance = settings.comparison.distance,
              .is_checked = true,
              .is_exact = true,
              .comparison = earlier.settings},
             earlier.file.made_of(), std::span(&task, 1), pairs);
  say_joined(c, task, counted(pairs.size(), "pair", "pairs") + " of near-duplicates");
}

/// Decides by the shards whether their features are joined. Returns: why not, unless fingerprints were asked for;
/// nullopt if they are joined. Throws: usage_error, input_error.
std::optional<std::string> why_by_fingerprints(const typed_options& typed, const shard_comparison& shards) {
  if (typed.has("--exact")) {
    if (!shards.without.empty()) {
      throw input_error({features_path(shards.without),
                         "is not there, and --exact compares features: hash --shard N "
                         "--keep-features writes them"});
    }
    const std::string why_not = objection_of(shards).to_exact;
    if (why_not.empty()) return std::nullopt;
    throw usage_error("--exact: " + why_not + ", and sets are compared by a similarity of --check jaccard or cosine");
  }
  if (typed.is_typed("--distance") || typed.has("--blocks") || typed.is_typed("--kind")) return "";
  if (shards.first.empty()) {
    return features_path(shards.without) + " is not there (hash --shard N --keep-features writes it)";
  }
  if (!shards.without.empty()) {
    throw input_error({features_path(shards.without), "is not there, and " + features_path(shards.first) +
                                                          " is: hash --shard N --keep-features writes it; --kind auto "
                                                          "joins the fingerprints alone"});
  }
  const objection found = objection_of(shards);
  if (!found.to_exact.empty()) return found.to_exact;
  if (!found.to_default.empty()) return found.to_default + " (--exact misses none)";
  return std::nullopt;
}

/// Options of the comparison must be those that the shards were made for. Throws: usage_error.
void check_told(const typed_options& typed, const shard_comparison& shards) {
  const auto check = [&](const char* option, const std::string& told, const char* name) {
    const auto of_shards = shards.settings.find(name);
    if (of_shards == shards.settings.end() || of_shards->second == told) return;
    throw usage_error(option + (" " + typed.text(option)) + ": the shards were made for " + option + ' ' +
                      of_shards->second + ", which join takes from them if nothing is given");
  };
  if (typed.has("--similarity")) check("--similarity", number_in_full(similarity_of(typed)), "min-similarity");
  if (typed.has("--check")) check("--check", typed.text("--check"), "check");
}

bool run_join(typed_options& typed) {
  shard_comparison shards;
  std::optional<std::string> by_fingerprints;  // the reason, if nobody has asked for it
  std::optional<int> distance;
  const char* told = "--check";
  const auto take_what_shards_say = [&](run_settings& to) {
    if (to.input.paths.size() > 2) throw usage_error("join takes one shard, or two");
    shards = comparison_of_shards(to.input.paths);
    const std::string kind = typed["--kind"].value_or("auto");
    by_fingerprints = why_by_fingerprints(typed, shards);
    take_kind_of_shards(typed, to);
    if (parse_name("--kind", kind, {"auto", "simhash", "minwise"}, "kinds are auto, simhash and minwise") != 0 &&
        kind != typed.text("--kind")) {
      throw usage_error("--kind " + kind + ": the fingerprints in " + to.input.paths.front() + " are of the kind " +
                        typed.text("--kind"));
    }
    if (!by_fingerprints) return;
    distance = shards.distance();
    if (typed.has("--similarity")) told = "--similarity";
    if (typed.has("--distance")) told = "--distance";
    if (distance && !typed.has(told)) typed.set("--distance", {std::to_string(*distance)});
  };
  if (typed.has("--exact")) {
    refuse_if_given(typed, {"--distance", "--kind", "--blocks"},
                    " with --exact: no candidates come from fingerprints; leave out one of the two");
  }
  const auto take_what_is_compared = [&](run_settings& to) {
    if (!by_fingerprints) return check_told(typed, shards);
    take_comparison(typed, to);
    if (!distance || to.comparison.distance == *distance) return;
    throw usage_error(
        told + (" " + typed.text(told)) +
        (typed.has("--distance") ? "" : " stands for --distance " + std::to_string(to.comparison.distance)) +
        ": the shards were made for --distance " + std::to_string(*distance) +
        ", which join takes from them if nothing is given");
  };
  run_settings settings = take_combination(typed, take_what_shards_say, take_what_is_compared);
  context c(settings);
  if (!by_fingerprints) {
    join_exactly(c, settings);
    return c.found_any;
  }
  settings.why_by_fingerprints = *by_fingerprints;
  if (!settings.output.quiet) {
    say_choice(settings);
    if (!distance && !typed.has("--similarity") && !typed.has("--distance")) {
      say("--similarity " + number(neardup::default_similarity) + " (the default) means --distance " +
          std::to_string(settings.comparison.distance));
    }
  }
  with_fingerprint(settings.fingerprint.bits, settings.fingerprint.kind,
                   [&]<class Fingerprint>(Fingerprint) { join_shards<Fingerprint>(c); });
  return c.found_any;
}

}  // namespace

extern const verb join_verb;
const verb join_verb{"join",
                     "PATH…",
                     "of many machines: the near-duplicates between two shards, or in one",
                     R"(
Writes to the file that --output names the pairs of near-duplicates between two shards, or within one: each
pair once, and all of them, by the features in the .features files beside the shards. merge takes them as
they are. Of N shards the N * (N + 1) / 2 joins are tasks of their own.
Where these files are not there, and where --distance, --kind or --blocks asks for it, it writes candidates
for verify: the pairs whose fingerprints are near each other. Of shards without .features, --similarity or
--distance has to be the same as for hash --shard.
)",
                     takes::blocks | takes::saved_output | takes::running | takes::help,
                     join_options,
                     run_join};

}  // namespace command
