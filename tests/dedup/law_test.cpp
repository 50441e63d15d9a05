// One rule decides in every product. A document is kept unless it matches a document that was kept before. The original
// of a dropped document is the closest of the matching documents; of equally close ones, the earliest.
// tests/oracle/law.txt has the cells.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/guarded.hpp>
#include <neardup/index.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/storage/deduplicator_file.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "dedup/law.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/temporary_folder.hpp"

namespace law {
namespace {

using neardup::any_runner;
using neardup::durable_deduplicator;
using neardup::guarded;
using neardup::stream_deduplicator;
using neardup::threads;

// ---- deduplicators ---------------------------------------------------------------------------------------------------

using id_type = std::uint32_t;

/// Documents that a check looks up by id.
std::vector<document>& documents_by_id() {
  static std::vector<document> documents;
  return documents;
}
/// Descriptions of the texts to decide about. They are made before threads start, because several threads read them.
std::map<std::string, document, std::less<>>& documents_by_text() {
  static std::map<std::string, document, std::less<>> documents;
  return documents;
}
void describe_before(const std::vector<std::string>& texts) {
  documents_by_text().clear();
  for (const std::string& text : texts) documents_by_text().emplace(text, describe(text));
}
const document& described_before(std::string_view text) { return documents_by_text().find(text)->second; }

using number_check = std::function<double(const id_type&, std::string_view)>;
using yes_check = std::function<bool(const id_type&, std::string_view)>;

double number_of(const answer& found) {
  if (!found) return 0;
  return found->part == 0 ? found->number : static_cast<double>(found->part) / static_cast<double>(found->whole);
}

/// Makes a check that returns the measure's similarity, or 0 if the documents do not match.
number_check check_by(const row& measure) {
  return [&measure](const id_type& id, std::string_view text) {
    return number_of(measure.match(documents_by_id()[id], described_before(text)));
  };
}
yes_check check_that_says_yes() {
  return [](const id_type& id, std::string_view text) {
    return match_jaccard(documents_by_id()[id], described_before(text)).has_value();
  };
}

/// The join cost of all deduplicators of fingerprints that the tests make from now on. It decides whether add_batch()
/// joins.
double join_cost = 1;
constexpr double joins_all = 0, joins_by_cost = 1, joins_none = std::numeric_limits<double>::infinity();

using neardup::fingerprint_deduplicator;

auto with_features() { return neardup::feature_extractor{by_words.tokenizer, by_words.hasher}; }
auto by_jaccard() { return neardup::deduplicator{with_features(), neardup::jaccard{least_jaccard}}; }
auto by_cosine() { return neardup::deduplicator{with_features(), neardup::cosine{least_cosine}}; }
[[maybe_unused]] auto by_wide_jaccard() {
  return neardup::deduplicator{
      neardup::feature_extractor<neardup::words, neardup::xxh3<64>, std::uint64_t>{by_words.tokenizer, by_words.hasher},
      neardup::jaccard{least_jaccard}};
}
auto by_check(const number_check& check) {
  return fingerprint_deduplicator{
      by_words, neardup::at_least{1e-9, check}, neardup::bits{most_bits}, {.join_cost = join_cost}};
}
auto by_check_of_cosine() { return by_check(check_by(cosine)); }
auto by_containment() { return by_check(check_by(containment)); }
auto by_edits() { return by_check(check_by(edits)); }
auto by_fingerprints() {
  return fingerprint_deduplicator{by_words, neardup::bits{near_bits}, {.min_tokens = 0, .join_cost = join_cost}};
}
auto by_long_fingerprints() {
  return fingerprint_deduplicator{
      by_words, neardup::bits{near_bits}, {.min_tokens = short_words, .join_cost = join_cost}};
}
[[maybe_unused]] auto by_counted_fingerprints() {
  return fingerprint_deduplicator{
      by_counts, neardup::bits{near_bits}, {.min_tokens = short_words, .join_cost = join_cost}};
}
[[maybe_unused]] auto by_codes() {
  return fingerprint_deduplicator{
      by_minima, neardup::bits{near_bits}, {.min_tokens = short_words, .join_cost = join_cost}};
}
auto by_checked_fingerprints() {
  return fingerprint_deduplicator{
      by_words, neardup::jaccard{least_jaccard}, {.distance = candidate_bits, .join_cost = join_cost}};
}
auto by_far_fingerprints() {
  return fingerprint_deduplicator{by_words, neardup::jaccard{0.3}, {.distance = far_bits, .join_cost = join_cost}};
}
auto by_equal_fingerprints() {
  return fingerprint_deduplicator{by_words, neardup::jaccard{1}, {.distance = 0, .join_cost = join_cost}};
}
auto by_yes() {
  return fingerprint_deduplicator{
      by_words, check_that_says_yes(), neardup::bits{candidate_bits}, {.min_tokens = 0, .join_cost = join_cost}};
}

using found_type = neardup::verdict<id_type>;

/// A deduplicator with its type erased, so that the tests that call it are compiled once.
class any_form {
 public:
  any_form() = default;
  any_form(const any_form&) = delete;
  any_form& operator=(const any_form&) = delete;
  virtual ~any_form() = default;
  virtual found_type find(const std::string& text) = 0;
  virtual found_type add(const std::string& text, id_type id) = 0;
  virtual found_type replace(const std::string& text, id_type id) = 0;
  virtual void erase(id_type id) = 0;
  virtual std::vector<found_type> add_batch(const std::vector<std::string>& texts, const std::vector<id_type>& ids,
                                            std::size_t parts) = 0;
  /// Keeps a text without a decision. Precondition: the deduplicator has keep().
  virtual void keep(const std::string& text, id_type id, std::size_t place) = 0;
};

template <class D>
class form_of final : public any_form {
 public:
  explicit form_of(std::unique_ptr<D> dedup) : dedup_(std::move(dedup)) {}
  static D& get(any_form& form) { return *static_cast<form_of&>(form).dedup_; }

