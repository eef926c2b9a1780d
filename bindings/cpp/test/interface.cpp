// The interface: options, compactors, plans, errors.
#include "check.hpp"
#include "tn_compactor.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// ---- what the types are ----

static_assert(!std::is_copy_constructible_v<tn::compactor> && !std::is_copy_assignable_v<tn::compactor>);
static_assert(std::is_nothrow_move_constructible_v<tn::compactor> && std::is_nothrow_move_assignable_v<tn::compactor>);
static_assert(!std::is_copy_constructible_v<tn::plan> && !std::is_copy_assignable_v<tn::plan>);
static_assert(std::is_nothrow_move_constructible_v<tn::plan> && std::is_nothrow_move_assignable_v<tn::plan>);
static_assert(sizeof(tn::compactor) == sizeof(void *) && sizeof(tn::plan) == sizeof(void *));
static_assert(std::is_base_of_v<std::runtime_error, tn::error> && std::is_nothrow_copy_constructible_v<tn::error>);
// A transcript is not taken for options, nor a pointer for a compactor, and a budget has to be given.
static_assert(!std::is_constructible_v<tn::compactor, std::string_view> &&
              !std::is_constructible_v<tn::compactor, const char *>);
static_assert(!std::is_constructible_v<tn::compactor, ::tn_compactor *> && !std::is_convertible_v<tn::options, tn::compactor>);
static_assert(!std::is_default_constructible_v<tn::compactor> && !std::is_default_constructible_v<tn::options>);
// A number of tokens is an integer: neither a fraction nor a truth value.
static_assert(std::is_convertible_v<int, tn::token_count> && std::is_convertible_v<std::uint64_t, tn::token_count>);
static_assert(!std::is_convertible_v<double, tn::token_count> && !std::is_convertible_v<bool, tn::token_count>);
static_assert(std::is_convertible_v<tn::slice, std::string_view>);

template <class Plan, class = void> struct gives_older_as_a_temporary : std::false_type {};
template <class Plan>
struct gives_older_as_a_temporary<Plan, std::void_t<decltype(std::declval<Plan>().older())>> : std::true_type {};
static_assert(gives_older_as_a_temporary<tn::plan &>::value && !gives_older_as_a_temporary<tn::plan>::value);

const std::string garden = R"([ {"role":"system","content":"You tend a garden."},
  {"role":"user","content":"Which soil suits carrots? I have clay and some sand. 胡萝卜 🥕"},
  {"role":"assistant","content":"Work the sand into the clay, add compost, and sow late in spring."},
  {"role":"user","content":"And leeks?", "n":12345678901234567890.10} ])";
constexpr std::string_view garden_compacted = R"([{"role":"system","content":"You tend a garden."},)"
                                              R"({"role":"system","content":"[Summary of earlier conversation]\ncarrots"},)"
                                              R"({"role":"user","content":"And leeks?", "n":12345678901234567890.10}])";

tn::options small() {
  tn::options options{50};
  options.keep_tail = 20;
  return options;
}

std::string carrots(std::string_view) { return "carrots"; }

// ---- options ----

TEST(options_write_what_is_set_and_leave_the_rest_to_the_library) {
  tn::options options{8000};
  REQUIRE_EQUAL(options.to_json(), R"({"max_tokens":8000})");
  options.keep_tail = 0;
  options.flush_to_memory = true;
  options.char_unit = tn::char_unit::utf16;
  options.split = tn::split::turns;
  options.summary_role = tn::role::developer;
  REQUIRE_EQUAL(
      options.to_json(),
      R"({"max_tokens":8000,"keep_tail":0,"flush_to_memory":true,"char_unit":"utf16","split":"turns","summary_role":"developer"})");
}

TEST(every_value_of_every_option_is_taken_by_the_library) {
  for (const tn::char_unit unit : {tn::char_unit::code_point, tn::char_unit::utf16, tn::char_unit::utf8})
    for (const tn::split split : {tn::split::steps, tn::split::turns})
      for (const tn::role role : {tn::role::system, tn::role::developer, tn::role::user, tn::role::assistant}) {
        tn::options options = small();
        options.char_unit = unit;
        options.split = split;
        options.summary_role = role;
        REQUIRE(tn::compactor(options).get() != nullptr);
      }
}

