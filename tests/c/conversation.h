/* The transcripts of these tests, and what is known of them without asking the library. */
#ifndef CONVERSATION_H
#define CONVERSATION_H

#include "tn_compactor.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instructions, then three turns; the first calls a tool. All ASCII and compact, so a message's estimate is its length / 4. */
enum { TIDES = 9, TIDES_HEAD_END = 1, TIDES_TAIL_START = 5 };
extern const char *const tides[TIDES];
/* With these the tail is the last two turns: 5 is the smallest turn boundary whose suffix fits. */
#define TIDES_OPTIONS "{\"max_tokens\":250,\"keep_tail\":80}"

/* Instructions, one request, then four calls with their results and no answer yet. */
enum { RUN = 10, RUN_HEAD_END = 1, RUN_REQUEST_START = 1, RUN_REQUEST_END = 2, RUN_TAIL_START = 6 };
extern const char *const run[RUN];
/* With these the tail is the last two steps, and the request is kept before them. */
#define RUN_OPTIONS "{\"max_tokens\":250,\"keep_tail\":150}"

/* The array of messages[first .. end]. Freed with free(). */
char *transcript(const char *const *messages, size_t first, size_t end);

/* The estimate of messages[first .. end]. */
uint64_t tokens_of(const char *const *messages, size_t first, size_t end);

/* What compaction makes of the conversations under the options above; `summary` stands as the content, already escaped, after
   the prefix. Freed with free(). */
char *tides_compacted(const char *summary);
char *run_compacted(const char *summary);

/* Text like printf's. Freed with free(). */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
char *written(const char *form, ...);

/* `turns` turns of a request and an answer behind one system message. Freed with free(). */
char *long_talk(size_t turns);
/* One request and `steps` calls with their results behind one system message. Freed with free(). */
char *long_run(size_t steps);

/* A compactor with these options; a refusal ends the program. */
tn_compactor *compactor_of(const char *options);

/* The plan for this text, without count_tokens; a refusal ends the program. */
tn_plan *plan_of(const char *options, const char *messages);

#ifdef __cplusplus
}
#endif

#endif
