// Products of the parts of a deduplicator: forms (stream, disk, threads), kinds of fingerprints, checks and ids,
// against a list of the kept documents.
// The default tests have each pair of factor values, and print the table; with NEARDUP_ALL_PRODUCTS=1 the whole product
// is compiled.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/guarded.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/storage/deduplicator_file.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/temporary_folder.hpp"

namespace dedup_products {
namespace {

using namespace neardup;

constexpr stream_limits limits{.max_documents = 30, .max_age = 60, .duplicates_renew = true};

/// How two texts compare: whether they are comparable, the distance, whether both are short, whether they have equal
/// tokens, and the answer of the check.
struct comparer {
  std::function<bool(const std::string&)> is_comparable;
  std::function<int(const std::string&, const std::string&)> distance;
  std::function<bool(const std::string&)> is_short;
  std::function<bool(const std::string&, const std::string&)> are_same_tokens;
  std::function<check_result(const std::string& kept, const std::string& text)> check;
  int max_distance = 0;
  bool has_check = true;
};

/// The model: a list of documents, with which each new one is compared.
template <class Id>
class model {
 public:
  struct kept_text {
    Id id;
    std::string text;
    std::uint64_t serial, time;
  };

  model(comparer how, bool is_stream) : how_(std::move(how)), is_stream_(is_stream) {}

  verdict<Id> find(const std::string& text, const Id* but = nullptr) const {
    verdict<Id> best;
    best.is_comparable = how_.is_comparable(text);
    if (!best.is_comparable) return best;
    std::optional<std::tuple<double, std::uint64_t>> rank;
    for (const kept_text& kept : list_) {
      if (but != nullptr && kept.id == *but) continue;
      const int distance = how_.distance(kept.text, text);
      const bool any_short = how_.is_short(kept.text) || how_.is_short(text);
      const bool is_near = distance <= how_.max_distance && (how_.has_check || !any_short);
      const bool is_same = how_.is_short(text) && how_.are_same_tokens(kept.text, text);
      if (!is_near && !is_same) continue;
      const check_result found = how_.check(kept.text, text);
      if (!found.accepts) continue;
      const std::tuple own(-found.similarity.value_or(-distance), kept.serial);
      if (rank && *rank < own) continue;
      rank = own;
      best.original = kept.id;
      best.distance = distance;
      best.similarity = found.similarity;
    }
    return best;
  }

  void expire(std::uint64_t now) {
    if (!is_stream_) return;
    while (!list_.empty() && now - list_.front().time > limits.max_age) list_.erase(list_.begin());
  }
  verdict<Id> add(const std::string& text, const Id& id, std::uint64_t now) {
    return add_batch({text}, {id}, now).front();
  }
  verdict<Id> replace(const std::string& text, const Id& id, std::uint64_t now) {
    expire(now);
    const verdict<Id> found = find(text, &id);
    erase(id);
    take(text, id, now, found);
    finish({found}, now);
    return found;
  }
  std::vector<verdict<Id>> add_batch(const std::vector<std::string>& texts, const std::vector<Id>& ids,
                                     std::uint64_t now) {
    expire(now);
    std::vector<verdict<Id>> all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      all.push_back(find(texts[i]));
      take(texts[i], ids[i], now, all.back());
    }
    finish(all, now);
    return all;
  }
  bool erase(const Id& id) {
    return std::erase_if(list_, [&](const kept_text& kept) { return kept.id == id; }) > 0;
  }
  bool contains(const Id& id) const {
    return std::any_of(list_.begin(), list_.end(), [&](const kept_text& kept) { return kept.id == id; });
  }
  std::size_t size() const { return list_.size(); }
  const std::vector<kept_text>& list() const { return list_; }

 private:
  void take(const std::string& text, const Id& id, std::uint64_t now, const verdict<Id>& found) {
    if (found.is_new() && found.is_comparable) list_.push_back({id, text, added_, is_stream_ ? now : 0});
    ++added_;
  }
  void finish(const std::vector<verdict<Id>>& all, std::uint64_t now) {
    if (!is_stream_) return;
    for (const verdict<Id>& found : all) {
      if (!found.original) continue;
      const auto original =
          std::find_if(list_.begin(), list_.end(), [&](const kept_text& kept) { return kept.id == *found.original; });
      original->time = now;
      std::rotate(original, original + 1, list_.end());
    }
    while (list_.size() > limits.max_documents) list_.erase(list_.begin());
  }

