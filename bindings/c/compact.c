/* compact: a filter that shortens the transcript of an agent.
 *
 *     compact --max-tokens 8000 < transcript.json > compacted.json
 *
 * It shows the library's two calls, tn_plan_new and tn_plan_finish, with the summary made in between: by a command of the
 * user's choice, or by a few lines of C. Nothing is written before everything is decided, so a failure leaves standard output
 * empty, and exit status 0 means that a whole transcript was written. */

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tn_compactor.h"
#include "walk.h"

enum { DONE = 0, FAILED = 1, USAGE = 2 };

static void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)fputs("compact: ", stderr);
  (void)vfprintf(stderr, format, arguments);
  (void)fputc('\n', stderr);
  va_end(arguments);
}

/* The library's own message is passed on as it is: it names the place, what was found and what is allowed. */
static void complain_of(tn_status status, char *error) {
  complain("%s", error != NULL ? error : tn_status_name(status));
  tn_string_free(error);
}

/* ---- the command line ---- */

static const char HELP[] =
    "usage: compact --max-tokens N [option...] < transcript.json > compacted.json\n"
    "\n"
    "Reads a transcript, a JSON array of messages, and writes it with its older part replaced by a summary,\n"
    "or byte for byte where nothing is to be done.\n"
    "\n"
    "  --max-tokens N          compact only if the transcript counts more tokens than this (required)\n"
    "  --keep-tail N           token budget of the latest messages, which are kept (default: half of --max-tokens)\n"
    "  --flush-to-memory       add a reminder to save what matters with the memory tool\n"
    "  --char-unit UNIT        what one character is: code_point (default), utf16 or utf8\n"
    "  --split HOW             where the tail may start: steps (default) or turns\n"
    "  --summary-role ROLE     role of the summary: system (default), developer, user or assistant\n"
    "  --summarize-with CMD    run CMD with sh: older messages on its standard input, summary on its standard output\n"
    "  --explain               say on standard error what becomes of each message\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 failed (nothing usable was written), 2 wrong usage.\n";

struct settings {
  const char *max_tokens; /* as typed: the library checks the values */
  const char *keep_tail;
  const char *char_unit;
  const char *split;
  const char *summary_role;
  const char *summarize_with;
  bool flush_to_memory;
  bool explain;
  bool help;
  bool version;
};

/* "--name=value", or "--name" with the value as the next argument. */
static bool takes_value(const char *name, char **argv, int *at, const char **value, bool *matched) {
  size_t len = strlen(name);
  *matched = strncmp(argv[*at], name, len) == 0 && (argv[*at][len] == '\0' || argv[*at][len] == '=');
  if (!*matched) return true;
  if (argv[*at][len] == '=') {
    *value = argv[*at] + len + 1;
  } else if (argv[*at + 1] != NULL) {
    *value = argv[++*at];
  } else {
    complain("option %s needs a value; see compact --help", name);
    return false;
  }
  return true;
}

static bool read_arguments(char **argv, struct settings *settings) {
  const struct {
    const char *name;
    const char **value;
  } valued[] = {
      {"--max-tokens", &settings->max_tokens},     {"--keep-tail", &settings->keep_tail},
      {"--char-unit", &settings->char_unit},       {"--split", &settings->split},
      {"--summary-role", &settings->summary_role}, {"--summarize-with", &settings->summarize_with},
  };
  const struct {
    const char *name;
    bool *set;
  } flags[] = {
      {"--flush-to-memory", &settings->flush_to_memory},
      {"--explain", &settings->explain},
      {"--help", &settings->help},
      {"--version", &settings->version},
  };
  if (argv[0] == NULL) return true;
  for (int at = 1; argv[at] != NULL; ++at) {
    bool matched = false;
    for (size_t i = 0; !matched && i < sizeof valued / sizeof valued[0]; ++i) {
      if (!takes_value(valued[i].name, argv, &at, valued[i].value, &matched)) return false;
    }
    for (size_t i = 0; !matched && i < sizeof flags / sizeof flags[0]; ++i) {
      matched = strcmp(argv[at], flags[i].name) == 0;
      if (matched) *flags[i].set = true;
    }
    if (!matched) {
      complain(argv[at][0] == '-' ? "unknown option %s; see compact --help"
                                  : "unexpected argument %s: the transcript is read from standard input",
               argv[at]);
      return false;
    }
  }
  return true;
}

static const char *after_digits(const char *at) {
  while (*at >= '0' && *at <= '9') ++at;
  return at;
}

