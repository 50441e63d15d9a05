#include "neardup.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <neardup/neardup.hpp>
#include <neardup/storage/chinese/dictionary_file.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "arrow_input.hpp"

struct neardup_dictionary {
  neardup::without<neardup::chinese_words> words, keywords;
  std::size_t size;
};
struct neardup_idf {
  std::shared_ptr<const neardup::idf_table> table;
};

namespace c_interface {

struct cancelled {};

/// The greatest number of threads of a call. More threads would only take memory.
constexpr std::size_t most_threads = 1024;

/// A runner that starts no further work once the caller has cancelled.
class cancellable_threads {
 public:
  explicit cancellable_threads(const neardup_run* run)
      : inner_{run == nullptr ? 0 : std::min(run->threads, most_threads)},
        run_(run == nullptr ? neardup_run{} : *run) {}

  [[nodiscard]] std::size_t parts() const { return inner_.parts(); }
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    check();
    inner_(parts, work);
  }
  /// Throws `cancelled` if the caller has cancelled.
  void check() const {
    if (run_.cancel != nullptr && *run_.cancel != 0) throw cancelled();
  }
  /// Tells the caller how many texts are done. `all`: the number of all texts, or 0 if it is not known.
  /// Throws: cancelled.
  void tell(std::size_t done, std::size_t all) const {
    if (run_.progress != nullptr) run_.progress(run_.context, done, all);
    check();
  }

 private:
  neardup::threads inner_;
  neardup_run run_;
};

/// Wraps a sequence. Reading an element throws `cancelled` once the caller has cancelled, so that a long join ends.
template <class Sequence>
class cancellable {
 public:
  cancellable(const Sequence& inner, const cancellable_threads& run) : inner_(inner), run_(run) {}

  [[nodiscard]] std::size_t size() const { return inner_.size(); }
  decltype(auto) operator[](std::size_t i) const {
    run_.check();
    return inner_[i];
  }

 private:
  const Sequence& inner_;
  const cancellable_threads& run_;
};