  comparer how_;
  bool is_stream_;
  std::vector<kept_text> list_;
  std::uint64_t added_ = 0;
};

/// The interface under which the test calls a deduplicator of any form.
template <class Id>
struct subject {
  std::function<verdict<Id>(const std::string&, const Id&, std::uint64_t)> add, replace;
  std::function<std::vector<verdict<Id>>(const std::vector<std::string>&, const std::vector<Id>&, std::uint64_t)>
      add_batch;
  std::function<verdict<Id>(const std::string&)> find;
  std::function<bool(const Id&)> erase, contains;
  std::function<std::vector<std::tuple<Id, std::uint64_t, std::uint64_t>>()> kept;  // id, serial, time
  std::function<void()> reopen;                                                     // if it is on the disk
};

template <class Id>
Id id_of(std::size_t i) {
  if constexpr (std::is_same_v<Id, std::string>) {
    return "https://example.org/" + std::to_string(i);
  } else {
    return static_cast<Id>(i);
  }
}

std::vector<std::string> texts_of(std::mt19937_64& random, std::size_t count) {
  static std::vector<std::string> earlier{"a"};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    if (random() % 3 == 0) {
      for (auto words = random() % 5 == 0 ? random() % 4 : 6 + random() % 20; words > 0; --words)
        text += "w" + std::to_string(random() % 300) + " ";
    } else {
      text = earlier[random() % earlier.size()];
      if (random() % 2 == 0) text += "w" + std::to_string(random() % 300) + " ";
    }
    texts.push_back(text);
    if (earlier.size() < 40) {
      earlier.push_back(text);
    } else {
      earlier[random() % 40] = text;
    }
  }
  return texts;
}

template <class Id>
void compare(const subject<Id>& tested, model<Id> plain, bool is_stream, std::uint64_t seed) {
  oracle::random_engine random(seed);
  std::uint64_t now = 0;
  std::size_t next = 0, duplicates = 0;
  const std::size_t steps = oracle::effort(300, 60);
  for (std::size_t step = 0; step < steps; ++step) {
    if (is_stream) now += random() % 8;
    const std::string text = texts_of(random, 1).front();
    switch (random() % 8) {
      case 0: {
        const std::vector<std::string> texts = texts_of(random, random() % 12);
        std::vector<Id> ids;
        for (std::size_t i = 0; i < texts.size(); ++i) ids.push_back(id_of<Id>(next++));
        const auto expected = plain.add_batch(texts, ids, now);
        REQUIRE(tested.add_batch(texts, ids, now) == expected);
        for (const verdict<Id>& one : expected) duplicates += one.is_new() ? 0 : 1;
        break;
      }
      case 1: {
        const std::size_t number = random() % (next + 1);
        const Id id = id_of<Id>(number);
        if (number == next) ++next;
        REQUIRE(tested.replace(text, id, now) == plain.replace(text, id, now));
        break;
      }
      case 2: {
        const Id id = id_of<Id>(random() % (next + 1));
        REQUIRE(tested.contains(id) == plain.contains(id));
        REQUIRE(tested.erase(id) == plain.erase(id));
        break;
      }
      case 3:
        if (tested.reopen) tested.reopen();
        break;
      default: {
        const verdict<Id> expected = plain.add(text, id_of<Id>(next), now);
        REQUIRE(tested.add(text, id_of<Id>(next++), now) == expected);
        duplicates += expected.is_new() ? 0 : 1;
      }
    }
    const std::string other = texts_of(random, 1).front();
    REQUIRE(tested.find(other) == plain.find(other));
    const auto kept = tested.kept();
    REQUIRE(kept.size() == plain.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& wanted = plain.list()[i];
      REQUIRE(kept[i] == std::tuple(wanted.id, wanted.serial, wanted.time));
    }
    if (random() % 4 != 0) continue;
    if (plain.list().empty() || (is_stream && now - plain.list().back().time > limits.max_age)) continue;
    plain.expire(now);  // every addition expires first
    const Id id = plain.list().back().id;
    CHECK_THROWS_AS(tested.add("anything", id, now), std::invalid_argument);
  }
  CHECK(duplicates > 2);
}

enum class check_kind { features, callable, capturing, none };
constexpr const char* check_names[] = {"features", "callable", "lambda", "no_check"};

/// Texts that the caller's check looks up by id.
template <class Id>
std::vector<std::pair<Id, std::string>>& texts_by_id() {
  static std::vector<std::pair<Id, std::string>> texts;
  return texts;
}
template <class Id>
const std::string& text_of_id(const Id& id) {
  const auto& texts = texts_by_id<Id>();
  return std::find_if(texts.rbegin(), texts.rend(), [&](const auto& one) { return one.first == id; })->second;
}