static bool is_json_number(const char *value) {
  if (*value == '-') ++value;
  const char *at = *value == '0' ? value + 1 : after_digits(value);
  if (at == value) return false;
  if (*at == '.') {
    const char *fraction = at + 1;
    at = after_digits(fraction);
    if (at == fraction) return false;
  }
  if (*at == 'e' || *at == 'E') {
    const char *exponent = at[1] == '+' || at[1] == '-' ? at + 2 : at + 1;
    at = after_digits(exponent);
    if (at == exponent) return false;
  }
  return *at == '\0';
}

static void append_json_string(struct text *json, const char *value) {
  text_append_c(json, "\"");
  for (; *value != '\0'; ++value) {
    char escape[8];
    if ((unsigned char)*value < 0x20) {
      (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*value);
      text_append_c(json, escape);
    } else {
      if (*value == '"' || *value == '\\') text_append_c(json, "\\");
      text_append(json, value, 1);
    }
  }
  text_append_c(json, "\"");
}

/* Where a number is expected and something else was typed, it goes to the library as a string, to be refused by name. */
static void append_option(struct text *json, const char *key, const char *value, bool as_number) {
  if (value == NULL) return;
  if (json->len > 1) text_append_c(json, ",");
  append_json_string(json, key);
  text_append_c(json, ":");
  if (as_number && is_json_number(value)) {
    text_append_c(json, value);
  } else {
    append_json_string(json, value);
  }
}

static void append_options(struct text *json, const struct settings *settings) {
  text_append_c(json, "{");
  append_option(json, "max_tokens", settings->max_tokens, true);
  append_option(json, "keep_tail", settings->keep_tail, true);
  append_option(json, "char_unit", settings->char_unit, false);
  append_option(json, "split", settings->split, false);
  append_option(json, "summary_role", settings->summary_role, false);
  if (settings->flush_to_memory) {
    text_append_c(json, json->len > 1 ? ",\"flush_to_memory\":true" : "\"flush_to_memory\":true");
  }
  text_append_c(json, "}");
}

/* ---- reading and writing ---- */

/* Without this, a pipe or a file opened later could take the number of a closed standard stream. */
static bool standard_streams_are_open(void) {
  const bool has_input = fcntl(STDIN_FILENO, F_GETFD) != -1;
  const bool has_output = fcntl(STDOUT_FILENO, F_GETFD) != -1;
  if (!has_input) complain("standard input is closed");
  if (!has_output) complain("standard output is closed");
  if (!has_input || !has_output) return false;
  return fcntl(STDERR_FILENO, F_GETFD) != -1 || open("/dev/null", O_WRONLY) != -1;
}