/// Divides the numbers below `count` into ranges [first, last) of `step` numbers. Calls `work(part, first, last)` for
/// each range, on several threads; `part` is the number of the thread.
/// Throws: the first exception of `work`.
template <class Work>
void in_steps(const cancellable_threads& run, std::size_t count, std::size_t step, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  run(std::min(run.parts(), (count + step - 1) / step), [&](std::size_t part) {
    try {
      for (std::size_t first = next.fetch_add(step); first < count; first = next.fetch_add(step)) {
        run.check();
        work(part, first, std::min(first + step, count));
      }
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

/// Calls `work`. If `work` throws, returns the status of the exception, and writes status and message to `error`.
template <class Work>
neardup_status guarded(neardup_error* error, const Work& work) noexcept {
  const auto fail = [&](neardup_status status, const char* message) {
    if (error == nullptr) return status;
    error->status = status;
    std::size_t size = std::min(std::strlen(message), sizeof(error->message) - 1);
    if (message[size] != 0) {  // cuts the message, but not within a character
      while (size > 0 && (static_cast<unsigned char>(message[size]) & 0xc0U) == 0x80) --size;
    }
    std::memcpy(error->message, message, size);
    error->message[size] = 0;
    return status;
  };
  try {
    work();
    return fail(NEARDUP_OK, "");
  } catch (const cancelled&) {
    return fail(NEARDUP_CANCELLED, "cancelled");
  } catch (const std::bad_alloc&) {
    return fail(NEARDUP_NO_MEMORY, "there is not enough memory");
  } catch (const std::length_error& e) {
    return fail(NEARDUP_TOO_LARGE, e.what());
  } catch (const std::logic_error& e) {
    return fail(NEARDUP_INVALID, e.what());
  } catch (const std::runtime_error& e) {
    return fail(NEARDUP_FAILED, e.what());
  } catch (const std::exception& e) {
    return fail(NEARDUP_UNKNOWN, e.what());
  } catch (...) {
    return fail(NEARDUP_UNKNOWN, "an unknown error");
  }
}

/// Returns `*pointer`. `name`: the name of the argument, for the message.
/// Throws: std::invalid_argument if `pointer` is null.
template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is NULL");
  return *pointer;
}

/// Returns the array of `count` elements at `elements`, which may be null if count is 0.
/// Throws: std::invalid_argument if `elements` is null and count is not 0.
template <class T>
std::span<T> given(T* elements, std::size_t count, const char* name) {
  if (count > 0) given(elements, name);
  return {elements, count};
}

/// Returns the number in `value`, which a caller of the C interface has set. It may be the number of no enumerator.
/// Reading `value` as an enumeration would then be undefined, so the bytes of `value` are copied to an integer.
template <class Enumeration>
int number_of(const Enumeration& value) {
  std::underlying_type_t<Enumeration> number;
  std::memcpy(&number, &value, sizeof(number));
  return static_cast<int>(number);
}

/// Returns the result of `read(*handle)`, or 0 or null if `handle` is null.
template <class Handle, class Read>
auto read_of(const Handle* handle, const Read& read) -> decltype(read(*handle)) {
  return handle == nullptr ? decltype(read(*handle)){} : read(*handle);
}

/// An array that grows by realloc(), in place if the system can do so. New elements are not initialised.
template <class T>
class growing_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  growing_array() = default;
  growing_array(const growing_array&) = delete;
  growing_array& operator=(const growing_array&) = delete;
  ~growing_array() { std::free(data_); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t more = std::max({count, 2 * capacity_, std::size_t{64}});
    if (more > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    void* const moved = std::realloc(data_, more * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = more;
  }
  void append(std::span<const T> values) {
    reserve(size_ + values.size());
    if (!values.empty()) std::memcpy(data_ + size_, values.data(), values.size_bytes());
    size_ += values.size();
  }
  void push_back(T value) { append({&value, 1}); }
  void shrink_to(std::size_t size) noexcept { size_ = size; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Feature sets in one array, one set after the other.
template <class Feature>
class flat_sets {
 public:
  using feature_type = Feature;

  flat_sets() { offsets_.push_back(0); }

  [[nodiscard]] std::size_t size() const noexcept { return offsets_.size() - 1; }
  [[nodiscard]] std::span<const Feature> operator[](std::size_t i) const noexcept {
    const std::int64_t begin = offsets_.data()[i];
    return {features_.data() + begin, static_cast<std::size_t>(offsets_.data()[i + 1] - begin)};
  }
  [[nodiscard]] const Feature* features() const noexcept { return features_.data(); }
  [[nodiscard]] const std::int64_t* offsets() const noexcept { return offsets_.data(); }

  void add(std::span<const Feature> set) {
    if (std::adjacent_find(set.begin(), set.end(), std::greater_equal<>()) != set.end()) {
      refuse("the features of set " + std::to_string(size()) + " are not ascending, each once");
    }
    add_valid(set);
  }
  /// Appends a set. Precondition: the features are ascending and distinct.
  void add_valid(std::span<const Feature> set) {
    offsets_.reserve(offsets_.size() + 1);
    features_.append(set);
    offsets_.push_back(static_cast<std::int64_t>(features_.size()));
  }
  void shrink_to(std::size_t sets) noexcept {
    offsets_.shrink_to(sets + 1);
    features_.shrink_to(static_cast<std::size_t>(offsets_.data()[sets]));
  }

 private:
  growing_array<Feature> features_;
  growing_array<std::int64_t> offsets_;
};

using any_sets = std::variant<flat_sets<std::uint32_t>, flat_sets<std::uint64_t>>;

/// A scope guard. If keep() was not called, its destructor removes the sets that were added since its construction.
class addition {
 public:
  explicit addition(neardup_sets& sets);
  addition(const addition&) = delete;
  addition& operator=(const addition&) = delete;
  ~addition();
  void keep();

 private:
  neardup_sets& sets_;
  std::size_t size_, nulls_;
};

neardup::word_dictionary read_words(const std::string& path, const char* user_words) {
  try {
    neardup::mapped_file file(path);
    const std::span<const std::byte> bytes = file.bytes();
    const std::string_view contents(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto words = neardup::is_saved_dictionary(contents) ? neardup::open_dictionary(std::move(file))
                                                        : neardup::word_dictionary::parse(contents, path);
    if (words.size() == 0) throw std::runtime_error(path + ": there is no word in it");
    if (user_words != nullptr) words.load_user_words(user_words);
    return words;
  } catch (const std::length_error& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

/// Reads the model for unknown words. Returns: null if `files.no_model` is set.
std::shared_ptr<const neardup::unknown_word_model> read_model(const neardup_dictionary_files& files) {
  if (files.no_model != 0) {
    if (files.model != nullptr) refuse("a model and no_model");
    return nullptr;
  }
  const std::filesystem::path beside = std::filesystem::path(files.words).parent_path() / "finalseg";
  const std::string folder = files.model == nullptr ? beside.string() : files.model;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw std::runtime_error(folder + " is no folder with a model of unknown words, which can be left out (no_model)");
  }
  return std::make_shared<const neardup::unknown_word_model>(neardup::unknown_word_model::load(folder));
}

neardup_dictionary read_dictionary(const neardup_dictionary_files& files) {
  given(files.words, "words");
  const auto dictionary = std::make_shared<const neardup::word_dictionary>(read_words(files.words, files.user_words));
  neardup::chinese_words words(dictionary, read_model(files));
  const auto listed = files.stop_words == nullptr ? neardup::stop_words() : neardup::stop_words::load(files.stop_words);
  neardup::chinese_words with_symbols = words;
  with_symbols.keep_symbols = true;  // as jieba does
  // jieba's extract_tags has these stop words.
  neardup::stop_words of_keywords(std::vector<std::string>{"the", "of",   "is",   "and",   "to",  "in",  "that", "we",
                                                           "for", "an",   "are",  "by",    "be",  "as",  "on",   "with",
                                                           "can", "if",   "from", "which", "you", "it",  "this", "then",
                                                           "at",  "have", "all",  "not",   "one", "has", "or"});
  of_keywords.merge(listed);
  return {{listed, std::move(words)}, {std::move(of_keywords), std::move(with_symbols), 2}, dictionary->size()};
}

/// Calls `use(tokenizer)` with the tokenizer that `made_of->features` names. The default is words:2.
template <class Use>
auto with_features(const neardup_composition* made_of, const Use& use) {
  const std::string name = made_of == nullptr || made_of->features == nullptr ? "words:2" : made_of->features;
  const neardup_dictionary* const dictionary = made_of == nullptr ? nullptr : made_of->dictionary;
  if (name == "zh:words" || name == "zh:keywords") {
    if (dictionary == nullptr) refuse("features " + name + " need a dictionary");
    return use(name == "zh:words" ? dictionary->words : dictionary->keywords);
  }
  if (dictionary != nullptr) refuse("a dictionary is for features zh:words and zh:keywords, not " + name);
  const neardup::feature_choice features = [&] {
    try {
      return neardup::parse_features(name);
    } catch (const std::invalid_argument& error) {
      const std::string what = error.what();
      refuse(what + (what.find("features are ") == what.npos ? "" : ", zh:words or zh:keywords"));
    }
  }();
  return neardup::with_tokenizer(features, use);
}

/// Calls `use(tokenizer)` for each kind of token in which near-duplicates must agree: numbers, or listed words.
template <class Use>
void for_each_same(const neardup_composition* made_of, const Use& use) {
  if (made_of == nullptr || made_of->same == nullptr) return;
  for (const char* const* same = made_of->same; *same != nullptr; ++same) {
    const std::string_view name(*same);
    constexpr std::string_view of_file = "words:";
    if (name == "numbers") {
      use(neardup::numbers{});
    } else if (name.starts_with(of_file) && name.size() > of_file.size()) {
      const auto listed = neardup::listed_words::load(std::string(name.substr(of_file.size())));
      if (listed.size() == 0) refuse(std::string(name) + ": the file has no words");
      use(listed);
    } else {
      refuse("what is the same is numbers, or words:FILE, not '" + std::string(name) + "'");
    }
  }
}

neardup::any_tokenizer tokenizer_of(const neardup_composition* made_of) {
  using any = neardup::any_tokenizer;
  any result = with_features(made_of, [](const auto& tokenizer) { return any(tokenizer); });
  for_each_same(made_of, [&](const auto& same) { result = any(neardup::agreeing{any(same), result}); });
  return result;
}
template <std::size_t Bits = 64>
neardup::xxh3<Bits> hasher_of(const neardup_composition* made_of) {
  return {.seed = made_of == nullptr ? 0 : made_of->seed};
}

/// Appends the feature set of each text to `to`.
template <class Feature, class Extractor>
void add_features(flat_sets<Feature>& to, const Extractor& extract, std::span<const std::string_view> texts,
                  const cancellable_threads& run) {
  struct worker {
    typename Extractor::workspace scratch;
    std::vector<Feature> features;
  };
  struct piece {
    std::size_t part, begin;
  };
  constexpr std::size_t step = 64;
  std::vector<worker> workers(run.parts());
  std::vector<piece> pieces((texts.size() + step - 1) / step);
  std::vector<std::size_t> sizes(texts.size());
  in_steps(run, texts.size(), step, [&](std::size_t part, std::size_t first, std::size_t last) {
    worker& own = workers[part];
    pieces[first / step] = {part, own.features.size()};
    for (std::size_t i = first; i < last; ++i) {
      const std::span<const Feature> features = extract(texts[i], own.scratch);
      own.features.insert(own.features.end(), features.begin(), features.end());
      sizes[i] = features.size();
    }
  });
  for (std::size_t i = 0, begin = 0; i < texts.size(); ++i) {
    const piece& from = pieces[i / step];
    if (i % step == 0) begin = from.begin;
    to.add_valid(std::span<const Feature>(workers[from.part].features).subspan(begin, sizes[i]));
    begin += sizes[i];
  }
}

/// Passes the texts of `input` to `take`, in order and several at a time. Reports the progress to `run`.
template <class Take>
void for_each_texts(const neardup_input& input, const cancellable_threads& run, const Take& take) {
  std::size_t done = 0;
  const auto all = input.texts != nullptr   ? input.size
                   : input.array != nullptr ? static_cast<std::size_t>(std::max<std::int64_t>(input.array->length, 0))
                                            : 0;
  for_each_texts(input, [&](std::span<const std::string_view> texts) {
    take(texts);
    run.tell(done += texts.size(), all);
  });
}

neardup::set_similarity measure_of(const neardup_join& join) {
  switch (number_of(join.measure)) {
    case NEARDUP_JACCARD: return neardup::set_similarity::jaccard;
    case NEARDUP_COSINE: return neardup::set_similarity::cosine;
    case NEARDUP_CONTAINMENT: return neardup::set_similarity::containment;
    default: refuse("there is no measure " + std::to_string(number_of(join.measure)));
  }
}

/// Returns the settings of a join, with the defaults filled in.
neardup_join settings_of(const neardup_join* join) {
  neardup_join result = join == nullptr ? neardup_join{} : *join;
  static_cast<void>(measure_of(result));
  if (result.similarity == 0) result.similarity = neardup::default_similarity;
  if (result.min_common == 0) {
    result.min_common = number_of(result.measure) == NEARDUP_CONTAINMENT ? neardup::default_min_contained : 1;
  }
  return result;
}

/// Returns the threshold of a join. Precondition: the defaults are filled in.
neardup::set_threshold threshold_of(const neardup_join& join) {
  return {measure_of(join), join.similarity, join.min_common};
}

/// Calls `use(sets, others)` with the feature sets of `first` and `second`. `others` is a null pointer if `second` is
/// null.
template <class Use>
void with_two(const neardup_sets* first, const neardup_sets* second, const Use& use);

/// Calls `use` with `bits` as a compile-time constant. Throws: std::invalid_argument if no code has this width.
template <class Use>
decltype(auto) with_bits(int bits, const Use& use) {
  switch (bits) {
    case 32: return use(std::integral_constant<std::size_t, 32>{});
    case 64: return use(std::integral_constant<std::size_t, 64>{});
    case 128: return use(std::integral_constant<std::size_t, 128>{});
    case 256: return use(std::integral_constant<std::size_t, 256>{});
    default: refuse("codes have 32, 64, 128 or 256 bits, not " + std::to_string(bits));
  }
}

/// The codes of a view, without its nulls, and the position of each code in the view.
template <std::size_t Bits>
struct code_list {
  std::vector<neardup::simhash<Bits>> codes;
  std::vector<std::uint32_t> positions;

  explicit code_list(const neardup_code_view& view) {
    constexpr std::size_t words = neardup::simhash<Bits>::words;
    given(view.words, view.size, "words");
    if (view.size > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("there are 2^32 codes or more");
    codes.reserve(view.size);
    positions.reserve(view.size);
    for (std::size_t i = 0; i < view.size; ++i) {
      if (view.valid != nullptr && view.valid[i] == 0) continue;
      typename neardup::simhash<Bits>::words_type value;
      std::copy_n(view.words + words * i, words, value.begin());
      codes.emplace_back(value);
      positions.push_back(static_cast<std::uint32_t>(i));
    }
  }
};

}  // namespace c_interface

using namespace c_interface;  // NOLINT(google-build-using-namespace): the code below is outside of every namespace

struct neardup_sets {
  any_sets features;
  std::size_t nulls = 0;

  [[nodiscard]] std::size_t size() const {
    return std::visit([](const auto& sets) { return sets.size(); }, features);
  }
};

struct neardup_pairs {
  std::vector<std::uint32_t> first, second, common, distance;
  std::vector<double> similarity;

  void add(const neardup::similar_text_pair& pair) {
    first.push_back(static_cast<std::uint32_t>(pair.first));
    second.push_back(static_cast<std::uint32_t>(pair.second));
    distance.push_back(static_cast<std::uint32_t>(pair.distance));
    similarity.push_back(pair.similarity);
  }
  void reserve(std::size_t count, bool of_sets) {
    first.reserve(count);
    second.reserve(count);
    if (of_sets) similarity.reserve(count);
    (of_sets ? common : distance).reserve(count);
  }
};

struct neardup_codes {
  int bits = 64;
  std::size_t nulls = 0;
  std::vector<std::uint64_t> words;
  std::vector<std::uint8_t> valid;
};

namespace c_interface {

addition::addition(neardup_sets& sets) : sets_(sets), size_(sets.size()), nulls_(sets.nulls) {}
addition::~addition() {
  std::visit([&](auto& features) { features.shrink_to(size_); }, sets_.features);
  sets_.nulls = nulls_;
}
void addition::keep() {
  size_ = sets_.size();
  nulls_ = sets_.nulls;
}

template <class Use>
void with_two(const neardup_sets* first, const neardup_sets* second, const Use& use) {
  std::visit(
      [&]<class Sets>(const Sets& sets) {
        if (second == nullptr) return use(sets, static_cast<const Sets*>(nullptr));
        const Sets* const others = std::get_if<Sets>(&second->features);
        if (others == nullptr) refuse("one corpus has features of 32 bits, the other of 64");
        use(sets, others);
      },
      given(first, "sets").features);
}

/// Wraps a hasher that makes codes of any kind and width. A code has four words of 64 bits; unused words are 0.
struct code_hasher {
  using fingerprint_type = std::array<std::uint64_t, 4>;
  using workspace = std::function<std::optional<fingerprint_type>(std::string_view text)>;  // made at the first text

  template <class Hasher>
  explicit code_hasher(const Hasher& hash)
      : make_([hash]() -> workspace {
          return [hash, memory = std::make_shared<typename Hasher::workspace>()](std::string_view text) {
            std::optional<fingerprint_type> result;
            if (const auto code = hash(text, *memory)) {
              const auto words = code->to_words();
              std::copy(words.begin(), words.end(), result.emplace().begin());
            }
            return result;
          };
        }) {}

  std::optional<fingerprint_type> operator()(std::string_view text, workspace& own) const {
    if (!own) own = make_();
    return own(text);
  }

 private:
  std::function<workspace()> make_;
};

/// Appends the codes of all texts of an input to `to`.
void add_codes(neardup_codes& to, const code_hasher& hash, const neardup_input& input, const cancellable_threads& run) {
  const auto words = static_cast<std::size_t>(std::max(to.bits / 64, 1));
  for_each_texts(input, run, [&](std::span<const std::string_view> texts) {
    for (const auto& code : neardup::fingerprint_all(hash, cancellable(texts, run), run)) {
      to.valid.push_back(code ? 1 : 0);
      to.nulls += code ? 0 : 1;
      auto all = code.value_or(code_hasher::fingerprint_type{});
      if (to.bits == 32) all[0] &= 0xffffffffU;
      to.words.insert(to.words.end(), all.data(), all.data() + words);
    }
  });
}

/// Calls `use(weighter)` with the weighter that `options.weights` names.
template <class Use>
void with_weighter(const neardup_code_options& options, const Use& use) {
  const auto choice = [&] {
    try {
      return neardup::any_weighter::parse(options.weights == nullptr ? "unit" : options.weights);
    } catch (const std::invalid_argument& error) {
      refuse(std::string("weights ") + error.what());
    }
  }();
  if (choice.needs_table() && options.idf == nullptr) refuse("weights '" + choice.name() + "' need an idf table");
  if (!choice.needs_table() && options.idf != nullptr) refuse("an idf table is for weights idf and tfidf");
  neardup::any_weighter::with(choice, options.idf == nullptr ? nullptr : options.idf->table, use);
}

/// Throws std::invalid_argument if `made_of` sets `same`, which cannot be combined with an IDF table.
void refuse_same_with_idf(const neardup_composition* made_of) {
  if (made_of == nullptr || made_of->same == nullptr) return;
  refuse("an idf table with `same`: features go by what is the same, so no table knows how rare they are");
}

}  // namespace c_interface

const char* neardup_version(void) { return NEARDUP_VERSION_STRING; }

neardup_status neardup_dictionary_load(const neardup_dictionary_files* files, neardup_dictionary** result,
                                       neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    *result = new neardup_dictionary(read_dictionary(given(files, "files")));
  });
}

void neardup_dictionary_free(neardup_dictionary* dictionary) { delete dictionary; }
size_t neardup_dictionary_size(const neardup_dictionary* dictionary) {
  return read_of(dictionary, [](const auto& of) { return of.size; });
}

neardup_status neardup_tokens(const neardup_composition* made_of, neardup_text text,
                              int (*take)(void* context, const char* token, size_t size), void* context,
                              neardup_error* error) {
  return guarded(error, [&] {
    given(take, "take");
    bool goes_on = true;
    tokenizer_of(made_of)(view_of(text), [&](std::string_view token) {
      goes_on = goes_on && take(context, token.data(), token.size()) == 0;
    });
  });
}

// ---- Feature sets ----------------------------------------------------------------------------------------------------

neardup_status neardup_sets_new(int width, neardup_sets** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    if (width != 32 && width != 64) refuse("features have 32 or 64 bits, not " + std::to_string(width));
    auto made = std::make_unique<neardup_sets>();
    if (width == 64) made->features.emplace<flat_sets<std::uint64_t>>();
    *result = made.release();
  });
}

void neardup_sets_free(neardup_sets* sets) { delete sets; }

neardup_status neardup_sets_add_texts(neardup_sets* sets, const neardup_composition* made_of,
                                      const neardup_input* input, const neardup_run* how, neardup_error* error) {
  return guarded(error, [&] {
    given(sets, "sets");
    given(input, "input");
    const cancellable_threads run(how);
    addition adding(*sets);
    std::visit(
        [&]<class Feature>(flat_sets<Feature>& features) {
          const neardup::feature_extractor<neardup::any_tokenizer, neardup::xxh3<64>, Feature> extract(
              tokenizer_of(made_of), hasher_of(made_of));
          for_each_texts(*input, run, [&](std::span<const std::string_view> texts) {
            add_features(features, extract, texts, run);
            for (const std::string_view text : texts) sets->nulls += text.data() == nullptr ? 1 : 0;
          });
        },
        sets->features);
    adding.keep();
  });
}

neardup_status neardup_sets_add(neardup_sets* sets, const void* features, const int64_t* offsets, size_t count,
                                neardup_error* error) {
  return guarded(error, [&] {
    given(sets, "sets");
    given(offsets, count, "offsets");
    addition adding(*sets);
    std::visit(
        [&]<class Feature>(flat_sets<Feature>& to) {
          for (std::size_t i = 0; i < count; ++i) {
            if (offsets[i] < 0 || offsets[i + 1] < offsets[i]) refuse("the offsets of sets do not ascend");
            const auto size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
            given(static_cast<const Feature*>(features), size, "features");
            to.add({static_cast<const Feature*>(features) + offsets[i], size});
          }
        },
        sets->features);
    adding.keep();
  });
}

neardup_status neardup_sets_add_lists(neardup_sets* sets, const neardup_input* input, neardup_error* error) {
  return guarded(error, [&] {
    given(sets, "sets");
    given(input, "input");
    if (input->texts != nullptr || input->size > 0) refuse("sets come in an array or a stream, not as texts");
    addition adding(*sets);
    std::visit(
        [&]<class Feature>(flat_sets<Feature>& to) {
          for_each_array(*input, "sets", [&](const column_rows& rows) {
            for_each_list<Feature>(rows, [&](std::span<const Feature> set, bool is_null) {
              to.add(set);
              sets->nulls += is_null ? 1 : 0;
            });
          });
        },
        sets->features);
    adding.keep();
  });
}

int neardup_sets_width(const neardup_sets* sets) {
  return read_of(sets, [](const auto& of) { return of.features.index() == 0 ? 32 : 64; });
}
size_t neardup_sets_size(const neardup_sets* sets) {
  return read_of(sets, [](const auto& of) { return of.size(); });
}
size_t neardup_sets_nulls(const neardup_sets* sets) {
  return read_of(sets, [](const auto& of) { return of.nulls; });
}
const void* neardup_sets_features(const neardup_sets* sets) {
  return read_of(sets, [](const auto& of) {
    return std::visit([](const auto& all) -> const void* { return all.features(); }, of.features);
  });
}
const int64_t* neardup_sets_offsets(const neardup_sets* sets) {
  return read_of(sets,
                 [](const auto& of) { return std::visit([](const auto& all) { return all.offsets(); }, of.features); });
}

// ---- Joins of sets ---------------------------------------------------------------------------------------------------

void neardup_pairs_free(neardup_pairs* pairs) { delete pairs; }
size_t neardup_pairs_size(const neardup_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.first.size(); });
}
const uint32_t* neardup_pairs_first(const neardup_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.first.data(); });
}
const uint32_t* neardup_pairs_second(const neardup_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.second.data(); });
}
const uint32_t* neardup_pairs_common(const neardup_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.common.data(); });
}
const double* neardup_pairs_similarity(const neardup_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.similarity.data(); });
}
const uint32_t* neardup_pairs_distance(const neardup_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.distance.data(); });
}

