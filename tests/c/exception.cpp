// A C++ exception thrown by a callback passes through the library to the host's own handler, and nothing leaks.
#include "check.h"
#include "conversation.h"

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

// An exception that knows how many of its kind are alive, and that owns memory: a copy lost on the way would show.
class model_is_down {
public:
    explicit model_is_down(int code) : code_(code), words_("the model is down, and this text is too long to be stored in place") { alive++; }
    model_is_down(const model_is_down &other) : code_(other.code_), words_(other.words_) { alive++; }
    model_is_down &operator=(const model_is_down &) = delete;
    virtual ~model_is_down() { alive--; }
    int code() const { return code_; }
    const std::string &words() const { return words_; }
    static int alive;

private:
    int code_;
    std::string words_;
};
int model_is_down::alive = 0;

class still_loading : public model_is_down {
public:
    still_loading() : model_is_down(503) {}
};

struct host {
    int throw_at_count = -1;   // the call of count_tokens that throws
    bool throw_at_summarize = false;
    bool answer_first = false; // answer, then throw
    int counts = 0, summaries = 0;
};

// Something on the callback's own stack that must be destroyed on the way.
struct local {
    std::string text = std::string(1000, 'x');
    local() { alive++; }
    ~local() { alive--; }
    static int alive;
};
int local::alive = 0;

extern "C" void summarize(void *user_data, const char *json, size_t json_len, size_t, size_t, tn_sink *out) {
    host &it = *static_cast<host *>(user_data);
    local here;
    std::string older(json, json_len);
    it.summaries++;
    if (!it.throw_at_summarize || it.answer_first)
        tn_sink_set_text(out, "recap", TN_NUL_TERMINATED);
    if (it.throw_at_summarize)
        throw still_loading();
}

extern "C" void count_tokens(void *user_data, const char *json, size_t json_len, size_t, size_t, tn_sink *out) {
    host &it = *static_cast<host *>(user_data);
    local here;
    uint64_t tokens = 0;
    if (it.counts++ == it.throw_at_count) {
        if (it.answer_first)
            tn_sink_set_count(out, 5);
        throw still_loading();
    }
    tn_estimate_tokens(json, json_len, TN_CODE_POINT, &tokens, nullptr);
    tn_sink_set_count(out, tokens);
}

extern "C" void throw_a_number(void *, const char *, size_t, size_t, size_t, tn_sink *) {
    throw 4711;
}
extern "C" void throw_a_standard_exception(void *, const char *, size_t, size_t, size_t, tn_sink *) {
    throw std::runtime_error(std::string("a standard exception with a text that is too long to be stored in place"));
}

char poison[8];

// The conversation, its compactor, and what may have come out of a call.
struct fixture {
    std::unique_ptr<tn_compactor, void (*)(tn_compactor *)> compactor;
    std::unique_ptr<char, void (*)(void *)> messages, want;
    char *result = poison, *error = poison;
    tn_plan *plan = reinterpret_cast<tn_plan *>(poison);

    fixture()
        : compactor(compactor_of(RUN_OPTIONS), tn_compactor_free), messages(transcript(run, 0, RUN), std::free),
          want(run_compacted("recap"), std::free) {}

    tn_status apply(host &it) {
        return tn_compactor_apply(compactor.get(), messages.get(), TN_NUL_TERMINATED, summarize, count_tokens, &it, &result, &error);
    }
    tn_status make_plan(host &it) {
        return tn_plan_new(compactor.get(), messages.get(), TN_NUL_TERMINATED, count_tokens, &it, &plan, &error);
    }
    // The same compactor still does its work.
    void works() {
        host good;
        tn_status status = apply(good);
        if (SUCCEEDED("the call after the exception", status, error))
            SAME_TEXT(result, want.get());
        tn_string_free(result);
        result = error = nullptr;
    }
};

// How many times a whole call counts.
int counts_of_a_call() {
    fixture it;
    host good;
    it.apply(good);
    tn_string_free(it.result);
    return good.counts;
}

// Runs `call`, which must throw still_loading.
template <typename call_type> void must_throw(const char *what, call_type call) {
    bool arrived = false;
    try {
        tn_status status = call();
        CHECK(false, "%s: returned %s", what, tn_status_name(status));
    } catch (const still_loading &thrown) {
        arrived = true;
        CHECK(thrown.code() == 503, "%s: arrived as %d", what, thrown.code());
        CHECK(thrown.words().find("model is down") == 4, "%s: arrived with the text %s", what, thrown.words().c_str());
        CHECK(model_is_down::alive == 1, "%s: %d exceptions are alive", what, model_is_down::alive);
    } catch (...) {
        CHECK(false, "%s: something else arrived", what);
    }
    CHECK(arrived, "%s: it did not arrive", what);
    CHECK(model_is_down::alive == 0, "%s: %d exceptions were left", what, model_is_down::alive);
    CHECK(local::alive == 0, "%s: %d objects on the callback's stack were not destroyed", what, local::alive);
}