  found_type find(const std::string& text) override { return dedup_->find(text); }
  found_type add(const std::string& text, id_type id) override { return dedup_->add(text, id); }
  found_type replace(const std::string& text, id_type id) override { return dedup_->replace(text, id); }
  void erase(id_type id) override { dedup_->erase(id); }
  std::vector<found_type> add_batch(const std::vector<std::string>& texts, const std::vector<id_type>& ids,
                                    std::size_t parts) override {
    return dedup_->add_batch(texts, ids, parts == 1 ? any_runner() : any_runner(threads{parts}));
  }
  void keep(const std::string& text, id_type id, std::size_t place) override {
    if constexpr (requires { dedup_->keep(id, dedup_->describe("", std::declval<typename D::workspace&>()), place); }) {
      typename D::workspace scratch;
      const auto described_text = dedup_->describe(text, scratch);
      if (D::decider_type::is_comparable(described_text)) dedup_->keep(id, described_text, place);
    } else {
      static_cast<void>(text), static_cast<void>(id), static_cast<void>(place);
      FAIL("there is no keep()");
    }
  }

 private:
  std::unique_ptr<D> dedup_;
};

template <class D>
std::unique_ptr<any_form> as_form(std::unique_ptr<D> dedup) {
  return std::make_unique<form_of<D>>(std::move(dedup));
}

/// How to open a deduplicator of some form, and how to save and restore it.
struct opener {
  std::function<std::unique_ptr<any_form>()> open;
  std::function<std::unique_ptr<any_form>(std::unique_ptr<any_form>)> reopen;
};

/// Ids that are unrelated to the order of adding.
std::vector<id_type> mixed_ids(std::size_t count) {
  std::vector<id_type> ids(count);
  std::iota(ids.begin(), ids.end(), id_type{0});
  std::reverse(ids.begin(), ids.end());
  oracle::random_engine random(count);
  if (count % 2 == 0) std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

enum class asking { adding, finding_first };

constexpr std::size_t all_texts = 1000000;
constexpr std::size_t mixed = all_texts + 1;  // single documents, and batches of any size, which are joined or searched

struct pace {
  std::size_t batch = 0;  // 0: one by one; more than there are texts: one batch
  std::size_t parts = 1;
  bool is_reopened = false;
  asking how = asking::adding;
  double way = joins_by_cost;
};

/// Returns the pace that these words of a column's name describe.
pace pace_of(std::span<const std::string> words, bool is_reopened) {
  pace how{.is_reopened = is_reopened};
  for (const std::string& word : words) {
    const std::size_t number = number_in(word);
    if (word == "asked before") how.how = asking::finding_first;
    if (word == "one batch") how.batch = all_texts;
    if (word == "one by one and in batches") how.batch = mixed;
    if (word.starts_with("batches of ")) how.batch = number;
    if (word == "joined") how.way = joins_all;
    if (word.ends_with(" threads")) how.parts = number;
  }
  return how;
}

/// Returns true if the distance and the similarity of a verdict are those between the later document and its original.
bool has_facts(const row& by, const document& original, const document& later, const found_type& found) {
  const answer match = by.match(original, later);
  if (!match) return true;  // the verdict names a wrong original, which other checks report
  const bool is_of_bits = *match > closeness::of_share(1, 1);
  const int bits =
      is_of_bits ? static_cast<int>(closeness::of_bits(0).part - match->part) : bits_between(original, later);
  if (found.distance && *found.distance != bits) return false;
  if (found.similarity && (is_of_bits || std::abs(*found.similarity - number_of(match)) > 1e-9)) return false;
  return found.distance || found.similarity;
}

/// Adds the texts in the order of decision. Returns: the verdict about each.
labels label_one_by_one(const row& by, const corpus& c, const labels& order, const pace& how, const opener& form) {
  const std::size_t count = c.texts.size();
  const std::vector<id_type> ids = mixed_ids(count);
  std::vector<std::size_t> document_of(count);
  describe_before(c.texts);
  documents_by_id().assign(count, document());
  for (std::size_t i = 0; i < count; ++i) {
    documents_by_id()[ids[i]] = described_before(c.texts[i]);
    document_of[ids[i]] = i;
  }
  oracle::random_engine random(count);
  join_cost = how.batch != mixed ? how.way : random() % 2 == 0 ? joins_all : joins_none;
  auto dedup = form.open();
  labels label(count);
  const auto note = [&](std::size_t document, const found_type& found) {
    label[document] = found.original ? document_of[*found.original] : document;
    if (!found.original) return;
    REQUIRE(has_facts(by, described_before(c.texts[label[document]]), described_before(c.texts[document]), found));
  };
  for (std::size_t place = 0; place < c.known; ++place) {
    label[order[place]] = order[place];
    dedup->keep(c.texts[order[place]], ids[order[place]], place);
  }
  const std::size_t middle = (c.known + count) / 2;
  bool is_due = how.is_reopened;
  for (std::size_t place = c.known; place < count;) {
    if (is_due && place >= middle) {
      is_due = false;
      if (how.batch == mixed) join_cost = random() % 2 == 0 ? joins_all : joins_none;
      dedup = form.reopen(std::move(dedup));
    }
    const std::size_t batch = how.batch == mixed ? random() % 9 : how.batch;
    const std::size_t end = batch == 0 ? place + 1 : (std::min)(count, place + batch);
    if (!c.among || how.how == asking::finding_first) {
      const std::size_t document = order[place++];
      note(document, dedup->find(c.texts[document]));
      if (c.among) static_cast<void>(dedup->add(c.texts[document], ids[document]));
    } else if (batch == 0) {
      const std::size_t document = order[place++];
      note(document, dedup->add(c.texts[document], ids[document]));
    } else {
      std::vector<std::string> texts;
      std::vector<id_type> batch_ids;
      for (std::size_t i = place; i < end; ++i) {
        texts.push_back(c.texts[order[i]]);
        batch_ids.push_back(ids[order[i]]);
      }
      const auto found = dedup->add_batch(texts, batch_ids, how.parts);
      for (; place < end; ++place) note(order[place], found[found.size() - (end - place)]);
    }
  }
  return label;
}

/// Adds, replaces, erases and searches in random order, under ids that are reused. Compares each answer with the law
/// over the kept documents, ordered by age. Returns the kinds of wrong answers.
difference compare_history(const row& by, const std::vector<std::string>& texts, std::uint64_t seed, const opener& form,
                           bool is_reopened) {
  oracle::random_engine random(seed);
  constexpr id_type id_count = 30;
  describe_before(texts);
  documents_by_id().assign(id_count, document());
  struct kept_text {
    id_type id;
    document what;
  };
  std::vector<kept_text> kept;  // by age
  difference result;
  join_cost = random() % 2 == 0 ? joins_all : joins_none;
  auto dedup = form.open();
  const auto decide = [&](const std::string& text, const id_type* but) -> std::optional<id_type> {
    std::vector<document> all;
    std::vector<id_type> ids;
    for (const kept_text& one : kept) {
      if (but != nullptr && one.id == *but) continue;
      all.push_back(one.what);
      ids.push_back(one.id);
    }
    all.push_back(described_before(text));
    const labels found = oracle::originals(oracle::order_of(all.size(), 0, {}), all.size() - 1, true,
                                           [&](std::size_t i, std::size_t j) { return by.match(all[i], all[j]); });
    return found.back() == ids.size() ? std::nullopt : std::optional(ids[found.back()]);
  };
  const auto check = [&](const found_type& found, const std::optional<id_type>& wanted) {
    if (found.original.has_value() != wanted.has_value()) result.kept = true;
    if (found.original && wanted && *found.original != *wanted) result.originals = true;
    return found.original.has_value();
  };
  const auto is_kept = [&](id_type id) {
    return std::any_of(kept.begin(), kept.end(), [&](const kept_text& one) { return one.id == id; });
  };
  const auto erase = [&](id_type id) { std::erase_if(kept, [&](const kept_text& one) { return one.id == id; }); };
  const auto take = [&](const std::string& text, id_type id, bool is_duplicate) {
    if (!is_duplicate && by_words(text)) kept.push_back({id, described_before(text)});
  };
  for (int step = 0; step < 80 && !result.kept; ++step) {
    const std::string text = texts[random() % texts.size()];
    const auto id = static_cast<id_type>(random() % id_count);
    const std::size_t kind = random() % 8;
    if (kind == 0) {
      dedup->erase(id);
      erase(id);
    } else if (kind < 3) {
      const auto wanted = decide(text, &id);
      const bool is_duplicate = check(dedup->replace(text, id), wanted);
      erase(id);
      documents_by_id()[id] = described_before(text);
      take(text, id, is_duplicate);
    } else if (kind == 3) {
      std::vector<std::string> batch;
      std::vector<id_type> ids;
      for (id_type other = 0; other < id_count && batch.size() < 5; ++other) {
        if (is_kept(other) || random() % 2 == 0) continue;
        batch.push_back(texts[random() % texts.size()]);
        ids.push_back(other);
        documents_by_id()[other] = described_before(batch.back());
      }
      const auto found = dedup->add_batch(batch, ids, 1);
      for (std::size_t i = 0; i < batch.size() && !result.kept; ++i) {
        take(batch[i], ids[i], check(found[i], decide(batch[i], nullptr)));
      }
    } else if (kind == 4 && is_reopened) {
      join_cost = random() % 2 == 0 ? joins_all : joins_none;
      dedup = form.reopen(std::move(dedup));
    } else if (kind < 6 || is_kept(id)) {
      check(dedup->find(text), decide(text, nullptr));
    } else {
      const auto wanted = decide(text, nullptr);
      documents_by_id()[id] = described_before(text);
      take(text, id, check(dedup->add(text, id), wanted));
    }
  }
  return result;
}

/// Returns true if the oldest document wins a tie. A replaced document becomes the youngest, and so does a document in
/// the slot of an erased one.
bool takes_the_oldest(const row& by, const opener& form, bool is_reopened) {
  const std::vector<std::string>& texts = questions(by).at("equally close").texts;
  describe_before(texts);
  documents_by_id().assign(10, document());
  auto dedup = form.open();
  bool is_right = true;
  const auto keep = [&](std::size_t text, id_type id) {
    documents_by_id()[id] = described_before(texts[text]);
    is_right = is_right && dedup->add(texts[text], id).is_new();
  };
  const auto expect = [&](id_type wanted) {
    if (is_reopened) dedup = form.reopen(std::move(dedup));
    is_right = is_right && dedup->find(texts[2]).original == std::optional(wanted);
  };
  keep(0, 9);
  keep(1, 4);
  expect(9);
  is_right = dedup->replace(texts[0], 9).is_new() && is_right;
  expect(4);
  dedup->erase(4);
  expect(9);
  keep(1, 2);
  expect(9);
  dedup->erase(9);
  expect(2);
  keep(0, 1);
  expect(2);
  return is_right;
}

const neardup::fingerprint_composition made_of{.tokenizer = "words"};

template <class D, class Make>
opener in_memory(const Make& make, const support::temporary_folder& folder) {
  const std::string path = folder / "saved";
  return {[make] { return as_form(std::make_unique<D>(make())); },
          [make, path](std::unique_ptr<any_form> dedup) {
            neardup::save(path, form_of<D>::get(*dedup), made_of);
            return as_form(std::make_unique<D>(neardup::restore(path, make(), made_of)));
          }};
}

/// A part of the file name of a durable deduplicator. It differs for each class that contains the deduplicator.
template <class D>
constexpr const char* name_of = requires(D& dedup) {
  dedup.expire(0);
}
? "stream" : requires(D& dedup) { dedup.save(); }
? "plain" : "guarded";

template <class D>
void save_durable(D& dedup) {
  if constexpr (requires { dedup.save(); }) {
    dedup.save();
  } else {
    dedup.write([](auto& inner) { inner.save(); });
  }
}

/// Returns a form whose reopen() closes the deduplicator and opens it again. Every other deduplicator is saved before;
/// the others replay their log.
template <class D, class Make>
opener on_disk(const Make& make, const support::temporary_folder& folder) {
  const auto number = std::make_shared<int>(0);
  const auto open_at = [make, &folder, number] {
    return as_form(std::make_unique<D>(folder / (name_of<D> + std::to_string(*number)), make(), made_of));
  };
  return {[=] {
            static int last = 0;
            *number = ++last;
            return open_at();
          },
          [=](std::unique_ptr<any_form> dedup) {
            if (*number % 2 == 0) save_durable(form_of<D>::get(*dedup));
            dedup.reset();
            return open_at();
          }};
}

/// The first words of the columns of deduplicators.
const std::vector<std::string> classes{
    "deduplicator", "guarded", "stream", "stream that renews", "durable", "durable stream", "guarded durable stream"};

/// A form of deduplicators: the first words of its columns, and its number of random corpora.
struct form {
  std::string words;
  opener how;
  std::size_t corpora;
  bool is_reopened = false;
};

/// All classes over all five types of deduplicators would take long to compile. A sample has two classes, over one
/// type.
template <class Make>
std::vector<form> forms_of(const Make& make, const support::temporary_folder& folder) {
  using plain = decltype(make());
  const std::size_t most = corpora_one_by_one(), few = (most + 3) / 4, on_files = corpora_on_disk();
  std::vector<form> all{{"deduplicator", in_memory<plain>(make, folder), most},
                        {"deduplicator, others kept before", in_memory<plain>(make, folder), few},
                        {"deduplicator, saved and restored", in_memory<plain>(make, folder), on_files, true}};
  const auto make_stream = [make] { return stream_deduplicator<plain>(make()); };
  using stream = decltype(make_stream());
  if constexpr (!oracle::is_sample || std::is_same_v<plain, decltype(by_jaccard())>) {
    using durable_stream = durable_deduplicator<stream>;
    all.push_back({"durable stream, saved and restored", on_disk<durable_stream>(make_stream, folder), on_files, true});
    using shared = guarded<plain>;
    all.push_back({"guarded", {[make] { return as_form(std::make_unique<shared>(make())); }, nullptr}, few});
  }
  if constexpr (!oracle::is_sample) {
    const auto make_renewing = [make] { return stream(make(), {.duplicates_renew = true}); };
    all.push_back({"stream", in_memory<stream>(make_stream, folder), few});
    all.push_back({"stream that renews, saved and restored", in_memory<stream>(make_renewing, folder), on_files, true});
    using durable = durable_deduplicator<plain>;
    all.push_back({"durable, saved and restored", on_disk<durable>(make, folder), on_files, true});
    using shared_stream = guarded<durable_deduplicator<stream>>;
    all.push_back(
        {"guarded durable stream, saved and restored", on_disk<shared_stream>(make_renewing, folder), on_files, true});
  }
  return all;
}

/// Checks ties between documents that are replaced, erased, and stored in the slots of erased ones.
void check_ages(const row& by, const form& of) {
  INFO(by.name << ", " << of.words);
  const bool is_of_age = takes_the_oldest(by, of.how, of.is_reopened);
  std::printf("| %s | %s | replaced, erased, slots used again | 1 | 0 | %d |\n", by.name, of.words.c_str(),
              is_of_age ? 0 : 1);
  CHECK(is_of_age);
}

void check_histories(const row& by, const form& of) {
  tally wrong;
  oracle::random_engine random(45);
  for (std::size_t i = 0; i < of.corpora; ++i) {
    const difference one = compare_history(by, draw_texts(random), random(), of.how, of.is_reopened);
    ++wrong.corpora;
    wrong.kept += one.kept ? 1 : 0;
    wrong.originals += one.originals ? 1 : 0;
  }
  INFO(by.name << ", " << of.words);
  std::printf("| %s | %s | %s | %zu | %zu | %zu |\n", by.name, of.words.c_str(), "added, replaced, erased, asked",
              wrong.corpora, wrong.kept, wrong.originals);
  CHECK(wrong.kept == 0);
  CHECK(wrong.originals == 0);
}

template <class Make>
void check_deduplicators(const row& by, const Make& make, bool by_size = false) {
  const support::temporary_folder folder;
  const std::vector<form> forms = forms_of(make, folder);
  const auto order_in = [by_size](const corpus& c) { return by_size ? order_by_size(c) : c.order(); };
  for (const column& of : columns_of(by.name, classes)) {
    const form* found = nullptr;  // the longest form with which the column's name begins
    for (const form& one : forms) {
      const bool begins = (of.name + ", ").starts_with(one.words + ", ");
      if (begins && (found == nullptr || one.words.size() > found->words.size())) found = &one;
    }
    INFO(of.name);
    REQUIRE(found != nullptr);
    if (of.has("ages")) check_ages(by, *found);
    if (of.has("histories")) check_histories(by, *found);
    if (of.has("ages") || of.has("histories")) continue;
    const std::size_t words = parts_of(found->words, ',').size();
    const pace how = pace_of(std::span(of.words).subspan(words), found->is_reopened);
    cell one(
        by, of.name, [&](const corpus& c) { return label_one_by_one(by, c, order_in(c), how, found->how); },
        [&](const corpus& c) { return verdicts(by, c, order_in(c)); }, by_size ? "by size" : "");
    one.over_corpora_of(of, found->corpora);
  }
}

// ---- search ----------------------------------------------------------------------------------------------------------

/// Returns the best original that a search in an index finds. A program with fingerprints from elsewhere decides in
/// this way.
template <class Index, class Check>
neardup::verdict<id_type> best_in_index(const Index& index, const neardup::simhash<64>& print, int bits,
                                        const Check& check) {
  neardup::original_choice<id_type, id_type> original;
  for (const auto& match : index.search(print, bits)) {
    original.consider(match.id, match.id, match.distance, neardup::detail::result_of_check(check(match.id), 1e-9));
  }
  return original.result();
}

/// Returns labels by searches in an index. The ids ascend in the order of decision.
template <class Check>
labels label_by_index(const corpus& c, const labels& order, int bits, const Check& check) {
  neardup::pigeonhole_index<64, neardup::dynamic_layout> index(bits, 4);
  describe_before(c.texts);
  labels label(c.texts.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t document = order[place];
    const auto print = by_words(c.texts[document]);
    label[document] = document;
    if (!print) continue;
    if (place >= c.known) {
      const auto found = best_in_index(index, *print, bits, [&](id_type id) {
        return check(described_before(c.texts[order[id]]), described_before(c.texts[document]));
      });
      if (found.original) label[document] = order[*found.original];
    }
    if (place < c.known || (c.among && label[document] == document)) index.insert(*print, static_cast<id_type>(place));
  }
  return label;
}

// ---- groups ----------------------------------------------------------------------------------------------------------

struct group_how {
  std::size_t parts = 1;
  forms form = forms::originals;
  std::size_t batch = all_texts;  // batches of extend_groups
  int blocks = 0;
};

/// Returns the settings of groups that the words of a column's name describe.
group_how group_how_of(const std::vector<std::string>& words) {
  group_how how;
  for (const std::string& word : words) {
    const std::size_t number = number_in(word);
    if (word == "components") how.form = forms::components;
    if (word == "other blocks") how.blocks = 5;
    if (word.starts_with("extended by ")) how.batch = number;
    if (word.ends_with(" threads")) how.parts = number;
  }
  return how;
}

/// Returns labels, computed batch by batch. `label(known, batch, scores)` returns the labels of a batch, as positions
/// in the list of the known documents and then the batch. The kept documents of a batch are known in the next batch.
template <class Label>
labels extend(const corpus& c, std::size_t batch, const Label& label) {
  const std::size_t count = c.texts.size();
  labels result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  const labels order = batch >= count ? oracle::order_of(count, 0, {}) : c.order();
  std::vector<std::size_t> known(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(c.known));
  for (std::size_t first = c.known; first < count; first += batch) {
    const std::size_t end = (std::min)(count, first + batch);
    const std::vector<std::size_t> now(order.begin() + static_cast<std::ptrdiff_t>(first),
                                       order.begin() + static_cast<std::ptrdiff_t>(end));
    const std::vector<double> scores = batch >= count ? c.scores : std::vector<double>();
    const auto found = label(known, now, scores);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const std::size_t position = found[i];
      result[now[i]] = position < known.size() ? known[position] : now[position - known.size()];
      if (c.among && result[now[i]] == now[i]) kept.push_back(now[i]);
    }
    known.insert(known.end(), kept.begin(), kept.end());
  }
  return result;
}

using set_type = std::vector<std::uint32_t>;

std::vector<set_type> sets_of(const corpus& c, const std::vector<std::size_t>& which) {
  const neardup::feature_extractor<neardup::words> extract;
  std::vector<set_type> sets;
  for (const std::size_t i : which) sets.push_back(extract(c.texts[i]));
  return sets;
}

neardup::grouping grouping_of(forms form) {
  return form == forms::components ? neardup::grouping::components : neardup::grouping::representatives;
}

/// Requires that the option `originals = false` keeps the same documents. `labels` begins after the `known` documents.
template <class Label>
void require_same_kept(std::size_t known, const std::vector<Label>& labels, const std::vector<Label>& without) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    REQUIRE((labels[i] == known + i) == (without[i] == known + i));
  }
}