neardup_status neardup_pairs_new(const neardup_pair_view* pairs, neardup_pairs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const neardup_pair_view& of = given(pairs, "pairs");
    given(of.first, of.size, "first");
    given(of.second, of.size, "second");
    auto made = std::make_unique<neardup_pairs>();
    made->first.assign(of.first, of.first + of.size);
    made->second.assign(of.second, of.second + of.size);
    if (of.common != nullptr) made->common.assign(of.common, of.common + of.size);
    if (of.similarity != nullptr) made->similarity.assign(of.similarity, of.similarity + of.size);
    if (of.distance != nullptr) made->distance.assign(of.distance, of.distance + of.size);
    *result = made.release();
  });
}

neardup_status neardup_pairs_of_sets(const neardup_sets* sets, const neardup_sets* others, const neardup_join* join,
                                     const neardup_run* how, neardup_pairs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    const neardup_join of = settings_of(join);
    const neardup::set_threshold least = threshold_of(of);
    const neardup::join_options options{.copies_once = of.copies_once != 0, .run = run};
    auto made = std::make_unique<neardup_pairs>();
    with_two(sets, others, [&](const auto& a, const auto* b) {
      const auto found = b == nullptr ? neardup::pairs(cancellable(a, run), least, options)
                                      : neardup::pairs(cancellable(a, run), cancellable(*b, run), least, options);
      made->reserve(found.size(), true);
      for (const auto& pair : found) {
        made->first.push_back(pair.first);
        made->second.push_back(pair.second);
        made->common.push_back(pair.common);
        made->similarity.push_back(pair.similarity);
      }
    });
    *result = made.release();
  });
}

neardup_status neardup_verify(const neardup_sets* sets, const neardup_sets* others, const uint32_t* first,
                              const uint32_t* second, size_t count, const neardup_join* join, const neardup_run* how,
                              neardup_pairs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(first, count, "first");
    given(second, count, "second");
    given(result, "result");
    const cancellable_threads run(how);
    const neardup_join of = settings_of(join);
    const neardup::set_bounds bounds(threshold_of(of));
    auto made = std::make_unique<neardup_pairs>();
    with_two(sets, others, [&](const auto& a, const auto* b) {
      const auto& behind = b == nullptr ? a : *b;
      std::vector<std::uint32_t> common(count);
      in_steps(run, count, 256, [&](std::size_t /*part*/, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (first[i] >= a.size() || second[i] >= behind.size()) {
            refuse("pair " + std::to_string(i) + " has a position that does not exist");
          }
          const auto x = a[first[i]], y = behind[second[i]];
          for (auto p = x.begin(), q = y.begin(); p != x.end() && q != y.end();) {
            const auto left = *p, right = *q;
            common[i] += left == right ? 1 : 0;
            p += left <= right ? 1 : 0;
            q += right <= left ? 1 : 0;
          }
        }
      });
      for (std::size_t i = 0; i < count; ++i) {
        if (common[i] < of.min_common || common[i] == 0) continue;
        const double similarity = bounds.similarity(a[first[i]].size(), behind[second[i]].size(), common[i]);
        if (similarity < of.similarity) continue;
        made->first.push_back(first[i]);
        made->second.push_back(second[i]);
        made->common.push_back(common[i]);
        made->similarity.push_back(similarity);
      }
    });
    *result = made.release();
  });
}

namespace c_interface {

neardup::group_options options_of(const neardup_grouping* grouping, std::size_t count, const cancellable_threads& run) {
  neardup::group_options options{.run = run};
  if (grouping == nullptr) return options;
  if (grouping->components != 0) options.by = neardup::grouping::components;
  if (grouping->preference != nullptr) options.preference = {grouping->preference, count};
  options.originals = grouping->keep_only == 0;
  return options;
}

}  // namespace c_interface

neardup_status neardup_group(const neardup_sets* sets, const neardup_grouping* grouping, const neardup_run* how,
                             uint32_t* labels, neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    const neardup_join join = settings_of(grouping == nullptr ? nullptr : &grouping->join);
    with_two(sets, nullptr, [&](const auto& all, const auto* /*none*/) {
      given(labels, all.size(), "labels");
      const auto found =
          neardup::group(cancellable(all, run), threshold_of(join), options_of(grouping, all.size(), run));
      std::copy(found.begin(), found.end(), labels);
    });
  });
}

neardup_status neardup_extend_groups(const neardup_sets* kept, const neardup_sets* sets,
                                     const neardup_grouping* grouping, const neardup_run* how, uint32_t* labels,
                                     neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    const neardup_join join = settings_of(grouping == nullptr ? nullptr : &grouping->join);
    given(kept, "kept");
    with_two(kept, &given(sets, "sets"), [&](const auto& earlier, const auto* all) {
      given(labels, all->size(), "labels");
      const auto found = neardup::extend_groups(cancellable(earlier, run), cancellable(*all, run), threshold_of(join),
                                                options_of(grouping, all->size(), run));
      std::copy(found.begin(), found.end(), labels);
    });
  });
}

neardup_status neardup_group_pairs(const neardup_pair_view* pairs, size_t count, const neardup_grouping* grouping,
                                   uint32_t* labels, neardup_error* error) {
  return guarded(error, [&] {
    const neardup_pair_view& of = given(pairs, "pairs");
    given(of.first, of.size, "first");
    given(of.second, of.size, "second");
    given(labels, count, "labels");
    if (count > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("more than 4,294,967,295 documents");
    std::vector<std::uint32_t> order(count), rank(count);
    std::iota(order.begin(), order.end(), 0U);
    if (const double* const scores = grouping == nullptr ? nullptr : grouping->preference) {
      if (std::any_of(scores, scores + count, [](double score) { return std::isnan(score); })) {
        refuse("a preference is not a number");
      }
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    }
    for (std::uint32_t i = 0; i < count; ++i) rank[order[i]] = i;
    struct decided_pair {
      std::uint32_t later, earlier;
      double closeness;
    };
    std::vector<decided_pair> found(of.size);
    for (std::size_t i = 0; i < of.size; ++i) {
      if (of.first[i] >= count || of.second[i] >= count) {
        refuse("pair " + std::to_string(i) + " has a position that does not exist");
      }
      const auto [earlier, later] = std::minmax(rank[of.first[i]], rank[of.second[i]]);
      found[i] = {later, earlier, of.similarity != nullptr ? of.similarity[i] : 0};
      if (of.similarity == nullptr && of.distance != nullptr) found[i].closeness = -static_cast<double>(of.distance[i]);
    }
    std::vector<std::uint32_t> by_rank;
    if (grouping != nullptr && grouping->components != 0) {
      neardup::pair_components<std::uint32_t> groups(static_cast<std::uint32_t>(count));
      for (const decided_pair& pair : found) groups.add(pair.later, pair.earlier);
      by_rank = groups.finish();
    } else {
      std::sort(found.begin(), found.end(), [](const decided_pair& a, const decided_pair& b) {
        return a.later != b.later ? a.later < b.later : a.earlier < b.earlier;
      });
      neardup::pair_groups<std::uint32_t> groups(static_cast<std::uint32_t>(count));
      for (const decided_pair& pair : found) groups.add(pair.later, pair.earlier, [&] { return pair.closeness; });
      by_rank = groups.finish();
    }
    for (std::uint32_t i = 0; i < count; ++i) labels[order[i]] = order[by_rank[i]];
  });
}

// ---- Joins of texts by their edit distance --------------------------------------------------------------------------

struct neardup_texts {
  growing_array<char> bytes;
  growing_array<std::size_t> ends;
  std::size_t nulls = 0;

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends.data()[i - 1];
    return {bytes.data() + begin, ends.data()[i] - begin};
  }
};

namespace c_interface {

/// Returns the threshold of a join of texts by edit similarity. The join reports its progress to `run`.
neardup::edit edit_of(const neardup_join* join, const cancellable_threads& run) {
  if (join != nullptr && (number_of(join->measure) != NEARDUP_JACCARD || join->min_common != 0)) {
    refuse("texts that are compared by edits have no other measure, and no features in common");
  }
  return {join == nullptr || join->similarity == 0 ? neardup::default_similarity : join->similarity,
          [&run](const neardup::edit_progress& at) { run.tell(at.done, at.all); }};
}

void write_labels(const std::vector<std::size_t>& from, std::uint32_t* to) {
  std::transform(from.begin(), from.end(), to, [](std::size_t label) { return static_cast<std::uint32_t>(label); });
}

}  // namespace c_interface

neardup_status neardup_texts_new(neardup_texts** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    *result = new neardup_texts;
  });
}
void neardup_texts_free(neardup_texts* texts) { delete texts; }
size_t neardup_texts_size(const neardup_texts* texts) {
  return read_of(texts, [](const auto& of) { return of.size(); });
}
size_t neardup_texts_nulls(const neardup_texts* texts) {
  return read_of(texts, [](const auto& of) { return of.nulls; });
}

