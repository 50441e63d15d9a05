// A const simhasher is thread-safe.
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"

namespace {

template <class Simhasher>
void require_same_from_threads(const Simhasher& hash) {
  oracle::random_texts random(12);
  std::vector<std::string> texts;
  std::vector<std::optional<typename Simhasher::fingerprint_type>> expected;
  for (int i = 0; i < 40; ++i) {
    texts.push_back(random.next(60));
    expected.push_back(hash(texts.back()));
  }
  std::atomic<std::size_t> same = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      typename Simhasher::workspace scratch;  // one for each thread
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t at = (i + 10 * t) % texts.size();
        const bool right = hash(texts[at]) == expected[at] && hash(texts[at], scratch) == expected[at] &&
                           hash(hash.bag(texts[at])) == expected[at];
        same += right ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(same == 4 * texts.size());
}

}  // namespace

TEST_CASE("a const simhasher gives the same from many threads", "[threads]") {
  using namespace neardup;
  idf_learner learner;
  learner.add(words{}, "a b c a \u4e2d");
  learner.add(words{}, "a b");
  require_same_from_threads(default_simhasher<>{});
  require_same_from_threads(simhasher{normalised{code_point_ngrams{2}}, tf{}, xxh3<128>{}});
  require_same_from_threads(simhasher{words{}, idf{learner.table()}});
  require_same_from_threads(simhasher{words{}, top{5, levels{3, tf_idf{learner.table()}}}});
}
