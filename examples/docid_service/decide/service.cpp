#include "service.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <neardup/dedup/rule.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text/words.hpp>
#include <span>
#include <stdexcept>

#include "../../common/clues.hpp"

namespace docid {

namespace {

// A transaction with this number of articles takes no further requests. A number of 1,000 is equally fast.
constexpr std::size_t max_group = 4000;

// The number of latest duplicates that latest_duplicates() can return.
constexpr std::size_t max_latest = 20;

// If a content has more bytes than this, the submitting thread computes its pairs of words in advance.
constexpr std::size_t long_content = std::size_t{1} << 16;

std::string hex_of(std::uint64_t word) { return fingerprint(word).to_hex(); }

/// A docId consists of the fingerprint of the first article, and the number of the document. The fingerprint is that of
/// the content, or of the title if there is no content. The number is multiplied by an odd constant, so that it looks
/// like a fingerprint. Numbers are never reused, so docIds are unique.
constexpr std::uint64_t spread = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t unspread = 0xf1de83e19937733dU;
static_assert(spread * unspread == 1);

/// Returns true if the service finds similar contents by their features, not by their fingerprints.
bool finds_by_features(const cascade_options& options) { return options.by_content && options.is_exact; }

/// Returns the bytes of --feature-memory for `features_`: 1/8 if it has only titles, else 7/8. `pairs_` has the rest.
std::size_t features_share(const cascade_options& options) {
  const std::size_t eighth = options.feature_memory / 8;
  return finds_by_features(options) ? eighth : options.feature_memory - eighth;
}

std::uint64_t digest_of(const article& arrived) { return neardup::xxh3<64>{}(arrived.json); }

std::string name_of(const description& title, const description& content, doc_number number) {
  const auto print = content.print ? content.print : title.print;
  return hex_of(print ? print->to_uint64() : 0) + "-" + hex_of(number * spread);
}

std::optional<doc_number> number_in(std::string_view name) {
  if (name.size() != 33 || name[16] != '-') return std::nullopt;
  const auto word = fingerprint::from_hex(name.substr(17));
  if (!word) return std::nullopt;
  const std::uint64_t number = word->to_uint64() * unspread;
  if (number == 0 || number > 0xffffffffU) return std::nullopt;
  return static_cast<doc_number>(number);
}

}  // namespace

service::service(const cascade_options& options, fingerprint_index& titles, fingerprint_index& bodies, mapping& map,
                 contents& kept)
    : options_(options),
      describe_(make_describers(options.recipe, options.jieba)),
      titles_(titles),
      bodies_(bodies),
      map_(map),
      kept_(kept),
      features_(features_share(options)),
      pairs_(options.feature_memory - features_share(options)) {
  if (finds_by_features(options)) content_sets_.emplace(neardup::jaccard{options_.content.similarity});
  in_transaction([] {});  // an empty transaction adds missing documents to the indexes
  count_memory();
  if (options_.finds_clues) {
    constexpr std::size_t together = 1000;
    doc_number last = 0;
    for (auto some = map_.documents_after(last, together); !some.empty(); some = map_.documents_after(last, together)) {
      for (const doc_number document : some) note_for_clues(document);
      index_for_clues();
      last = some.back();
    }
    counts_.clue_bytes = clues_.bytes();
  }
  writer_ = std::thread([this] { write(); });
}

// ---- Called from any thread -----------------------------------------------------------------------------------------

std::future<std::vector<answer>> service::submit(std::vector<article> articles) {
  task work;
  work.items.reserve(articles.size());
  for (article& arrived : articles) {
    item incoming = described(std::move(arrived));
    // The writer thread computes pairs of words on demand, because only articles that are similar to another article
    // need pairs. This thread computes the pairs of long contents, because other requests would have to wait for them.
    // With a local store, which keeps the pairs of every document, this thread computes all pairs.
    const std::string& content = incoming.arrived.content;
    if (kept_.is_local() || content.size() > long_content) incoming.pairs = describe_.pairs(content);
    if (options_.finds_clues) incoming.all_pairs = all_pairs_of(content);
    work.titles.prints.push_back(incoming.title.print);
    work.bodies.prints.push_back(options_.by_content && !content_sets_ ? incoming.content.print : std::nullopt);
    work.items.push_back(std::move(incoming));
  }
  titles_.search_early(work.titles);
  bodies_.search_early(work.bodies);
  auto result = work.answers.get_future();
  enqueue(std::move(work));
  return result;
}

service::item service::described(article arrived) const {
  item incoming;
  incoming.title = describe_.title(arrived.title);
  // Without a fingerprint, an ignored title is neither searched for nor added to the index.
  if (!options_.by_title || incoming.title.features.size() < options_.title_tokens) incoming.title.print.reset();
  incoming.content = describe_.content(arrived.content);
  incoming.arrived = std::move(arrived);
  return incoming;
}

void service::enqueue(task work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) throw std::runtime_error("the service is stopping");
    waiting_.push_back(std::move(work));
  }
  arrived_.notify_one();
}

