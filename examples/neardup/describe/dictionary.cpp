#include "dictionary.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <neardup/storage/chinese/dictionary_file.hpp>
#include <neardup/storage/mapped_file.hpp>
#include <system_error>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"

namespace command {

namespace {

/// Where jieba is installed by Debian, and by hand.
constexpr std::array<const char*, 2> installed{"/usr/lib/python3/dist-packages/jieba/dict.txt",
                                               "/usr/share/jieba/dict.txt"};

/// jieba's own, of extract_tags.
const std::vector<std::string> english_stop_words{
    "the", "of", "is",   "and",   "to",  "in", "that", "we",   "for", "an",   "are", "by",  "be",  "as",  "on", "with",
    "can", "if", "from", "which", "you", "it", "this", "then", "at",  "have", "all", "not", "one", "has", "or"};

std::string find_dictionary(const dictionary_files& files) {
  if (!files.dictionary.empty()) return files.dictionary;
  std::error_code ignored;
  for (const char* const path : installed) {
    if (std::filesystem::exists(path, ignored)) return path;
  }
  throw usage_error("words by a dictionary need --dictionary FILE (Debian: python3-jieba installs one)");
}

/// Nothing if there is to be none.
std::optional<std::string> find_model(const dictionary_files& files, const std::string& dictionary) {
  if (files.no_model) return std::nullopt;
  std::error_code ignored;
  if (!files.model.empty()) {
    if (std::filesystem::is_directory(files.model, ignored)) return files.model;
    throw usage_error("--model " + files.model +
                      " is no folder; jieba's finalseg is one, with prob_start.py, prob_trans.py and prob_emit.py");
  }
  const std::string beside = (std::filesystem::path(dictionary).parent_path() / "finalseg").string();
  if (std::filesystem::is_directory(beside, ignored)) return beside;
  if (!std::filesystem::exists(dictionary, ignored)) return std::nullopt;  // reading it says so
  throw usage_error("there is no model of unknown words in " + beside +
                    "; name its folder with --model, or do without by --no-hmm");
}

neardup::word_dictionary read_dictionary(const dictionary_files& files, const std::string& path) {
  std::array<char, 8> beginning{};
  std::ifstream(path, std::ios::binary).read(beginning.data(), beginning.size());
  auto dictionary = neardup::is_saved_dictionary({beginning.data(), beginning.size()})
                        ? neardup::open_dictionary(neardup::mapped_file(path))
                        : neardup::word_dictionary::load(path);
  if (!files.user_dictionary.empty()) dictionary.load_user_words(files.user_dictionary);
  return dictionary;
}

}  // namespace

void load_dictionary(const dictionary_files& files, feature_setting& features, feature_setting& check_features,
                     bool quiet) {
  if (!features.needs_dictionary() && !check_features.needs_dictionary()) return;
  const std::string path = find_dictionary(files);
  const std::optional<std::string> model_folder = find_model(files, path);
  if (files.dictionary.empty() && !quiet) {
    say("the words are those of --dictionary " + path + (model_folder ? " --model " + *model_folder : ""));
  }
  try {
    const auto dictionary = std::make_shared<const neardup::word_dictionary>(read_dictionary(files, path));
    if (dictionary->size() == 0) throw input_error({path, "there is no word in it"});
    std::shared_ptr<const neardup::unknown_word_model> model;
    if (model_folder) {
      model = std::make_shared<const neardup::unknown_word_model>(neardup::unknown_word_model::load(*model_folder));
    }
    neardup::stop_words given;
    if (!files.stop_words.empty()) given = neardup::stop_words::load(files.stop_words);
    for (feature_setting* const chosen : {&features, &check_features}) {
      if (!chosen->needs_dictionary()) continue;
      const bool keywords = chosen->kind == feature_setting::chinese::keywords;
      neardup::chinese_words words(dictionary, model);
      words.keep_symbols = keywords;  // as jieba does
      neardup::stop_words list = given;
      if (keywords) list.merge(neardup::stop_words(english_stop_words));
      chosen->words = std::make_shared<const feature_setting::dictionary_words>(std::move(list), std::move(words),
                                                                                keywords ? 2 : 1);
    }
  } catch (const std::runtime_error& error) {
    throw input_error({"", error.what()});
  }
}

}  // namespace command
