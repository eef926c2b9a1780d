/* The checks of these tests, and the table that runs them.

   A program prints `1..N`, then one line per test: `ok name`, or `not ok name: what` with the first thing that was wrong
   (the others follow as comments). run.sh holds the number of lines against N. */
#ifndef CHECK_H
#define CHECK_H

#include "tn_compactor.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct test {
    const char *name;
    void (*run)(void);
};

#define TEST(function) { #function, function }

#define RUN_TESTS(...)                                                                   \
    int main(int argc, char **argv) {                                                    \
        static const struct test table[] = {__VA_ARGS__};                                \
        return run_tests(table, sizeof table / sizeof table[0], argc > 1 ? argv[1] : ""); \
    }

/* `pace` is "slow" where every instruction is watched; see repeats(). */
int run_tests(const struct test *table, size_t count, const char *pace);

/* How often to do a thing that is to be done `often` times at full speed. */
size_t repeats(size_t often);

/* Notes a failure of the running test; may be called from any thread. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void fail(const char *file, int line, const char *what, ...);

#define CHECK(condition, ...) ((condition) ? (void)0 : fail(__FILE__, __LINE__, __VA_ARGS__))
#define REQUIRE(condition, ...)                       \
    do {                                              \
        if (!(condition)) {                           \
            fail(__FILE__, __LINE__, __VA_ARGS__);    \
            return;                                   \
        }                                             \
    } while (0)

/* The call failed as it must: with this status and a UTF-8 text that holds every part. `parts` are separated by `&`, and
   `a|b` is met by either; "" asks for any text at all. `shown` is what the call was given. Frees the text. */
#define REFUSED(shown, got, want, error, parts) check_refused(__FILE__, __LINE__, shown, got, want, error, parts)
void check_refused(const char *file, int line, const char *shown, tn_status got, tn_status want, char *error,
                   const char *parts);

/* The call succeeded, without an error text. `shown` is what the call was given. */
#define SUCCEEDED(shown, got, error) check_succeeded(__FILE__, __LINE__, shown, got, error)
bool check_succeeded(const char *file, int line, const char *shown, tn_status got, char *error);

/* Both texts are equal; a failure shows them and where they part. */
#define SAME_TEXT(got, want) check_same_text(__FILE__, __LINE__, got, want)
bool check_same_text(const char *file, int line, const char *got, const char *want);

/* The number after the word "byte" in an error text, or SIZE_MAX. */
size_t byte_named_in(const char *error);

#ifdef __cplusplus
}
#endif

#endif