template <class Work>
auto service::on_writer(Work work) {
  auto done = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
  auto result = done->get_future();
  task other;
  other.other = [done] { (*done)(); };
  enqueue(std::move(other));
  return result.get();
}

std::optional<document_view> service::find(const std::string& name) {
  const auto number = number_in(name);
  if (!number) return std::nullopt;
  return on_writer([&]() -> std::optional<document_view> {
    if (map_.name_of(*number) != name) return std::nullopt;
    return view_of(*number, name);
  });
}

document_view service::view_of(doc_number document, std::string name) {
  const auto kept = map_.kept_of(document);
  return {std::move(name), map_.nids_of(document), kept ? kept_.get(document, kept->version) : std::nullopt};
}

std::vector<document_view> service::documents_after(const std::string& name, std::size_t most, std::size_t bytes) {
  const auto after = name.empty() ? std::optional<doc_number>(0) : number_in(name);
  if (!after) throw std::invalid_argument("no docId: " + name);
  return on_writer([&] {
    std::vector<document_view> result;
    std::size_t taken = 0;
    for (const doc_number document : map_.documents_after(*after, most)) {
      auto found = map_.name_of(document);
      if (!found) continue;
      result.push_back(view_of(document, std::move(*found)));
      taken += result.back().article ? result.back().article->size() : 0;
      if (taken >= bytes) break;
    }
    return result;
  });
}

std::optional<std::string> service::find_nid(const std::string& nid) {
  return on_writer([&] {
    const auto document = map_.document_of_nid(nid);
    return document ? map_.name_of(*document) : std::nullopt;
  });
}

std::optional<std::string> service::find_url(const std::string& url) {
  return on_writer([&] {
    const auto document = map_.document_of_url(url);
    return document ? map_.name_of(*document) : std::nullopt;
  });
}

bool service::erase(const std::string& nid) {
  return on_writer([&] {
    bool is_there = false;
    in_transaction([&] {
      const auto document = map_.document_of_nid(nid);
      is_there = document.has_value();
      if (!document) return;
      const stored_article stored = map_.stored_of(nid);
      const bool was_kept = is_kept(stored, *document), was_first = map_.first_of(*document).nid == nid;
      map_.remove(nid);
      if (!was_kept) kept_.erase(*document, stored.version);
      if (!map_.nids_of(*document, 1).empty()) {
        if (was_first) redefine_by_next(*document);
        if (was_kept) {
          keep_hottest(*document);
          kept_.erase(*document, stored.version);
          note_for_clues(*document);
        }
        return;
      }
      const auto gone = map_.definition_of(*document);
      const auto kept = map_.kept_of(*document);
      if (!gone || !kept) throw std::runtime_error("the store has no document " + std::to_string(*document));
      if (gone->title.print) titles_.erase(*gone->title.print, *document);
      if (gone->content.print) bodies_.erase(*gone->content.print, *document);
      changed_.push_back(*document);
      if (content_sets_) content_sets_->erase(*document);
      kept_.erase(*document, kept->version);
      map_.erase_document(*document);
      note_for_clues(*document);
    });
    return is_there;
  });
}