void an_exception_of_summarize_arrives_as_itself_through_apply() {
    for (int answered = 0; answered < 2; answered++) {
        fixture it;
        host bad;
        bad.throw_at_summarize = true;
        bad.answer_first = answered == 1;
        must_throw("summarize", [&] { return it.apply(bad); });
        CHECK(bad.summaries == 1, "summarize was called %d times", bad.summaries);
        CHECK(it.result == nullptr && it.error == nullptr, "an output is not NULL");
        it.works();
    }
}

void an_exception_of_any_count_arrives_as_itself_through_apply() {
    const int counts = counts_of_a_call();
    CHECK(counts > 2, "a call counts only %d times", counts);
    for (int at = 0; at < counts; at++)
        for (int answered = 0; answered < 2; answered++) {
            fixture it;
            host bad;
            bad.throw_at_count = at;
            bad.answer_first = answered == 1;
            must_throw("count_tokens", [&] { return it.apply(bad); });
            CHECK(bad.counts == at + 1, "count_tokens was called %d times, not %d", bad.counts, at + 1);
            CHECK(bad.summaries == 0, "summarize was called all the same");
            CHECK(it.result == nullptr && it.error == nullptr, "an output is not NULL");
            it.works();
        }
}

void an_exception_of_any_count_arrives_as_itself_through_plan_new() {
    const int counts = counts_of_a_call();
    for (int at = 0; at < counts; at++) {
        fixture it;
        host bad;
        bad.throw_at_count = at;
        must_throw("count_tokens", [&] { return it.make_plan(bad); });
        CHECK(bad.counts == at + 1, "count_tokens was called %d times, not %d", bad.counts, at + 1);
        CHECK(it.plan == nullptr && it.error == nullptr, "an output is not NULL");
        it.works();
    }
}

void a_number_and_a_standard_exception_arrive_as_themselves() {
    fixture it;
    int number = 0;
    std::string words;
    try {
        tn_compactor_apply(it.compactor.get(), it.messages.get(), TN_NUL_TERMINATED, throw_a_number, nullptr, nullptr, &it.result, &it.error);
    } catch (int thrown) {
        number = thrown;
    }
    CHECK(number == 4711, "the number arrived as %d", number);
    try {
        tn_plan_new(it.compactor.get(), it.messages.get(), TN_NUL_TERMINATED, throw_a_standard_exception, nullptr, &it.plan, &it.error);
    } catch (const std::exception &thrown) {
        words = thrown.what();
    }
    CHECK(words.find("a standard exception") == 0, "the standard exception arrived as \"%s\"", words.c_str());
    it.works();
}

// A callback that compacts by itself, and whose inner call is left by the exception too.
extern "C" void summarize_within(void *user_data, const char *, size_t, size_t, size_t, tn_sink *) {
    fixture inner;
    host bad;
    bad.throw_at_summarize = true;
    (void)user_data;
    inner.apply(bad);
    CHECK(false, "the inner call returned");
}

void an_exception_passes_through_nested_calls() {
    fixture it;
    must_throw("a nested call", [&] {
        return tn_compactor_apply(it.compactor.get(), it.messages.get(), TN_NUL_TERMINATED, summarize_within, nullptr, nullptr, &it.result,
                                  &it.error);
    });
    it.works();
}

void a_callback_may_catch_its_own_exception_and_answer() {
    fixture it;
    tn_summarize_fn careful = [](void *, const char *, size_t, size_t, size_t, tn_sink *out) {
        try {
            throw still_loading();
        } catch (const model_is_down &thrown) {
            tn_sink_set_error(out, thrown.words().data(), thrown.words().size());
        }
    };
    tn_status status =
        tn_compactor_apply(it.compactor.get(), it.messages.get(), TN_NUL_TERMINATED, careful, nullptr, nullptr, &it.result, &it.error);
    REFUSED("an exception told as an error", status, TN_ERR_CALLBACK, it.error, "the model is down, and this text is too long");
    CHECK(it.result == nullptr, "the result is not NULL");
    it.works();
}

void a_thousand_exceptions_leave_nothing_behind() {
    fixture it;
    for (size_t i = 0; i < repeats(1000); i++) {
        host bad;
        bad.throw_at_summarize = i % 2 == 0;
        bad.throw_at_count = i % 2 == 0 ? -1 : 1;
        must_throw("one of a thousand", [&] { return it.apply(bad); });
    }
    it.works();
}

} // namespace

RUN_TESTS(TEST(an_exception_of_summarize_arrives_as_itself_through_apply), TEST(an_exception_of_any_count_arrives_as_itself_through_apply),
          TEST(an_exception_of_any_count_arrives_as_itself_through_plan_new), TEST(a_number_and_a_standard_exception_arrive_as_themselves),
          TEST(an_exception_passes_through_nested_calls), TEST(a_callback_may_catch_its_own_exception_and_answer),
          TEST(a_thousand_exceptions_leave_nothing_behind))