neardup_status neardup_texts_add(neardup_texts* texts, const neardup_input* input, const neardup_run* how,
                                 neardup_error* error) {
  return guarded(error, [&] {
    given(texts, "texts");
    const cancellable_threads run(how);
    for_each_texts(given(input, "input"), run, [&](std::span<const std::string_view> added) {
      std::vector<std::string> normal(added.size());
      in_steps(run, added.size(), 64, [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) normal[i] = neardup::normalise(added[i]);
      });
      texts->ends.reserve(texts->ends.size() + added.size());
      std::size_t size = texts->bytes.size();
      for (const std::string& text : normal) size += text.size();
      texts->bytes.reserve(size);  // the following code does not throw
      for (std::size_t i = 0; i < added.size(); ++i) {
        texts->bytes.append(normal[i]);
        texts->ends.push_back(texts->bytes.size());
        texts->nulls += added[i].data() == nullptr ? 1 : 0;
      }
    });
  });
}

neardup_status neardup_texts_add_some(neardup_texts* texts, const neardup_texts* from, const uint32_t* positions,
                                      size_t count, neardup_error* error) {
  return guarded(error, [&] {
    given(texts, "texts");
    const neardup_texts& of = given(from, "from");
    given(positions, count, "positions");
    std::size_t size = texts->bytes.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (positions[i] >= of.size()) refuse("text " + std::to_string(positions[i]) + " does not exist");
      size += of[positions[i]].size();
    }
    texts->ends.reserve(texts->ends.size() + count);
    texts->bytes.reserve(size);  // the following code does not throw
    for (std::size_t i = 0; i < count; ++i) {
      texts->bytes.append(of[positions[i]]);
      texts->ends.push_back(texts->bytes.size());
    }
  });
}

neardup_status neardup_pairs_of_texts(const neardup_texts* texts, const neardup_texts* others, const neardup_join* join,
                                      const neardup_run* how, neardup_pairs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    const neardup::edit least = edit_of(join, run);
    const neardup::join_options options{.copies_once = join != nullptr && join->copies_once != 0, .run = run};
    auto made = std::make_unique<neardup_pairs>();
    const cancellable all(given(texts, "texts"), run);
    const auto found = others == nullptr ? neardup::pairs(all, least, options)
                                         : neardup::pairs(all, cancellable(*others, run), least, options);
    for (const auto& pair : found) made->add(pair);
    *result = made.release();
  });
}

neardup_status neardup_verify_texts(const neardup_texts* texts, const neardup_texts* others, const uint32_t* first,
                                    const uint32_t* second, size_t count, const neardup_join* join,
                                    const neardup_run* how, neardup_pairs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(first, count, "first");
    given(second, count, "second");
    given(result, "result");
    const cancellable_threads run(how);
    const double least = edit_of(join, run).similarity;
    if (!(least > 0 && least <= 1)) refuse("a least similarity is above 0 and at most 1");
    const neardup_texts& a = given(texts, "texts");
    const neardup_texts& b = others == nullptr ? a : *others;
    constexpr std::size_t long_texts = std::size_t{1} << 15;
    std::vector<std::optional<neardup::similar_text_pair>> found(count);
    in_steps(run, count, 16, [&](std::size_t /*part*/, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (first[i] >= a.size() || second[i] >= b.size()) {
          refuse("pair " + std::to_string(i) + " has a position that does not exist");
        }
        const std::string_view x = a[first[i]], y = b[second[i]];
        if (x.empty() || y.empty()) continue;
        if (x.size() + y.size() > long_texts) {  // a join of one pair, which can be cancelled
          neardup::visit_pairs(std::array{x}, std::array{y},
                               neardup::edit{least, [&](const neardup::edit_progress& /*at*/) { run.check(); }},
                               [&](const auto& pair) {
                                 found[i] = {first[i], second[i], pair.distance, pair.similarity};
                               });
          continue;
        }
        const double similarity = neardup::edit_similarity(x, y);
        if (similarity >= least) found[i] = {first[i], second[i], neardup::edit_distance(x, y), similarity};
      }
    });
    auto made = std::make_unique<neardup_pairs>();
    for (const auto& pair : found) {
      if (pair) made->add(*pair);
    }
    *result = made.release();
  });
}

neardup_status neardup_group_texts(const neardup_texts* texts, const neardup_grouping* grouping, const neardup_run* how,
                                   uint32_t* labels, neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    const neardup_texts& all = given(texts, "texts");
    given(labels, all.size(), "labels");
    write_labels(neardup::group(cancellable(all, run), edit_of(grouping == nullptr ? nullptr : &grouping->join, run),
                                options_of(grouping, all.size(), run)),
                 labels);
  });
}

neardup_status neardup_extend_groups_of_texts(const neardup_texts* kept, const neardup_texts* texts,
                                              const neardup_grouping* grouping, const neardup_run* how,
                                              uint32_t* labels, neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    const neardup_texts &earlier = given(kept, "kept"), &all = given(texts, "texts");
    given(labels, all.size(), "labels");
    write_labels(neardup::extend_groups(cancellable(earlier, run), cancellable(all, run),
                                        edit_of(grouping == nullptr ? nullptr : &grouping->join, run),
                                        options_of(grouping, all.size(), run)),
                 labels);
  });
}

// ---- Repeated passages ----------------------------------------------------------------------------------------------

struct neardup_passages {
  std::array<std::vector<std::uint32_t>, 10> columns;
};
struct neardup_cut_texts {
  growing_array<char> data;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint8_t> valid;
};

namespace c_interface {

/// The texts of an input, for functions that read the texts twice. Texts of a stream, which come only once, are copied.
class kept_texts {
 public:
  kept_texts(const neardup_input& input, const cancellable_threads& run) {
    const bool is_stream = input.texts == nullptr && input.array == nullptr && input.stream != nullptr;
    std::vector<std::size_t> sizes;  // sizes of the texts of a stream
    for_each_texts(input, run, [&](std::span<const std::string_view> some) {
      if (!is_stream) {
        texts_.insert(texts_.end(), some.begin(), some.end());
        return;
      }
      for (const std::string_view text : some) {
        bytes_.append(text);
        sizes.push_back(text.data() == nullptr ? null : text.size());
      }
    });
    const char* next = bytes_.data();
    for (const std::size_t size : sizes) {
      texts_.push_back(size == null ? std::string_view()
                       : size == 0  ? std::string_view("")
                                    : std::string_view(next, size));
      next += size == null ? 0 : size;
    }
  }

  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return texts_[i]; }

 private:
  static constexpr std::size_t null = std::numeric_limits<std::size_t>::max();

  std::vector<std::string_view> texts_;
  growing_array<char> bytes_;
};

/// Calls `use(tokenizer)` with the tokenizer that makes the units of the passages.
template <class Use>
void with_units(const neardup_passage_options& options, const Use& use) {
  if (options.bytes != 0) return use(neardup::byte_ngrams{1});
  use(neardup::words{});
}

neardup_passage_options settings_of(const neardup_passage_options* options) {
  neardup_passage_options result = options == nullptr ? neardup_passage_options{} : *options;
  if (result.length == 0) result.length = 50;
  if (result.least_documents == 0) result.least_documents = 1;
  return result;
}

/// Calls `use(texts, passages, tokenizer)` with the passages of an input, ordered by their places in the input.
template <class Use>
void with_passages(const neardup_input& input, const neardup_passage_options* options, const cancellable_threads& run,
                   const Use& use) {
  const neardup_passage_options how = settings_of(options);
  const kept_texts texts(input, run);
  if (how.earlier > texts.size()) {
    refuse(std::to_string(how.earlier) + " texts are of an earlier corpus, but there are " +
           std::to_string(texts.size()));
  }
  with_units(how, [&](const auto& tokenizer) {
    use(texts,
        neardup::passages(cancellable(texts, run), {how.length, how.least_documents, how.earlier, run}, tokenizer),
        tokenizer);
  });
}

/// The places of the units of a text, in bytes and in code points.
class places_of_units {
 public:
  places_of_units(std::string_view text, const neardup::words& /*tokenizer*/) : places_of_units(text) {
    neardup::for_each_word(text, [&](std::string_view /*word*/, std::string_view bytes) {
      const auto begin = static_cast<std::size_t>(bytes.data() - text.data());
      words_.emplace_back(begin, begin + bytes.size());
    });
    size_ = words_.size();
  }
  places_of_units(std::string_view text, const neardup::byte_ngrams& /*tokenizer*/) : places_of_units(text) {
    size_ = text.size();
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns the range of bytes of the units [begin, end). Characters that lie only partly in the range are left out.
  [[nodiscard]] std::pair<std::size_t, std::size_t> bytes(std::size_t begin, std::size_t end) const {
    if (!words_.empty()) return {words_[begin].first, words_[end - 1].second};
    std::size_t first = begin, last = end;
    while (first < last && !begins_character(first)) ++first;
    while (first < last && !begins_character(last)) --last;
    return {first, last};
  }
  /// Returns the number of code points before `byte`, the offset of the first byte of a character.
  [[nodiscard]] std::size_t code_points(std::size_t byte) const { return points_.empty() ? byte : points_[byte]; }

 private:
  explicit places_of_units(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
    points_.assign(text.size() + 1, inside);
    std::uint32_t count = 0;
    neardup::for_each_code_point(text, [&](char32_t /*character*/, std::string_view bytes) {
      points_[static_cast<std::size_t>(bytes.data() - text.data())] = count++;
    });
    points_.back() = count;
  }
  [[nodiscard]] bool begins_character(std::size_t byte) const { return points_.empty() || points_[byte] != inside; }

  static constexpr std::uint32_t inside = std::numeric_limits<std::uint32_t>::max();

  std::size_t size_ = 0;                                    // number of units
  std::vector<std::pair<std::size_t, std::size_t>> words_;  // the bytes of each word; empty if units are bytes
  std::vector<std::uint32_t> points_;  // code points before each byte that begins a character; empty for ASCII
};

/// Appends `text` to `to`. Each ill-formed sequence of bytes becomes U+FFFD.
void append_well_formed(growing_array<char>& to, std::string_view text) {
  if (neardup::count_invalid(text) == 0) return to.append(text);
  neardup::for_each_code_point(text, [&](char32_t character, std::string_view bytes) {
    to.append(character == neardup::replacement_character ? std::string_view("\xef\xbf\xbd") : bytes);
  });
}

/// Writes one place of each passage in `found` to five columns: the text, begin and end in code points, begin and end in
/// bytes. `to`: the first of these columns. text_of(passage) returns the text of the place. begin_of(passage) returns
/// the first unit of the place. `order`: the indexes of all passages, ordered by text. `first_text`: the number of
/// texts[0].
template <class Texts, class Tokenizer, class TextOf, class BeginOf>
void write_places(const Texts& texts, const std::vector<neardup::passage>& found, const std::vector<std::size_t>& order,
                  const Tokenizer& tokenizer, const TextOf& text_of, const BeginOf& begin_of,
                  std::vector<std::uint32_t>* to, std::uint64_t first_text = 0) {
  std::optional<places_of_units> places;
  std::size_t last = std::numeric_limits<std::size_t>::max();
  for (const std::size_t i : order) {
    const neardup::passage& one = found[i];
    const std::size_t text = text_of(one), begin = begin_of(one);
    if (text != last) places.emplace(texts[text - first_text], tokenizer);
    last = text;
    if (begin > places->size() || one.end - one.begin > places->size() - begin) {
      refuse("text " + std::to_string(text) + " has no passage at " + std::to_string(begin));
    }
    const auto [first, end] = places->bytes(begin, begin + (one.end - one.begin));
    const auto write = [&](std::size_t column, std::size_t value) {
      to[column][i] = static_cast<std::uint32_t>(value);
    };
    write(0, text);
    write(1, places->code_points(first));
    write(2, places->code_points(end));
    write(3, first);
    write(4, end);
  }
}

/// Returns the texts without the passages in `found`, which are ordered by their places. `first_text`: the number of
/// texts[0].
template <class Texts, class Tokenizer>
std::unique_ptr<neardup_cut_texts> cut_texts(const Texts& texts, const std::vector<neardup::passage>& found,
                                             const Tokenizer& tokenizer, std::uint64_t first_text) {
  auto made = std::make_unique<neardup_cut_texts>();
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  auto next = found.begin();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    const auto end =
        std::find_if(next, found.end(), [&](const neardup::passage& p) { return p.document != first_text + i; });
    std::size_t done = 0;
    for (const std::string_view cut : neardup::passage_views(text, std::span(next, end), tokenizer)) {
      const auto begin = static_cast<std::size_t>(cut.data() - text.data());
      if (begin > done) append_well_formed(made->data, text.substr(done, begin - done));
      done = begin + cut.size();
      while (done < text.size() && is_space(text[done])) ++done;
    }
    next = end;
    if (done < text.size()) append_well_formed(made->data, text.substr(done));
    made->offsets.push_back(static_cast<std::int64_t>(made->data.size()));
    made->valid.push_back(text.data() == nullptr ? 0 : 1);
  }
  return made;
}

}  // namespace c_interface

