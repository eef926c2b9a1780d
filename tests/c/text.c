/* How text comes in: lengths, UTF-8, NULs, broken JSON. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A page that can be read between two that cannot: reading one byte too far, to either side, ends the program. */
struct guarded {
    char *pages;
    size_t page;
};

static struct guarded guarded_page(void) {
    struct guarded g;
    g.page = (size_t)sysconf(_SC_PAGESIZE);
    g.pages = mmap(NULL, 3 * g.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED || mprotect(g.pages + g.page, g.page, PROT_READ | PROT_WRITE) != 0) {
        perror("# mmap");
        exit(3);
    }
    return g;
}

static const char *at_the_end(struct guarded g, const char *text, size_t len) {
    return memcpy(g.pages + 2 * g.page - len, text, len);
}

static const char *at_the_start(struct guarded g, const char *text, size_t len) {
    return memcpy(g.pages + g.page, text, len);
}

static void release(struct guarded g) {
    munmap(g.pages, 3 * g.page);
}

static void an_exact_length_reads_no_byte_outside(void) {
    struct guarded g = guarded_page();
    for (size_t letters = 0; letters < 200; letters++) {
        char content[201];
        memset(content, 'a', letters);
        content[letters] = '\0';
        for (int way = 0; way < 4; way++) {
            uint64_t whole = 0, at_end = 1, at_start = 2;
            char *text = way == 0 ? written("[{\"content\":\"%s\"}]", content)
                         : way == 1 ? written("[{\"content\":\"%s\\n\"}]", content)
                         : way == 2 ? written("[{\"content\":\"\xe6\xbd\xae%s\"} ]", content)
                                    : written("[{\"content\":[[\"%s\"],1.50]}]", content);
            size_t len = strlen(text);
            CHECK(tn_estimate_tokens(text, TN_NUL_TERMINATED, TN_UTF16, &whole, NULL) == TN_OK, "%s was refused", text);
            CHECK(tn_estimate_tokens(at_the_end(g, text, len), len, TN_UTF16, &at_end, NULL) == TN_OK, "%s was refused", text);
            CHECK(tn_estimate_tokens(at_the_start(g, text, len), len, TN_UTF16, &at_start, NULL) == TN_OK, "%s was refused", text);
            CHECK(whole == at_end && whole == at_start, "%s counts differently at the edge of a page", text);
            free(text);
        }
    }
    release(g);
}

