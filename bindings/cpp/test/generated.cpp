// Thousands of transcripts made up at random, each at several budgets, through every way to call.
#include "check.hpp"
#include "generate.hpp"
#include "promises.hpp"
#include "tn_compactor.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace {

constexpr std::uint64_t how_many = 5000;

TEST(generated_transcripts_keep_every_promise) {
  const std::array units = {tn::char_unit::code_point, tn::char_unit::utf16, tn::char_unit::utf8};
  const std::array roles = {tn::role::system, tn::role::developer, tn::role::user, tn::role::assistant};
  std::map<tn::outcome, std::uint64_t> outcomes;
  for (std::uint64_t number = 0; number < how_many; number++) {
    const std::string transcript = generated_transcript(number);
    const tn::char_unit unit = units[number % units.size()];
    const std::uint64_t tokens = tn::estimate_tokens(transcript, unit);
    try {
      for (const tn::split split : {tn::split::steps, tn::split::turns}) {
        tn::options options{tokens / (2 + number % 5)};
        options.char_unit = unit;
        options.split = split;
        options.flush_to_memory = number % 3 == 0;
        if (number % 2 == 0) options.summary_role = roles[number / 2 % roles.size()];
        if (number % 4 != 0) options.keep_tail = tokens * (number % 4) / 12;
        outcomes[keeps_every_promise(transcript, options, "What was said: 你好 \"🙂\"\n\x01")]++;
      }
    } catch (const check::failure &wrong) {
      throw check::failure("transcript " + std::to_string(number) + ": " + wrong.what());
    }
  }
  // Each way to end was met, and most transcripts were compacted: else the generator tests less than it seems to.
  REQUIRE(outcomes[tn::outcome::compact] > how_many);
  for (const tn::outcome outcome :
       {tn::outcome::under_budget, tn::outcome::nothing_older, tn::outcome::nothing_new, tn::outcome::call_in_flight})
    if (outcomes[outcome] < 10)
      throw check::failure("only " + std::to_string(outcomes[outcome]) + " transcripts were " +
                           std::string(tn::to_string(outcome)));
}

TEST(generated_transcripts_are_left_alone_at_exactly_their_budget) {
  for (std::uint64_t number = 0; number < how_many; number += 10) {
    const std::string transcript = generated_transcript(number);
    const tn::options at{tn::estimate_tokens(transcript)};
    REQUIRE(keeps_every_promise(transcript, at, "unused") == tn::outcome::under_budget);
  }
}

TEST(a_transcript_grows_and_is_compacted_again_and_again) {
  const tn::compactor compactor(tn::options{600});
  std::string transcript = R"([{"role":"system","content":"You tend a garden."}])";
  int compactions = 0;
  for (int turn = 0; turn < 400; turn++) {
    transcript.pop_back();
    transcript += R"(,{"role":"user","content":"What about bed )" + std::to_string(turn) +
                  R"(? 那块地呢？🌱"},{"role":"assistant","content":"Water it."}])";
    if (auto shorter =
            compactor.apply(transcript, [&](tn::slice older) { return std::to_string(older.count) + " messages, 种菜"; })) {
      transcript = *std::move(shorter);
      compactions++;
      REQUIRE(tn::estimate_tokens(transcript) <= 600);
      const std::size_t summary = transcript.find("[Summary of earlier conversation]");
      REQUIRE(summary != std::string::npos &&
              transcript.find("[Summary of earlier conversation]", summary + 1) == std::string::npos);
    }
  }
  REQUIRE(compactions > 10);
}

} // namespace