TEST(the_role_of_the_summary_is_the_one_that_was_chosen) {
  const std::vector<std::pair<tn::role, const char *>> roles = {{tn::role::system, "system"},
                                                                {tn::role::developer, "developer"},
                                                                {tn::role::user, "user"},
                                                                {tn::role::assistant, "assistant"}};
  for (const auto &[role, name] : roles) {
    tn::options options = small();
    options.summary_role = role;
    const std::string result = tn::compactor(options).apply(garden, carrots).value();
    REQUIRE(result.find(R"({"role":")"s + name + R"(","content":"[Summary of)") != std::string::npos);
  }
}

TEST(a_number_of_tokens_may_be_any_integer_up_to_the_largest) {
  REQUIRE_EQUAL(tn::token_count(0).to_json(), "0");
  REQUIRE_EQUAL(tn::token_count(static_cast<short>(7)).to_json(), "7");
  REQUIRE_EQUAL(tn::token_count(-1).to_json(), "-1");
  REQUIRE_EQUAL(tn::token_count(std::numeric_limits<std::int64_t>::min()).to_json(), "-9223372036854775808");
  REQUIRE_EQUAL(tn::token_count(std::numeric_limits<std::uint64_t>::max()).to_json(), "18446744073709551615");
  REQUIRE(!tn::compactor(tn::options{std::numeric_limits<std::uint64_t>::max()}).apply(garden, carrots));
}

TEST(a_negative_budget_is_refused_and_does_not_wrap_around) {
  const int window = 4000, reserved = 5000;
  const tn::error budget = THROWN(tn::error, tn::compactor(tn::options{window - reserved}));
  REQUIRE(budget.status() == tn::status::options);
  REQUIRE(std::string_view(budget.what()).find("max_tokens") != std::string_view::npos);
  REQUIRE(std::string_view(budget.what()).find("-1000") != std::string_view::npos);
  tn::options options{4000};
  options.keep_tail = -1L;
  REQUIRE(std::string_view(THROWN(tn::error, tn::compactor(options)).what()).find("keep_tail") != std::string_view::npos);
}

TEST(a_value_that_is_none_of_its_enumeration_is_refused_by_its_name) {
  tn::options options{4000};
  options.char_unit = static_cast<tn::char_unit>(17);
  const tn::error error = THROWN(tn::error, tn::compactor(options));
  REQUIRE(error.status() == tn::status::options);
  REQUIRE(std::string_view(error.what()).find("char_unit") != std::string_view::npos);
  options = tn::options{4000};
  options.split = static_cast<tn::split>(-1);
  REQUIRE(std::string_view(THROWN(tn::error, tn::compactor(options)).what()).find("split") != std::string_view::npos);
}

TEST(no_tail_to_keep_and_none_said_are_different) {
  std::string transcript = "[";
  for (int i = 0; i < 10; i++)
    transcript +=
        (i ? "," : "") + R"({"role":"user","content":"one more question"},{"role":"assistant","content":"one more answer"})"s;
  transcript += "]";
  tn::options unset{100}, none{100};
  none.keep_tail = 0;
  REQUIRE_EQUAL(tn::compactor(none).plan(transcript).tail_start(), 18u);
  REQUIRE_EQUAL(tn::compactor(unset).plan(transcript).tail_start(), 16u);
}

TEST(options_may_be_json_text) {
  const tn::compactor compactor = tn::compactor::from_json(R"( { "keep_tail": 20, "max_tokens": 50 } )");
  REQUIRE_EQUAL(compactor.apply(garden, carrots).value(), garden_compacted);
}

TEST(options_in_json_text_are_refused_by_their_name) {
  const tn::error unknown = THROWN(tn::error, tn::compactor::from_json(R"({"max_tokens":50,"keep_tial":20})"));
  REQUIRE(unknown.status() == tn::status::options &&
          std::string_view(unknown.what()).find("keep_tial") != std::string_view::npos);
  const tn::error missing = THROWN(tn::error, tn::compactor::from_json("{}"));
  REQUIRE(missing.status() == tn::status::options &&
          std::string_view(missing.what()).find("max_tokens") != std::string_view::npos);
  REQUIRE(THROWN(tn::error, tn::compactor::from_json("{\"max_tokens\":50")).status() == tn::status::json);
  REQUIRE(THROWN(tn::error, tn::compactor::from_json({})).status() == tn::status::json);
  REQUIRE(THROWN(tn::error, tn::compactor::from_json("{\"max_tokens\":50,\"\xff\":1}")).status() == tn::status::utf8);
}

// ---- text in, text out ----

TEST(kept_messages_are_the_inputs_own_bytes) {
  REQUIRE_EQUAL(tn::compactor(small()).apply(garden, carrots).value(), garden_compacted);
}

TEST(under_budget_nothing_is_returned_and_nobody_is_asked) {
  const tn::compactor compactor(tn::options{tn::estimate_tokens(garden)});
  bool asked = false;
  REQUIRE(!compactor.apply(garden, [&](std::string_view) { return asked = true, "a summary"; }));
  REQUIRE(!asked);
  REQUIRE(tn::compactor(tn::options{tn::estimate_tokens(garden) - 1}).apply(garden, carrots));
}

TEST(a_text_needs_no_terminator_and_may_hold_one) {
  const std::string around = "xx" + garden + "yy";
  const std::string_view inside = std::string_view(around).substr(2, garden.size());
  REQUIRE_EQUAL(tn::compactor(small()).apply(inside, carrots).value(), garden_compacted);
  const tn::error error = THROWN(tn::error, tn::compactor(small()).apply(garden + '\0', carrots));
  REQUIRE(error.status() == tn::status::json);
  const std::string result = tn::compactor(small()).apply(garden, [](std::string_view) { return "before\0after"s; }).value();
  REQUIRE(result.find(R"(before\u0000after)") != std::string::npos);
}

TEST(an_empty_text_is_no_transcript_and_an_empty_list_is_one) {
  REQUIRE(THROWN(tn::error, tn::compactor(small()).apply(std::string_view(), carrots)).status() == tn::status::json);
  REQUIRE(THROWN(tn::error, tn::compactor(small()).plan("")).status() == tn::status::json);
  REQUIRE(!tn::compactor(tn::options{0}).apply("[]", carrots));
  REQUIRE_EQUAL(tn::estimate_tokens("[]"), 0u);
}

TEST(a_lone_surrogate_goes_in_and_comes_out_as_it_was) {
  const std::string transcript =
      R"([{"role":"user","content":"one question that is long enough to be over budget"},{"role":"assistant","content":"yes"},{"role":"user","content":"\ud83d"}])";
  tn::options options{20};
  options.keep_tail = 10;
  REQUIRE(tn::compactor(options).apply(transcript, carrots).value().find(R"("\ud83d")") != std::string::npos);
}

TEST(a_failure_names_the_place_and_has_a_status) {
  const tn::compactor compactor(small());
  const auto refused = [&](std::string_view messages, tn::status status, std::string_view place) {
    for (const tn::error &error :
         {THROWN(tn::error, compactor.apply(messages, carrots)), THROWN(tn::error, compactor.plan(messages)),
          THROWN(tn::error, tn::estimate_tokens(messages))}) {
      REQUIRE_EQUAL(tn::to_string(error.status()), tn::to_string(status));
      if (std::string_view(error.what()).find(place) == std::string_view::npos)
        throw check::failure(std::string(place) + " is not named: " + error.what());
    }
  };
  refused("[{\"role\":\"user\"},]", tn::status::json, "byte 17");
  refused("[{},{},3]", tn::status::transcript, "messages[2]");
  refused("{}", tn::status::transcript, "array");
  refused("[{\"role\":\"\xc0\x80\"}]", tn::status::utf8, "byte 10");
  REQUIRE(THROWN(tn::error, tn::estimate_tokens("[]", static_cast<tn::char_unit>(9))).status() == tn::status::argument);
}

TEST(a_failure_is_a_runtime_error_and_may_be_copied) {
  try {
    static_cast<void>(tn::estimate_tokens("?"));
    throw check::failure("nothing was thrown");
  } catch (const std::runtime_error &error) {
    const auto *ours = dynamic_cast<const tn::error *>(&error);
    REQUIRE(ours != nullptr);
    const tn::error copy = *ours;
    REQUIRE_EQUAL(std::string(copy.what()), std::string(error.what()));
    REQUIRE(copy.status() == tn::status::json);
  }
}

TEST(statuses_and_outcomes_have_names_also_those_yet_unknown) {
  REQUIRE_EQUAL(tn::to_string(tn::status::json), "TN_ERR_JSON");
  REQUIRE_EQUAL(tn::to_string(tn::status::memory), "TN_ERR_MEMORY");
  REQUIRE_EQUAL(tn::to_string(static_cast<tn::status>(-100)), "TN_UNKNOWN_STATUS");
  REQUIRE_EQUAL(tn::to_string(tn::outcome::call_in_flight), "call_in_flight");
  REQUIRE_EQUAL(tn::to_string(static_cast<tn::outcome>(100)), "unknown");
}

TEST(the_estimate_counts_in_the_unit_that_is_asked_for) {
  const std::string emoji = R"([{"role":"user","content":"🙂🙂🙂🙂🙂🙂🙂🙂"}])";
  REQUIRE_EQUAL(tn::estimate_tokens(emoji), tn::estimate_tokens(emoji, tn::char_unit::code_point));
  REQUIRE_EQUAL(tn::estimate_tokens(emoji, tn::char_unit::utf16), tn::estimate_tokens(emoji) + 2);
  REQUIRE_EQUAL(tn::estimate_tokens(emoji, tn::char_unit::utf8), tn::estimate_tokens(emoji) + 6);
}

TEST(the_texts_of_the_library_are_the_librarys_own) {
  REQUIRE_EQUAL(tn::summary_prefix(), "[Summary of earlier conversation]\n");
  REQUIRE_EQUAL(tn::flush_reminder(), tn_flush_reminder());
  REQUIRE_EQUAL(tn::version(), tn_version());
  tn::options options = small();
  options.flush_to_memory = true;
  REQUIRE(tn::compactor(options).apply(garden, carrots).value().find(tn::flush_reminder()) != std::string::npos);
}

// ---- plans ----

TEST(a_plan_says_where_and_how_much) {
  const tn::plan plan = tn::compactor(small()).plan(garden);
  REQUIRE(plan.outcome() == tn::outcome::compact);
  REQUIRE_EQUAL(plan.head_end(), 1u);
  REQUIRE_EQUAL(plan.tail_start(), 3u);
  REQUIRE_EQUAL(plan.request_start(), 3u);
  REQUIRE_EQUAL(plan.request_end(), 3u);
  REQUIRE_EQUAL(plan.tokens(), tn::estimate_tokens(garden));
  REQUIRE_EQUAL(plan.tail_tokens(),
                tn::estimate_tokens(R"([{"role":"user","content":"And leeks?","n":12345678901234567890.10}])"));
  REQUIRE_EQUAL(plan.older().first, 1u);
  REQUIRE_EQUAL(plan.older().count, 2u);
  REQUIRE(plan.older().json.substr(0, 16) == R"([{"role":"user",)");
  REQUIRE_EQUAL(tn_plan_head_end(plan.get()), 1u);
}

TEST(a_plan_outlives_its_compactor_and_its_text) {
  std::optional<tn::plan> plan;
  {
    std::string text = garden;
    tn::compactor compactor(small());
    plan = compactor.plan(text);
    text.assign(text.size(), '!');
  }
  REQUIRE_EQUAL(plan->finish("carrots").value(), garden_compacted);
  REQUIRE(plan->older().json.find("胡萝卜 🥕") != std::string_view::npos);
}

TEST(a_plan_is_finished_as_often_as_one_likes) {
  const tn::plan plan = tn::compactor(small()).plan(garden);
  REQUIRE(THROWN(tn::error, plan.finish(" \n\u3000")).status() == tn::status::callback);
  REQUIRE(THROWN(tn::error, plan.finish({})).status() == tn::status::callback);
  REQUIRE(THROWN(tn::error, plan.finish("\xed\xa0\x80")).status() == tn::status::utf8);
  REQUIRE_EQUAL(plan.finish("carrots").value(), garden_compacted);
  REQUIRE(plan.finish("turnips").value().find("turnips") != std::string::npos);
  REQUIRE_EQUAL(plan.finish("carrots").value(), garden_compacted);
}

TEST(a_plan_that_changes_nothing_says_why) {
  const tn::plan plan = tn::compactor(tn::options{4000}).plan(garden);
  REQUIRE(plan.outcome() == tn::outcome::under_budget);
  REQUIRE(!plan.finish("carrots"));
  REQUIRE(plan.older().json.empty() && plan.older().count == 0);
  REQUIRE_EQUAL(plan.tail_tokens(), 0u);
}

TEST(what_was_moved_from_fails_and_what_was_moved_to_works) {
  tn::compactor compactor(small());
  const tn::compactor moved = std::move(compactor);
  REQUIRE(THROWN(tn::error, compactor.apply(garden, carrots)).status() == tn::status::argument);
  REQUIRE(THROWN(tn::error, compactor.plan(garden)).status() == tn::status::argument);
  compactor = tn::compactor(small());
  REQUIRE_EQUAL(compactor.apply(garden, carrots).value(), moved.apply(garden, carrots).value());
  tn::plan plan = moved.plan(garden);
  tn::plan taken = std::move(plan);
  REQUIRE(plan.outcome() != tn::outcome::compact);
  REQUIRE_EQUAL(plan.tail_start(), 0u);
  REQUIRE(plan.older().json.empty());
  REQUIRE(THROWN(tn::error, plan.finish("carrots")).status() == tn::status::argument);
  plan = std::move(taken);
  REQUIRE_EQUAL(plan.finish("carrots").value(), garden_compacted);
}

// ---- the host's own list ----

struct own_message {
  std::string role, content;
};

TEST(a_hosts_own_list_is_cut_and_its_messages_are_the_very_same) {
  const tn::plan plan = tn::compactor(small()).plan(garden);
  std::vector<std::shared_ptr<own_message>> messages;
  for (const char *role : {"system", "user", "assistant", "user"})
    messages.push_back(std::make_shared<own_message>(own_message{role, "..."}));
  const auto system = messages[0], last = messages[3];
  const auto summary = std::make_shared<own_message>(own_message{"system", std::string(tn::summary_prefix()) + "carrots"});
  const auto reminder = std::make_shared<own_message>(own_message{"system", std::string(tn::flush_reminder())});
  using list = std::vector<std::shared_ptr<own_message>>;
  REQUIRE((plan.splice(messages, summary) == list{system, summary, last}));
  REQUIRE((plan.splice(std::move(messages), summary, reminder) == list{system, summary, reminder, last}));
}

TEST(the_request_of_a_turn_that_is_cut_stands_before_the_tail) {
  std::string transcript = R"([{"role":"system","content":"s"},{"role":"user","content":"Do all of it."})";
  for (int i = 0; i < 20; i++) {
    const std::string id = std::to_string(i);
    transcript += R"(,{"role":"assistant","content":null,"tool_calls":[{"id":")" + id +
                  R"(","type":"function","function":{"name":"f","arguments":"{}"}}]})";
    transcript += R"(,{"role":"tool","tool_call_id":")" + id + R"(","content":"done, and that was one part of all of it"})";
  }
  transcript += "]";
  const tn::plan plan = tn::compactor(tn::options{300}).plan(transcript);
  REQUIRE(plan.outcome() == tn::outcome::compact);
  REQUIRE_EQUAL(plan.request_start(), 1u);
  REQUIRE_EQUAL(plan.request_end(), 2u);
  std::vector<std::size_t> messages(42), want = {0, 1000, 1};
  for (std::size_t i = 0; i < messages.size(); i++) messages[i] = i;
  for (std::size_t i = plan.tail_start(); i < 42; i++) want.push_back(i);
  REQUIRE(plan.tail_start() > 2 && plan.tail_start() < 42);
  REQUIRE(plan.splice(messages, 1000) == want);
}

TEST(a_list_that_is_left_alone_comes_back_as_it_was) {
  std::vector<std::unique_ptr<int>> messages;
  for (int i = 0; i < 4; i++) messages.push_back(std::make_unique<int>(i));
  const int *third = messages[2].get();
  const auto same = tn::compactor(tn::options{4000}).plan(garden).splice(std::move(messages), std::make_unique<int>(9));
  REQUIRE(same.size() == 4 && same[2].get() == third);
}

TEST(a_list_that_is_too_short_is_refused) {
  const tn::plan plan = tn::compactor(small()).plan(garden);
  REQUIRE(std::string_view(THROWN(std::out_of_range, plan.splice(std::vector<int>(2), 9)).what()).find("messages[3]") !=
          std::string_view::npos);
}

} // namespace