labels label_sets(const corpus& c, neardup::set_similarity measure, double least, std::size_t common,
                  const group_how& how) {
  return extend(c, how.batch, [&](const auto& known, const auto& now, const std::vector<double>& scores) {
    neardup::group_options options{.by = grouping_of(how.form),
                                   .preference = scores,
                                   .among_themselves = c.among,
                                   .run = how.parts == 1 ? any_runner() : any_runner(threads{how.parts})};
    const auto sets = sets_of(c, now);
    const neardup::set_threshold threshold{measure, least, common};
    const auto label_all = [&] {
      if (known.empty()) return neardup::group(sets, threshold, options);
      return neardup::extend_groups(sets_of(c, known), sets, threshold, options);
    };
    const auto named = label_all();
    options.originals = false;
    if (how.form != forms::components) require_same_kept(known.size(), named, label_all());
    return named;
  });
}

labels label_texts(const corpus& c, const group_how& how) {
  return extend(c, how.batch, [&](const auto& known, const auto& now, const std::vector<double>& scores) {
    std::vector<std::string> kept, texts;
    for (const std::size_t i : known) kept.push_back(c.texts[i]);
    for (const std::size_t i : now) texts.push_back(c.texts[i]);
    neardup::group_options options{.by = grouping_of(how.form), .preference = scores, .among_themselves = c.among};
    const auto label_all = [&] {
      if (known.empty()) return neardup::group(texts, neardup::edit{least_edit}, options);
      return neardup::extend_groups(kept, texts, neardup::edit{least_edit}, options);
    };
    const auto named = label_all();
    options.originals = false;
    if (how.form != forms::components) require_same_kept(known.size(), named, label_all());
    return named;
  });
}