static bool output_would_overwrite_input(void) {
  struct stat in, out;
  return fstat(STDIN_FILENO, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(in.st_mode) && S_ISREG(out.st_mode) &&
         in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/* A stream may have been left non-blocking by whoever opened it: then wait. */
static bool worth_retrying(int fd, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  struct pollfd waiting = {fd, events, 0};
  return poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

/* Reads once. False on an error, errno says which; *ended at the end of the input. */
static bool read_some(int fd, struct text *into, bool *ended) {
  if (!text_reserve(into, into->len < 65536 ? 65536 : into->len)) {
    errno = ENOMEM;
    return false;
  }
  ssize_t got = read(fd, into->bytes + into->len, into->size - into->len);
  if (got < 0) return worth_retrying(fd, POLLIN);
  into->len += (size_t)got;
  *ended = got == 0;
  return true;
}

static bool read_standard_input(struct text *transcript) {
  for (bool ended = false; !ended;) {
    if (!read_some(STDIN_FILENO, transcript, &ended)) {
      complain("cannot read standard input: %s", strerror(errno));
      return false;
    }
  }
  return true;
}

static bool write_all(int fd, const char *bytes, size_t len) {
  while (len > 0) {
    ssize_t written = write(fd, bytes, len);
    if (written < 0) {
      if (!worth_retrying(fd, POLLOUT)) return false;
      continue;
    }
    bytes += written;
    len -= (size_t)written;
  }
  return true;
}

/* Some file systems report a full disk only when the file is closed. */
static bool write_standard_output(const char *bytes, size_t len) {
  bool written = write_all(STDOUT_FILENO, bytes, len);
  if (written) written = close(STDOUT_FILENO) == 0 || errno == EINTR;
  if (!written) complain("cannot write standard output: %s", strerror(errno));
  return written;
}

/* ---- a command that summarizes ---- */

static void close_fd(int *fd) {
  if (*fd != -1) (void)close(*fd);
  *fd = -1;
}

static bool handle_signal(int signal, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  return sigaction(signal, &action, NULL) == 0;
}

/* Never returns. A shell cannot undo an inherited "ignore", so the command gets its SIGPIPE back here. */
static void become_command(const char *command, int in, int out) {
  if (dup2(in, STDIN_FILENO) != -1 && dup2(out, STDOUT_FILENO) != -1 && handle_signal(SIGPIPE, SIG_DFL)) {
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  }
  _exit(127);
}

/* Feeds `older` to the command while collecting its answer, so that neither can wait for the other for ever. A command that
   does not read to the end is no failure: it may know enough. */
static bool converse(int *to, int *from, struct slice older, struct text *answer) {
  size_t sent = 0;
  while (*to != -1 || *from != -1) {
    struct pollfd ends[2] = {{*from, POLLIN, 0}, {*to, POLLOUT, 0}};
    if (poll(ends, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (ends[0].revents != 0) {
      bool ended = false;
      if (!read_some(*from, answer, &ended)) return false;
      if (ended) close_fd(from);
    }
    if (ends[1].revents != 0) {
      ssize_t written = write(*to, older.start + sent, older.len - sent);
      if (written >= 0) {
        sent += (size_t)written;
        if (sent == older.len) close_fd(to);
      } else if (errno == EPIPE) {
        close_fd(to);
      } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
        return false;
      }
    }
  }
  return true;
}

static bool wait_for_command(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) == -1) {
    if (errno == EINTR) continue;
    complain("--summarize-with: cannot wait for the command: %s", strerror(errno));
    return false;
  }
  if (WIFSIGNALED(status)) {
    complain("--summarize-with: the command was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return false;
  }
  if (WEXITSTATUS(status) != 0) {
    complain("--summarize-with: the command failed with exit status %d", WEXITSTATUS(status));
    return false;
  }
  return true;
}

/* The command must inherit its two ends as standard streams only, or it could not tell us that it closed them. */
static bool open_pipe(int ends[2]) {
  return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) != -1 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) != -1;
}

static bool summarize_with_command(const char *command, struct slice older, struct text *summary) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  bool talked = false, ended_well = false;
  if (open_pipe(in) && open_pipe(out) && fcntl(in[1], F_SETFL, O_NONBLOCK) != -1) {
    pid_t child = fork();
    if (child == 0) become_command(command, in[0], out[1]);
    if (child > 0) {
      close_fd(&in[0]);
      close_fd(&out[1]);
      talked = converse(&in[1], &out[0], older, summary);
      int trouble = errno;
      close_fd(&in[1]);
      close_fd(&out[0]);
      ended_well = wait_for_command(child);
      errno = trouble;
    }
  }
  if (!talked) complain("--summarize-with: cannot run the command: %s", strerror(errno));
  close_fd(&in[0]);
  close_fd(&in[1]);
  close_fd(&out[0]);
  close_fd(&out[1]);
  return talked && ended_well;
}

/* ---- the built-in summary ---- */

enum { REQUEST_CHARACTERS = 160, EARLIER_CHARACTERS = 8000 };

static bool is_summary(const struct message *message) {
  return message->text.start != NULL && starts_with(characters_of_json(message->text), tn_summary_prefix());
}

static bool is_reminder(const struct message *message) {
  return message->text.start != NULL &&
         compare_characters(characters_of_json(message->text), characters_of_c(tn_flush_reminder())) == 0;
}

static bool is_from_user(const struct message *message) {
  return message->role.start != NULL &&
         compare_characters(characters_of_json(message->role), characters_of_c("user")) == 0;
}

/* Summaries build on each other: what the one before said is carried on, its latest part where it is long. */
static void append_earlier_summary(struct text *earlier, struct slice text) {
  struct characters body = characters_of_json(text);
  for (size_t skip = count_characters(characters_of_c(tn_summary_prefix())); skip > 0; --skip) (void)next_character(&body);
  size_t count = count_characters(body);
  if (count > EARLIER_CHARACTERS) text_append_c(earlier, "…");
  for (; count > EARLIER_CHARACTERS; --count) (void)next_character(&body);
  for (unsigned long c = next_character(&body); c != NO_CHARACTER; c = next_character(&body)) {
    text_append_character(earlier, c);
  }
  text_append_c(earlier, "\n\n");
}

