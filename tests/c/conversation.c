#include "conversation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(id, tool, arguments)                                                                                     \
    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" id "\",\"type\":\"function\",\"function\":" \
    "{\"name\":\"" tool "\",\"arguments\":\"" arguments "\"}}]}"
#define RESULT(id, content) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" content "\"}"

const char *const tides[TIDES] = {
    "{\"role\":\"system\",\"content\":\"You keep the harbour's tide tables.\"}",
    "{\"role\":\"user\",\"content\":\"When is low water on Tuesday, and may the dredger leave before it?\"}",
    CALL("c1", "tide_table", "{\\\"day\\\":\\\"tuesday\\\"}"),
    RESULT("c1", "03:12 low 0.4 m; 09:25 high 3.1 m; 15:40 low 0.5 m; 21:51 high 3.0 m; wind south-west 4, gusts 6; swell "
                 "from the west, one metre; no warning in force; the bar is passable two hours either side of high water; "
                 "the outer channel was last sounded in March and carries 2.1 m at datum"),
    "{\"role\":\"assistant\",\"content\":\"Low water is at 03:12 and 15:40. The dredger draws 2.4 m: it may leave from 07:25 to "
    "11:25, well before the afternoon's low.\"}",
    "{\"role\":\"user\",\"content\":\"And on Wednesday?\"}",
    "{\"role\":\"assistant\",\"content\":\"About fifty minutes later each time: 04:02 and 16:31.\"}",
    "{\"role\":\"user\",\"content\":\"Is the ferry affected?\"}",
    "{\"role\":\"assistant\",\"content\":\"No, it draws only a metre and crosses at any state of the tide.\"}",
};

const char *const run[RUN] = {
    "{\"role\":\"system\",\"content\":\"You look after a weather station.\"}",
    "{\"role\":\"user\",\"content\":\"Find out why the rain gauge reads zero, and repair it.\"}",
    CALL("r1", "read_log", "{\\\"from\\\":0}"),
    RESULT("r1", "06:00 rain 0.0 mm, 06:10 rain 0.0 mm, 06:20 rain 0.0 mm, 06:30 rain 0.0 mm, 06:40 rain 0.0 mm, 06:50 ok"),
    CALL("r2", "read_log", "{\\\"from\\\":60}"),
    RESULT("r2", "07:00 rain 0.0 mm, 07:10 rain 0.0 mm, 07:20 rain 0.0 mm, 07:30 rain 0.0 mm, 07:40 rain 0.0 mm, 07:50 ok"),
    CALL("r3", "probe", "{\\\"pin\\\":4}"),
    RESULT("r3", "pin 4 is low although the bucket tips"),
    CALL("r4", "probe", "{\\\"pin\\\":5}"),
    RESULT("r4", "pin 5 is high; the cable was plugged one socket too far"),
};

static void out_of_memory(void) {
    fputs("out of memory\n", stderr);
    exit(3);
}

char *written(const char *form, ...) {
    va_list values;
    int len;
    char *text;
    va_start(values, form);
    len = vsnprintf(NULL, 0, form, values);
    va_end(values);
    text = malloc((size_t)len + 1);
    if (!text)
        out_of_memory();
    va_start(values, form);
    vsnprintf(text, (size_t)len + 1, form, values);
    va_end(values);
    return text;
}

static char *joined(const char *const *messages, size_t first, size_t end) {
    size_t len = 1;
    char *text, *at;
    for (size_t i = first; i < end; i++)
        len += strlen(messages[i]) + 1;
    text = at = malloc(len);
    if (!text)
        out_of_memory();
    for (size_t i = first; i < end; i++) {
        if (i > first)
            *at++ = ',';
        at = strcpy(at, messages[i]) + strlen(messages[i]);
    }
    *at = '\0';
    return text;
}

char *transcript(const char *const *messages, size_t first, size_t end) {
    char *inside = joined(messages, first, end);
    char *text = written("[%s]", inside);
    free(inside);
    return text;
}

uint64_t tokens_of(const char *const *messages, size_t first, size_t end) {
    uint64_t tokens = 0;
    for (size_t i = first; i < end; i++)
        tokens += (strlen(messages[i]) + 3) / 4;
    return tokens;
}

#define SUMMARY_MESSAGE "{\"role\":\"system\",\"content\":\"[Summary of earlier conversation]\\n%s\"}"

char *tides_compacted(const char *summary) {
    char *tail = joined(tides, TIDES_TAIL_START, TIDES);
    char *text = written("[%s," SUMMARY_MESSAGE ",%s]", tides[0], summary, tail);
    free(tail);
    return text;
}

char *run_compacted(const char *summary) {
    char *tail = joined(run, RUN_TAIL_START, RUN);
    char *text = written("[%s," SUMMARY_MESSAGE ",%s,%s]", run[0], summary, run[RUN_REQUEST_START], tail);
    free(tail);
    return text;
}

#define TALKER "{\"role\":\"system\",\"content\":\"Count.\"}"

char *long_talk(size_t turns) {
    enum { ROOM = 160 };
    char *text = malloc((turns + 1) * ROOM), *at = text;
    if (!text)
        out_of_memory();
    at += sprintf(at, "[" TALKER);
    for (size_t i = 0; i < turns; i++)
        at += sprintf(at, ",{\"role\":\"user\",\"content\":\"What is after %zu?\"},{\"role\":\"assistant\",\"content\":\"%zu is.\"}", i,
                      i + 1);
    strcpy(at, "]");
    return text;
}

char *long_run(size_t steps) {
    enum { ROOM = 200 };
    char *text = malloc((steps + 2) * ROOM), *at = text;
    if (!text)
        out_of_memory();
    at += sprintf(at, "[" TALKER ",{\"role\":\"user\",\"content\":\"Count on your own.\"}");
    for (size_t i = 0; i < steps; i++)
        at += sprintf(at,
                      ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"n%zu\",\"function\":{\"name\":\"next\",\"arguments\":\"%zu\"}}]}"
                      ",{\"role\":\"tool\",\"tool_call_id\":\"n%zu\",\"content\":\"%zu\"}",
                      i, i, i, i + 1);
    strcpy(at, "]");
    return text;
}

tn_compactor *compactor_of(const char *options) {
    tn_compactor *compactor = NULL;
    char *error = NULL;
    tn_status status = tn_compactor_new(options, TN_NUL_TERMINATED, &compactor, &error);
    if (status != TN_OK || !compactor) {
        printf("# tn_compactor_new(%s) gave %s: %s\n", options, tn_status_name(status), error ? error : "no error text");
        exit(3);
    }
    return compactor;
}

tn_plan *plan_of(const char *options, const char *messages) {
    tn_compactor *compactor = compactor_of(options);
    tn_plan *plan = NULL;
    char *error = NULL;
    tn_status status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    tn_compactor_free(compactor);
    if (status != TN_OK || !plan) {
        printf("# tn_plan_new(%.200s) gave %s: %s\n", messages, tn_status_name(status), error ? error : "no error text");
        exit(3);
    }
    return plan;
}