/// Removes the last recorded text again, unless the addition succeeded.
template <class Id>
struct undo_text {
  bool is_due = true;
  ~undo_text() {
    if (is_due) texts_by_id<Id>().pop_back();
  }
};

double share_of_length(std::string_view a, std::string_view b) {
  return a.empty() || b.empty()
             ? 0
             : static_cast<double>(std::min(a.size(), b.size())) / static_cast<double>(std::max(a.size(), b.size()));
}

struct by_length {
  template <class Id>
  double operator()(const Id& id, std::string_view text) const {
    return share_of_length(text_of_id<Id>(id), text);
  }
};

template <class Hash, check_kind Check, class Id>
auto make_plain(const Hash& hash) {
  constexpr int distance = 12;
  if constexpr (Check == check_kind::features) {
    return make_fingerprint_deduplicator<Id>(hash, jaccard{0.7}, {.distance = distance});
  } else if constexpr (Check == check_kind::callable) {
    return make_fingerprint_deduplicator<Id>(hash, at_least{0.7, by_length{}}, bits{distance});
  } else if constexpr (Check == check_kind::capturing) {
    const double least = 0.5;
    return make_fingerprint_deduplicator<Id>(
        hash,
        [least](const Id& id, std::string_view text) { return share_of_length(text_of_id<Id>(id), text) >= least; },
        bits{distance});
  } else {
    return make_fingerprint_deduplicator<Id>(hash, bits{distance});
  }
}

template <class Hash>
comparer comparer_of(const Hash& hash, check_kind check) {
  comparer how;
  how.max_distance = 12;
  how.has_check = check != check_kind::none;
  how.is_comparable = [=](const std::string& text) { return hash(text).has_value(); };
  how.distance = [=](const std::string& a, const std::string& b) { return hamming_distance(*hash(a), *hash(b)); };
  how.is_short = [=](const std::string& text) { return hash.features(text).size() < default_min_tokens; };
  how.are_same_tokens = [=](const std::string& a, const std::string& b) {
    return hash.features(a) == hash.features(b);
  };
  how.check = [=](const std::string& kept, const std::string& text) -> check_result {
    switch (check) {
      case check_kind::features: {
        const double similarity = jaccard_similarity(hash.features(kept), hash.features(text));
        return {similarity >= 0.7, similarity};
      }
      case check_kind::callable: {
        const double similarity = share_of_length(kept, text);
        return {similarity >= 0.7, similarity};
      }
      case check_kind::capturing: return {share_of_length(kept, text) >= 0.5, std::nullopt};
      case check_kind::none: break;
    }
    return {true, std::nullopt};
  };
  return how;
}

/// The forms: the classes around a deduplicator.
template <bool InStream, bool OnDisk, bool ForThreads, class Plain>
struct form {
  using bounded = typename std::conditional_t<InStream, std::type_identity<stream_deduplicator<Plain>>,
                                              std::type_identity<Plain>>::type;
  static auto lasting_type() {
    if constexpr (OnDisk) {
      return std::type_identity<durable_deduplicator<bounded>>();
    } else {
      return std::type_identity<bounded>();
    }
  }
  using lasting = typename decltype(lasting_type())::type;
  static auto whole_type() {
    if constexpr (ForThreads) {
      return std::type_identity<guarded<lasting>>();
    } else {
      return std::type_identity<lasting>();
    }
  }
  using type = typename decltype(whole_type())::type;
};