neardup_status neardup_find_passages(const neardup_input* input, const neardup_passage_options* options,
                                     const neardup_run* how, neardup_passages** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    with_passages(given(input, "input"), options, run,
                  [&](const auto& texts, const std::vector<neardup::passage>& found, const auto& tokenizer) {
                    auto made = std::make_unique<neardup_passages>();
                    for (auto& column : made->columns) column.resize(found.size());
                    std::vector<std::size_t> order(found.size());
                    std::iota(order.begin(), order.end(), std::size_t{0});
                    write_places(
                        texts, found, order, tokenizer, [](const neardup::passage& p) { return p.document; },
                        [](const neardup::passage& p) { return p.begin; }, made->columns.data());
                    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                      return found[a].first_document != found[b].first_document
                                 ? found[a].first_document < found[b].first_document
                                 : a < b;
                    });
                    write_places(
                        texts, found, order, tokenizer, [](const neardup::passage& p) { return p.first_document; },
                        [](const neardup::passage& p) { return p.first_begin; }, made->columns.data() + 5);
                    // Removes passages of bytes that contain no whole character.
                    std::size_t kept = 0;
                    for (std::size_t i = 0; i < found.size(); ++i) {
                      if (made->columns[3][i] == made->columns[4][i]) continue;
                      for (auto& column : made->columns) column[kept] = column[i];
                      ++kept;
                    }
                    for (auto& column : made->columns) column.resize(kept);
                    *result = made.release();
                  });
  });
}
void neardup_passages_free(neardup_passages* passages) { delete passages; }
size_t neardup_passages_size(const neardup_passages* passages) {
  return read_of(passages, [](const auto& of) { return of.columns.front().size(); });
}
const uint32_t* neardup_passages_column(const neardup_passages* passages, neardup_passage_column column) {
  return read_of(passages, [&](const auto& of) {
    const auto number = static_cast<std::size_t>(number_of(column));
    return number < of.columns.size() ? of.columns[number].data() : nullptr;
  });
}

neardup_status neardup_cut_passages(const neardup_input* input, const neardup_passage_options* options,
                                    const neardup_run* how, neardup_cut_texts** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    with_passages(given(input, "input"), options, run,
                  [&](const auto& texts, const std::vector<neardup::passage>& found, const auto& tokenizer) {
                    *result = cut_texts(texts, found, tokenizer, 0).release();
                  });
  });
}
void neardup_cut_texts_free(neardup_cut_texts* texts) { delete texts; }
size_t neardup_cut_texts_size(const neardup_cut_texts* texts) {
  return read_of(texts, [](const auto& of) { return of.valid.size(); });
}
const char* neardup_cut_texts_data(const neardup_cut_texts* texts) {
  return read_of(texts, [](const auto& of) { return of.data.data(); });
}
const int64_t* neardup_cut_texts_offsets(const neardup_cut_texts* texts) {
  return read_of(texts, [](const auto& of) { return of.offsets.data(); });
}
const uint8_t* neardup_cut_texts_valid(const neardup_cut_texts* texts) {
  return read_of(texts, [](const auto& of) { return of.valid.data(); });
}

// ---- Codes -----------------------------------------------------------------------------------------------------------

neardup_status neardup_idf_load(const char* path, neardup_idf** result, neardup_error* error) {
  return guarded(error, [&] {
    given(path, "path");
    given(result, "result");
    auto table = std::make_shared<const neardup::idf_table>(neardup::idf_table::load(path));
    if (table->size() == 0) throw std::runtime_error(std::string(path) + ": there is no term in it");
    *result = new neardup_idf{std::move(table)};
  });
}

neardup_status neardup_idf_learn(const neardup_composition* made_of, const neardup_input* input, const neardup_run* how,
                                 neardup_idf** result, neardup_error* error) {
  return guarded(error, [&] {
    given(input, "input");
    given(result, "result");
    const cancellable_threads run(how);
    refuse_same_with_idf(made_of);
    const auto tokenize = tokenizer_of(made_of);
    neardup::idf_learner learner;
    for_each_texts(*input, run, [&](std::span<const std::string_view> texts) {
      for (const std::string_view text : texts) {
        run.check();
        if (text.data() != nullptr) learner.add(tokenize, text);
      }
    });
    *result = new neardup_idf{std::make_shared<const neardup::idf_table>(learner.table())};
  });
}

neardup_status neardup_idf_save(const neardup_idf* idf, const char* path, neardup_error* error) {
  return guarded(error, [&] { given(idf, "idf").table->save(&given(path, "path")); });
}

void neardup_idf_free(neardup_idf* idf) { delete idf; }
size_t neardup_idf_size(const neardup_idf* idf) {
  return read_of(idf, [](const auto& of) { return of.table->size(); });
}

neardup_status neardup_codes_of_texts(const neardup_composition* made_of, const neardup_code_options* options,
                                      const neardup_input* input, const neardup_run* how, neardup_codes** result,
                                      neardup_error* error) {
  return guarded(error, [&] {
    given(input, "input");
    given(result, "result");
    const cancellable_threads run(how);
    const neardup_code_options of = options == nullptr ? neardup_code_options{} : *options;
    auto made = std::make_unique<neardup_codes>();
    made->bits = of.bits == 0 ? 64 : of.bits;
    with_bits(made->bits, [&](auto bits) {
      const int kind = number_of(of.kind);
      if (kind == NEARDUP_MINWISE) {
        if (of.weights != nullptr || of.idf != nullptr) refuse("min-wise codes have no weights");
        const auto hash = neardup::make_minwise_hasher<bits>(tokenizer_of(made_of), hasher_of(made_of));
        return add_codes(*made, code_hasher(hash), *input, run);
      }
      if (kind != NEARDUP_SIMHASH) refuse("there is no kind of codes " + std::to_string(kind));
      // A 32-bit code is the lowest 32 bits of a 64-bit code, as in the command.
      constexpr std::size_t width = std::max<std::size_t>(bits, 64);
      if (of.idf != nullptr) refuse_same_with_idf(made_of);
      with_weighter(of, [&](const auto& weighter) {
        const auto hash = neardup::make_simhasher<width>(tokenizer_of(made_of), weighter, hasher_of<width>(made_of));
        add_codes(*made, code_hasher(hash), *input, run);
      });
    });
    *result = made.release();
  });
}

void neardup_codes_free(neardup_codes* codes) { delete codes; }
size_t neardup_codes_size(const neardup_codes* codes) {
  return read_of(codes, [](const auto& of) { return of.valid.size(); });
}
size_t neardup_codes_nulls(const neardup_codes* codes) {
  return read_of(codes, [](const auto& of) { return of.nulls; });
}
const uint64_t* neardup_codes_words(const neardup_codes* codes) {
  return read_of(codes, [](const auto& of) { return of.words.data(); });
}
const uint8_t* neardup_codes_valid(const neardup_codes* codes) {
  return read_of(codes, [](const auto& of) { return of.valid.data(); });
}

neardup_status neardup_near_pairs(const neardup_code_view* codes, const neardup_code_view* others, int k,
                                  int copies_once, const neardup_run* how, neardup_pairs** result,
                                  neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    const neardup::join_options options{.copies_once = copies_once != 0, .run = run};
    auto made = std::make_unique<neardup_pairs>();
    with_bits(given(codes, "codes").bits, [&](auto bits) {
      const code_list<bits> a(*codes);
      const auto add = [&](const auto& found, const auto& second) {
        made->reserve(found.size(), false);
        for (const auto& pair : found) {
          made->first.push_back(a.positions[pair.first]);
          made->second.push_back(second[pair.second]);
          made->distance.push_back(static_cast<std::uint32_t>(pair.distance));
        }
      };
      if (others == nullptr) return add(neardup::pairs(a.codes, neardup::bits{k}, options), a.positions);
      if (others->bits != codes->bits) refuse("codes of different widths are compared");
      const code_list<bits> b(*others);
      add(neardup::pairs(a.codes, b.codes, neardup::bits{k}, options), b.positions);
    });
    *result = made.release();
  });
}

neardup_status neardup_cluster(const neardup_code_view* codes, int k, const neardup_run* how, uint32_t* labels,
                               neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    with_bits(given(codes, "codes").bits, [&](auto bits) {
      const code_list<bits> list(*codes);
      given(labels, codes->size, "labels");
      const auto found = neardup::cluster(list.codes, neardup::bits{k}, run);
      for (std::size_t i = 0; i < codes->size; ++i) labels[i] = static_cast<std::uint32_t>(i);
      for (std::size_t i = 0; i < found.size(); ++i) labels[list.positions[i]] = list.positions[found[i]];
    });
  });
}

// ---- An index of codes -----------------------------------------------------------------------------------------------

struct neardup_matches {
  std::vector<std::uint32_t> query, distance, common;
  std::vector<std::uint64_t> id;
  std::vector<double> similarity;
};

/// An index of codes of any width, in memory or in a file.
struct neardup_index {
  virtual ~neardup_index() = default;
  [[nodiscard]] virtual int bits() const = 0;
  [[nodiscard]] virtual int k() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  virtual std::size_t insert(const neardup_code_view& codes, const std::uint64_t* ids) = 0;
  virtual std::size_t erase(const neardup_code_view& codes, const std::uint64_t* ids) = 0;
  virtual void search(const neardup_code_view& queries, int k, const cancellable_threads& run,
                      neardup_matches& to) const = 0;
  virtual void save(const char* path, const neardup::fingerprint_composition& made_of) const = 0;
};

namespace c_interface {

/// Returns the composition of codes that another program has made: `made_of`, or "unknown" if no `made_of` is given.
neardup::fingerprint_composition composition_named(const char* made_of) {
  return {.tokenizer = made_of == nullptr || *made_of == 0 ? "unknown" : made_of};
}

template <class Index>
class index_of final : public neardup_index {
  static constexpr std::size_t width = Index::bits;

 public:
  explicit index_of(Index index) : index_(std::move(index)) {}

  [[nodiscard]] int bits() const override { return static_cast<int>(width); }
  [[nodiscard]] int k() const override { return index_.max_distance(); }
  [[nodiscard]] std::size_t size() const override { return index_.size(); }
  std::size_t insert(const neardup_code_view& codes, const std::uint64_t* ids) override {
    return change(codes, ids, [](auto& index, const auto& code, std::uint64_t id) { return index.insert(code, id); });
  }
  std::size_t erase(const neardup_code_view& codes, const std::uint64_t* ids) override {
    return change(codes, ids, [](auto& index, const auto& code, std::uint64_t id) { return index.erase(code, id); });
  }
  void search(const neardup_code_view& queries, int k, const cancellable_threads& run,
              neardup_matches& to) const override {
    const code_list<width> list(checked(queries));
    // The search of a batch cannot be cancelled while it runs, so each batch has only `step` codes.
    constexpr std::size_t step = std::size_t{1} << 14;
    for (std::size_t begin = 0; begin == 0 || begin < list.codes.size(); begin += step) {
      const auto piece = std::span(list.codes).subspan(begin, std::min(step, list.codes.size() - begin));
      const auto found = index_.search_batch(piece, k == -1 ? std::nullopt : std::optional(k), run);
      for (std::size_t i = 0; i < piece.size(); ++i) {
        for (std::size_t m = found.offsets[i]; m < found.offsets[i + 1]; ++m) {
          to.query.push_back(list.positions[begin + i]);
          to.id.push_back(found.matches[m].id);
          to.distance.push_back(static_cast<std::uint32_t>(found.matches[m].distance));
        }
      }
    }
  }
  void save(const char* path, const neardup::fingerprint_composition& made_of) const override {
    neardup::save(path, index_, made_of);
  }

