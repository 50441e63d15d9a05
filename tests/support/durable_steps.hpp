// Checks of what is durable, step by step: after failing calls of the system and power failures, a file with its log has
// what was acknowledged, and nothing else.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "faulty_files.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "temporary_folder.hpp"

namespace support {

/// Steps of changes to something durable, which lies in the file "d" of a folder and its log "d.log".
template <class Durable>
struct durable_steps {
  std::vector<std::function<void(Durable&)>> steps;
  /// The observable state, as text.
  std::function<std::string(const Durable&)> state_of;
  /// Opens a file, or makes it; by these operations of the system if they are given.
  std::function<std::unique_ptr<Durable>(const std::string& path, faulty_files*)> open;

  [[nodiscard]] std::string state_in(const temporary_folder& folder) const {
    return state_of(*open(folder / "d", nullptr));
  }

  /// The states before the first step and after each step.
  [[nodiscard]] std::vector<std::string> states() const {
    const temporary_folder folder;
    std::vector<std::string> result;
    const auto d = open(folder / "d", nullptr);
    result.push_back(state_of(*d));
    for (const auto& step : steps) {
      step(*d);
      result.push_back(state_of(*d));
    }
    return result;
  }

  /// Whether a state is that after `done` steps or, if the next one may be there, after one more.
  [[nodiscard]] static bool is_acknowledged(const std::string& found, const std::vector<std::string>& expected,
                                            std::size_t done, bool next_may_be_there) {
    const bool is_next = done + 1 < expected.size() && found == expected[done + 1];
    return found == expected[done] || (next_may_be_there && is_next);
  }

  /// Each call of the system fails in turn, once or for good; the program ends at the first error.
  void check_failing_calls() const {
    const std::vector<std::string> expected = states();
    std::size_t failed = 0, noticed = 0, ahead = 0;
    for (const bool for_good : {false, true}) {
      for (std::size_t call = 1;; ++call) {
        const temporary_folder folder;
        faulty_files files;
        files.failing_call = call;
        files.fails_for_good = for_good;
        std::size_t done = 0;
        try {
          const auto d = open(folder / "d", &files);
          for (; done < steps.size(); ++done) {
            steps[done](*d);
            REQUIRE(state_of(*d) == expected[done + 1]);
          }
        } catch (const std::runtime_error&) {
          ++noticed;
        }
        CAPTURE(call, for_good, done);
        const std::string found = state_in(folder);
        REQUIRE(is_acknowledged(found, expected, done, for_good));
        ahead += found != expected[done] ? 1 : 0;
        if (files.failures == 0) break;
        ++failed;
      }
    }
    std::printf("%zu failed calls, %zu noticed, after %zu the step under way was there\n", failed, noticed, ahead);
    CHECK(failed > 100);
  }

  /// Each call of the system fails once in turn; the program goes on.
  void check_single_failures() const {
    const std::vector<std::string> expected = states();
    for (std::size_t call = 1;; ++call) {
      const temporary_folder folder;
      faulty_files files;
      const auto d = open(folder / "d", &files);
      files.failing_call = files.calls + call;
      std::size_t failures = 0;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        try {
          steps[i](*d);
        } catch (const std::runtime_error&) {
          ++failures;
          REQUIRE(state_of(*d) == expected[i]);
          // Only after a failed save does a step need another save.
          try {
            steps[i](*d);
          } catch (const std::runtime_error&) {
            d->save();
            steps[i](*d);
          }
        }
        REQUIRE(state_of(*d) == expected[i + 1]);
      }
      REQUIRE(failures <= 1);
      const temporary_folder copied;  // the first folder is locked
      for (const char* const name : {"d", "d.log"}) std::filesystem::copy_file(folder / name, copied / name);
      REQUIRE(state_in(copied) == expected.back());
      if (files.failures == 0) break;
    }
  }

  /// The power fails at each call of the system in turn, and writes that were not synced are there, or not, or in part.
  void check_power_failures() const {
    const std::vector<std::string> expected = states();
    const temporary_folder folder;
    faulty_files files;
    files.keeps_states = true;
    std::vector<std::size_t> acknowledged;  // the number of acknowledged steps for each state of the disk
    {
      const auto d = open(folder / "d", &files);
      acknowledged.resize(files.states.size() - 1, 0);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        acknowledged.push_back(i);
        steps[i](*d);
        acknowledged.resize(files.states.size() - 1, i);
      }
      acknowledged.push_back(steps.size());
      acknowledged.resize(files.states.size(), steps.size());
    }
    oracle::random_engine random(2);
    std::size_t tried = 0, ahead = 0;
    for (std::size_t at = 0; at < acknowledged.size(); ++at) {
      for (std::size_t i = 0; i < oracle::effort(20, 4); ++i) {
        using loss = simulated_disk::loss;
        const auto left = files.states[at].after(i == 0 ? loss::all : i == 1 ? loss::nothing : loss::some, random);
        const temporary_folder restarted;
        for (const auto& [name, content] : left) write_bytes(restarted / name, content);
        const std::string found = state_in(restarted);
        const std::size_t done = acknowledged[at];
        CAPTURE(at, i, done);
        REQUIRE(is_acknowledged(found, expected, done, true));
        ++tried;
        ahead += found != expected[done] ? 1 : 0;
      }
    }
    std::printf("%zu power failures, after %zu the step under way was there\n", tried, ahead);
    CHECK(ahead > 0);
  }
};

}  // namespace support
