// Decides which document each article belongs to, and answers when the decision is on disk.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <neardup/sets/set_index.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../../common/passages.hpp"
#include "../describe/article.hpp"
#include "../stores/mapping.hpp"
#include "../stores/stores.hpp"
#include "cascade.hpp"
#include "clue_index.hpp"
#include "feature_memory.hpp"

namespace docid {

/// The step that found an article to be a version of an earlier article.
enum class step { none, nid, url, title, content };
inline constexpr std::array<const char*, 5> step_names = {"none", "nid", "url", "title", "content"};

struct answer {
  std::string name;  ///< the docId
  step by = step::none;
  std::optional<int> distance = std::nullopt;  ///< set if fingerprints were compared
  std::optional<double> similarity;
  bool has_words = true;  ///< false if neither title nor content has a word; only nid and url were then looked up
};

/// The response of GET /docs/{docId}.
struct document_view {
  std::string name;  ///< the docId
  std::vector<std::string> nids;
  std::optional<std::string> article;  ///< JSON; nullopt if it is in another service's store
};

/// A document that is similar to a text: the fingerprint of its first content is near the fingerprint of the text.
/// Similarities compare the text with the shown article, or with the first content if no article is shown.
struct similar_document {
  std::string name;
  int distance;
  double similarity;                      ///< similarity of the features that the recipe compares
  std::optional<double> pair_similarity;  ///< similarity of the pairs of words; nullopt if the pairs are unknown
  std::optional<std::string> article;     ///< JSON; nullopt if it is in another service's store
};

/// The similarities of two texts.
struct text_similarity {
  double features;  ///< similarity of the features that the recipe compares
  double pairs;     ///< similarity of the pairs of neighbouring words
};

/// An article that was found to be a version of an earlier article.
struct duplicate_view {
  std::string name;  ///< the docId
  step by;
  std::string article;  ///< the article as JSON
  /// JSON of the document's first article. If that article is not stored, or is `article`, JSON of the kept article.
  std::string original;
};

/// A document whose kept article contains much of a clue.
struct clue_document {
  struct passage {
    std::size_t offset, length;   ///< offset and length of the passage, in bytes of the content
    common::passage_words words;  ///< the passage, and the words around it
  };
  std::string name;     ///< the docId
  double share;         ///< share of the clue's pairs of words that the article contains
  std::size_t run = 0;  ///< longest run of words that clue and content have in common
  std::string article;  ///< JSON; empty if the article has changed since the search
  std::optional<passage> place;
};

struct counters {
  std::array<std::atomic<std::uint64_t>, 5> articles{};  // number of articles, for each deciding step
  std::atomic<std::uint64_t> groups{};
  std::atomic<std::uint64_t> failed_groups{};
  std::atomic<std::uint64_t> commit_microseconds{};
  std::atomic<std::uint64_t> documents{};
  std::atomic<std::uint64_t> nids{};
  std::atomic<std::uint64_t> checks{};       // number of documents compared with an article
  std::atomic<std::uint64_t> checks_read{};  // number of `checks` that read features from the store
  std::atomic<std::uint64_t> checks_without_pairs{};
  std::atomic<std::uint64_t> feature_bytes{};
  std::atomic<std::uint64_t> content_bytes{};
  std::atomic<std::uint64_t> clue_bytes{};
};

/// The service. One thread owns the stores, and decides article by article. Articles that arrive during a commit wait,
/// and are committed together next, so that one sync serves all of them. The submitting threads describe the texts,
/// which is most of the work.
class service {
 public:
  service(const cascade_options& options, fingerprint_index& titles, fingerprint_index& bodies, mapping& map,
          contents& kept);
  ~service() { stop(); }

  /// Submits articles. The future is ready when the answers are synced. The future holds std::runtime_error if the
  /// store has failed and nothing was kept. With `answers_early`, the future is ready when the answers are decided, so
  /// a failure may lose the articles.
  std::future<std::vector<answer>> submit(std::vector<article> articles);

  std::optional<document_view> find(const std::string& name);
  /// Returns the documents after the document `name`, the oldest first. If `name` is empty, returns the first
  /// documents. Returns at most `most` documents, and stops once their articles have `bytes` bytes.
  /// Throws: std::invalid_argument if no document can have this name.
  std::vector<document_view> documents_after(const std::string& name, std::size_t most, std::size_t bytes);
  /// Returns the name of the document to which the article with this nid, or with this url, belongs.
  std::optional<std::string> find_nid(const std::string& nid);
  std::optional<std::string> find_url(const std::string& url);
  /// Erases the article with this nid.
  /// Returns: false if there is no such article.
  bool erase(const std::string& nid);
  /// Returns at most ten documents whose content is near `text`. The document with the most similar pairs of words
  /// comes first.
  /// Throws: std::invalid_argument if the text has no word.
  std::vector<similar_document> similar(std::string_view text);