enum class checking { nothing, number, yes };

/// Returns labels by fingerprints. Leaves out the texts without a fingerprint, as a caller of group() must do.
labels label_fingerprints(const corpus& whole, int bits, checking check, const group_how& how) {
  corpus c{{}, 0, {}, whole.among};
  std::vector<std::size_t> place_in_whole;
  for (std::size_t i = 0; i < whole.texts.size(); ++i) {
    if (!by_words(whole.texts[i])) continue;
    c.texts.push_back(whole.texts[i]);
    place_in_whole.push_back(i);
    if (i < whole.known) ++c.known;
    if (i >= whole.known && !whole.scores.empty()) c.scores.push_back(whole.scores[i - whole.known]);
  }
  const labels found = extend(c, how.batch, [&](const auto& known, const auto& now, const std::vector<double>& scores) {
    std::vector<std::size_t> both = known;
    both.insert(both.end(), now.begin(), now.end());
    std::vector<neardup::simhash<64>> kept, prints;
    for (const std::size_t i : known) kept.push_back(*by_words(c.texts[i]));
    for (const std::size_t i : now) prints.push_back(*by_words(c.texts[i]));
    const std::vector<set_type> sets = sets_of(c, both);
    neardup::group_options options{.by = grouping_of(how.form),
                                   .preference = scores,
                                   .among_themselves = c.among,
                                   .run = how.parts == 1 ? any_runner() : any_runner(threads{how.parts})};
    const neardup::bits within = neardup::bits{bits}.in_blocks(how.blocks);
    const auto number = [&](std::size_t i, std::size_t j) { return neardup::jaccard_similarity(sets[i], sets[j]); };
    const auto yes = [&](std::size_t i, std::size_t j) { return number(i, j) >= least_jaccard; };
    const auto with = [&](const auto& by) {
      const auto label_all = [&] {
        if (known.empty()) return neardup::group(prints, within, by, options);
        return neardup::extend_groups(kept, prints, within, by, options);
      };
      const auto named = label_all();
      options.originals = false;
      if (how.form != forms::components) require_same_kept(known.size(), named, label_all());
      return named;
    };
    if (check == checking::number) return with(neardup::at_least{least_jaccard, number});
    if (check == checking::yes) return with(yes);
    return with(neardup::no_check{});
  });
  labels label(whole.texts.size());
  std::iota(label.begin(), label.end(), std::size_t{0});
  for (std::size_t i = 0; i < found.size(); ++i) label[place_in_whole[i]] = place_in_whole[found[i]];
  return label;
}

