#include "dictionary.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <neardup/storage/chinese/dictionary_file.hpp>
#include <neardup/storage/mapped_file.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../read/file_header.hpp"

namespace command {

namespace {

/// Paths at which Debian or users install the dictionary of jieba.
constexpr std::array<const char*, 2> installed{"/usr/lib/python3/dist-packages/jieba/dict.txt",
                                               "/usr/share/jieba/dict.txt"};

const std::vector<std::string> english_stop_words{
    "the", "of", "is",   "and",   "to",  "in", "that", "we",   "for", "an",   "are", "by",  "be",  "as",  "on", "with",
    "can", "if", "from", "which", "you", "it", "this", "then", "at",  "have", "all", "not", "one", "has", "or"};

/// Chinese words that say nothing about a text, separated by spaces: particles, pronouns, prepositions, conjunctions,
/// adverbs of degree and time, auxiliary verbs. These words are the list zh of --stop-words. jieba has no such list.
constexpr std::string_view chinese_stop_words =
    "的 地 得 了 着 过 们 么 吗 呢 吧 啊 呀 哦 嘛 啦 哪 嗯 唉 哎 喂 我 你 您 他 她 "
    "它 我们 你们 他们 她们 它们 咱们 自己 别人 大家 人家 彼此 这 那 此 该 其 某 各 每 "
    "哪些 这个 那个 这些 那些 这里 那里 这样 那样 这么 那么 这种 那种 这边 那边 其中 其他 "
    "其它 其余 某个 某些 各个 各自 每个 谁 什么 怎么 怎样 怎么样 如何 为什么 为何 哪里 哪儿 "
    "哪个 多少 几 几个 何时 何处 是 有 在 为 被 把 将 让 使 令 给 由 从 自 向 往 到 于 "
    "对 对于 关于 至于 由于 按 按照 依照 根据 依据 凭 凭借 通过 经 经过 为了 除了 除 以 "
    "以及 用 跟 同 与 和 及 或 或者 还是 并 并且 而 而且 而是 且 但 但是 可是 不过 然而 "
    "只是 却 虽 虽然 尽管 即使 即便 哪怕 如 如果 假如 假使 要是 倘若 若 若是 只要 只有 除非 "
    "无论 不论 不管 既 既然 因 因为 所以 因此 因而 从而 于是 然后 接着 则 即 就是 也就是 "
    "也就是说 例如 比如 譬如 等 等等 之 之一 之间 之后 之前 以后 以前 以来 以上 以下 以外 "
    "以内 当 当时 当中 随着 随后 不 没 没有 别 未 无 非 莫 勿 也 都 就 才 又 再 还 更 "
    "最 很 太 极 非常 十分 相当 比较 较 较为 稍 略 几乎 大约 大概 也许 或许 可能 似乎 好像 "
    "仿佛 已 已经 曾 曾经 正 正在 刚 刚刚 刚才 将要 即将 马上 立刻 立即 总是 经常 常常 往往 "
    "通常 一直 一向 仍 仍然 仍旧 依然 始终 终于 忽然 突然 居然 竟然 果然 究竟 到底 毕竟 其实 "
    "实际上 事实上 当然 显然 的确 确实 尤其 特别 甚至 甚至于 至少 至多 只 仅 仅仅 光 单 另 "
    "另外 此外 再说 再者 同时 首先 其次 最后 总之 总的来说 一般 一般来说 一样 一些 一点 一下 "
    "一个 一种 一定 必须 必然 应 应该 应当 要 想 能 能够 会 可 可以 愿意 需 需要 得以 来 "
    "去 上 下 里 中 内 外 前 后 间 起 起来 下去 下来 上来 上去 出来 出去 过来 过去 进来 "
    "进去 回来 回去";

/// Reads the list `name`, the value of --stop-words: `zh` or a file. An empty `name` gives no words.
neardup::stop_words read_stop_words(const std::string& name) {
  if (name.empty()) return {};
  if (name != "zh") return neardup::stop_words::load(name);
  std::vector<std::string> words;
  for (std::string_view rest = chinese_stop_words; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    words.emplace_back(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return neardup::stop_words(words);
}

std::string find_dictionary(const dictionary_files& files) {
  if (!files.dictionary.empty()) return files.dictionary;
  std::error_code ignored;
  for (const char* const path : installed) {
    if (std::filesystem::exists(path, ignored)) return path;
  }
  throw usage_error("words by a dictionary need --dictionary FILE (Debian: python3-jieba installs one)");
}

/// Returns the path of the model of unknown words, or nullopt if no model is wanted.
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
  // If the dictionary itself is missing, read_dictionary() reports this later.
  if (!std::filesystem::exists(dictionary, ignored)) return std::nullopt;
  throw usage_error("there is no model of unknown words in " + beside +
                    "; name its folder with --model, or leave the model out with --no-hmm");
}

neardup::word_dictionary read_dictionary(const dictionary_files& files, const std::string& path) {
  std::array<char, 8> beginning{};
  std::ifstream(path, std::ios::binary).read(beginning.data(), beginning.size());
  auto dictionary = as_input(
      [&] {
        return neardup::is_saved_dictionary({beginning.data(), beginning.size()})
                   ? neardup::open_dictionary(neardup::mapped_file(path))
                   : neardup::word_dictionary::load(path);
      },
      "--dictionary");
  const std::string& user_words = files.user_dictionary;
  if (!user_words.empty()) as_input([&] { dictionary.load_user_words(user_words); }, "--user-dictionary");
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
  const auto dictionary = std::make_shared<const neardup::word_dictionary>(read_dictionary(files, path));
  if (dictionary->size() == 0) throw input_error({path, "there is no word in it"});
  std::shared_ptr<const neardup::unknown_word_model> model;
  if (model_folder) {
    model = as_input(
        [&] {
          return std::make_shared<const neardup::unknown_word_model>(neardup::unknown_word_model::load(*model_folder));
        },
        "--model");
  }
  const neardup::stop_words given = as_input([&] { return read_stop_words(files.stop_words); }, "--stop-words");
  for (feature_setting* const chosen : {&features, &check_features}) {
    if (!chosen->needs_dictionary()) continue;
    const bool keywords = chosen->kind == feature_setting::chinese::keywords;
    neardup::chinese_words words(dictionary, model);
    words.keep_symbols = keywords;  // as jieba does
    neardup::stop_words list = given;
    if (keywords) list.merge(neardup::stop_words(english_stop_words));
    chosen->words =
        std::make_shared<const feature_setting::dictionary_words>(std::move(list), std::move(words), keywords ? 2 : 1);
  }
}

}  // namespace command
