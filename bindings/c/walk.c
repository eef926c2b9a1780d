#include "walk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- text ---- */

bool text_reserve(struct text *text, size_t more) {
  if (text->failed || more > SIZE_MAX - text->len) {
    text->failed = true;
    return false;
  }
  size_t needed = text->len + more;
  if (needed <= text->size) return true;
  size_t size = text->size < 256 ? 256 : text->size;
  while (size < needed) size = size > SIZE_MAX / 2 ? needed : size * 2;
  char *bytes = realloc(text->bytes, size);
  if (bytes == NULL) {
    text->failed = true;
    return false;
  }
  text->bytes = bytes;
  text->size = size;
  return true;
}

void text_append(struct text *text, const char *bytes, size_t len) {
  if (len == 0 || !text_reserve(text, len)) return;
  memcpy(text->bytes + text->len, bytes, len);
  text->len += len;
}

void text_append_c(struct text *text, const char *c_string) {
  text_append(text, c_string, strlen(c_string));
}

void text_append_character(struct text *text, unsigned long character) {
  char utf8[4];
  size_t len;
  if (character < 0x80) {
    utf8[0] = (char)character;
    len = 1;
  } else if (character < 0x800) {
    utf8[0] = (char)(0xC0 | (character >> 6));
    utf8[1] = (char)(0x80 | (character & 0x3F));
    len = 2;
  } else if (character < 0x10000) {
    utf8[0] = (char)(0xE0 | (character >> 12));
    utf8[1] = (char)(0x80 | ((character >> 6) & 0x3F));
    utf8[2] = (char)(0x80 | (character & 0x3F));
    len = 3;
  } else {
    utf8[0] = (char)(0xF0 | (character >> 18));
    utf8[1] = (char)(0x80 | ((character >> 12) & 0x3F));
    utf8[2] = (char)(0x80 | ((character >> 6) & 0x3F));
    utf8[3] = (char)(0x80 | (character & 0x3F));
    len = 4;
  }
  text_append(text, utf8, len);
}

void text_free(struct text *text) {
  free(text->bytes);
  memset(text, 0, sizeof *text);
}

/* ---- values in place ---- */

bool is_string(struct slice value) {
  return value.start != NULL && *value.start == '"';
}

static bool is_object(struct slice value) {
  return value.start != NULL && *value.start == '{';
}