template <bool InStream, bool OnDisk, bool ForThreads, class Hash, check_kind Check, class Id>
void check_product(const Hash& hash) {
  using plain = decltype(make_plain<Hash, Check, Id>(hash));
  using made = form<InStream, OnDisk, ForThreads, plain>;
  std::printf("%-6s %-7s %-7s  %-7s  %-8s  %s\n", InStream ? "stream" : "", OnDisk ? "durable" : "",
              ForThreads ? "guarded" : "",
              Hash::fingerprint_type::kind == fingerprint_kind::minwise ? "minwise" : "simhash",
              check_names[static_cast<int>(Check)], std::is_same_v<Id, std::string> ? "string" : "uint32");
  const support::temporary_folder folder;
  std::unique_ptr<typename made::type> tested;
  const auto open = [&] {
    tested.reset();
    const auto bounded = [&] {
      if constexpr (InStream) {
        return stream_deduplicator<plain>(make_plain<Hash, Check, Id>(hash), limits);
      } else {
        return make_plain<Hash, Check, Id>(hash);
      }
    };
    if constexpr (OnDisk) {
      tested =
          std::make_unique<typename made::type>(folder / "d", bounded(), fingerprint_composition{.tokenizer = "any"});
    } else {
      tested = std::make_unique<typename made::type>(bounded());
    }
  };
  open();
  texts_by_id<Id>().clear();
  subject<Id> calls;
  const auto with_time = [](const auto& call, [[maybe_unused]] std::uint64_t now) {
    if constexpr (InStream) {
      return call(now);
    } else {
      return call();
    }
  };
  calls.add = [&](const std::string& text, const Id& id, std::uint64_t now) {
    texts_by_id<Id>().emplace_back(id, text);
    undo_text<Id> recording;
    const auto found = with_time([&](auto... when) { return tested->add(text, id, when...); }, now);
    recording.is_due = false;
    return found;
  };
  calls.replace = [&](const std::string& text, const Id& id, std::uint64_t now) {
    const auto found = with_time([&](auto... when) { return tested->replace(text, id, when...); }, now);
    texts_by_id<Id>().emplace_back(id, text);
    return found;
  };
  calls.add_batch = [&](const std::vector<std::string>& texts, const std::vector<Id>& ids, std::uint64_t now) {
    for (std::size_t i = 0; i < ids.size(); ++i) texts_by_id<Id>().emplace_back(ids[i], texts[i]);
    if constexpr (InStream) {
      return tested->add_batch(texts, ids, {}, now);
    } else {
      return tested->add_batch(texts, ids);
    }
  };
  calls.find = [&](const std::string& text) { return tested->find(text); };
  calls.erase = [&](const Id& id) { return tested->erase(id); };
  calls.contains = [&](const Id& id) { return tested->contains(id); };
  calls.kept = [&] {
    std::vector<std::tuple<Id, std::uint64_t, std::uint64_t>> kept;
    tested->for_each_kept([&](const auto& one) { kept.emplace_back(one.id, one.serial, one.time); });
    return kept;
  };
  if constexpr (OnDisk) calls.reopen = open;
  const std::uint64_t seed = 4 * InStream + 2 * OnDisk + ForThreads + 8 * static_cast<std::uint64_t>(Check);
  compare(calls, model<Id>(comparer_of(hash, Check), InStream), InStream, seed);
}

#if defined(NEARDUP_ALL_PRODUCTS)
template <bool InStream, bool OnDisk, bool ForThreads, class Hash, class Id>
void check_all_checks(const Hash& hash) {
  check_product<InStream, OnDisk, ForThreads, Hash, check_kind::features, Id>(hash);
  check_product<InStream, OnDisk, ForThreads, Hash, check_kind::callable, Id>(hash);
  check_product<InStream, OnDisk, ForThreads, Hash, check_kind::capturing, Id>(hash);
  check_product<InStream, OnDisk, ForThreads, Hash, check_kind::none, Id>(hash);
}
template <class Hash, class Id>
void check_all_forms(const Hash& hash) {
  check_all_checks<false, false, false, Hash, Id>(hash);
  check_all_checks<true, false, false, Hash, Id>(hash);
  check_all_checks<false, true, false, Hash, Id>(hash);
  check_all_checks<true, true, false, Hash, Id>(hash);
  check_all_checks<false, false, true, Hash, Id>(hash);
  check_all_checks<true, false, true, Hash, Id>(hash);
  check_all_checks<false, true, true, Hash, Id>(hash);
  check_all_checks<true, true, true, Hash, Id>(hash);
}
#endif

}  // namespace

TEST_CASE("deduplicators of every form, kind, check and id decide as a list does") {
  using votes = simhasher<words>;
  using minima = minwise_hasher<words>;
  // All forms; each pair of values of stream, disk, threads, kind, check and id at least once.
  check_product<false, false, false, minima, check_kind::features, std::string>(minima{});
  check_product<true, false, false, minima, check_kind::callable, std::string>(minima{});
  check_product<false, true, false, minima, check_kind::none, std::uint32_t>(minima{});
  check_product<true, true, false, votes, check_kind::capturing, std::string>(votes{});
  check_product<false, false, true, minima, check_kind::capturing, std::uint32_t>(minima{});
  check_product<true, false, true, votes, check_kind::none, std::string>(votes{});
  check_product<false, true, true, votes, check_kind::callable, std::string>(votes{});
  check_product<true, true, true, votes, check_kind::features, std::uint32_t>(votes{});
  check_product<false, true, false, votes, check_kind::callable, std::uint32_t>(votes{});
#if defined(NEARDUP_ALL_PRODUCTS)
  check_all_forms<votes, std::uint32_t>(votes{});
  check_all_forms<votes, std::string>(votes{});
  check_all_forms<minima, std::uint32_t>(minima{});
  check_all_forms<minima, std::string>(minima{});
#endif
}

}  // namespace dedup_products
