// C++20: options by their names.
#include "check.hpp"
#include "tn_compactor.hpp"

namespace {

TEST(options_may_be_named_in_place) {
  const tn::options options{.max_tokens = 8000, .keep_tail = 2000, .flush_to_memory = true, .split = tn::split::turns};
  REQUIRE_EQUAL(options.to_json(), R"({"max_tokens":8000,"keep_tail":2000,"flush_to_memory":true,"split":"turns"})");
  const tn::compactor compactor{{.max_tokens = 40, .keep_tail = 0}};
  REQUIRE(compactor.plan("[]").outcome() == tn::outcome::under_budget);
}

} // namespace