/* The first line with something on it, cut between two code points where it is long. */
static void append_first_line(struct text *line, struct slice string) {
  struct characters rest = characters_of_json(string);
  unsigned long c = next_character(&rest);
  while (c == ' ' || c == '\t' || c == '\n' || c == '\r') c = next_character(&rest);
  size_t count = 0;
  for (; c != NO_CHARACTER && c != '\n' && c != '\r' && count < REQUEST_CHARACTERS; ++count, c = next_character(&rest)) {
    text_append_character(line, c < ' ' || c == 0x7F ? ' ' : c);
  }
  if (count == 0) text_append_c(line, "(no text)");
  if (c != NO_CHARACTER && c != '\n' && c != '\r') text_append_c(line, "…");
}

struct tool {
  struct slice name;
  size_t first_call;
  size_t calls;
};

static int by_name(const void *a, const void *b) {
  const struct tool *x = a, *y = b;
  int order = compare_characters(characters_of_json(x->name), characters_of_json(y->name));
  return order != 0 ? order : (x->first_call > y->first_call) - (x->first_call < y->first_call);
}

static int by_first_call(const void *a, const void *b) {
  const struct tool *x = a, *y = b;
  return (x->first_call > y->first_call) - (x->first_call < y->first_call);
}

/* Sorted twice rather than looked up call by call: thousands of different names stay cheap. */
static void append_tools(struct text *summary, const struct slices *calls) {
  if (calls->len == 0) return;
  struct tool *tools = calls->len > SIZE_MAX / sizeof *tools ? NULL : malloc(calls->len * sizeof *tools);
  if (tools == NULL) {
    summary->failed = true;
    return;
  }
  for (size_t i = 0; i < calls->len; ++i) {
    struct tool tool = {calls->items[i], i, 1};
    tools[i] = tool;
  }
  qsort(tools, calls->len, sizeof *tools, by_name);
  size_t names = 0;
  for (size_t i = 1; i < calls->len; ++i) {
    if (compare_characters(characters_of_json(tools[names].name), characters_of_json(tools[i].name)) == 0) {
      ++tools[names].calls;
    } else {
      tools[++names] = tools[i];
    }
  }
  ++names;
  qsort(tools, names, sizeof *tools, by_first_call);

  text_append_c(summary, "Tools that ran, and how often:\n");
  for (size_t i = 0; i < names; ++i) {
    char times[32];
    (void)snprintf(times, sizeof times, ": %zu\n", tools[i].calls);
    text_append_c(summary, "- ");
    append_first_line(summary, tools[i].name);
    text_append_c(summary, times);
  }
  free(tools);
}

static bool summarize_plainly(struct slice older, struct text *summary) {
  struct text requests = {NULL, 0, 0, false};
  struct slices calls = {NULL, 0, 0, false};
  size_t count = 0;
  struct walk walk = walk_into(older);
  struct slice element;
  while (walk_element(&walk, &element)) {
    struct message message;
    read_message(element, &message, &calls);
    if (is_reminder(&message)) continue;
    if (is_summary(&message)) {
      append_earlier_summary(summary, message.text);
      continue;
    }
    ++count;
    if (is_from_user(&message) && !message.has_call && !message.has_result) {
      static const struct slice wordless = {"\"\"", 2};
      text_append_c(&requests, "- ");
      append_first_line(&requests, message.first_text.start != NULL ? message.first_text : wordless);
      text_append_c(&requests, "\n");
    }
  }
  char heading[64];
  (void)snprintf(heading, sizeof heading, "%zu message%s left out.\n", count, count == 1 ? "" : "s");
  text_append_c(summary, heading);
  if (requests.len > 0) text_append_c(summary, "The user asked:\n");
  text_append(summary, requests.bytes, requests.len);
  append_tools(summary, &calls);
  bool made = !summary->failed && !requests.failed && !calls.failed;
  text_free(&requests);
  slices_free(&calls);
  if (!made) complain("out of memory");
  return made;
}

/* ---- what becomes of each message ---- */

static const char *outcome_name(int32_t outcome) {
  switch (outcome) {
    case TN_COMPACT: return "compact";
    case TN_UNDER_BUDGET: return "under_budget";
    case TN_NOTHING_OLDER: return "nothing_older";
    case TN_NOTHING_NEW: return "nothing_new";
    case TN_CALL_IN_FLIGHT: return "call_in_flight";
    default: return "unknown";
  }
}

