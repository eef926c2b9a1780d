/* Reading a transcript that the library has already accepted.
 *
 * The library hands JSON back as text and builds nothing out of it; the little that a C host has to look at (who speaks,
 * what was said, which tools were called) is found here, in place. Only valid JSON may come in, since syntax is not checked
 * a second time. Nothing recurses, so nesting costs no stack, and each function passes over its input once. */

#ifndef COMPACT_WALK_H
#define COMPACT_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* Text that grows at its end. Once memory ran out, or a length would not fit a size_t, `failed` stays set and appending does
 * nothing more: look at it once, after the last append. Starts as all zeros. */
struct text {
  char *bytes; /* not NUL-terminated */
  size_t len;
  size_t size;
  bool failed;
};

bool text_reserve(struct text *text, size_t more);
void text_append(struct text *text, const char *bytes, size_t len);
void text_append_c(struct text *text, const char *c_string);
void text_free(struct text *text);

/* One JSON value in place, borrowed from the text it stands in. `start` is NULL where there is none. */
struct slice {
  const char *start;
  size_t len;
};

bool is_string(struct slice value);

/* What is left of an array or an object. */
struct walk {
  const char *at;
  const char *end;
};

struct walk walk_into(struct slice array_or_object);
bool walk_element(struct walk *array, struct slice *element);
bool walk_member(struct walk *object, struct slice *key, struct slice *value);

/* The characters of a text, one at a time, either between the quotes of a JSON string, whose escapes are resolved, or of
 * plain UTF-8. A lone surrogate reads as U+FFFD. */
struct characters {
  const char *at;
  const char *end;
  bool escaped;
};

#define NO_CHARACTER 0xFFFFFFFFul

struct characters characters_of_json(struct slice string);
struct characters characters_of_c(const char *c_string);
unsigned long next_character(struct characters *characters);
size_t count_characters(struct characters characters);
int compare_characters(struct characters a, struct characters b);
bool starts_with(struct characters characters, const char *prefix);
void text_append_character(struct text *text, unsigned long character);

/* Slices in the order they were found. Fails like `text`. */
struct slices {
  struct slice *items;
  size_t len;
  size_t size;
  bool failed;
};

void slices_free(struct slices *slices);

/* A message, or a Responses item, as far as this program looks into it. All strings; `start` is NULL where absent. */
struct message {
  struct slice role;
  struct slice type;
  struct slice text;       /* `content`, or the `text` of the first element of `content` or `parts` */
  struct slice first_text; /* the same, or where that one has no text the first block that has */
  bool has_call;
  bool has_result;
};

/* Reads one message. The name of each tool call in it, in any dialect, goes to the end of `calls`. */
void read_message(struct slice object, struct message *message, struct slices *calls);

#endif