 private:
  static const neardup_code_view& checked(const neardup_code_view& codes) {
    if (codes.bits != static_cast<int>(width)) {
      refuse("codes of " + std::to_string(codes.bits) + " bits for an index of " + std::to_string(width));
    }
    return codes;
  }

  template <class Change>
  std::size_t change(const neardup_code_view& codes, const std::uint64_t* ids, const Change& apply) {
    if constexpr (requires(Index & index) { index.insert({}, 0); }) {
      const code_list<width> list(checked(codes));
      given(ids, codes.size, "ids");
      std::size_t changed = 0;
      for (std::size_t i = 0; i < list.codes.size(); ++i) {
        changed += apply(index_, list.codes[i], ids[list.positions[i]]) ? 1 : 0;
      }
      return changed;
    } else {
      refuse("an index that is mapped cannot be changed: load it");
    }
  }

  Index index_;
};

template <std::size_t Bits>
using memory_index = neardup::pigeonhole_index<Bits, neardup::dynamic_layout, neardup::dynamic_layout, std::uint64_t>;

}  // namespace c_interface

neardup_status neardup_index_new(int bits, int k, int blocks, neardup_index** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    with_bits(bits, [&](auto width) {
      if (k < 0 || k >= bits) refuse("k is from 0 to " + std::to_string(bits - 1) + ", not " + std::to_string(k));
      *result = new index_of(memory_index<width>(k, blocks == 0 ? neardup::default_blocks(width, k) : blocks));
    });
  });
}

void neardup_index_free(neardup_index* index) { delete index; }

neardup_status neardup_index_insert(neardup_index* index, const neardup_code_view* codes, const uint64_t* ids,
                                    size_t* inserted, neardup_error* error) {
  return guarded(error, [&] {
    given(inserted, "inserted");
    *inserted = given(index, "index").insert(given(codes, "codes"), ids);
  });
}

neardup_status neardup_index_erase(neardup_index* index, const neardup_code_view* codes, const uint64_t* ids,
                                   size_t* erased, neardup_error* error) {
  return guarded(error, [&] {
    given(erased, "erased");
    *erased = given(index, "index").erase(given(codes, "codes"), ids);
  });
}

neardup_status neardup_index_search(const neardup_index* index, const neardup_code_view* queries, int k,
                                    const neardup_run* how, neardup_matches** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    auto made = std::make_unique<neardup_matches>();
    given(index, "index").search(given(queries, "queries"), k, cancellable_threads(how), *made);
    *result = made.release();
  });
}

neardup_status neardup_index_save(const neardup_index* index, const char* path, const char* made_of,
                                  neardup_error* error) {
  return guarded(error, [&] { given(index, "index").save(&given(path, "path"), composition_named(made_of)); });
}

neardup_status neardup_index_load(const char* path, int bits, const char* made_of, int is_mapped,
                                  neardup_index** result, neardup_error* error) {
  return guarded(error, [&] {
    given(path, "path");
    given(result, "result");
    with_bits(bits, [&](auto width) {
      if (is_mapped != 0) {
        neardup::index_view<width, std::uint64_t> view{neardup::mapped_file(path)};
        if (made_of != nullptr && view.made_of() != composition_named(made_of)) {
          refuse(std::string(path) + ": its codes are made of " + view.made_of().tokenizer + ", not of " + made_of);
        }
        *result = new index_of(std::move(view));
      } else if (made_of != nullptr) {
        *result = new index_of(neardup::load<memory_index<width>>(path, composition_named(made_of)));
      } else {
        *result = new index_of(neardup::load<memory_index<width>>(path));
      }
    });
  });
}

int neardup_index_bits(const neardup_index* index) {
  return read_of(index, [](const auto& of) { return of.bits(); });
}
int neardup_index_k(const neardup_index* index) {
  return read_of(index, [](const auto& of) { return of.k(); });
}
size_t neardup_index_size(const neardup_index* index) {
  return read_of(index, [](const auto& of) { return of.size(); });
}

void neardup_matches_free(neardup_matches* matches) { delete matches; }
size_t neardup_matches_size(const neardup_matches* matches) {
  return read_of(matches, [](const auto& of) { return of.query.size(); });
}
const uint32_t* neardup_matches_query(const neardup_matches* matches) {
  return read_of(matches, [](const auto& of) { return of.query.data(); });
}
const uint64_t* neardup_matches_id(const neardup_matches* matches) {
  return read_of(matches, [](const auto& of) { return of.id.data(); });
}
const uint32_t* neardup_matches_distance(const neardup_matches* matches) {
  return read_of(matches, [](const auto& of) { return of.distance.data(); });
}

const uint32_t* neardup_matches_common(const neardup_matches* matches) {
  return read_of(matches, [](const auto& of) { return of.common.data(); });
}
const double* neardup_matches_similarity(const neardup_matches* matches) {
  return read_of(matches, [](const auto& of) { return of.similarity.data(); });
}

// ---- An index of feature sets ---------------------------------------------------------------------------------------

struct neardup_set_index {
  std::variant<neardup::set_index<std::uint32_t, std::uint64_t>, neardup::set_index<std::uint64_t, std::uint64_t>>
      inner;
};

namespace c_interface {

/// Calls `use(index, flat)` with the index in `holder` and the flat_sets in `sets`. Messages call `sets` by its `name`.
/// Throws: std::invalid_argument if the features of the index and of the sets have different widths.
template <class Holder, class Use>
void with_sets(Holder& holder, const neardup_sets* sets, const char* name, const Use& use) {
  std::visit(
      [&]<class Feature>(const flat_sets<Feature>& of) {
        auto* const inner = std::get_if < sizeof(Feature) == 4 ? 0 : 1 > (&holder.inner);
        if (inner == nullptr) refuse("features of different widths");
        use(*inner, of);
      },
      given(sets, name).features);
}

}  // namespace c_interface

neardup_status neardup_set_index_new(int width, const neardup_join* join, neardup_set_index** result,
                                     neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const neardup_join of = settings_of(join);
    if (width != 32 && width != 64) refuse("features have 32 or 64 bits, not " + std::to_string(width));
    const auto make = [&]<class Feature>(Feature /*type*/) {
      *result = new neardup_set_index{neardup::set_index<Feature, std::uint64_t>(threshold_of(of))};
    };
    if (width == 32) return make(std::uint32_t{});
    make(std::uint64_t{});
  });
}

void neardup_set_index_free(neardup_set_index* index) { delete index; }

neardup_status neardup_set_index_insert(neardup_set_index* index, const neardup_sets* sets, const uint64_t* ids,
                                        const neardup_run* how, size_t* inserted, neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    given(inserted, "inserted");
    with_sets(given(index, "index"), sets, "sets", [&](auto& inner, const auto& all) {
      *inserted = inner.insert_all(cancellable(all, run), given(ids, all.size(), "ids"), run);
    });
  });
}

neardup_status neardup_set_index_erase(neardup_set_index* index, const uint64_t* ids, size_t count, size_t* erased,
                                       neardup_error* error) {
  return guarded(error, [&] {
    given(index, "index");
    given(erased, "erased") = 0;
    std::visit(
        [&](auto& inner) {
          for (const std::uint64_t id : given(ids, count, "ids")) *erased += inner.erase(id) ? 1 : 0;
        },
        index->inner);
  });
}

neardup_status neardup_set_index_search(const neardup_set_index* index, const neardup_sets* queries, double similarity,
                                        int nearest_only, const neardup_run* how, neardup_matches** result,
                                        neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    const auto least = similarity == 0 ? std::nullopt : std::optional(similarity);
    auto made = std::make_unique<neardup_matches>();
    const auto add = [&](std::size_t query, const auto& match) {
      made->query.push_back(static_cast<std::uint32_t>(query));
      made->id.push_back(match.id);
      made->common.push_back(match.common);
      made->similarity.push_back(match.similarity);
    };
    with_sets(given(index, "index"), queries, "queries", [&](const auto& inner, const auto& all) {
      if (all.size() > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("there are 2^32 queries");
      if (nearest_only == 0) {
        const auto found = inner.search_batch(cancellable(all, run), least, run);
        for (std::size_t i = 0; i < found.size(); ++i) {
          for (const auto& match : found[i]) add(i, match);
        }
        return;
      }
      using index_type = std::remove_cvref_t<decltype(inner)>;
      static_cast<void>(inner.any_within({}, least));  // refuses too low a similarity, even without queries
      std::vector<typename index_type::workspace> scratch(run.parts());
      std::vector<std::optional<typename index_type::match_type>> best(all.size());
      in_steps(run, all.size(), 16, [&](std::size_t part, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) best[i] = inner.nearest(all[i], least, scratch[part]);
      });
      for (std::size_t i = 0; i < best.size(); ++i) {
        if (best[i]) add(i, *best[i]);
      }
    });
    *result = made.release();
  });
}

int neardup_set_index_contains(const neardup_set_index* index, uint64_t id) {
  return read_of(index, [&](const auto& of) {
    return std::visit([&](const auto& inner) { return inner.contains(id) ? 1 : 0; }, of.inner);
  });
}
int neardup_set_index_width(const neardup_set_index* index) {
  return read_of(index, [](const auto& of) { return of.inner.index() == 0 ? 32 : 64; });
}
size_t neardup_set_index_size(const neardup_set_index* index) {
  return read_of(index,
                 [](const auto& of) { return std::visit([](const auto& inner) { return inner.size(); }, of.inner); });
}
size_t neardup_set_index_memory(const neardup_set_index* index) {
  return read_of(index, [](const auto& of) {
    return std::visit([](const auto& inner) { return inner.memory_usage(); }, of.inner);
  });
}

// ---- Documents that come one by one, or in batches ------------------------------------------------------------------

namespace c_interface {

using features_of_texts = neardup::feature_extractor<neardup::any_tokenizer>;
using stream = neardup::stream_deduplicator<neardup::deduplicator<features_of_texts, std::uint64_t>>;
using durable_stream = neardup::durable_deduplicator<stream>;

stream make_stream(const neardup_composition* made_of, const neardup_dedup_options* options) {
  const neardup_dedup_options of = options == nullptr ? neardup_dedup_options{} : *options;
  neardup::stream_limits limits;
  if (of.max_documents != 0) limits.max_documents = static_cast<std::size_t>(of.max_documents);
  if (of.max_bytes != 0) limits.max_bytes = static_cast<std::size_t>(of.max_bytes);
  if (of.max_age != 0) limits.max_age = of.max_age;
  limits.duplicates_renew = of.duplicates_renew != 0;
  limits.refuse_when_full = of.refuse_when_full != 0;
  const double similarity = of.similarity == 0 ? neardup::default_similarity : of.similarity;
  return stream(neardup::make_deduplicator<std::uint64_t>(features_of_texts(tokenizer_of(made_of), hasher_of(made_of)),
                                                          neardup::jaccard{similarity}),
                limits);
}

/// Returns the composition of the features that a deduplicator compares.
neardup::fingerprint_composition composition_of(const neardup_composition* made_of) {
  auto result = with_features(made_of, [&](const auto& tokenizer) {
    return neardup::composition_of(neardup::feature_extractor{tokenizer, hasher_of(made_of)});
  });
  for_each_same(made_of, [&](const auto& same) {
    const auto facts = neardup::composition_of(neardup::feature_extractor{same, hasher_of(made_of)});
    result.tokenizer = "agreeing(" + facts.tokenizer + ", " + result.tokenizer + ")";
  });
  return result;
}

/// Returns all texts of an input. A null is an empty text.
/// Throws: std::invalid_argument if the input is a stream.
std::vector<std::string_view> texts_of(const neardup_input& input) {
  if (input.stream != nullptr) refuse("a stream of texts: add its arrays one after the other");
  std::vector<std::string_view> all;
  for_each_texts(input,
                 [&](std::span<const std::string_view> texts) { all.insert(all.end(), texts.begin(), texts.end()); });
  return all;
}

/// Throws std::invalid_argument if `inner` already keeps a document with this id.
template <class Inner>
void check_id(const Inner& inner, std::uint64_t id) {
  if (inner.contains(id)) refuse("a document of the id " + std::to_string(id) + " is kept already");
}
/// Throws std::invalid_argument if two of `ids` are equal, or if `inner` already keeps a document with one of them.
template <class Inner>
void check_ids(const Inner& inner, const std::vector<std::uint64_t>& ids) {
  std::vector<std::uint64_t> sorted;  // stays empty if the ids ascend
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end()) sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse("two documents have the id " + std::to_string(*twice));
  for (const std::uint64_t id : ids) check_id(inner, id);
}