static int32_t char_unit(const struct settings *settings) {
  if (settings->char_unit == NULL || strcmp(settings->char_unit, "code_point") == 0) return TN_CODE_POINT;
  return strcmp(settings->char_unit, "utf16") == 0 ? TN_UTF16 : TN_UTF8;
}

/* A terminal shows this: nothing but plain, visible ASCII, and not too much of it. */
static void print_speaker(const struct message *message, char speaker[25]) {
  struct slice name = message->role.start != NULL ? message->role : message->type;
  size_t len = 0;
  if (name.start != NULL) {
    struct characters characters = characters_of_json(name);
    for (unsigned long c = next_character(&characters); c != NO_CHARACTER && len < 24; c = next_character(&characters)) {
      speaker[len++] = c > ' ' && c < 0x7F ? (char)c : '?';
    }
  }
  if (len == 0) speaker[len++] = '-';
  speaker[len] = '\0';
}

struct explanation {
  struct text table;
  struct text alone; /* one message as a transcript of its own, to count it */
  int32_t unit;
};

static bool explain_message(struct explanation *explanation, struct slice element, const char *index, const char *fate) {
  struct message message;
  struct slices calls = {NULL, 0, 0, false};
  char speaker[25], line[160];
  uint64_t tokens;
  char *error;
  read_message(element, &message, &calls);
  slices_free(&calls);
  print_speaker(&message, speaker);
  explanation->alone.len = 0;
  text_append_c(&explanation->alone, "[");
  text_append(&explanation->alone, element.start, element.len);
  text_append_c(&explanation->alone, "]");
  if (explanation->alone.failed) {
    complain("out of memory");
    return false;
  }
  tn_status status =
      tn_estimate_tokens(explanation->alone.bytes, explanation->alone.len, explanation->unit, &tokens, &error);
  if (status != TN_OK) {
    complain_of(status, error);
    return false;
  }
  (void)snprintf(line, sizeof line, "%8s  %-24s  %10" PRIu64 "  %s\n", index, speaker, tokens, fate);
  text_append_c(&explanation->table, line);
  return true;
}

/* The messages that take the place of the older ones: the summary, and the reminder where one was asked for. */
static bool explain_new_messages(struct explanation *explanation, struct slice result, size_t first, size_t count) {
  struct walk walk = walk_into(result);
  struct slice element;
  for (size_t i = 0; i < first + count && walk_element(&walk, &element); ++i) {
    if (i >= first && !explain_message(explanation, element, "-", "new")) return false;
  }
  return true;
}

static bool explain_figures(struct explanation *explanation, const char *when, struct slice transcript) {
  uint64_t tokens;
  char *error, line[160];
  size_t messages = 0;
  struct walk walk = walk_into(transcript);
  struct slice element;
  while (walk_element(&walk, &element)) ++messages;
  tn_status status = tn_estimate_tokens(transcript.start, transcript.len, explanation->unit, &tokens, &error);
  if (status != TN_OK) {
    complain_of(status, error);
    return false;
  }
  (void)snprintf(line, sizeof line, "%-8s  %10zu  %10" PRIu64 "  %10zu\n", when, messages, tokens, transcript.len);
  text_append_c(&explanation->table, line);
  return true;
}

static bool explain_all(struct explanation *explanation, const tn_plan *plan, bool reminded, struct slice before,
                        struct slice after) {
  bool compacted = tn_plan_outcome(plan) == TN_COMPACT;
  size_t head_end = tn_plan_head_end(plan), tail_start = tn_plan_tail_start(plan);
  size_t request_start = tn_plan_request_start(plan), request_end = tn_plan_request_end(plan);
  size_t new_messages = reminded ? 2 : 1;
  char line[160];
  (void)snprintf(line, sizeof line, "%8s  %-24s  %10s  %s\n", "message", "role", "tokens", "becomes");
  text_append_c(&explanation->table, line);

  struct walk walk = walk_into(before);
  struct slice element;
  size_t index = 0;
  for (; walk_element(&walk, &element); ++index) {
    if (compacted && index == tail_start && !explain_new_messages(explanation, after, head_end, new_messages)) return false;
    bool summarized = index >= head_end && index < tail_start;
    bool request = summarized && index >= request_start && index < request_end;
    char number[32];
    (void)snprintf(number, sizeof number, "%zu", index);
    if (!explain_message(explanation, element, number, request ? "kept+summarized" : summarized ? "summarized" : "kept")) {
      return false;
    }
  }
  if (compacted && index == tail_start && !explain_new_messages(explanation, after, head_end, new_messages)) return false;

  (void)snprintf(line, sizeof line, "\n%-8s  %10s  %10s  %10s\n", "", "messages", "tokens", "bytes");
  text_append_c(&explanation->table, line);
  if (!explain_figures(explanation, "before", before) || !explain_figures(explanation, "after", after)) return false;
  (void)snprintf(line, sizeof line, "outcome   %s\n", outcome_name(tn_plan_outcome(plan)));
  text_append_c(&explanation->table, line);
  if (explanation->table.failed) {
    complain("out of memory");
    return false;
  }
  if (!write_all(STDERR_FILENO, explanation->table.bytes, explanation->table.len)) return false;
  return true;
}

