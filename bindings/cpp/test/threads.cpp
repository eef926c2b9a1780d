// One compactor and one plan, used by many threads at once.
#include "check.hpp"
#include "generate.hpp"
#include "tn_compactor.hpp"

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int threads = 16;

// Runs `work(i)` on so many threads, which start together, and throws what one of them threw.
template <class Work> void together(Work work) {
  std::promise<void> start;
  const std::shared_future<void> started = start.get_future().share();
  std::vector<std::future<void>> running;
  for (int i = 0; i < threads; i++)
    running.push_back(std::async(std::launch::async, [=] {
      started.wait();
      work(i);
    }));
  start.set_value();
  for (auto &thread : running) thread.wait();
  for (auto &thread : running) thread.get();
}

TEST(many_threads_use_one_compactor) {
  const tn::compactor compactor(tn::options{4000});
  std::vector<std::string> transcripts, want;
  for (int i = 0; i < threads; i++) {
    transcripts.push_back(long_transcript(40'000, static_cast<std::uint64_t>(i)));
    want.push_back(compactor.apply(transcripts.back(), [&](tn::slice) { return "recap " + std::to_string(i); }).value());
  }
  together([&](int i) {
    const auto at = static_cast<std::size_t>(i);
    for (int round = 0; round < 50; round++) {
      const std::thread::id here = std::this_thread::get_id();
      const auto result = compactor.apply(
          transcripts[at],
          [&](tn::slice) {
            REQUIRE(std::this_thread::get_id() == here);
            return "recap " + std::to_string(i);
          },
          [&](tn::slice messages) {
            REQUIRE(std::this_thread::get_id() == here);
            return tn::estimate_tokens(messages);
          });
      REQUIRE(result == want[at]);
    }
  });
}

TEST(an_exception_on_one_thread_is_nothing_to_the_others) {
  const tn::compactor compactor(tn::options{4000});
  const std::string transcript = long_transcript(40'000, 1);
  const std::string want = compactor.apply(transcript, [](tn::slice) { return "recap"; }).value();
  std::atomic<int> caught = 0;
  together([&](int i) {
    for (int round = 0; round < 50; round++) {
      if (i % 2 == 0) {
        REQUIRE(compactor.apply(transcript, [](tn::slice) { return "recap"; }) == want);
        continue;
      }
      const std::string mine = "thread " + std::to_string(i) + ", round " + std::to_string(round);
      try {
        static_cast<void>(compactor.apply(transcript, [&](tn::slice) -> std::string { throw std::runtime_error(mine); }));
      } catch (const std::runtime_error &error) {
        REQUIRE_EQUAL(std::string(error.what()), mine);
        caught++;
      }
    }
  });
  REQUIRE_EQUAL(caught, threads / 2 * 50);
}

TEST(many_threads_use_one_plan_whose_text_none_has_asked_for) {
  const std::string transcript = long_transcript(200'000, 1);
  const tn::compactor compactor(tn::options{tn::estimate_tokens(transcript) / 2});
  for (int round = 0; round < 10; round++) {
    const tn::plan plan = compactor.plan(transcript);
    std::vector<const char *> older(threads);
    std::vector<std::string> results(threads);
    together([&](int i) {
      const auto at = static_cast<std::size_t>(i);
      older[at] = plan.older().json.data();
      results[at] = plan.finish("recap " + std::to_string(i)).value();
    });
    for (int i = 0; i < threads; i++) {
      REQUIRE(older[static_cast<std::size_t>(i)] == older[0]);
      REQUIRE(results[static_cast<std::size_t>(i)].find("recap " + std::to_string(i) + '"') != std::string::npos);
    }
  }
}

TEST(a_plan_is_made_on_one_thread_and_finished_on_another) {
  const std::string transcript = long_transcript(40'000, 1);
  const tn::compactor compactor(tn::options{4000});
  const std::string want = compactor.plan(transcript).finish("recap").value();
  tn::plan plan = std::async(std::launch::async, [&] { return compactor.plan(transcript); }).get();
  const std::string result =
      std::async(std::launch::async, [plan = std::move(plan)] { return plan.finish("recap").value(); }).get();
  REQUIRE_EQUAL(result, want);
}

} // namespace