static bool is_array(struct slice value) {
  return value.start != NULL && *value.start == '[';
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *after_string(const char *at, const char *end) {
  for (++at; at < end && *at != '"'; ++at) {
    if (*at == '\\') ++at;
  }
  return at < end ? at + 1 : end;
}

/* Brackets are counted, not matched: in valid JSON the count alone says where a value ends. */
static const char *after_value(const char *at, const char *end) {
  size_t depth = 0;
  do {
    switch (*at) {
      case '"':
        at = after_string(at, end);
        break;
      case '{':
      case '[':
        ++depth;
        ++at;
        break;
      case '}':
      case ']':
        --depth;
        ++at;
        break;
      default:
        if (depth > 0) {
          ++at;
        } else { /* a number, true, false or null */
          while (at < end && !is_space(*at) && *at != ',' && *at != ']' && *at != '}') ++at;
        }
    }
  } while (depth > 0 && at < end);
  return at;
}

struct walk walk_into(struct slice array_or_object) {
  struct walk walk = {NULL, NULL};
  if (array_or_object.start != NULL) {
    walk.at = array_or_object.start;
    walk.end = array_or_object.start + array_or_object.len;
    while (walk.at < walk.end && is_space(*walk.at)) ++walk.at; /* a whole text may stand in white space */
    if (walk.at < walk.end) ++walk.at;
  }
  return walk;
}

static bool walk_value(struct walk *walk, struct slice *value) {
  while (walk->at < walk->end && (is_space(*walk->at) || *walk->at == ',' || *walk->at == ':')) ++walk->at;
  if (walk->at >= walk->end || *walk->at == ']' || *walk->at == '}') return false;
  value->start = walk->at;
  walk->at = after_value(walk->at, walk->end);
  value->len = (size_t)(walk->at - value->start);
  return true;
}

bool walk_element(struct walk *array, struct slice *element) {
  return walk_value(array, element);
}

bool walk_member(struct walk *object, struct slice *key, struct slice *value) {
  return walk_value(object, key) && walk_value(object, value);
}

/* ---- characters ---- */

struct characters characters_of_json(struct slice string) {
  struct characters characters = {string.start + 1, string.start + string.len - 1, true};
  return characters;
}

struct characters characters_of_c(const char *c_string) {
  struct characters characters = {c_string, c_string + strlen(c_string), false};
  return characters;
}

static unsigned long hex4(const char *digits) {
  unsigned long value = 0;
  for (int i = 0; i < 4; ++i) {
    char c = digits[i];
    value = value << 4 | (unsigned long)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

static unsigned long next_escaped(struct characters *characters) {
  char kind = *characters->at++;
  switch (kind) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: return (unsigned char)kind;
  }
  unsigned long unit = hex4(characters->at);
  characters->at += 4;
  if (unit < 0xD800 || unit > 0xDFFF) return unit;
  if (unit < 0xDC00 && characters->end - characters->at >= 6 && characters->at[0] == '\\' && characters->at[1] == 'u') {
    unsigned long low = hex4(characters->at + 2);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      characters->at += 6;
      return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
  }
  return 0xFFFD;
}

unsigned long next_character(struct characters *characters) {
  if (characters->at >= characters->end) return NO_CHARACTER;
  unsigned char first = (unsigned char)*characters->at++;
  if (first == '\\' && characters->escaped) return next_escaped(characters);
  if (first < 0x80) return first;
  int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  unsigned long character = first & (0x3Fu >> more);
  for (; more > 0 && characters->at < characters->end; --more) {
    character = character << 6 | ((unsigned char)*characters->at++ & 0x3Fu);
  }
  return character;
}

size_t count_characters(struct characters characters) {
  size_t count = 0;
  while (next_character(&characters) != NO_CHARACTER) ++count;
  return count;
}

int compare_characters(struct characters a, struct characters b) {
  for (;;) {
    unsigned long x = next_character(&a), y = next_character(&b);
    if (x != y) return x == NO_CHARACTER ? -1 : y == NO_CHARACTER ? 1 : x < y ? -1 : 1;
    if (x == NO_CHARACTER) return 0;
  }
}

bool starts_with(struct characters characters, const char *prefix) {
  struct characters wanted = characters_of_c(prefix);
  for (;;) {
    unsigned long expected = next_character(&wanted);
    if (expected == NO_CHARACTER) return true;
    if (next_character(&characters) != expected) return false;
  }
}

static bool string_equals(struct slice string, const char *wanted) {
  return is_string(string) && compare_characters(characters_of_json(string), characters_of_c(wanted)) == 0;
}

static bool string_ends_in(struct slice string, const char *ending) {
  if (!is_string(string)) return false;
  struct characters characters = characters_of_json(string), wanted = characters_of_c(ending);
  size_t len = count_characters(characters), ending_len = count_characters(wanted);
  if (len < ending_len) return false;
  for (size_t skip = len - ending_len; skip > 0; --skip) (void)next_character(&characters);
  return compare_characters(characters, wanted) == 0;
}

static bool is_empty_string(struct slice string) {
  return string.len == 2;
}

/* ---- messages ---- */

static void slices_append(struct slices *slices, struct slice slice) {
  if (slices->failed) return;
  if (slices->len == slices->size) {
    size_t size = slices->size == 0 ? 64 : slices->size * 2;
    struct slice *items = size > SIZE_MAX / sizeof *items ? NULL : realloc(slices->items, size * sizeof *items);
    if (items == NULL) {
      slices->failed = true;
      return;
    }
    slices->items = items;
    slices->size = size;
  }
  slices->items[slices->len++] = slice;
}

void slices_free(struct slices *slices) {
  free(slices->items);
  memset(slices, 0, sizeof *slices);
}

/* The values of the keys asked for. Of repeated keys the last counts. */
static void find_members(struct slice object, const char *const *keys, size_t count, struct slice *values) {
  memset(values, 0, count * sizeof *values);
  struct walk members = walk_into(object);
  struct slice key, value;
  while (walk_member(&members, &key, &value)) {
    for (size_t i = 0; i < count; ++i) {
      if (string_equals(key, keys[i])) values[i] = value;
    }
  }
}

static struct slice find_member(struct slice object, const char *wanted) {
  struct slice value = {NULL, 0};
  if (is_object(object)) find_members(object, &wanted, 1, &value);
  return value;
}

static struct slice first_string(struct slice a, struct slice b) {
  struct slice unnamed = {"\"(unnamed)\"", 11};
  return is_string(a) ? a : is_string(b) ? b : unnamed;
}

static void found_call(struct message *message, struct slices *calls, struct slice name, struct slice or_else) {
  message->has_call = true;
  slices_append(calls, first_string(name, or_else));
}

/* A block of `content`, or one of `parts`: Anthropic, Gemini, Bedrock Converse, Vercel AI SDK. */
static void read_block(struct slice block, bool first, struct message *message, struct slices *calls) {
  enum { TYPE, TEXT, ID, NAME, FUNCTION_CALL, FUNCTION_CALL_SNAKE, FUNCTION_RESPONSE, FUNCTION_RESPONSE_SNAKE, TOOL_USE,
         TOOL_RESULT, TOOL_CALL_ID, TOOL_NAME, KEYS };
  static const char *const keys[KEYS] = {"type", "text", "id", "name", "functionCall", "function_call", "functionResponse",
                                         "function_response", "toolUse", "toolResult", "toolCallId", "toolName"};
  const struct slice none = {NULL, 0};
  struct slice values[KEYS];
  find_members(block, keys, KEYS, values);

  if (is_string(values[TEXT])) {
    if (first && message->text.start == NULL) message->text = values[TEXT];
    if (message->first_text.start == NULL) message->first_text = values[TEXT];
  }

  if (string_ends_in(values[TYPE], "tool_use") && is_string(values[ID])) found_call(message, calls, values[NAME], none);
  if (string_equals(values[TYPE], "tool-call") && is_string(values[TOOL_CALL_ID])) {
    found_call(message, calls, values[TOOL_NAME], none);
  }
  if (is_object(values[TOOL_USE]) && is_string(find_member(values[TOOL_USE], "toolUseId"))) {
    found_call(message, calls, find_member(values[TOOL_USE], "name"), none);
  }
  struct slice function_call = is_object(values[FUNCTION_CALL]) ? values[FUNCTION_CALL] : values[FUNCTION_CALL_SNAKE];
  struct slice name = find_member(function_call, "name"), id = find_member(function_call, "id");
  if ((is_string(name) && !is_empty_string(name)) || (is_string(id) && !is_empty_string(id))) {
    found_call(message, calls, name, none);
  }

  message->has_result = message->has_result || string_ends_in(values[TYPE], "tool_result") ||
                        string_equals(values[TYPE], "tool-result") || is_object(values[FUNCTION_RESPONSE]) ||
                        is_object(values[FUNCTION_RESPONSE_SNAKE]) || is_object(values[TOOL_RESULT]);
}

static void read_blocks(struct slice blocks, struct message *message, struct slices *calls) {
  if (!is_array(blocks)) return;
  struct walk walk = walk_into(blocks);
  struct slice block;
  for (bool first = true; walk_element(&walk, &block); first = false) {
    if (is_object(block)) read_block(block, first, message, calls);
  }
}

void read_message(struct slice object, struct message *message, struct slices *calls) {
  enum { ROLE, TYPE, CONTENT, PARTS, TOOL_CALLS, FUNCTION_CALL, CALL_ID, NAME, KEYS };
  static const char *const keys[KEYS] = {"role",       "type",          "content", "parts",
                                         "tool_calls", "function_call", "call_id", "name"};
  const struct slice none = {NULL, 0};
  struct slice values[KEYS];
  find_members(object, keys, KEYS, values);

  memset(message, 0, sizeof *message);
  if (is_string(values[ROLE])) message->role = values[ROLE];
  if (is_string(values[TYPE])) message->type = values[TYPE];
  if (is_string(values[CONTENT])) message->text = values[CONTENT];

  read_blocks(values[CONTENT], message, calls);
  read_blocks(values[PARTS], message, calls);
  if (message->text.start != NULL) message->first_text = message->text;

  if (is_array(values[TOOL_CALLS])) { /* OpenAI chat */
    struct walk walk = walk_into(values[TOOL_CALLS]);
    struct slice call;
    while (walk_element(&walk, &call)) {
      if (!is_string(find_member(call, "id"))) continue;
      struct slice function = find_member(call, "function"), custom = find_member(call, "custom");
      found_call(message, calls, find_member(function, "name"), find_member(custom, "name"));
    }
  }
  struct slice legacy = find_member(values[FUNCTION_CALL], "name");
  if (is_string(legacy)) found_call(message, calls, legacy, none);
  if (string_ends_in(values[TYPE], "_call") && is_string(values[CALL_ID])) { /* OpenAI Responses */
    found_call(message, calls, values[NAME], values[TYPE]);
  }

  message->has_result = message->has_result || string_ends_in(values[TYPE], "_output") ||
                        string_equals(values[ROLE], "tool") || string_equals(values[ROLE], "function");
}
