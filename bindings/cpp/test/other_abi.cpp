// A program that was compiled for another interface than the library speaks.
#include "tn_compactor.h"
#undef TN_ABI_VERSION
#define TN_ABI_VERSION 4711

#include "check.hpp"
#include "tn_compactor.hpp"

namespace {

TEST(a_library_that_does_not_fit_the_header_is_refused) {
  for (const tn::error &error :
       {THROWN(tn::error, tn::compactor(tn::options{1})), THROWN(tn::error, tn::compactor::from_json("{\"max_tokens\":1}")),
        THROWN(tn::error, tn::estimate_tokens("[]"))}) {
    REQUIRE(error.status() == tn::status::internal);
    REQUIRE(std::string_view(error.what()).find("interface 4711") != std::string_view::npos);
  }
}

} // namespace
