/* Faults that a host may make, one for each tool that is to see them. All but the overflow show in the library's own code or in
   what it allocated, so a tool that reports them has looked into the library too. */
#include "tn_compactor.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char messages[] = "[{\"role\":\"user\",\"content\":\"Which soil suits carrots? I have clay and some sand.\"}]";

static void estimate(const char *text, size_t len) {
    uint64_t tokens = 0;
    char *error = NULL;
    tn_estimate_tokens(text, len, TN_CODE_POINT, &tokens, &error);
    printf("%llu %s\n", (unsigned long long)tokens, error ? error : "");
    tn_string_free(error);
}

/* The length that is said is longer than the text: the library reads behind the end of the host's memory. */
static void overrun(void) {
    char *text = malloc(sizeof messages - 1);
    memcpy(text, messages, sizeof messages - 1);
    estimate(text, sizeof messages - 1 + 8);
    free(text);
}

/* Nobody frees the error's text. */
static void leak(void) {
    for (int i = 0; i < 100; i++) {
        tn_compactor *compactor = NULL;
        char *error = NULL;
        if (tn_compactor_new("{}", TN_NUL_TERMINATED, &compactor, &error) != TN_ERR_OPTIONS)
            exit(3);
    }
}

/* A text is freed, and then used. */
static void use_after_free(void) {
    tn_compactor *compactor = NULL;
    char *error = NULL;
    if (tn_compactor_new("{}", TN_NUL_TERMINATED, &compactor, &error) != TN_ERR_OPTIONS)
        exit(3);
    tn_string_free(error);
    puts(error);
}

/* One thread writes into the text that another one has the library read. */
static char shared[sizeof messages];

static void *write_into_it(void *unused) {
    for (int i = 0; i < 100000; i++)
        shared[40] = (char)('a' + i % 26);
    return unused;
}

static void race(void) {
    pthread_t writer;
    memcpy(shared, messages, sizeof messages);
    if (pthread_create(&writer, NULL, write_into_it, NULL) != 0)
        exit(3);
    for (int i = 0; i < 1000; i++) {
        uint64_t tokens = 0;
        tn_estimate_tokens(shared, sizeof messages - 1, TN_CODE_POINT, &tokens, NULL);
    }
    pthread_join(writer, NULL);
}

/* The host's callback adds up its tokens in an int. */
static void overflow(void) {
    volatile int tokens = INT_MAX;
    tokens = tokens + 1;
    printf("%d\n", tokens);
}

/* The text was never written. */
static void uninitialized(void) {
    char *text = malloc(64);
    estimate(text, 64);
    free(text);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*commit)(void);
    } faults[] = {{"overrun", overrun}, {"leak", leak},         {"use-after-free", use_after_free},
                  {"race", race},       {"overflow", overflow}, {"uninitialized", uninitialized}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (argc == 2 && strcmp(argv[1], faults[i].name) == 0) {
            faults[i].commit();
            return 0;
        }
    fprintf(stderr, "which fault?\n");
    return 2;
}