template <class Label>
void check_groups(const row& by, const Label& label, bool by_size = false) {
  const auto order_in = [by_size](const corpus& c) { return by_size ? order_by_size(c) : c.order(); };
  for (const column& of : columns_of(by.name, {"groups", "components"})) {
    const group_how how = group_how_of(of.words);
    cell one(
        by, of.name, [&](const corpus& c) { return label(c, how); },
        [&](const corpus& c) { return verdicts(by, c, order_in(c), how.form); },
        std::string(by_size ? "by size" : "") + (how.form == forms::components ? " in components" : ""));
    one.over_corpora_of(of, corpora());
  }
}

}  // namespace

TEST_CASE("the law: the corpora tell it from other rules", "[law]") {
  // The corpora must show the difference between the law and three wrong rules: the first match is the original; the
  // last of equally close documents is the original; each copy gets the label of its first copy.
  for (const row* by :
       {&jaccard, &cosine, &containment, &edits, &fingerprints, &fingerprints_long, &checked, &checked_yes}) {
    oracle::random_engine random(44);
    std::size_t of_first = 0, of_last = 0, of_copies = 0, dropped = 0, kept = 0;
    const std::size_t corpora = oracle::effort(400, 400, 200);
    for (std::size_t i = 0; i < corpora; ++i) {
      const corpus c = draw_corpus(random, "random");
      const std::vector<document> documents = described(c.texts);
      const labels right = verdicts(*by, c, c.order());
      labels first = right, last = right, copies = right;
      for (std::size_t j = 0; j < right.size(); ++j) {
        kept += right[j] == j ? 1 : 0;
        dropped += right[j] == j ? 0 : 1;
        if (right[j] == j) continue;
        for (std::size_t k = j; k-- > 0;) {
          if (right[k] != k) continue;
          const answer found = by->match(documents[k], documents[j]);
          if (!found) continue;
          first[j] = k;
          if (last[j] == right[j] && k != right[j] && *found == *by->match(documents[right[j]], documents[j]))
            last[j] = k;
        }
        for (std::size_t k = 0; k < j; ++k) {
          if (documents[k].words != documents[j].words || documents[k].text != documents[j].text) continue;
          copies[j] = right[k];
          break;
        }
      }
      of_first += first == right ? 0 : 1;
      of_last += last == right ? 0 : 1;
      of_copies += copies == right ? 0 : 1;
    }
    std::printf(
        "%s: of %zu corpora the first that matches is another in %zu, the last of equally close ones in %zu, that of "
        "the first copy in %zu; %zu kept, %zu dropped\n",
        by->name, corpora, of_first, of_last, of_copies, kept, dropped);
    CHECK(of_first > corpora / 20);
    CHECK(of_last > corpora / 20);
    CHECK(of_copies > corpora / 80);
  }
}

