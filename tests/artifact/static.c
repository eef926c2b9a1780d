/* A program that links the static library alone and compacts with it. */
#include "tn_compactor.h"

#include <stdio.h>
#include <string.h>

static void summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    (void)user_data, (void)json, (void)json_len, (void)first, (void)count;
    tn_sink_set_text(out, "A question was answered.", TN_NUL_TERMINATED);
}

int main(void) {
    static const char messages[] = "[{\"role\":\"user\",\"content\":\"What is the tallest lighthouse on this coast?\"},"
                                   "{\"role\":\"assistant\",\"content\":\"The one on the northern cape, at 71 metres.\"},"
                                   "{\"role\":\"user\",\"content\":\"And the oldest?\"}]";
    tn_compactor *compactor = NULL;
    char *result = NULL, *error = NULL;
    int good;
    if (tn_compactor_new("{\"max_tokens\":30}", TN_NUL_TERMINATED, &compactor, &error) != TN_OK ||
        tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, summarize, NULL, NULL, &result, &error) != TN_OK) {
        printf("%s\n", error ? error : "out of memory");
        return 1;
    }
    good = result && strstr(result, "A question was answered.") && strstr(result, "And the oldest?") && !strstr(result, "northern cape");
    printf("%s\n", result ? result : "unchanged");
    tn_string_free(result);
    tn_compactor_free(compactor);
    return good ? 0 : 1;
}
