// `neardup scatter`: sends the documents of a part to the partitions of their rare features.
#include <array>
#include <neardup/sets/shuffle.hpp>
#include <numeric>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "run_steps.hpp"

namespace command {

namespace {

constexpr std::array scatter_options{
    option_row{"--counts", "FILE", takes::own, section::machines, "the file that counts wrote", usual::always},
};

/// Scatters the documents of a part. Each call of the library gets some documents.
std::vector<std::vector<std::byte>> scatter_part(const part_file& part, const counts_file& counts) {
  constexpr std::size_t most = std::size_t{1} << 18;  // features per call
  const neardup::shuffle_settings settings = counts.plan.shuffle();
  neardup::set_scatter<part_file::feature> scatter(settings, counts.counts);
  std::vector<std::uint64_t> ids, offsets;
  for (std::size_t first = 0, next = 0; first < part.size(); first = next) {
    ids.clear();
    offsets.assign(1, 0);
    for (; next < part.size() && offsets.back() < most; ++next) {
      ids.push_back(id_of(part.number(), next));
      offsets.push_back(offsets.back() + part.size_of(next));
    }
    const part_file::feature* const features = part.features_of(first).data();
    scatter.add<std::uint64_t>(ids, {features, static_cast<std::size_t>(offsets.back())}, offsets);
  }
  std::vector<std::vector<std::byte>> blobs(settings.partitions);
  for (std::uint32_t i = 0; i < settings.partitions; ++i) blobs[i] = scatter.take(i);
  return blobs;
}

/// Scatters the passages of a part.
std::vector<std::vector<std::byte>> scatter_passages(const text_part_file& part, const anchors_file& counts) {
  const auto documents = [&](const auto& sink) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::vector<std::string_view> texts = part.texts(i);
      for (std::size_t field = 0; field < texts.size(); ++field) sink(texts[field], field);
      if (texts.empty()) sink(std::string_view(), 0);
    }
  };
  const auto place = static_cast<std::size_t>(counts.plan.find(part.number()) - counts.plan.parts.data());
  return with_shuffle(counts.plan, [&](const auto& shuffle) {
    return shuffle.scatter(documents, counts.plan.first_of(place), counts.repeated);
  });
}

/// Writes the blobs that `scatter(part, counts)` returns. `path`: the path of the file of counts or anchors.
template <class Part, class Counts, class Scatter>
void scatter_to(const run_settings& settings, const std::string& part_path, const std::string& path,
                const Scatter& scatter) {
  const Counts counts(path);
  const Part part(part_path);
  const part_facts facts = part.facts();
  const part_facts* const counted_part = counts.plan.find(part.number());
  const std::string name = "part " + std::to_string(part.number());
  if (counted_part == nullptr) throw input_error({part_path, "is " + name + ", which " + path + " does not have"});
  if (*counted_part != facts) {
    throw input_error({part_path, "is another " + name + " than the one that " + path + " has counted"});
  }
  const auto blobs = as_input([&] { return scatter(part, counts); });
  as_input([&] {
    part.file().check_file();
    counts.file.check_file();
  });
  save_scattered(settings.output.file, counts.plan, facts, blobs);
  if (!settings.output.quiet) {
    const std::size_t bytes = std::accumulate(blobs.begin(), blobs.end(), std::size_t{0},
                                              [](std::size_t sum, const auto& blob) { return sum + blob.size(); });
    say(name + ": " + counted(facts.documents, "document", "documents") + ", " + counted(bytes, "byte", "bytes") +
        " for " + counted(blobs.size(), "partition", "partitions"));
  }
}

bool run_scatter(typed_options& typed) {
  const std::string path = typed.text("--counts");
  refuse_empty_name(typed, "--counts");
  if (path.empty()) throw usage_error("scatter needs --counts FILE, as counts writes it");
  const run_settings settings = take_files_of_run(typed, {path});
  const bool are_passages = kind_of(path) == run_file::anchors;
  const std::vector<std::string> paths =
      files_of(settings.input.paths, are_passages ? run_file::texts : run_file::features);
  if (paths.size() != 1) throw usage_error("scatter takes the features of one part");
  refuse_output_among(settings, paths);
  if (are_passages) {
    scatter_to<text_part_file, anchors_file>(settings, paths.front(), path, scatter_passages);
  } else {
    scatter_to<part_file, counts_file>(settings, paths.front(), path, scatter_part);
  }
  return false;
}

}  // namespace

extern const verb scatter_verb;
const verb scatter_verb{"scatter",
                        "PATH",
                        "for many machines: distribute the documents of a part by their rare features",
                        R"(
Writes what each partition needs of a part to the file that --output names: the documents by their rare features.
Name the file that features wrote for one part. Takes as much memory as both files.
)",
                        takes::saved_output | takes::running | takes::help,
                        scatter_options,
                        run_scatter};

}  // namespace command