static bool explain(const struct settings *settings, const tn_plan *plan, struct slice before, struct slice after) {
  struct explanation explanation = {{NULL, 0, 0, false}, {NULL, 0, 0, false}, char_unit(settings)};
  bool explained = explain_all(&explanation, plan, settings->flush_to_memory, before, after);
  text_free(&explanation.table);
  text_free(&explanation.alone);
  return explained;
}

/* ---- the filter ---- */

/* Everything that has to be given back, whatever happened. */
struct resources {
  struct text options;
  struct text transcript;
  struct text summary;
  tn_compactor *compactor;
  tn_plan *plan;
  char *result;
};

static int compact(const struct settings *settings, struct resources *held) {
  char *error;
  tn_status status;

  append_options(&held->options, settings);
  if (held->options.failed) {
    complain("out of memory");
    return FAILED;
  }
  status = tn_compactor_new(held->options.bytes, held->options.len, &held->compactor, &error);
  if (status != TN_OK) {
    complain_of(status, error);
    return status == TN_ERR_INTERNAL ? FAILED : USAGE;
  }

  if (output_would_overwrite_input()) {
    complain("standard output is the file that standard input is read from: it would be overwritten");
    return FAILED;
  }
  if (!read_standard_input(&held->transcript)) return FAILED;
  struct slice before = {held->transcript.bytes, held->transcript.len};
  status = tn_plan_new(held->compactor, before.start, before.len, NULL, NULL, &held->plan, &error);
  if (status != TN_OK) {
    complain_of(status, error);
    return FAILED;
  }

  struct slice after = before;
  if (tn_plan_outcome(held->plan) == TN_COMPACT) {
    struct slice older;
    older.start = tn_plan_older(held->plan, &older.len);
    if (older.start == NULL) {
      complain("out of memory");
      return FAILED;
    }
    bool summarized = settings->summarize_with != NULL
                          ? summarize_with_command(settings->summarize_with, older, &held->summary)
                          : summarize_plainly(older, &held->summary);
    if (!summarized) return FAILED;
    status = tn_plan_finish(held->plan, held->summary.bytes, held->summary.len, &held->result, &error);
    if (status != TN_OK) {
      complain_of(status, error);
      return FAILED;
    }
    after.start = held->result;
    after.len = strlen(held->result);
  }

  if (settings->explain && !explain(settings, held->plan, before, after)) return FAILED;
  return write_standard_output(after.start, after.len) ? DONE : FAILED;
}

static int print_and_end(const char *text) {
  return write_standard_output(text, strlen(text)) ? DONE : FAILED;
}

static int print_version(void) {
  char line[128];
  (void)snprintf(line, sizeof line, "compact %s (C interface %" PRIu32 ")\n", tn_version(), tn_abi_version());
  return print_and_end(line);
}

int main(int argc, char **argv) {
  struct settings settings;
  struct resources held;
  (void)argc;
  memset(&settings, 0, sizeof settings);
  memset(&held, 0, sizeof held);
  /* A reader that went away is an error like any other write's. An inherited "ignore" of SIGCHLD would take the command's
     exit status away. */
  (void)handle_signal(SIGPIPE, SIG_IGN);
  (void)handle_signal(SIGCHLD, SIG_DFL);

  if (!standard_streams_are_open()) return FAILED;
  if (!read_arguments(argv, &settings)) return USAGE;
  if (settings.help) return print_and_end(HELP);
  if (settings.version) return print_version();

  int ended = compact(&settings, &held);
  tn_string_free(held.result);
  tn_plan_free(held.plan);
  tn_compactor_free(held.compactor);
  text_free(&held.summary);
  text_free(&held.transcript);
  text_free(&held.options);
  return ended;
}
