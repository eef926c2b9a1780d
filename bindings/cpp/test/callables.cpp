// The host's callables: what may be one, what they get, what becomes of what they return and throw.
#include "check.hpp"
#include "generate.hpp"
#include "tn_compactor.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::string_literals;

const std::string transcript = long_transcript(60'000, 1);
const std::uint64_t tokens = tn::estimate_tokens(transcript);

tn::compactor half() { return tn::compactor(tn::options{tokens / 2}); }

const std::string &with_recap() {
  static const std::string result = half().plan(transcript).finish("recap").value();
  return result;
}

// An exception that knows how many of its kind are alive and owns memory: one that is lost, or destroyed twice, shows.
class model_is_down {
public:
  explicit model_is_down(int code) : code_(code), words_("the model is down, and this text is too long to be stored in place") {
    alive++;
  }
  model_is_down(const model_is_down &other) : code_(other.code_), words_(other.words_) { alive++, copies++; }
  model_is_down &operator=(const model_is_down &) = delete;
  virtual ~model_is_down() { alive--; }
  int code() const { return code_; }
  const std::string &words() const { return words_; }
  static inline int alive = 0, copies = 0;

private:
  int code_;
  std::string words_;
};
class still_loading : public model_is_down {
public:
  still_loading() : model_is_down(503) {}
};

// Something on the callable's own stack, which has to be destroyed on the way out.
struct local {
  std::string text = std::string(1000, 'x');
  local() { alive++; }
  local(const local &) = delete;
  local &operator=(const local &) = delete;
  ~local() { alive--; }
  static inline int alive = 0;
};

// ---- what a callable may be ----

std::string function_of_a_text(std::string_view older) { return older.empty() ? "" : "recap"; }
std::string function_of_a_slice(tn::slice older) { return older.count ? "recap" : ""; }
struct object {
  int calls = 0;
  std::string operator()(const tn::slice &) { return calls++, "recap"; }
};
struct constant_object {
  std::string summary = "recap";
  std::string_view operator()(std::string_view) const { return summary; }
};
struct only_moves {
  std::unique_ptr<std::string> summary = std::make_unique<std::string>("recap");
  const std::string &operator()(tn::slice) const { return *summary; }
};

TEST(anything_that_can_be_called_may_summarize) {
  const tn::compactor compactor = half();
  REQUIRE_EQUAL(compactor.apply(transcript, function_of_a_text).value(), with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, &function_of_a_slice).value(), with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, [](std::string_view) { return "recap"; }).value(), with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, [](auto older) { return std::string(older.json.empty() ? "" : "recap"); }).value(),
                with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, std::function<std::string(std::string_view)>(function_of_a_text)).value(),
                with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, [n = 0](tn::slice) mutable { return n++, "recap"; }).value(), with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, only_moves()).value(), with_recap());
  const constant_object constant;
  REQUIRE_EQUAL(compactor.apply(transcript, constant).value(), with_recap());
  REQUIRE_EQUAL(compactor.apply(transcript, std::cref(constant)).value(), with_recap());
}

TEST(a_callable_is_used_where_it_stands) {
  object summarize;
  REQUIRE_EQUAL(half().apply(transcript, summarize).value(), with_recap());
  REQUIRE_EQUAL(summarize.calls, 1);
  REQUIRE_EQUAL(half().apply(transcript, std::ref(summarize)).value(), with_recap());
  REQUIRE_EQUAL(summarize.calls, 2);
}

TEST(a_count_may_be_any_integer) {
  const tn::compactor compactor = half();
  const auto estimate = [](tn::slice messages) { return tn::estimate_tokens(messages); };
  REQUIRE_EQUAL(compactor.apply(transcript, function_of_a_text, estimate).value(), with_recap());
  REQUIRE_EQUAL(compactor
                    .apply(transcript, function_of_a_text,
                           [&](std::string_view text) { return static_cast<int>(estimate(tn::slice{text})); })
                    .value(),
                with_recap());
  REQUIRE_EQUAL(compactor
                    .apply(transcript, function_of_a_text,
                           [&](tn::slice it) -> const long long & {
                             static long long count;
                             return count = static_cast<long long>(estimate(it));
                           })
                    .value(),
                with_recap());
  REQUIRE(!compactor.apply(transcript, function_of_a_text, [](tn::slice) { return 0; }));
  REQUIRE(compactor.plan(transcript, [](tn::slice) { return std::numeric_limits<std::uint64_t>::max(); }).tokens() ==
          std::numeric_limits<std::uint64_t>::max());
}

