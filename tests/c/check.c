#include "check.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static const char *running;
static size_t failures;
static bool slow;

void fail(const char *file, int line, const char *what, ...) {
    va_list values;
    const char *slash = strrchr(file, '/');
    pthread_mutex_lock(&guard);
    if (failures++ == 0)
        printf("not ok %s: ", running);
    else
        printf("# ");
    va_start(values, what);
    vprintf(what, values);
    va_end(values);
    printf(" (%s:%d)\n", slash ? slash + 1 : file, line);
    fflush(stdout);
    pthread_mutex_unlock(&guard);
}

size_t repeats(size_t often) {
    return slow && often > 20 ? often / 20 : often;
}

int run_tests(const struct test *table, size_t count, const char *pace) {
    size_t failed = 0;
    slow = strcmp(pace, "slow") == 0;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        running = table[i].name;
        failures = 0;
        table[i].run();
        if (failures == 0)
            printf("ok %s\n", running);
        else
            failed++;
        fflush(stdout);
    }
    return failed ? 1 : 0;
}

static bool is_utf8(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        unsigned lead = *at++;
        unsigned more = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4))
            return false;
        if ((lead == 0xe0 && *at < 0xa0) || (lead == 0xed && *at > 0x9f) || (lead == 0xf0 && *at < 0x90) ||
            (lead == 0xf4 && *at > 0x8f))
            return false;
        for (; more > 0; more--)
            if ((*at++ & 0xc0) != 0x80)
                return false;
    }
    return true;
}

/* Does `text` hold one of the words of "a|b|c", which ends at `end`? */
static bool holds_one_of(const char *text, const char *words, const char *end) {
    while (words <= end) {
        const char *stop = memchr(words, '|', (size_t)(end - words));
        size_t len = (size_t)((stop ? stop : end) - words);
        for (const char *at = text; strlen(at) >= len; at++) {
            if (memcmp(at, words, len) == 0)
                return true;
            if (!*at)
                break;
        }
        if (!stop)
            return false;
        words = stop + 1;
    }
    return false;
}

void check_refused(const char *file, int line, const char *shown, tn_status got, tn_status want, char *error,
                   const char *parts) {
    if (got != want)
        fail(file, line, "%s gave %s (%s), not %s", shown, tn_status_name(got), error ? error : "no error text",
             tn_status_name(want));
    else if (!error)
        fail(file, line, "%s gave %s without an error text", shown, tn_status_name(got));
    else if (!is_utf8(error))
        fail(file, line, "%s gave an error text that is no UTF-8", shown);
    else
        for (const char *part = parts; *part;) {
            const char *end = strchr(part, '&');
            if (!end)
                end = part + strlen(part);
            if (!holds_one_of(error, part, end))
                fail(file, line, "%s: the error says \"%s\", nowhere %.*s", shown, error, (int)(end - part), part);
            part = *end ? end + 1 : end;
        }
    tn_string_free(error);
}

bool check_succeeded(const char *file, int line, const char *shown, tn_status got, char *error) {
    if (got == TN_OK && !error)
        return true;
    fail(file, line, "%s gave %s: %s", shown, tn_status_name(got), error ? error : "no error text");
    tn_string_free(error);
    return false;
}

bool check_same_text(const char *file, int line, const char *got, const char *want) {
    size_t same = 0;
    if (got && want && strcmp(got, want) == 0)
        return true;
    if (!got || !want) {
        fail(file, line, "got %s, not %s", got ? got : "NULL", want ? want : "NULL");
        return false;
    }
    while (got[same] && got[same] == want[same])
        same++;
    fail(file, line, "got  %s\n#   not %s\n#   they part at byte %zu", got, want, same);
    return false;
}

size_t byte_named_in(const char *error) {
    const char *at = error ? strstr(error, "byte ") : NULL;
    if (!at || at[5] < '0' || at[5] > '9')
        return SIZE_MAX;
    return (size_t)strtoull(at + 5, NULL, 10);
}