/// Throws std::invalid_argument if `verdicts` is null, or if one of its arrays is null and `count` is not 0.
void check_verdicts(const neardup_verdicts* verdicts, std::size_t count) {
  const neardup_verdicts& to = given(verdicts, "verdicts");
  given(to.is_new, count, "is_new");
  given(to.original, count, "original");
  given(to.similarity, count, "similarity");
}

const stream& stream_of(const stream& inner) { return inner; }
const stream& stream_of(const durable_stream& inner) { return inner.get(); }

void write_verdict(const stream::verdict_type& verdict, std::size_t i, const neardup_verdicts& to) {
  to.is_new[i] = verdict.is_new() ? 1 : 0;
  to.original[i] = verdict.original.value_or(0);
  to.similarity[i] = verdict.similarity.value_or(0);
}

}  // namespace c_interface

struct neardup_dedup {
  std::variant<stream, durable_stream> inner;
  neardup::fingerprint_composition made_of;
};

neardup_status neardup_dedup_new(const neardup_composition* made_of, const neardup_dedup_options* options,
                                 neardup_dedup** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    *result = new neardup_dedup{make_stream(made_of, options), composition_of(made_of)};
  });
}

neardup_status neardup_dedup_open(const char* path, const neardup_composition* made_of,
                                  const neardup_dedup_options* options, neardup_dedup** result, neardup_error* error) {
  return guarded(error, [&] {
    given(path, "path");
    given(result, "result");
    const auto named = composition_of(made_of);
    *result = new neardup_dedup{
        decltype(neardup_dedup::inner)(std::in_place_type<durable_stream>, path, make_stream(made_of, options), named),
        named};
  });
}

neardup_status neardup_dedup_load(const char* path, const neardup_composition* made_of,
                                  const neardup_dedup_options* options, neardup_dedup** result, neardup_error* error) {
  return guarded(error, [&] {
    given(path, "path");
    given(result, "result");
    const auto named = composition_of(made_of);
    *result = new neardup_dedup{neardup::restore(path, make_stream(made_of, options), named), named};
  });
}

void neardup_dedup_free(neardup_dedup* dedup) { delete dedup; }

neardup_status neardup_dedup_add(neardup_dedup* dedup, const neardup_input* input, const uint64_t* ids,
                                 const uint64_t* now, const neardup_run* how, const neardup_verdicts* verdicts,
                                 neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    const auto at = now == nullptr ? std::nullopt : std::optional<neardup::time_argument>(*now);
    // A batch of one text takes longer than a single addition, which looks at max_bytes at every 64th text only.
    const auto add_one = [&](auto& inner) {
      if (stream_of(inner).limits().max_bytes != neardup::stream_limits{}.max_bytes) return false;
      const std::uint64_t id = ids == nullptr ? inner.added() : *ids;
      check_id(inner, id);
      run.check();
      write_verdict(inner.add(view_of(*input->texts), id, at), 0, *verdicts);
      return true;
    };
    if (given(input, "input").texts != nullptr && input->size == 1) {
      check_verdicts(verdicts, 1);
      if (std::visit(add_one, given(dedup, "dedup").inner)) return;
    }
    const std::vector<std::string_view> texts = texts_of(*input);
    const auto add = [&](auto& inner) {
      std::vector<std::uint64_t> numbers(texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i) numbers[i] = ids == nullptr ? inner.added() + i : ids[i];
      check_ids(inner, numbers);
      // A batch cannot be cancelled while it is decided, so the texts are added in pieces. A piece of `step` texts
      // takes a quarter of a second. All pieces together take no longer than one batch: 600,000 texts of 30 words take
      // 4.3 s in pieces, and 4.6 s as one batch.
      constexpr std::size_t step = std::size_t{1} << 15;
      for (std::size_t begin = 0, count = 0; begin < texts.size(); begin += count) {
        count = std::min({step, stream_of(inner).max_piece(), texts.size() - begin});
        const auto piece = std::span(texts).subspan(begin, count);
        const auto decided =
            inner.add_batch(cancellable(piece, run), std::span(numbers).subspan(begin, piece.size()), run, at);
        for (std::size_t i = 0; i < decided.size(); ++i) write_verdict(decided[i], begin + i, *verdicts);
        if (begin + piece.size() < texts.size()) run.tell(begin + piece.size(), texts.size());
      }
    };
    check_verdicts(verdicts, texts.size());
    std::visit(add, given(dedup, "dedup").inner);
  });
}

neardup_status neardup_dedup_find(const neardup_dedup* dedup, const neardup_input* input, const neardup_run* how,
                                  const neardup_verdicts* verdicts, neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    const std::vector<std::string_view> texts = texts_of(given(input, "input"));
    check_verdicts(verdicts, texts.size());
    std::vector<stream::workspace> scratch(run.parts());
    std::visit(
        [&](const auto& inner) {
          in_steps(run, texts.size(), 16, [&](std::size_t part, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
              write_verdict(inner.find(texts[i], scratch[part]), i, *verdicts);
            }
          });
        },
        given(dedup, "dedup").inner);
  });
}

neardup_status neardup_dedup_erase(neardup_dedup* dedup, uint64_t id, int* was_kept, neardup_error* error) {
  return guarded(error, [&] {
    given(was_kept, "was_kept");
    *was_kept = std::visit([&](auto& inner) { return inner.erase(id); }, given(dedup, "dedup").inner) ? 1 : 0;
  });
}

neardup_status neardup_dedup_save(neardup_dedup* dedup, const char* path, neardup_error* error) {
  return guarded(error, [&] {
    auto* const durable = std::get_if<durable_stream>(&given(dedup, "dedup").inner);
    if (path == nullptr) {
      if (durable == nullptr) refuse("a path is needed: this deduplicator is in memory only");
      return durable->save();
    }
    const neardup::file_lock lock(path);  // keeps an open file from being replaced under its log
    if (durable != nullptr) return neardup::save(path, durable->get(), dedup->made_of);
    neardup::save(path, std::get<stream>(dedup->inner), dedup->made_of);
  });
}

size_t neardup_dedup_size(const neardup_dedup* dedup) {
  return read_of(dedup,
                 [](const auto& of) { return std::visit([](const auto& inner) { return inner.size(); }, of.inner); });
}
uint64_t neardup_dedup_added(const neardup_dedup* dedup) {
  return read_of(dedup,
                 [](const auto& of) { return std::visit([](const auto& inner) { return inner.added(); }, of.inner); });
}
int neardup_dedup_contains(const neardup_dedup* dedup, uint64_t id) {
  return read_of(dedup, [&](const auto& of) {
    return std::visit([&](const auto& inner) { return inner.contains(id) ? 1 : 0; }, of.inner);
  });
}
size_t neardup_dedup_memory(const neardup_dedup* dedup) {
  return read_of(dedup, [](const auto& of) {
    return std::visit([](const auto& inner) { return inner.memory_usage(); }, of.inner);
  });
}

// ---- Joins as a shuffle ----------------------------------------------------------------------------------------------

struct neardup_bytes {
  std::vector<std::byte> bytes;
};
struct neardup_counts {
  std::variant<neardup::feature_counts<std::uint32_t>, neardup::feature_counts<std::uint64_t>> inner;
};
struct neardup_scatter {
  std::variant<neardup::set_scatter<std::uint32_t>, neardup::set_scatter<std::uint64_t>> inner;
  std::uint32_t partitions;
};
struct neardup_document_pairs {
  neardup::gathered_pairs pairs;
};

namespace c_interface {

/// Calls `use(value)`. The type of `value`, an unsigned integer of `width` bits, is the type of the features.
template <class Use>
void with_width(int width, const Use& use) {
  if (width == 32) return use(std::uint32_t{});
  if (width == 64) return use(std::uint64_t{});
  refuse("features have 32 or 64 bits, not " + std::to_string(width));
}

neardup::shuffle_settings settings_of(const neardup_shuffle* shuffle) {
  const neardup_shuffle& of = given(shuffle, "shuffle");
  const neardup_join join = settings_of(&of.join);
  neardup::shuffle_settings result;
  result.least = threshold_of(join);
  result.copies_once = join.copies_once != 0;
  result.partitions = std::max(of.partitions, std::uint32_t{1});
  result.all_counted = of.all_counted != 0;
  if (of.second_from != 0) result.second_from = of.second_from;
  result.identity = of.identity;
  switch (number_of(of.payload)) {
    case NEARDUP_MOVE_SETS: result.payload = neardup::shuffle_payload::sets; return result;
    case NEARDUP_MOVE_SKETCHES: result.payload = neardup::shuffle_payload::sketch; return result;
    case NEARDUP_MOVE_IDS: result.payload = neardup::shuffle_payload::ids; return result;
    default: refuse("there is no payload " + std::to_string(number_of(of.payload)));
  }
}

/// Returns the features and the offsets of sets, as flat arrays.
template <class Feature>
std::pair<std::span<const Feature>, std::span<const std::int64_t>> flat(const flat_sets<Feature>& sets) {
  const std::span offsets(sets.offsets(), sets.size() + 1);
  return {{sets.features(), static_cast<std::size_t>(offsets.back())}, offsets};
}

}  // namespace c_interface

void neardup_bytes_free(neardup_bytes* bytes) { delete bytes; }
const void* neardup_bytes_data(const neardup_bytes* bytes) {
  return read_of(bytes, [](const auto& of) { return of.bytes.data(); });
}
size_t neardup_bytes_size(const neardup_bytes* bytes) {
  return read_of(bytes, [](const auto& of) { return of.bytes.size(); });
}

neardup_status neardup_counts_new(int width, uint64_t features, neardup_counts** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    with_width(width, [&]<class Feature>(Feature /*type*/) {
      *result = new neardup_counts{neardup::feature_counts<Feature>(features)};
    });
  });
}

void neardup_counts_free(neardup_counts* counts) { delete counts; }

neardup_status neardup_counts_add(neardup_counts* counts, const neardup_sets* sets, neardup_error* error) {
  return guarded(error, [&] {
    with_sets(given(counts, "counts"), sets, "sets", [&](auto& inner, const auto& all) { inner.add(flat(all).first); });
  });
}

neardup_status neardup_counts_merge(neardup_counts* counts, const neardup_counts* other, neardup_error* error) {
  return guarded(error, [&] {
    std::visit(
        [&]<class Counts>(Counts& inner) {
          const Counts* const added = std::get_if<Counts>(&given(other, "other").inner);
          if (added == nullptr) refuse("counts of features of different widths");
          inner.merge(*added);
        },
        given(counts, "counts").inner);
  });
}

neardup_status neardup_counts_save(const neardup_counts* counts, neardup_bytes** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    *result =
        new neardup_bytes{std::visit([](const auto& inner) { return inner.save(); }, given(counts, "counts").inner)};
  });
}

neardup_status neardup_counts_load(int width, const void* data, size_t size, int is_mapped, neardup_counts** result,
                                   neardup_error* error) {
  return guarded(error, [&] {
    given(static_cast<const std::byte*>(data), size, "data");
    given(result, "result");
    with_width(width, [&]<class Feature>(Feature /*type*/) {
      using counts = neardup::feature_counts<Feature>;
      const std::span bytes(static_cast<const std::byte*>(data), size);
      *result = new neardup_counts{is_mapped != 0 ? counts::map(bytes) : counts::load(bytes)};
    });
  });
}

uint64_t neardup_counts_counted(const neardup_counts* counts) {
  return read_of(
      counts, [](const auto& of) { return std::visit([](const auto& inner) { return inner.counted(); }, of.inner); });
}