std::vector<similar_document> service::similar(std::string_view text) {
  const description content = describe_.content(text);
  if (content.features.empty()) throw std::invalid_argument("there is no word in it, so there is nothing to compare");
  const feature_set pairs = describe_.pairs(text);
  auto result = on_writer([&] {
    std::vector<similar_document> found;
    const query_group query{{content.print}, nullptr};
    const query_group* const asked = &query;
    bodies_.prepare({&asked, 1});
    std::size_t left = options_.most_candidates(false);
    for (const auto& [document, distance] : bodies_.near(0)) {
      const auto other = map_.definition_of(document);
      const auto kept = map_.kept_of(document);
      if (!other || !kept) continue;
      if (left-- == 0) break;
      found.push_back({other->name, distance, 0, std::nullopt, kept_.get(document, kept->version)});
      if (found.back().article) continue;
      found.back().similarity = neardup::jaccard_similarity(content.features, other->content.features);
      if (const auto known = pairs_of(document)) found.back().pair_similarity = similarity_of_pairs(pairs, *known);
    }
    return found;
  });
  for (similar_document& one : result) {
    if (!one.article) continue;
    const std::string shown = parse_json(*one.article).at("content").get<std::string>();
    one.similarity = neardup::jaccard_similarity(content.features, describe_.content(shown).features);
    one.pair_similarity = similarity_of_pairs(pairs, describe_.pairs(shown));
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return a.pair_similarity != b.pair_similarity ? a.pair_similarity > b.pair_similarity : a.similarity > b.similarity;
  });
  result.resize(std::min<std::size_t>(result.size(), 10));
  return result;
}

text_similarity service::compare(std::string_view one, std::string_view other) const {
  return {neardup::jaccard_similarity(describe_.content(one).features, describe_.content(other).features),
          similarity_of_pairs(describe_.pairs(one), describe_.pairs(other))};
}

std::vector<duplicate_view> service::latest_duplicates(std::size_t most) {
  return on_writer([&] {
    std::vector<duplicate_view> result;
    for (const auto& seen : latest_) {
      const std::string& nid = seen.first;
      if (result.size() == most) break;
      const auto document = map_.document_of_nid(nid);
      if (!document) continue;
      const auto content_of = [&](const known_article& one) { return kept_.get(*document, one.stored.version); };
      const auto own = map_.article_of(*document, nid);
      const known_article first = map_.first_of(*document);
      const auto arrived = own ? content_of(*own) : std::nullopt;
      auto original = first.nid == nid ? std::nullopt : content_of(first);
      if (!original) {
        const auto kept = map_.kept_of(*document);
        original = kept ? kept_.get(*document, kept->version) : std::nullopt;
      }
      const auto name = map_.name_of(*document);
      if (name && arrived && original && *arrived != *original)
        result.push_back({*name, seen.second, *arrived, *original});
    }
    return result;
  });
}

std::vector<clue_document> service::find_clue(std::string_view clue, double least_share, std::size_t most) {
  std::size_t words = 0;
  neardup::words{}(clue, [&](std::string_view) { ++words; });
  if (words == 0) throw std::invalid_argument("there is no word in it");
  if (words == 1) throw std::invalid_argument("it must have at least two words; a Chinese character counts as a word");
  const feature_set pairs = all_pairs_of(clue);

  struct candidate_article {
    clue_document shown;
    doc_number document;
    std::uint64_t version;
  };
  auto candidates = on_writer([&] {
    index_for_clues();
    std::vector<candidate_article> found;
    for (const auto& [document, common] :
         clues_.holding(pairs, common::least_of(pairs.size(), least_share), std::max(most, common::ranked_by_run))) {
      auto name = map_.name_of(document);
      const auto kept = map_.kept_of(document);
      if (!name || !kept) continue;
      const double share = static_cast<double>(common) / static_cast<double>(pairs.size());
      found.push_back({{std::move(*name), share, 0, {}, std::nullopt}, document, kept->version});
    }
    return found;
  });
  // The writer thread reads a few articles at a time, because articles may be long, and other requests wait meanwhile.
  const auto for_each_article = [&](const auto& visit) {
    constexpr std::size_t bytes_together = std::size_t{1} << 22;
    for (std::size_t i = 0; i < candidates.size();) {
      const auto articles = on_writer([&] {
        std::vector<std::string> some;
        std::size_t bytes = 0;
        for (std::size_t j = i; j < candidates.size() && bytes < bytes_together; ++j) {
          some.push_back(kept_.get(candidates[j].document, candidates[j].version).value_or(std::string()));
          bytes += some.back().size();
        }
        return some;
      });
      for (const std::string& article : articles) visit(candidates[i++].shown, article);
    }
  };
  const auto content_of = [](const std::string& article) {
    return parse_json(article).at("content").get<std::string>();
  };
  const common::common_run run(clue);
  for_each_article([&](clue_document& shown, const std::string& article) {
    if (!article.empty()) shown.run = run.in(content_of(article));
  });
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.shown.share != b.shown.share ? a.shown.share > b.shown.share : a.shown.run > b.shown.run;
  });
  candidates.resize(std::min(candidates.size(), most));
  const common::clue_passages passages(clue);
  for_each_article([&](clue_document& shown, const std::string& article) {
    if (article.empty()) return;
    shown.article = article;
    const std::string content = content_of(article);
    const auto place = passages.in({content});
    if (!place) return;
    const common::passage& where = place->where;
    shown.place = {where.begin, where.end - where.begin, common::passage_in_context(content, where)};
  });
  std::vector<clue_document> result;
  for (candidate_article& one : candidates) result.push_back(std::move(one.shown));
  return result;
}