// ---- what they get ----

TEST(the_whole_transcript_is_counted_in_place) {
  // Not a copy: what the host counts first is its own text.
  const tn::compactor compactor(tn::options{tokens});
  std::vector<const char *> seen;
  REQUIRE(!compactor.apply(transcript, function_of_a_text, [&](tn::slice all) {
    seen.push_back(all.json.data());
    REQUIRE_EQUAL(all.json, transcript);
    REQUIRE_EQUAL(all.first, 0u);
    return tokens;
  }));
  REQUIRE_EQUAL(seen.size(), 1u);
  REQUIRE(seen.front() == transcript.data());
}

TEST(a_host_that_counts_is_asked_a_number_of_times_that_grows_with_the_logarithm) {
  int few = 0, many = 0;
  const auto counting = [](int &calls) {
    return [&calls](tn::slice messages) { return calls++, tn::estimate_tokens(messages); };
  };
  const std::string short_one = long_transcript(30'000, 2), long_one = long_transcript(1'000'000, 2);
  static_cast<void>(tn::compactor(tn::options{tn::estimate_tokens(short_one) / 2}).plan(short_one, counting(few)));
  static_cast<void>(tn::compactor(tn::options{tn::estimate_tokens(long_one) / 2}).plan(long_one, counting(many)));
  REQUIRE(few > 1);
  REQUIRE(many <= few + 20);
}

TEST(a_callable_may_use_the_library) {
  const tn::compactor compactor = half();
  const std::string result = compactor
                                 .apply(transcript,
                                        [&](tn::slice older) {
                                          const tn::plan inner =
                                              tn::compactor(tn::options{tn::estimate_tokens(older) / 2}).plan(older);
                                          REQUIRE(inner.outcome() == tn::outcome::compact);
                                          REQUIRE(compactor.apply(transcript, function_of_a_text).value() == with_recap());
                                          return inner.finish("recap") ? "recap" : "";
                                        })
                                 .value();
  REQUIRE_EQUAL(result, with_recap());
}

// ---- what is not usable ----

TEST(a_summary_that_is_not_usable_fails_the_call) {
  const tn::compactor compactor = half();
  const auto status_of = [&](auto summarize) { return THROWN(tn::error, compactor.apply(transcript, summarize)).status(); };
  REQUIRE(status_of([](tn::slice) { return ""; }) == tn::status::callback);
  REQUIRE(status_of([](tn::slice) { return std::string_view(); }) == tn::status::callback);
  REQUIRE(status_of([](tn::slice) { return " \t\r\n\u00a0\u2003"s; }) == tn::status::callback);
  REQUIRE(status_of([](tn::slice) { return "\xff"; }) == tn::status::callback);
  REQUIRE(status_of([](tn::slice) { return static_cast<const char *>(nullptr); }) == tn::status::callback);
  REQUIRE(status_of([](tn::slice) { return static_cast<char *>(nullptr); }) == tn::status::callback);
}

TEST(a_negative_count_fails_the_call_and_names_the_messages) {
  const auto negative = [](tn::slice messages) { return messages.first > 1 ? -7 : 1'000'000; };
  for (const tn::error &error : {THROWN(tn::error, half().apply(transcript, function_of_a_text, negative)),
                                 THROWN(tn::error, half().plan(transcript, negative))}) {
    REQUIRE(error.status() == tn::status::callback);
    REQUIRE(std::string_view(error.what()).find("-7 for messages[") != std::string_view::npos);
  }
}

// ---- what they throw ----

// Runs `call`, which throws a still_loading; it must arrive as the very object that was thrown, and nothing must be left.
template <class Call> void arrives_as_itself(const model_is_down *const &thrown, Call &&call) {
  const int copies = model_is_down::copies;
  bool arrived = false;
  try {
    call();
  } catch (const model_is_down &down) {
    arrived = true;
    REQUIRE(dynamic_cast<const still_loading *>(&down) != nullptr);
    REQUIRE(&down == thrown);
    REQUIRE_EQUAL(down.code(), 503);
    REQUIRE_EQUAL(down.words(), "the model is down, and this text is too long to be stored in place");
    REQUIRE_EQUAL(model_is_down::alive, 1);
  }
  REQUIRE(arrived);
  REQUIRE_EQUAL(model_is_down::copies, copies);
  REQUIRE_EQUAL(model_is_down::alive, 0);
  REQUIRE_EQUAL(local::alive, 0);
}

const model_is_down *thrown_last;
[[noreturn]] void throw_still_loading() {
  // The address of the exception object, which exists only once it is thrown.
  try {
    throw still_loading();
  } catch (const still_loading &it) {
    thrown_last = &it;
    throw;
  }
}

TEST(what_summarize_throws_arrives_as_itself) {
  const tn::compactor compactor = half();
  arrives_as_itself(thrown_last, [&] {
    static_cast<void>(compactor.apply(transcript, [](tn::slice) -> std::string {
      const local here;
      throw_still_loading();
    }));
  });
  REQUIRE_EQUAL(compactor.apply(transcript, function_of_a_text).value(), with_recap());
}

TEST(what_count_tokens_throws_arrives_as_itself_whenever_it_is_thrown) {
  const tn::compactor compactor = half();
  int call = 0, throws_at = -1;
  const auto count = [&](tn::slice messages) {
    const local here;
    if (call++ == throws_at) throw_still_loading();
    return tn::estimate_tokens(messages);
  };
  const auto apply = [&] { return call = 0, compactor.apply(transcript, function_of_a_text, count).value(); };
  const auto plan = [&] { return call = 0, compactor.plan(transcript, count).finish("recap").value(); };
  REQUIRE_EQUAL(plan(), with_recap());
  const int calls = call;
  REQUIRE_EQUAL(apply(), with_recap());
  REQUIRE_EQUAL(call, calls);
  REQUIRE(calls > 2);
  for (int at = 0; at < calls; at++) {
    throws_at = at;
    arrives_as_itself(thrown_last, apply);
    arrives_as_itself(thrown_last, plan);
    throws_at = -1;
    REQUIRE_EQUAL(apply(), with_recap());
  }
}

TEST(what_is_no_standard_exception_arrives_too) {
  const tn::compactor compactor = half();
  try {
    static_cast<void>(compactor.apply(transcript, [](tn::slice) -> std::string { throw 4711; }));
    throw check::failure("nothing was thrown");
  } catch (int number) {
    REQUIRE_EQUAL(number, 4711);
  }
  THROWN(std::bad_alloc, compactor.apply(transcript, [](tn::slice) -> std::string { throw std::bad_alloc(); }));
  THROWN(std::bad_function_call, compactor.apply(transcript, std::function<std::string(std::string_view)>()));
  REQUIRE_EQUAL(
      THROWN(std::runtime_error, compactor.plan(transcript, [](tn::slice) -> int { throw std::runtime_error("no tokenizer"); }))
          .what(),
      "no tokenizer"s);
}

TEST(an_error_of_the_library_inside_a_callable_arrives_as_itself) {
  const tn::error error =
      THROWN(tn::error, half().apply(transcript, [](tn::slice) { return std::to_string(tn::estimate_tokens("[1]")); }));
  REQUIRE(error.status() == tn::status::transcript);
}

TEST(an_exception_passes_through_calls_within_calls) {
  const tn::compactor compactor = half();
  arrives_as_itself(thrown_last, [&] {
    static_cast<void>(compactor.apply(transcript, [&](tn::slice) {
      return compactor.apply(transcript, [](tn::slice) -> std::string { throw_still_loading(); }).value();
    }));
  });
  // And one that was caught inside leaves the outer call as it was.
  const std::string result =
      compactor
          .apply(transcript,
                 [&](tn::slice) {
                   try {
                     return compactor.apply(transcript, [](tn::slice) -> std::string { throw_still_loading(); }).value();
                   } catch (const model_is_down &) {
                     return "recap"s;
                   }
                 })
          .value();
  REQUIRE_EQUAL(result, with_recap());
  REQUIRE_EQUAL(model_is_down::alive, 0);
}

} // namespace