neardup_status neardup_scatter_new(const neardup_shuffle* shuffle, const neardup_counts* counts,
                                   neardup_scatter** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const neardup::shuffle_settings settings = settings_of(shuffle);
    std::visit(
        [&]<class Feature>(const neardup::feature_counts<Feature>& inner) {
          *result = new neardup_scatter{neardup::set_scatter<Feature>(settings, inner), settings.partitions};
        },
        given(counts, "counts").inner);
  });
}

void neardup_scatter_free(neardup_scatter* scatter) { delete scatter; }

neardup_status neardup_scatter_add(neardup_scatter* scatter, const uint64_t* documents, const neardup_sets* sets,
                                   neardup_error* error) {
  return guarded(error, [&] {
    with_sets(given(scatter, "scatter"), sets, "sets", [&](auto& inner, const auto& all) {
      const auto [features, offsets] = flat(all);
      inner.add(given(documents, all.size(), "documents"), features, offsets);
    });
  });
}

size_t neardup_scatter_size(const neardup_scatter* scatter) {
  return read_of(scatter,
                 [](const auto& of) { return std::visit([](const auto& inner) { return inner.size(); }, of.inner); });
}

neardup_status neardup_scatter_take(neardup_scatter* scatter, uint32_t partition, neardup_bytes** result,
                                    neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    if (partition >= given(scatter, "scatter").partitions) refuse("there is no partition " + std::to_string(partition));
    *result = new neardup_bytes{std::visit([&](auto& inner) { return inner.take(partition); }, scatter->inner)};
  });
}

neardup_status neardup_gather(int width, const neardup_blob* blobs, size_t count, const neardup_shuffle* shuffle,
                              uint32_t partition, const neardup_run* how, neardup_document_pairs** result,
                              neardup_error* error) {
  return guarded(error, [&] {
    const cancellable_threads run(how);
    std::vector<std::span<const std::byte>> bytes;
    bytes.reserve(count);
    for (const neardup_blob& blob : given(blobs, count, "blobs")) {
      bytes.push_back(given(static_cast<const std::byte*>(blob.data), blob.size, "data"));
    }
    given(result, "result");
    const neardup::shuffle_settings settings = settings_of(shuffle);
    with_width(width, [&]<class Feature>(Feature /*type*/) {
      *result = new neardup_document_pairs{neardup::gather_pairs<Feature>(bytes, settings, partition, run)};
    });
  });
}

void neardup_document_pairs_free(neardup_document_pairs* pairs) { delete pairs; }
size_t neardup_document_pairs_size(const neardup_document_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.pairs.first.size(); });
}
const uint64_t* neardup_document_pairs_first(const neardup_document_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.pairs.first.data(); });
}
const uint64_t* neardup_document_pairs_second(const neardup_document_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.pairs.second.data(); });
}
const uint32_t* neardup_document_pairs_common(const neardup_document_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.pairs.common.data(); });
}
const double* neardup_document_pairs_similarity(const neardup_document_pairs* pairs) {
  return read_of(pairs, [](const auto& of) { return of.pairs.similarity.data(); });
}

neardup_status neardup_verify_sets(const neardup_sets* a, const neardup_sets* b, const neardup_join* join,
                                   uint32_t* common, double* similarity, neardup_error* error) {
  return guarded(error, [&] {
    neardup_shuffle shuffle{};
    if (join != nullptr) shuffle.join = *join;
    const neardup::shuffle_settings settings = settings_of(&shuffle);
    given(a, "a");
    with_two(a, &given(b, "b"), [&](const auto& first, const auto* second) {
      if (first.size() != second->size()) refuse("sets of different numbers are compared");
      given(common, first.size(), "common");
      given(similarity, first.size(), "similarity");
      const auto [x, x_offsets] = flat(first);
      const auto [y, y_offsets] = flat(*second);
      const auto found = neardup::verify_sets(x, x_offsets, y, y_offsets, settings);
      std::copy(found.common.begin(), found.common.end(), common);
      std::copy(found.similarity.begin(), found.similarity.end(), similarity);
    });
  });
}

// ---- Repeated passages as a shuffle ----------------------------------------------------------------------------------

struct neardup_blobs {
  std::vector<std::vector<std::byte>> blobs;
};

namespace c_interface {

/// Calls `use(shuffle)` with the neardup::passage_shuffle of the settings.
template <class Use>
void with_shuffle(const neardup_passage_shuffle* shuffle, const neardup::any_runner& run, const Use& use) {
  const neardup_passage_options how = settings_of(&given(shuffle, "shuffle").passages);
  with_units(how, [&](const auto& tokenizer) {
    use(neardup::passage_shuffle({how.length, how.least_documents, how.earlier, run},
                                 std::max(shuffle->partitions, std::uint32_t{1}), tokenizer));
  });
}

std::vector<std::span<const std::byte>> spans_of(const neardup_blob* blobs, std::size_t count) {
  std::vector<std::span<const std::byte>> spans;
  spans.reserve(count);
  for (const neardup_blob& blob : given(blobs, count, "blobs")) {
    spans.push_back(given(static_cast<const std::byte*>(blob.data), blob.size, "data"));
  }
  return spans;
}

/// Copies passages to columns. Begins and ends are numbers of units.
std::unique_ptr<neardup_passages> in_units(const std::vector<neardup::passage>& found) {
  auto made = std::make_unique<neardup_passages>();
  const auto add = [&](neardup_passage_column column, std::size_t value) {
    made->columns[column].push_back(static_cast<std::uint32_t>(value));
  };
  for (const neardup::passage& one : found) {
    add(NEARDUP_PASSAGE_TEXT, one.document);
    add(NEARDUP_PASSAGE_BEGIN, one.begin);
    add(NEARDUP_PASSAGE_END, one.end);
    add(NEARDUP_PASSAGE_FIRST_TEXT, one.first_document);
    add(NEARDUP_PASSAGE_FIRST_BEGIN, one.first_begin);
    add(NEARDUP_PASSAGE_FIRST_END, one.first_begin + (one.end - one.begin));
  }
  return made;
}

std::vector<neardup::passage> passages_of(const neardup_passage_view* view, bool has_first) {
  const neardup_passage_view& of = given(view, "view");
  const auto text = given(of.text, of.size, "text"), begin = given(of.begin, of.size, "begin"),
             end = given(of.end, of.size, "end");
  const std::size_t firsts = has_first ? of.size : 0;
  const auto first_text = given(of.first_text, firsts, "first_text"),
             first_begin = given(of.first_begin, firsts, "first_begin");
  std::vector<neardup::passage> found;
  found.reserve(of.size);
  for (std::size_t i = 0; i < of.size; ++i) {
    if (begin[i] >= end[i]) refuse("passage " + std::to_string(i) + " is empty");
    found.push_back({text[i], 0, begin[i], end[i], has_first ? first_text[i] : 0, 0, has_first ? first_begin[i] : 0});
  }
  return found;
}

/// Calls `use(texts, passages, tokenizer)`. Refuses passages that are not in the texts.
template <class Use>
void with_places(const neardup_input* input, std::uint64_t first_text, const neardup_passage_view* view,
                 const neardup_passage_shuffle* shuffle, const Use& use) {
  const cancellable_threads run(nullptr);
  const kept_texts texts(given(input, "input"), run);
  const std::vector<neardup::passage> found = passages_of(view, false);
  for (const neardup::passage& one : found) {
    if (one.document < first_text || one.document - first_text >= texts.size()) {
      refuse("text " + std::to_string(one.document) + " is not in the input");
    }
  }
  with_units(settings_of(&given(shuffle, "shuffle").passages),
             [&](const auto& tokenizer) { use(texts, found, tokenizer); });
}

}  // namespace c_interface

void neardup_blobs_free(neardup_blobs* blobs) { delete blobs; }
const void* neardup_blobs_data(const neardup_blobs* blobs, uint32_t partition) {
  return read_of(blobs,
                 [&](const auto& of) { return partition < of.blobs.size() ? of.blobs[partition].data() : nullptr; });
}
size_t neardup_blobs_size(const neardup_blobs* blobs, uint32_t partition) {
  return read_of(
      blobs, [&](const auto& of) { return partition < of.blobs.size() ? of.blobs[partition].size() : std::size_t{0}; });
}

neardup_status neardup_passage_scatter_anchors(const neardup_input* input, const neardup_passage_shuffle* shuffle,
                                               const neardup_run* how, neardup_blobs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const cancellable_threads run(how);
    const kept_texts texts(given(input, "input"), run);
    with_shuffle(shuffle, run, [&](const auto& tasks) {
      *result = new neardup_blobs{tasks.scatter_anchors(cancellable(texts, run))};
    });
  });
}

neardup_status neardup_passage_repeated_anchors(const neardup_blob* blobs, size_t count,
                                                const neardup_passage_shuffle* shuffle, uint32_t partition,
                                                neardup_bytes** result, neardup_error* error) {
  return guarded(error, [&] {
    const auto spans = spans_of(blobs, count);
    given(result, "result");
    with_shuffle(shuffle, {},
                 [&](const auto& tasks) { *result = new neardup_bytes{tasks.repeated_anchors(spans, partition)}; });
  });
}

neardup_status neardup_passage_scatter(const neardup_input* input, uint64_t first_text, const void* repeated,
                                       size_t size, const neardup_passage_shuffle* shuffle, const neardup_run* how,
                                       neardup_blobs** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const auto anchors = given(static_cast<const std::byte*>(repeated), size, "repeated");
    const cancellable_threads run(how);
    const kept_texts texts(given(input, "input"), run);
    with_shuffle(shuffle, run, [&](const auto& tasks) {
      *result = new neardup_blobs{tasks.scatter(cancellable(texts, run), first_text, anchors)};
    });
  });
}

neardup_status neardup_passage_gather(const neardup_blob* blobs, size_t count, const neardup_passage_shuffle* shuffle,
                                      uint32_t partition, neardup_passages** result, neardup_error* error) {
  return guarded(error, [&] {
    const auto spans = spans_of(blobs, count);
    given(result, "result");
    with_shuffle(shuffle, {}, [&](const auto& tasks) { *result = in_units(tasks.gather(spans, partition)).release(); });
  });
}

neardup_status neardup_passage_join(const neardup_passage_view* view, const neardup_passage_shuffle* shuffle,
                                    neardup_passages** result, neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    const std::vector<neardup::passage> found = passages_of(view, true);
    with_shuffle(shuffle, {}, [&](const auto& tasks) { *result = in_units(tasks.join(found)).release(); });
  });
}

neardup_status neardup_passage_locate(const neardup_input* input, uint64_t first_text, const neardup_passage_view* view,
                                      const neardup_passage_shuffle* shuffle, neardup_passages** result,
                                      neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    with_places(input, first_text, view, shuffle, [&](const auto& texts, const auto& found, const auto& tokenizer) {
      auto made = std::make_unique<neardup_passages>();
      for (std::size_t i = 0; i < 5; ++i) made->columns[i].resize(found.size());
      std::vector<std::size_t> order(found.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return found[a].document < found[b].document; });
      write_places(
          texts, found, order, tokenizer, [](const neardup::passage& p) { return p.document; },
          [](const neardup::passage& p) { return p.begin; }, made->columns.data(), first_text);
      *result = made.release();
    });
  });
}

neardup_status neardup_passage_cut(const neardup_input* input, uint64_t first_text, const neardup_passage_view* view,
                                   const neardup_passage_shuffle* shuffle, neardup_cut_texts** result,
                                   neardup_error* error) {
  return guarded(error, [&] {
    given(result, "result");
    with_places(input, first_text, view, shuffle, [&](const auto& texts, auto found, const auto& tokenizer) {
      std::sort(found.begin(), found.end(), [](const neardup::passage& a, const neardup::passage& b) {
        return a.document != b.document ? a.document < b.document : a.begin < b.begin;
      });
      for (const neardup::passage& one : found) {
        if (one.end > texts[one.document - first_text].size()) {
          refuse("text " + std::to_string(one.document) + " has no passage at " + std::to_string(one.begin));
        }
      }
      *result = cut_texts(texts, found, tokenizer, first_text).release();
    });
  });
}