TEST_CASE("the law: deduplicators by Jaccard", "[law]") { check_deduplicators(jaccard, by_jaccard); }
TEST_CASE("the law: deduplicators by cosine", "[law]") { check_deduplicators(cosine, by_cosine); }
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("the law: deduplicators by Jaccard, features of 64 bits", "[law]") {
  check_deduplicators(jaccard, by_wide_jaccard);
}
#endif
TEST_CASE("the law: deduplicators by fingerprints", "[law]") { check_deduplicators(fingerprints, by_fingerprints); }
TEST_CASE("the law: deduplicators by fingerprints, short texts by their words", "[law]") {
  check_deduplicators(fingerprints_long, by_long_fingerprints);
}
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("the law: deduplicators by fingerprints of counts", "[law]") {
  check_deduplicators(fingerprints_counted, by_counted_fingerprints);
}
TEST_CASE("the law: deduplicators by min-wise codes", "[law]") { check_deduplicators(codes_long, by_codes); }
#endif
TEST_CASE("the law: deduplicators by fingerprints and a check", "[law]") {
  check_deduplicators(checked, by_checked_fingerprints);
}
TEST_CASE("the law: deduplicators by the largest and least distances and similarities", "[law]") {
  check_deduplicators(far_checked, by_far_fingerprints);
  check_deduplicators(equal_checked, by_equal_fingerprints);
}
TEST_CASE("the law: deduplicators by fingerprints and a check that says yes", "[law]") {
  check_deduplicators(checked_yes, by_yes);
}
TEST_CASE("the law: deduplicators by fingerprints and a check of cosine", "[law]") {
  check_deduplicators(as_check(cosine, "cosine as a check"), by_check_of_cosine);
}
TEST_CASE("the law: deduplicators by fingerprints and a check of containment", "[law]") {
  check_deduplicators(as_check(containment, "containment as a check"), by_containment, true);
}
TEST_CASE("the law: deduplicators by fingerprints and a check of edits", "[law]") {
  check_deduplicators(as_check(edits, "edits as a check"), by_edits);
}