static void exact_lengths_do_for_every_text_parameter(void) {
    struct guarded g = guarded_page(), h = guarded_page();
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY), *error = NULL, *result = NULL;
    tn_compactor *compactor = NULL;
    tn_plan *plan = NULL;
    struct host host = {0};
    size_t len = strlen(messages);
    tn_status status = tn_compactor_new(at_the_end(g, TIDES_OPTIONS, strlen(TIDES_OPTIONS)), strlen(TIDES_OPTIONS), &compactor, &error);
    REQUIRE(SUCCEEDED(TIDES_OPTIONS, status, error), "options of an exact length were refused");
    status = tn_compactor_apply(compactor, at_the_end(g, messages, len), len, host_summarize, NULL, &host, &result, &error);
    if (SUCCEEDED(messages, status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    status = tn_plan_new(compactor, at_the_end(g, messages, len), len, NULL, NULL, &plan, &error);
    if (SUCCEEDED(messages, status, error)) {
        status = tn_plan_finish(plan, at_the_end(h, HOST_SUMMARY, strlen(HOST_SUMMARY)), strlen(HOST_SUMMARY), &result, &error);
        if (SUCCEEDED("finish", status, error))
            SAME_TEXT(result, want);
        tn_string_free(result);
    }
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    host_forget(&host);
    free(want);
    free(messages);
    release(g);
    release(h);
}

static void the_host_s_text_is_never_written_to(void) {
    struct guarded g = guarded_page();
    char *messages = transcript(tides, 0, TIDES), *result = NULL, *error = NULL;
    size_t len = strlen(messages);
    const char *read_only = at_the_end(g, messages, len);
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    struct host host = {0};
    tn_status status;
    mprotect(g.pages + g.page, g.page, PROT_READ);
    status = tn_compactor_apply(compactor, read_only, len, host_summarize, host_count, &host, &result, &error);
    CHECK(SUCCEEDED(messages, status, error) && result, "nothing was compacted");
    CHECK(memcmp(read_only, messages, len) == 0, "the transcript is another");
    tn_string_free(result);
    tn_compactor_free(compactor);
    host_forget(&host);
    free(messages);
    release(g);
}

/* One kind of bytes that are no UTF-8. */
struct broken {
    const char *what, *bytes;
};

static const struct broken not_utf8[] = {
    {"a byte that never occurs", "\xff"},       {"a lone continuation", "\x80"},
    {"an overlong slash", "\xc0\xaf"},          {"an overlong in three bytes", "\xe0\x80\xaf"},
    {"an overlong in four bytes", "\xf0\x80\x80\xaf"}, {"a surrogate", "\xed\xa0\x80"},
    {"beyond the last code point", "\xf4\x90\x80\x80"}, {"a two-byte sequence cut short", "\xc3"},
    {"a three-byte sequence cut short", "\xe6\xbd"},    {"a four-byte sequence cut short", "\xf0\x9f\x8c"},
};
enum { NOT_UTF8 = sizeof not_utf8 / sizeof *not_utf8 };

static void bad_utf8_in_options_is_refused_with_its_byte(void) {
    for (size_t i = 0; i < NOT_UTF8; i++) {
        char *options = written("{\"max_tokens\":10,\"split\":\"%s\"}", not_utf8[i].bytes);
        tn_compactor *compactor = NULL;
        char *error = NULL;
        tn_status status = tn_compactor_new(options, TN_NUL_TERMINATED, &compactor, &error);
        CHECK(compactor == NULL, "the compactor is not NULL");
        CHECK(byte_named_in(error) == 26, "%s: \"%s\" does not name byte 26", not_utf8[i].what, error ? error : "");
        REFUSED(not_utf8[i].what, status, TN_ERR_UTF8, error, "byte 26&UTF-8");
        free(options);
    }
}

static void bad_utf8_in_messages_is_refused_with_its_byte(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    /* In strings, in keys, between tokens; behind ASCII of every length that a vector register may hold. */
    for (size_t before = 0; before < 140; before++) {
        for (size_t i = 0; i < NOT_UTF8; i++) {
            char ascii[141], *messages, *part;
            struct host host = {0};
            tn_plan *plan = NULL;
            char *result = NULL, *error = NULL;
            uint64_t tokens = 0;
            tn_status status;
            size_t byte = before + (before % 3 == 0 ? 3 : before % 3 == 1 ? 8 : 2);
            memset(ascii, before % 3 == 2 ? ' ' : 'a', before);
            ascii[before] = '\0';
            messages = before % 3 == 0   ? written("[{\"%s%s\":1}]", ascii, not_utf8[i].bytes)
                       : before % 3 == 1 ? written("[{\"k\":[\"%s%s\"]}]", ascii, not_utf8[i].bytes)
                                         : written("[ %s%s{}]", ascii, not_utf8[i].bytes);
            part = written("byte %zu&UTF-8", byte);
            status = tn_estimate_tokens(messages, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
            CHECK(byte_named_in(error) == byte, "%s: \"%s\" does not name byte %zu", messages, error ? error : "", byte);
            REFUSED(not_utf8[i].what, status, TN_ERR_UTF8, error, part);
            error = NULL;
            status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
            REFUSED(not_utf8[i].what, status, TN_ERR_UTF8, error, part);
            CHECK(plan == NULL, "the plan is not NULL");
            error = NULL;
            status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
            REFUSED(not_utf8[i].what, status, TN_ERR_UTF8, error, part);
            CHECK(result == NULL && host.counted_len == 0, "%s was looked at all the same", messages);
            host_forget(&host);
            free(part);
            free(messages);
        }
    }
    tn_compactor_free(compactor);
}

static void bad_utf8_in_a_summary_is_refused_with_its_byte(void) {
    char *messages = transcript(tides, 0, TIDES);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    for (size_t i = 0; i < NOT_UTF8; i++) {
        char *summary = written("recap: %s", not_utf8[i].bytes), *result = NULL, *error = NULL;
        tn_status status = tn_plan_finish(plan, summary, TN_NUL_TERMINATED, &result, &error);
        REFUSED(not_utf8[i].what, status, TN_ERR_UTF8, error, "byte 7&UTF-8");
        CHECK(result == NULL, "the result is not NULL");
        free(summary);
    }
    tn_plan_free(plan);
    free(messages);
}

static void a_nul_inside_json_is_refused_where_it_stands(void) {
    static const char in_string[] = "[{\"content\":\"a\0b\"}]", between[] = "[{}\0]", behind[] = "[{}]\0";
    static const char in_options[] = "{\"max_tokens\":10\0}";
    static const struct {
        const char *text;
        size_t len, byte;
    } cases[] = {{in_string, sizeof in_string - 1, 14}, {between, sizeof between - 1, 3}, {behind, sizeof behind - 1, 4}};
    tn_compactor *compactor = NULL;
    char *error = NULL;
    tn_status status;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens;
        status = tn_estimate_tokens(cases[i].text, cases[i].len, TN_CODE_POINT, &tokens, &error);
        CHECK(byte_named_in(error) == cases[i].byte, "\"%s\" does not name byte %zu", error ? error : "", cases[i].byte);
        REFUSED("a NUL inside", status, TN_ERR_JSON, error, "byte");
    }
    status = tn_compactor_new(in_options, sizeof in_options - 1, &compactor, &error);
    CHECK(compactor == NULL, "the compactor is not NULL");
    CHECK(byte_named_in(error) == 16, "\"%s\" does not name byte 16", error ? error : "");
    REFUSED("options with a NUL inside", status, TN_ERR_JSON, error, "byte");
}

static void a_c_string_ends_at_its_nul(void) {
    static const char text[] = "[{}]\0 and more";
    uint64_t tokens = 0;
    char *error = NULL;
    tn_status status = tn_estimate_tokens(text, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
    SUCCEEDED("[{}] with text behind its NUL", status, error);
    CHECK(tokens == 1, "{} counts %llu", (unsigned long long)tokens);
}

static void an_escaped_nul_is_legal(void) {
    uint64_t tokens = 0;
    char *error = NULL;
    tn_status status = tn_estimate_tokens("[{\"k\":\"\\u0000\"}]", TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
    SUCCEEDED("\\u0000", status, error);
    CHECK(tokens == 4, "14 characters count %llu", (unsigned long long)tokens);
}

static void a_transcript_cut_at_any_byte_is_refused(void) {
    static const char whole[] =
        "[{\"role\":\"user\",\"content\":\"\xf0\x9f\x8c\x8a tide \xe6\xbd\xae \\ud83d\\u00e9\\n\",\"n\":[-1.10,2e+5,true,false,null,{}]} , "
        "{\"tool_calls\":[{\"id\":\"c\"}]}]";
    tn_compactor *compactor = compactor_of("{\"max_tokens\":0}");
    struct guarded g = guarded_page();
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        const char *cut = at_the_end(g, whole, len);
        char *error = NULL, *result = NULL, *shown = written("%.*s", (int)len, whole);
        uint64_t tokens;
        struct host host = {0};
        tn_plan *plan = NULL;
        bool inside_a_character = ((unsigned char)whole[len] & 0xc0) == 0x80;
        tn_status want = inside_a_character ? TN_ERR_UTF8 : TN_ERR_JSON;
        tn_status status = tn_estimate_tokens(cut, len, TN_CODE_POINT, &tokens, &error);
        CHECK(byte_named_in(error) <= len, "cut after %zu bytes, the error says: %s", len, error ? error : "nothing");
        REFUSED(shown, status, want, error, "byte");
        error = NULL;
        status = tn_plan_new(compactor, cut, len, NULL, NULL, &plan, &error);
        REFUSED(shown, status, want, error, "byte");
        CHECK(plan == NULL, "%s gave a plan", shown);
        error = NULL;
        status = tn_compactor_apply(compactor, cut, len, host_summarize, host_count, &host, &result, &error);
        REFUSED(shown, status, want, error, "byte");
        CHECK(result == NULL && host.summarized_len + host.counted_len == 0, "%s reached a callback", shown);
        host_forget(&host);
        free(shown);
    }
    release(g);
    tn_compactor_free(compactor);
}

static void options_cut_at_any_byte_are_refused(void) {
    static const char whole[] = "{\"max_tokens\":100,\"flush_to_memory\":true,\"char_unit\":\"utf\\u00318\",\"split\" : \"turns\"}";
    struct guarded g = guarded_page();
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        char *error = NULL, *shown = written("%.*s", (int)len, whole);
        tn_compactor *compactor = NULL;
        tn_status status = tn_compactor_new(at_the_end(g, whole, len), len, &compactor, &error);
        CHECK(byte_named_in(error) <= len, "cut after %zu bytes, the error says: %s", len, error ? error : "nothing");
        REFUSED(shown, status, TN_ERR_JSON, error, "byte");
        CHECK(compactor == NULL, "%s gave a compactor", shown);
        free(shown);
    }
    release(g);
}

static void text_behind_the_json_is_refused_where_it_begins(void) {
    static const struct {
        const char *text;
        size_t byte;
    } cases[] = {{"[] x", 3}, {"[][]", 2}, {"[{}]]", 4}, {"[{}],", 4}, {"[]\n\n\"\"", 4}, {"[{}] [", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens;
        char *error = NULL;
        tn_status status = tn_estimate_tokens(cases[i].text, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
        CHECK(byte_named_in(error) == cases[i].byte, "%s: \"%s\" does not name byte %zu", cases[i].text, error ? error : "",
              cases[i].byte);
        REFUSED(cases[i].text, status, TN_ERR_JSON, error, "byte");
    }
    {
        tn_compactor *compactor = NULL;
        char *error = NULL;
        tn_status status = tn_compactor_new("{\"max_tokens\":1} }", TN_NUL_TERMINATED, &compactor, &error);
        CHECK(byte_named_in(error) == 17, "\"%s\" does not name byte 17", error ? error : "");
        REFUSED("options with a brace too many", status, TN_ERR_JSON, error, "byte");
        CHECK(compactor == NULL, "the compactor is not NULL");
    }
}

static void broken_json_is_refused_where_it_breaks(void) {
    /* The error stands at some byte of [from, to]: where a token is broken, its start and the offending byte both name the place. */
    static const struct {
        const char *text;
        size_t from, to;
    } cases[] = {
        {"[{\"a\":}]", 6, 6},          {"[{\"a\" 1}]", 6, 6},      {"[{a:1}]", 2, 2},           {"[{'a':1}]", 2, 2},
        {"[{\"a\":1,}]", 8, 8},        {"[{},]", 4, 4},            {"[,{}]", 1, 1},             {"[{} {}]", 4, 4},
        {"[{]", 2, 2},                 {"[}", 1, 1},               {"[{\"a\":[1}]", 8, 8},       {"[{\"a\":tru}]", 6, 9},
        {"[{\"a\":True}]", 6, 6},      {"[{\"a\":nul}]", 6, 9},    {"[{\"a\":falsey}]", 6, 11},  {"[{\"a\":01}]", 6, 7},
        {"[{\"a\":1.}]", 6, 8},        {"[{\"a\":.5}]", 6, 6},     {"[{\"a\":+1}]", 6, 6},       {"[{\"a\":-}]", 6, 7},
        {"[{\"a\":1e}]", 6, 8},        {"[{\"a\":1e+}]", 6, 9},    {"[{\"a\":0x1}]", 6, 7},      {"[{\"a\":NaN}]", 6, 6},
        {"[{\"a\":Infinity}]", 6, 6},  {"[{\"a\":\"\\x\"}]", 7, 8}, {"[{\"a\":\"\\u12g4\"}]", 7, 11}, {"[{\"a\":\"\t\"}]", 7, 7},
        {"[{\"a\":\"\n\"}]", 7, 7},    {"[{\"a\":\"\x1f\"}]", 7, 7}, {"[{\"a\":1 /* no */}]", 8, 8}, {"[{\"a\":1;}]", 7, 7},
        {"\xef\xbb\xbf[]", 0, 0},      {"   ", 3, 3},              {"x", 0, 0},                 {"[1, 2", 5, 6},
        {"[1,{\"a\":}]", 8, 8},        {"{\"a\":}", 5, 5},         {"[\f{}]", 1, 1},            {"[\xc2\xa0{}]", 1, 1},
        {"[{1:2}]", 2, 2},             {"[{\"a\":1:2}]", 7, 7},    {"[{\"a\"}]", 5, 5},          {"[{,}]", 2, 2},
        {"[[[[[[[[}", 8, 8},           {"[{\"a\":\"\\ud83d\\u\"}]", 13, 15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens;
        char *error = NULL;
        tn_status status = tn_estimate_tokens(cases[i].text, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
        size_t byte = byte_named_in(error);
        CHECK(byte >= cases[i].from && byte <= cases[i].to, "%s: \"%s\" names no byte of %zu to %zu", cases[i].text,
              error ? error : "", cases[i].from, cases[i].to);
        REFUSED(cases[i].text, status, TN_ERR_JSON, error, "byte");
    }
}

static void an_array_of_other_things_is_refused_with_the_first_bad_index(void) {
    static const struct {
        const char *text, *part;
    } cases[] = {{"[1]", "[0]&number|1"},
                 {"[{},{},\"three\",4]", "[2]&string|three"},
                 {"[{},null]", "[1]&null"},
                 {"[{},{},{},[{}]]", "[3]&array"},
                 {"[{},true]", "[1]&bool|true"},
                 {"[{},{},{},{},{},{},{},{},{},{},{},{},-1.5e3]", "[12]&number|-1.5e3"}};
    tn_compactor *compactor = compactor_of("{\"max_tokens\":0}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens;
        char *error = NULL, *result = NULL;
        tn_plan *plan = NULL;
        struct host host = {0};
        tn_status status = tn_estimate_tokens(cases[i].text, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
        REFUSED(cases[i].text, status, TN_ERR_TRANSCRIPT, error, cases[i].part);
        error = NULL;
        status = tn_plan_new(compactor, cases[i].text, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
        REFUSED(cases[i].text, status, TN_ERR_TRANSCRIPT, error, cases[i].part);
        error = NULL;
        status = tn_compactor_apply(compactor, cases[i].text, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
        REFUSED(cases[i].text, status, TN_ERR_TRANSCRIPT, error, cases[i].part);
        CHECK(!plan && !result && host.counted_len == 0, "%s was looked at all the same", cases[i].text);
        host_forget(&host);
    }
    tn_compactor_free(compactor);
}

static void json_that_is_no_array_is_refused(void) {
    static const struct {
        const char *text, *part;
    } cases[] = {{"{}", "object"}, {"{\"messages\":[]}", "object"}, {"\"[]\"", "string"}, {"12", "number|12"},
                 {"null", "null"}, {" true ", "bool|true"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens;
        char *error = NULL, *parts = written("%s&array", cases[i].part);
        tn_status status = tn_estimate_tokens(cases[i].text, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
        REFUSED(cases[i].text, status, TN_ERR_TRANSCRIPT, error, parts);
        free(parts);
    }
}

static void white_space_around_and_inside_changes_nothing(void) {
    static const char *const texts[] = {"[{\"a\":[1,\"b\"]},{}]", " \t\r\n[ {\t\"a\" :\r[ 1 ,\n\"b\" ] } , { } ]\n\n",
                                        "[\n\n{\"\\u0061\":[1,\"\\u0062\"]},{\n}]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t tokens = 0;
        char *error = NULL;
        tn_status status = tn_estimate_tokens(texts[i], TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
        SUCCEEDED(texts[i], status, error);
        CHECK(tokens == 5, "%s counts %llu, not 4 + 1", texts[i], (unsigned long long)tokens);
    }
}

RUN_TESTS(TEST(an_exact_length_reads_no_byte_outside), TEST(exact_lengths_do_for_every_text_parameter),
          TEST(the_host_s_text_is_never_written_to), TEST(bad_utf8_in_options_is_refused_with_its_byte),
          TEST(bad_utf8_in_messages_is_refused_with_its_byte), TEST(bad_utf8_in_a_summary_is_refused_with_its_byte),
          TEST(a_nul_inside_json_is_refused_where_it_stands), TEST(a_c_string_ends_at_its_nul), TEST(an_escaped_nul_is_legal),
          TEST(a_transcript_cut_at_any_byte_is_refused), TEST(options_cut_at_any_byte_are_refused),
          TEST(text_behind_the_json_is_refused_where_it_begins), TEST(broken_json_is_refused_where_it_breaks),
          TEST(an_array_of_other_things_is_refused_with_the_first_bad_index), TEST(json_that_is_no_array_is_refused),
          TEST(white_space_around_and_inside_changes_nothing))