void service::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  arrived_.notify_one();
  if (writer_.joinable()) writer_.join();
}

// ---- The writer thread ----------------------------------------------------------------------------------------------

void service::write() {
  for (;;) {
    std::vector<task> group;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return is_stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      for (std::size_t articles = 0; !waiting_.empty() && articles < max_group;) {
        const bool is_other = static_cast<bool>(waiting_.front().other);
        if (is_other && !group.empty()) break;
        articles += waiting_.front().items.size();
        group.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
        if (is_other) break;
      }
    }
    if (group.front().other) {
      group.front().other();
    } else {
      decide_all(group);
    }
    counts_.documents = map_.documents();
    counts_.nids = map_.nids();
    count_memory();
    counts_.clue_bytes = clues_.bytes();
  }
}

void service::count_memory() {
  counts_.feature_bytes = features_.bytes() + pairs_.bytes();
  counts_.content_bytes = content_sets_ ? content_sets_->memory_usage() : 0;
}

/// Logs the current exception, at most once a second.
void service::log_failure() {
  ++counts_.failed_groups;
  const auto now = std::chrono::steady_clock::now();
  if (now - logged_ < std::chrono::seconds(1)) return;
  logged_ = now;
  try {
    throw;
  } catch (const std::exception& error) {
    std::cerr << "docid_service: nothing was kept of a transaction: " << error.what() << std::endl;
  } catch (...) {
  }
}

template <class Work>
void service::in_transaction(Work&& work) {
  try {
    map_.begin();
  } catch (...) {
    log_failure();
    throw;
  }
  const std::size_t changed_before = changed_for_clues_.size();
  try {
    update_features();
    catch_up(titles_, [](const auto& title, const auto&) { return title; });
    catch_up(bodies_, [](const auto&, const auto& content) { return content; });
    work();
    titles_.confirm();
    bodies_.confirm();
    const auto start = std::chrono::steady_clock::now();
    kept_.sync();
    map_.commit();
    const auto time = std::chrono::steady_clock::now() - start;
    counts_.commit_microseconds +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  } catch (...) {
    map_.rollback();
    kept_.rollback();
    titles_.rollback();
    bodies_.rollback();
    forget_changed();
    changed_for_clues_.resize(changed_before);
    log_failure();
    throw;
  }
  counts_.documents = map_.documents();
  counts_.nids = map_.nids();
  known_ = {map_.next_number() - 1, map_.redefinitions()};
  changed_.clear();
  ++counts_.groups;
  // map_.commit() has made the transaction final. If a step below fails, the next transaction repairs the stores.
  try {
    kept_.commit();
    index_for_clues();
    titles_.commit(known_.number());
    bodies_.commit(known_.number());
  } catch (const std::exception& error) {
    std::cerr << "docid_service: after a commit: " << error.what() << std::endl;
    titles_.rollback();
    bodies_.rollback();
  }
  map_.end();
}

/// Notes for index_for_clues() that the transaction replaces or removes the kept article of `document`.
void service::note_for_clues(doc_number document, std::optional<feature_set> pairs) {
  if (options_.finds_clues) changed_for_clues_.emplace_back(document, std::move(pairs));
}