TEST_CASE("the law: originals found in an index", "[law]") {
  const auto check = [](const row& by, int bits, const auto& accepts) {
    cell one(
        by, "an index", [&](const corpus& c) { return label_by_index(c, c.order(), bits, accepts); },
        [&](const corpus& c) { return verdicts(by, c, c.order()); });
    for (const column& of : columns_of(by.name, {"an index"})) one.over_corpora_of(of, corpora());
  };
  check(fingerprints, near_bits, [](const auto&, const auto&) { return true; });
  check(checked, candidate_bits, [](const auto& a, const auto& b) { return number_of(match_jaccard(a, b)); });
  check(checked_yes, candidate_bits, [](const auto& a, const auto& b) { return match_jaccard(a, b).has_value(); });
}

TEST_CASE("the law: of equally close ones in an index the smallest id is the original", "[law]") {
  // An index does not store the age of a document. Here later documents have smaller ids, so they win ties.
  oracle::random_engine random(46);
  std::size_t ties = 0, wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const corpus c{draw_texts(random)};
    neardup::pigeonhole_index<64, neardup::dynamic_layout> index(candidate_bits, 4);
    std::vector<std::pair<id_type, document>> kept;
    for (std::size_t place = 0; place < c.texts.size(); ++place) {
      const document what = describe(c.texts[place]);
      if (!what.print) continue;
      std::optional<std::pair<closeness, id_type>> best;
      for (const auto& [id, other] : kept) {
        const answer near = checked.match(other, what);
        if (best && near && *near == best->first) ++ties;
        if (near && (!best || *near > best->first || (*near == best->first && id < best->second))) best = {*near, id};
      }
      const auto check = [&](id_type id) {
        const auto at = std::find_if(kept.begin(), kept.end(), [&](const auto& one) { return one.first == id; });
        return number_of(match_jaccard(at->second, what));
      };
      const auto found = best_in_index(index, *what.print, candidate_bits, check);
      REQUIRE(found.is_new() == !best.has_value());
      if (best) {
        wrong += *found.original == best->second ? 0 : 1;
        continue;
      }
      const auto id = static_cast<id_type>(1000 - place);
      index.insert(*what.print, id);
      kept.emplace_back(id, what);
    }
  }
  std::printf("| fingerprints and check | an index, ids that fall | random | %zu ties | 0 | %zu |\n", ties, wrong);
  CHECK(ties > 50);  // compilers evaluate arguments in different orders, so they draw different texts
  CHECK(wrong == 0);
}

