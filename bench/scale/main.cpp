// neardup_bench_scale: makes large corpora, reports which planted pairs a program found, and finds pairs by the
// baselines.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "baselines.hpp"
#include "generator.hpp"
#include "score.hpp"

namespace scale {

namespace {

namespace fs = std::filesystem;

base_text read_base(const std::vector<std::string>& paths) {
  base_text result;
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());  // so that the corpus does not depend on the file system
    files.insert(files.end(), inside.begin(), inside.end());
  }
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error(file.string() + ": cannot be read");
    result.add(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  return result;
}

struct file_closer {
  void operator()(std::FILE* file) const noexcept {
    std::fclose(file);  // NOLINT(cppcoreguidelines-owning-memory)
  }
};
using file_pointer = std::unique_ptr<std::FILE, file_closer>;

void put(std::FILE* to, const std::string& line) {
  if (std::fwrite(line.data(), 1, line.size(), to) != line.size()) throw std::runtime_error("the output is full");
}

struct corpus_options {
  std::vector<std::string> texts;
  double records = 10'000;
  std::size_t bytes = 730;
  std::uint64_t seed = 1;
  std::string planted;
};

void make_corpus(const corpus_options& o) {
  const base_text base = read_base(o.texts);
  const auto records = static_cast<std::uint64_t>(o.records);
  generator make(base, records, o.bytes, o.seed);
  file_pointer planted;
  if (!o.planted.empty()) {
    planted.reset(std::fopen(o.planted.c_str(), "wb"));
    if (!planted) throw std::runtime_error(o.planted + ": cannot be written");
  }
  std::string lines;
  for (std::uint64_t i = 0; i < records; ++i) {
    const record& made = make.at(i);
    lines += R"({"id":")" + made.id() + R"(","text":")";
    lines += made.text;
    lines += "\"}\n";
    if (lines.size() > 1'000'000) {
      put(stdout, lines);
      lines.clear();
    }
    if (planted && made.kind == role::copy) {
      put(planted.get(), std::to_string(made.number) + ' ' + std::to_string(made.base) + ' ' +
                             std::to_string(made.common) + ' ' + std::to_string(made.all) + '\n');
    }
  }
  put(stdout, lines);
  if (std::fflush(stdout) != 0) throw std::runtime_error("the output is full");
}

void add_corpus(CLI::App& app, corpus_options& o) {
  CLI::App* const verb = app.add_subcommand("corpus", "write a corpus, JSON Lines, to standard output");
  verb->add_option("texts", o.texts, "real texts that it is made of: files, and folders of them")->required();
  verb->add_option("--records", o.records, "how many records, 1e4 to 1e8 and beyond")->capture_default_str();
  verb->add_option("--bytes", o.bytes, "bytes of a text, on average")
      ->capture_default_str()
      ->check(CLI::Range(60, 100000));
  verb->add_option("--seed", o.seed, "another one makes another corpus")->capture_default_str();
  verb->add_option("--planted", o.planted,
                   "write here, for each copy: its number, that of its base, the features they share, those of both");
  verb->callback([&o] { make_corpus(o); });
}

void add_score(CLI::App& app, score_options& o) {
  CLI::App* const verb =
      app.add_subcommand("score", "read what neardup printed about a corpus, and say how many planted pairs it found");
  verb->add_option("--verb", o.verb, "unique, groups or pairs (groups and pairs by --format jsonl)")
      ->required()
      ->check(CLI::IsMember({"unique", "groups", "pairs"}));
  verb->add_option("--planted", o.planted, "what 'corpus --planted' wrote")->required();
  verb->callback([&o] { print_score(o); });
}

void add_join(CLI::App& app, join_baseline_options& o) {
  CLI::App* const verb =
      app.add_subcommand("join", "pairs of a corpus by a way of its own, as 'neardup pairs' prints them");
  verb->add_option("corpus", o.corpus, "JSON Lines")->required();
  verb->add_option("--by", o.by, "minhash: bands of several minima; scan: each fingerprint with each")
      ->required()
      ->check(CLI::IsMember({"minhash", "scan"}));
  verb->add_option("--similarity", o.similarity, "least Jaccard similarity")->capture_default_str();
  verb->add_option("--bands", o.bands, "of minhash")->capture_default_str();
  verb->add_option("--rows", o.rows, "minima in a band")->capture_default_str();
  verb->add_flag("--kept", o.kept, "minhash: in place of pairs, the first record of each component, in less memory");
  verb->add_option("--distance", o.distance, "of scan, in 64 bits")->capture_default_str();
  verb->callback([&o] { print_pairs(o); });
}

}  // namespace

}  // namespace scale

int main(int argc, char** argv) {
  CLI::App app("Large corpora to measure with");
  app.require_subcommand(1);
  scale::corpus_options corpus;
  scale::score_options score;
  scale::join_baseline_options join;
  scale::add_corpus(app, corpus);
  scale::add_score(app, score);
  scale::add_join(app, join);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "neardup_bench_scale: %s\n", e.what());
    return 2;
  }
  return 0;
}