void service::index_for_clues() {
  for (; !changed_for_clues_.empty(); changed_for_clues_.pop_front()) {
    const auto& [document, pairs] = changed_for_clues_.front();
    if (pairs) {
      clues_.set(document, *pairs);
      continue;
    }
    const auto kept = map_.kept_of(document);
    const auto article = kept ? kept_.get(document, kept->version) : std::nullopt;
    if (article) {
      clues_.set(document, all_pairs_of(parse_json(*article).at("content").get_ref<const std::string&>()));
    } else {
      clues_.erase(document);
    }
  }
}

/// Updates the feature sets in memory from the store. At the start it reads the sets of all documents. Later it reads
/// only the sets of documents that another service has added or redefined, or that a failed transaction has changed.
void service::update_features() {
  constexpr std::size_t together = 1000;
  const known_state last{map_.next_number() - 1, map_.redefinitions()};
  if (known_.documents != 0 && known_.redefinitions != last.redefinitions) {
    map_.for_each_redefinition(known_.redefinitions,
                               [&](doc_number document, const auto&, const auto&) { changed_.push_back(document); });
  }
  forget_changed();
  if (content_sets_) {
    for (const doc_number document : changed_) {
      const auto now = map_.definition_of(document);
      if (now) {
        content_sets_->insert_or_assign(now->content.features, document);
      } else {
        content_sets_->erase(document);
      }
    }
    neardup::feature_sets<> added;  // added together, so that the order of the features is learnt once
    std::vector<doc_number> numbers;
    for (doc_number read = known_.documents; read < last.documents;) {
      const std::vector<document_features> some = map_.features_after(read, together);
      if (some.empty()) break;
      for (const document_features& one : some) {
        added.add(one.content);
        numbers.push_back(one.document);
      }
      read = some.back().document;
    }
    content_sets_->insert_all(added, numbers);
  }
  known_ = last;
  changed_.clear();
}

void service::forget_changed() noexcept {
  for (const doc_number document : changed_) {
    features_.forget(document);
    pairs_.forget(document);
  }
}

/// Adds missing documents to an index. At the start, these are all documents. Later, they are the documents that
/// another service has added or redefined.
template <class PrintOf>
void service::catch_up(fingerprint_index& index, PrintOf print_of) {
  constexpr std::size_t together = 10000;
  const known_state last{map_.next_number() - 1, map_.redefinitions()};
  known_state known = known_state::of(index.known());
  if (known.documents > last.documents || known.redefinitions > last.redefinitions)
    throw std::runtime_error(index_is_ahead);
  if (known == last) return;
  // An empty index gets all documents in their present state, so no earlier redefinition is left to apply.
  if (known.documents == 0) known.redefinitions = last.redefinitions;
  std::size_t waiting = 0;
  map_.for_each_document(known.documents, [&](doc_number document, const auto& title, const auto& content) {
    const std::optional<fingerprint>& print = print_of(title, content);
    if (print) index.insert(*print, document);
    if (++waiting % together == 0) index.commit(known_state{document, known.redefinitions}.number());
  });
  map_.for_each_redefinition(known.redefinitions, [&](doc_number document, const auto& title, const auto& content) {
    const auto now = map_.definition_of(document);
    const std::optional<fingerprint> old_print = print_of(title, content);
    const auto print = now ? print_of(now->title.print, now->content.print) : std::nullopt;
    if (old_print == print) return;
    if (old_print) index.erase(*old_print, document);
    if (print) index.insert(*print, document);
  });
  index.commit(last.number());
}

