// Memory, without sanitizers, whose own bookkeeping would be in the way: what is allocated, and that nothing grows.
#include "check.hpp"
#include "generate.hpp"
#include "tn_compactor.hpp"

#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <string>

namespace {

std::size_t allocations = 0; // by C++, which leaves out the library's own

} // namespace

void *operator new(std::size_t size) {
  allocations++;
  if (void *memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr int often = 10'000;

const std::string transcript = long_transcript(12'000, 1);
const std::uint64_t tokens = tn::estimate_tokens(transcript);

std::size_t in_use() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

std::size_t resident() {
  std::size_t pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return resident_pages * 4096;
}

// Runs `once` ten thousand times: if it lost a single byte each time, or kept it, more would be in use than the allocator's own
// lists make up for.
template <class Call> void does_not_grow(Call once) {
  for (int i = 0; i < often / 10; i++) once();
  const std::size_t size = resident(), used = in_use();
  for (int i = 0; i < often; i++) once();
  if (in_use() > used + 50'000)
    throw check::failure("from " + std::to_string(used) + " to " + std::to_string(in_use()) + " bytes are in use");
  if (resident() > size + 1'000'000)
    throw check::failure("the process grew from " + std::to_string(size) + " to " + std::to_string(resident()) + " bytes");
}

tn::compactor half() { return tn::compactor(tn::options{tokens / 2}); }
std::string recap(std::string_view) { return "a recap that is too long to be stored in place, as most of them are"; }

TEST(what_is_measured_is_what_is_allocated) {
  const std::size_t used = in_use(), counted = allocations;
  const std::string text(100'000, 'x');
  REQUIRE(in_use() >= used + 100'000);
  REQUIRE_EQUAL(allocations, counted + 1);
}

TEST(ten_thousand_compactions_do_not_grow_memory) {
  const tn::compactor compactor = half();
  does_not_grow([&] { REQUIRE(compactor.apply(transcript, recap)); });
}

TEST(ten_thousand_compactions_with_a_count_of_the_host_do_not_grow_memory) {
  const tn::compactor compactor = half();
  does_not_grow([&] { REQUIRE(compactor.apply(transcript, recap, [](tn::slice it) { return tn::estimate_tokens(it); })); });
}

TEST(ten_thousand_plans_do_not_grow_memory) {
  does_not_grow([&] {
    const tn::plan plan = half().plan(transcript);
    REQUIRE(plan.finish(recap(plan.older())));
    REQUIRE(!plan.splice(std::vector<int>(1000), 7).empty());
  });
}

TEST(ten_thousand_exceptions_do_not_grow_memory) {
  const tn::compactor compactor = half();
  int caught = 0;
  does_not_grow([&] {
    for (const bool counting : {false, true}) {
      try {
        static_cast<void>(compactor.apply(
            transcript, [](std::string_view older) -> std::string { throw std::runtime_error(std::string(older)); },
            [&](tn::slice it) {
              return counting && it.first > 0 ? throw std::runtime_error(std::string(it)) : tn::estimate_tokens(it);
            }));
      } catch (const std::runtime_error &) {
        caught++;
      }
    }
  });
  REQUIRE_EQUAL(caught, 2 * (often + often / 10));
}

TEST(ten_thousand_failures_do_not_grow_memory) {
  const tn::compactor compactor = half();
  does_not_grow([&] {
    THROWN(tn::error, compactor.apply(transcript, [](tn::slice) { return " "; }));
    THROWN(tn::error, compactor.plan(std::string_view(transcript).substr(0, 5000)));
    THROWN(tn::error, tn::compactor::from_json("{}"));
  });
}

TEST(under_budget_the_binding_allocates_nothing) {
  const tn::compactor compactor(tn::options{tokens});
  const auto summarize = [](std::string_view) { return "unused"; };
  const std::size_t before = allocations;
  REQUIRE(!compactor.apply(transcript, summarize));
  REQUIRE(!compactor.apply(transcript, summarize, [](tn::slice) { return 0; }));
  REQUIRE(compactor.plan(transcript).outcome() == tn::outcome::under_budget);
  REQUIRE(tn::estimate_tokens(transcript) == tokens);
  REQUIRE_EQUAL(allocations, before);
}

TEST(a_compaction_allocates_the_result_and_nothing_else) {
  const tn::compactor compactor = half();
  const std::size_t before = allocations;
  REQUIRE(compactor.apply(
      transcript, [](std::string_view) { return "a recap that is too long to be stored in place, but is a constant"; }));
  REQUIRE_EQUAL(allocations, before + 1);
}

} // namespace