TEST_CASE("the law: groups of sets", "[law]") {
  using neardup::set_similarity;
  check_groups(jaccard, [](const corpus& c, const group_how& how) {
    return label_sets(c, set_similarity::jaccard, least_jaccard, 0, how);
  });
  check_groups(cosine, [](const corpus& c, const group_how& how) {
    return label_sets(c, set_similarity::cosine, least_cosine, 0, how);
  });
  check_groups(
      containment,
      [](const corpus& c, const group_how& how) {
        return label_sets(c, set_similarity::containment, least_contained, least_common, how);
      },
      true);
}

TEST_CASE("the law: groups of texts by edits", "[law]") { check_groups(edits, label_texts); }

TEST_CASE("the law: groups of fingerprints", "[law]") {
  check_groups(fingerprints, [](const corpus& c, const group_how& how) {
    return label_fingerprints(c, near_bits, checking::nothing, how);
  });
  check_groups(checked_yes, [](const corpus& c, const group_how& how) {
    return label_fingerprints(c, candidate_bits, checking::yes, how);
  });
  check_groups(checked, [](const corpus& c, const group_how& how) {
    return label_fingerprints(c, candidate_bits, checking::number, how);
  });
}

TEST_CASE("the law: each cell of the table has a test", "[law]") {
  // The tests above run the columns of these rows, if the first word of the column is one of those below.
  const std::vector<std::string> sets{"Jaccard", "cosine"},
      checks{"cosine as a check", "containment as a check", "edits as a check", far_checked.name, equal_checked.name};
  const std::vector<std::string> prints{fingerprints.name, checked.name, checked_yes.name};
  const std::vector<std::string> by_words_of_short{fingerprints_long.name, fingerprints_counted.name, codes_long.name};
  const auto is_one_of = [](const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  REQUIRE(table().size() > 100);
  for (const auto& [row_name, of] : table()) {
    INFO(row_name << " | " << of.name);
    const bool is_of_groups = is_one_of(of.words.front(), {"groups", "components"}),
               is_of_index = of.name == "an index";
    const bool is_of_dedup = is_one_of(of.words.front(), classes);
    CHECK((is_of_groups || is_of_index || is_of_dedup));
    CHECK((is_one_of(row_name, prints) || (is_of_groups && is_one_of(row_name, {containment.name, edits.name})) ||
           (!is_of_index && is_one_of(row_name, sets)) ||
           (is_of_dedup && (is_one_of(row_name, checks) || is_one_of(row_name, by_words_of_short)))));
  }
}

}  // namespace law