void service::decide_all(std::vector<task>& group) {
  std::vector<std::vector<answer>> answers(group.size());
  bool are_given = false;
  const auto give = [&] {
    are_given = true;
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = 0; j < answers[i].size(); ++j) {
        const step by = answers[i][j].by;
        ++counts_.articles[static_cast<std::size_t>(by)];
        if (by == step::none || by == step::nid) continue;
        latest_.emplace_front(group[i].items[j].arrived.nid, by);
        if (latest_.size() > max_latest) latest_.pop_back();
      }
    }
    for (std::size_t i = 0; i < group.size(); ++i) group[i].answers.set_value(std::move(answers[i]));
  };
  try {
    in_transaction([&] {
      std::vector<const query_group*> titles;
      std::vector<const query_group*> bodies;
      std::vector<std::string_view> nids;
      std::vector<std::string_view> urls;
      for (const task& work : group) {
        titles.push_back(&work.titles);
        bodies.push_back(&work.bodies);
        for (const item& incoming : work.items) {
          nids.push_back(incoming.arrived.nid);
          if (options_.by_url) urls.push_back(incoming.arrived.url);
        }
      }
      map_.prepare(nids, urls);
      titles_.prepare(titles);
      bodies_.prepare(bodies);
      std::size_t query = 0;
      for (std::size_t i = 0; i < group.size(); ++i) {
        for (item& incoming : group[i].items) answers[i].push_back(decide(incoming, query++));
      }
      if (!options_.answers_early) return;
      titles_.confirm();
      bodies_.confirm();
      give();
    });
  } catch (const unstorable&) {
    if (are_given) return;
    if (group.size() > 1) {
      // Each request is decided alone, so that a failed request does not affect the others.
      for (task& work : group) {
        std::vector<task> alone;
        alone.push_back(std::move(work));
        decide_all(alone);
      }
      return;
    }
    group.front().answers.set_exception(std::current_exception());
    return;
  } catch (...) {
    if (are_given) return;
    for (task& work : group) work.answers.set_exception(std::current_exception());
    return;
  }
  if (!are_given) give();
}

answer service::decide(item& incoming, std::size_t query) {
  const article& arrived = incoming.arrived;
  const auto found = find_document(incoming, query);
  if (!found) {
    const doc_number number = map_.next_number();
    const definition defined{name_of(incoming.title, incoming.content, number), incoming.title, incoming.content};
    const kept_article kept{arrived.heat, random_()};
    map_.add_document(number, defined, kept);
    kept_.put(number, kept.version, arrived.json);
    note_for_clues(number, std::move(incoming.all_pairs));
    changed_.push_back(number);
    features_.add(number, {incoming.title.features, content_sets_ ? feature_view() : incoming.content.features});
    if (content_sets_) content_sets_->insert_or_assign(incoming.content.features, number);
    if (kept_.is_local()) map_.add_pairs(number, pairs_of(incoming));
    map_.add(arrived.nid, arrived.url, number, {kept.heat, kept.version, digest_of(arrived)});
    if (incoming.title.print) titles_.insert(*incoming.title.print, number);
    if (options_.by_content && incoming.content.print) bodies_.insert(*incoming.content.print, number);
    const bool has_words = !incoming.title.features.empty() || !incoming.content.features.empty();
    return {defined.name, step::none, 0, std::nullopt, has_words};
  }
  auto [number, result] = *found;
  update(incoming, number, result.by);
  result.name = map_.name_of(number).value();
  return result;
}

/// Stores an article of a document, unless it is stored already. The new article
/// becomes the kept article if the new article is hotter. An equally hot article becomes the kept article only if it
/// is a new version of the kept article, or was found by the kept article's url.
void service::update(item& incoming, doc_number document, step by) {
  const article& arrived = incoming.arrived;
  const kept_article kept = map_.kept_of(document).value();
  const stored_article now{arrived.heat, random_(), digest_of(arrived)};
  const bool is_known = by == step::nid;
  const auto before = is_known ? std::optional(map_.stored_of(arrived.nid)) : std::nullopt;
  if (before && before->digest == now.digest) return;
  const bool was_kept = before && is_kept(*before, document);
  const bool will_be_kept =
      arrived.heat > kept.heat ||
      (arrived.heat == kept.heat && (was_kept || (by == step::url && kept_url(document, kept) == arrived.url)));
  if (is_known || by == step::url) redefine_if_first(incoming, document);
  if (was_kept || will_be_kept) store_pairs(document);
  if (before) kept_.erase(document, before->version);
  kept_.put(document, now.version, arrived.json);
  if (is_known) {
    map_.update(arrived.nid, now);
  } else {
    map_.add(arrived.nid, arrived.url, document, now);
  }
  if (will_be_kept) {
    map_.set_kept(document, {now.heat, now.version});
    note_for_clues(document, std::move(incoming.all_pairs));
  } else if (was_kept) {
    keep_hottest(document);
    note_for_clues(document);
  }
}