  [[nodiscard]] bool finds_clues() const { return options_.finds_clues; }
  /// Returns at most `most` documents with a kept article that contains at least `least_share` of the clue's pairs of
  /// words. The documents are sorted by this share, then by the longest common run, then by age. Only the 100 documents
  /// with the largest shares are sorted by the run.
  /// Precondition: finds_clues().
  /// Throws: std::invalid_argument if the clue has fewer than two words.
  std::vector<clue_document> find_clue(std::string_view clue, double least_share, std::size_t most);

  /// Returns at most `most` duplicates that have arrived since the start of the service, the latest first. Leaves out
  /// articles that arrived again, were erased, have become the first article of their document, or are in another
  /// service's store.
  std::vector<duplicate_view> latest_duplicates(std::size_t most);
  /// Compares two texts.
  /// Thread safety: callable from any thread.
  [[nodiscard]] text_similarity compare(std::string_view one, std::string_view other) const;

  /// Answers all submitted requests, then ends the writer thread.
  void stop();

  [[nodiscard]] const counters& counts() const { return counts_; }

 private:
  struct item {
    article arrived;
    description title;
    description content;
    std::optional<feature_set> pairs;      // sample of the content's pairs, made when needed
    std::optional<feature_set> all_pairs;  // all pairs of the content; set if clues are enabled
  };
  struct task {
    std::vector<item> items;
    query_group titles, bodies;  // searches for the fingerprints of `items`
    std::promise<std::vector<answer>> answers;
    std::function<void()> other;  // a function to run, in a task without items
  };

  [[nodiscard]] item described(article arrived) const;
  void enqueue(task work);
  document_view view_of(doc_number document, std::string name);
  template <class Work>
  auto on_writer(Work work);
  void write();
  void log_failure();
  void decide_all(std::vector<task>& group);
  template <class Work>
  void in_transaction(Work&& work);
  answer decide(item& incoming, std::size_t query);
  std::optional<std::pair<doc_number, answer>> find_document(item& incoming, std::size_t query);
  void update(item& incoming, doc_number document, step by);
  void redefine_if_first(item& incoming, doc_number document);
  void redefine_by_next(doc_number document);
  void redefine(item& incoming, doc_number document);
  void store_pairs(doc_number document);
  bool is_kept(const stored_article& stored, doc_number document);
  std::optional<std::string> kept_url(doc_number document, const kept_article& kept);
  void keep_hottest(doc_number document);
  void count_memory();
  void update_features();
  void forget_changed() noexcept;
  void note_for_clues(doc_number document, std::optional<feature_set> pairs = std::nullopt);
  void index_for_clues();
  template <class PrintOf>
  void catch_up(fingerprint_index& index, PrintOf print_of);
  using features_in_memory = feature_memory<2>;  // sets of title and content
  std::optional<features_in_memory::views> features_of(doc_number document);
  std::optional<feature_view> pairs_of(doc_number document);
  const feature_set& pairs_of(item& incoming);
  bool confirms(double least, item& incoming, doc_number document, feature_view content);
  std::optional<std::pair<doc_number, answer>> nearest(step by, item& incoming, std::size_t query);
  std::optional<std::pair<doc_number, answer>> most_similar(item& incoming);

  cascade_options options_;
  describers describe_;
  fingerprint_index& titles_;
  fingerprint_index& bodies_;
  mapping& map_;
  contents& kept_;
  features_in_memory features_;  // contents are empty if they are in `content_sets_`
  feature_memory<1> pairs_;
  // The features of all contents, if contents are found by their features. `bodies_` then serves only GET /similar.
  using content_index = neardup::set_index<std::uint32_t, doc_number>;
  std::optional<content_index> content_sets_;
  content_index::workspace scratch_;
  known_state known_;  // the state of the mapping from which `content_sets_`, `features_` and `pairs_` are made
  // Documents that the current transaction has added, redefined or erased. If the transaction fails, update_features()
  // reads them again.
  std::vector<doc_number> changed_;
  clue_index clues_;
  // Documents whose present state is not yet in `clues_`. The second member is the set of pairs of words of the kept
  // article, if this set has been computed.
  std::deque<std::pair<doc_number, std::optional<feature_set>>> changed_for_clues_;
  std::deque<std::pair<std::string, step>> latest_;  // nids of duplicates, the latest first
  counters counts_;
  std::chrono::steady_clock::time_point logged_{};
  std::mt19937_64 random_{std::random_device{}()};  // for the versions of kept articles

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<task> waiting_;
  bool is_stopping_ = false;
  std::thread writer_;
};

}  // namespace docid