/// Redefines a document by `incoming` if `incoming` is a new version of the document's first article.
void service::redefine_if_first(item& incoming, doc_number document) {
  const known_article first = map_.first_of(document);
  if (first.nid == incoming.arrived.nid || first.url == incoming.arrived.url) redefine(incoming, document);
}

/// After the first article of a document was erased, redefines the document by its new first article. Does nothing if
/// the content of that article is unknown, because another service has stored it.
void service::redefine_by_next(doc_number document) {
  const known_article first = map_.first_of(document);
  const auto json = kept_.get(document, first.stored.version);
  if (!json) return;
  item next = described(article_of(parse_json(*json)));
  redefine(next, document);
}

void service::redefine(item& incoming, doc_number document) {
  const definition old = map_.definition_of(document).value();
  if (old.title == incoming.title && old.content == incoming.content) return;
  const auto move = [&](fingerprint_index& index, const auto& from, const auto& to) {
    if (from == to) return;
    if (from) index.erase(*from, document);
    if (to) index.insert(*to, document);
  };
  move(titles_, old.title.print, incoming.title.print);
  if (options_.by_content) move(bodies_, old.content.print, incoming.content.print);
  map_.redefine(document, old, {old.name, incoming.title, incoming.content}, pairs_of(incoming));
  changed_.push_back(document);
  features_.forget(document);
  pairs_.forget(document);
  if (content_sets_) content_sets_->insert_or_assign(incoming.content.features, document);
}

/// Stores the pairs of a document's first article, unless they are stored, before that article is erased or replaced.
void service::store_pairs(doc_number document) {
  if (map_.pairs_of(document)) return;
  if (const auto pairs = pairs_of(document)) map_.add_pairs(document, {pairs->begin(), pairs->end()});
}

bool service::is_kept(const stored_article& stored, doc_number document) {
  return stored.version == map_.kept_of(document).value().version;
}

std::optional<std::string> service::kept_url(doc_number document, const kept_article& kept) {
  if (const auto json = kept_.get(document, kept.version)) return parse_json(*json).at("url").get<std::string>();
  // The kept article is in another service's store, so its url is looked up among all articles, which is slower.
  for (known_article& one : map_.articles_of(document)) {
    if (one.stored.version == kept.version) return std::move(one.url);
  }
  return std::nullopt;
}

/// Makes the hottest article of a document its kept article, after the kept article was erased or has cooled down.
void service::keep_hottest(doc_number document) {
  const stored_article best = map_.hottest_of(document).stored;
  store_pairs(document);
  map_.set_kept(document, {best.heat, best.version});
}

std::optional<std::pair<doc_number, answer>> service::find_document(item& incoming, std::size_t query) {
  const auto plain = [](doc_number document, step by) {
    return std::pair{document, answer{{}, by, std::nullopt, std::nullopt}};
  };
  if (const auto document = map_.document_of_nid(incoming.arrived.nid)) return plain(*document, step::nid);
  if (options_.by_url) {
    if (const auto document = map_.document_of_url(incoming.arrived.url)) return plain(*document, step::url);
  }
  if (incoming.title.print) {
    if (const auto found = nearest(step::title, incoming, query)) return found;
  }
  if (!options_.by_content || !incoming.content.print) return std::nullopt;
  return content_sets_ ? most_similar(incoming) : nearest(step::content, incoming, query);
}

std::optional<service::features_in_memory::views> service::features_of(doc_number document) {
  ++counts_.checks;
  auto found = features_.find(document);
  if (!found) {
    ++counts_.checks_read;
    const auto read = map_.definition_of(document);
    if (!read) return std::nullopt;
    found = features_.add(document, {read->title.features, content_sets_ ? feature_view() : read->content.features});
  }
  if (content_sets_) found->back() = content_sets_->find(document).value_or(feature_view());
  return found;
}

const feature_set& service::pairs_of(item& incoming) {
  if (!incoming.pairs) incoming.pairs = describe_.pairs(incoming.arrived.content);
  return *incoming.pairs;
}

/// Returns the pairs of words of the content that defines a document. If the mapping does not have them, they are
/// computed from the kept article, which is then the first article.
/// Returns: nullopt if the kept article is in another service's store.
std::optional<feature_view> service::pairs_of(doc_number document) {
  if (const auto found = pairs_.find(document)) return found->front();
  auto read = map_.pairs_of(document);
  if (!read) {
    const auto kept = map_.kept_of(document);
    const auto article = kept ? kept_.get(document, kept->version) : std::nullopt;
    if (!article) return std::nullopt;
    read = describe_.pairs(parse_json(*article).at("content").get_ref<const std::string&>());
  }
  return pairs_.add(document, {*read}).front();
}

/// Returns true if the contents of `incoming` and `document` have pairs of words with a similarity of at least `least`.
/// `content` has the features of the document's content.
bool service::confirms(double least, item& incoming, doc_number document, feature_view content) {
  if (least == 0) return true;
  if (const auto pairs = pairs_of(document)) return have_similar_pairs(pairs_of(incoming), *pairs, least);
  // The document's pairs of words are unknown, so the similarity of the features decides.
  ++counts_.checks_without_pairs;
  return neardup::jaccard_at_least(feature_view(incoming.content.features), content, std::max(least, 0.5)).has_value();
}

/// Returns the original of an article among the candidates of an index of fingerprints (rule: dedup/rule.hpp).
std::optional<std::pair<doc_number, answer>> service::nearest(step by, item& incoming, std::size_t query) {
  const bool is_title = by == step::title;
  const rule& limits = is_title ? options_.title : options_.content;
  const double min_pairs = is_title ? options_.title_content : options_.content_pairs();
  const description& own = is_title ? incoming.title : incoming.content;
  neardup::original_choice<doc_number, doc_number> best;  // docIds ascend in the order of decision
  const auto judge = [&](doc_number document) -> neardup::check_result {
    if (limits.similarity == 0 && min_pairs == 0) return {true, std::nullopt};
    const auto features = features_of(document);
    if (!features) return {false, std::nullopt};
    const auto& [title, content] = *features;
    const neardup::verdict<doc_number>& so_far = best.result();
    const double least = so_far.similarity.value_or(limits.similarity);
    const feature_view own_features(own.features), other = is_title ? title : content;
    const std::optional<double> similarity = least == 0 ? neardup::jaccard_similarity(own_features, other)
                                                        : neardup::jaccard_at_least(own_features, other, least);
    // Skips the most expensive work, the confirmation, for a candidate that cannot become the original.
    if (!similarity || (so_far.similarity && *similarity == least && document > *so_far.original)) {
      return {false, similarity};
    }
    return {confirms(min_pairs, incoming, document, content), similarity};
  };
  const std::vector<candidate> candidates = (is_title ? titles_ : bodies_).near(query);
  for (const int part : {0, 1}) {
    for (const candidate& one : candidates) features_.prefetch(one.document, part);
  }
  std::size_t left = options_.most_candidates(false);
  for (const auto& [document, distance] : candidates) {
    if (!map_.has(document)) continue;  // erased, but still in the index
    if (left-- == 0) break;
    best.consider(document, document, distance, judge(document));
    if (best.is_final()) break;  // candidates are sorted by distance, then by docId
  }
  const neardup::verdict<doc_number>& found = best.result();
  if (found.is_new()) return std::nullopt;
  return std::pair{*found.original, answer{{}, by, found.distance, found.similarity}};
}

/// Returns the document with the content that is most similar to the incoming content, among the documents that
/// confirms() accepts. Of several equally similar documents, the function returns the oldest.
std::optional<std::pair<doc_number, answer>> service::most_similar(item& incoming) {
  std::vector<content_index::match_type> matches;
  content_sets_->for_each_match(incoming.content.features, std::nullopt, scratch_, [&](const auto& match) {
    if (map_.has(match.id)) matches.push_back(match);  // otherwise another service has erased it
  });
  std::sort(matches.begin(), matches.end());  // by similarity, then by docId
  matches.resize(std::min(matches.size(), options_.most_candidates(true)));
  for (const auto& [document, common, similarity] : matches) {
    ++counts_.checks;
    if (!confirms(options_.content_pairs(), incoming, document, *content_sets_->find(document))) continue;
    return std::pair{document, answer{{}, step::content, std::nullopt, similarity}};
  }
  return std::nullopt;
}

}  // namespace docid
