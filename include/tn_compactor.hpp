#ifndef TN_COMPACTOR_HPP
#define TN_COMPACTOR_HPP

/// @file
/// Where a long transcript of an LLM agent may be cut: the C++ face of `tn_compactor.h`. C++17, this header and the library.
///
/// Over a token budget, a compactor replaces the older part of a transcript by a summary that the host writes and keeps a
/// recent tail, and never parts a tool result from its call. It decides where; it never calls a model.
///
/// In one call, with any callable as `summarize`:
///
/// @code{.cpp}
/// const tn::compactor compactor(tn::options{100'000});
/// std::string messages = "[]"; // the transcript: a JSON array of message objects in UTF-8
/// const auto summarize = [](tn::slice older) { return "What " + std::to_string(older.count) + " messages said."; };
/// if (auto shorter = compactor.apply(messages, summarize)) messages = *std::move(shorter);
/// @endcode
///
/// In two calls, where the host summarizes in its own time, or has its messages as objects: tn::compactor::plan, then
/// tn::plan::finish, or tn::plan::splice for a list of the host's own.
///
/// What holds for everything here:
///
/// - Text in is UTF-8, read in place during the call, not copied on the way in and not referred to afterwards.
/// - A failure of the library is a tn::error. What a host's callable throws arrives at the caller as itself: the same
///   exception object, nothing caught on the way, nothing leaked. After either, the host still has its transcript.
/// - A `const` object is not changed, so it may be used by several threads at once.
/// - A callable is used on the caller's thread, during the call, where it stands: it is neither copied nor moved. It may
///   block, and may use anything here.

#if defined(_MSVC_LANG)
#if _MSVC_LANG < 201703L
#error "tn_compactor.hpp needs C++17 or newer: /std:c++17"
#endif
#elif __cplusplus < 201703L
#error "tn_compactor.hpp needs C++17 or newer: -std=c++17"
#endif

#include "tn_compactor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The C++ face of tn_compactor.
namespace tn {

/// Why the library failed. Values may be added.
enum class status : std::int32_t {
  argument = TN_ERR_ARGUMENT,     ///< An object that was moved from, or an unknown unit.
  utf8 = TN_ERR_UTF8,             ///< A text is not UTF-8. The error names the text and the byte offset.
  json = TN_ERR_JSON,             ///< A text is not JSON. The error names the text and the byte offset.
  transcript = TN_ERR_TRANSCRIPT, ///< The messages are JSON, but no array of objects. The error names the first that is none.
  options = TN_ERR_OPTIONS,       ///< An option is refused. The error names it, what was found and what is allowed.
  callback = TN_ERR_CALLBACK,     ///< The summary or the count is not usable: a blank summary, a negative count.
  internal = TN_ERR_INTERNAL,     ///< A bug in the library, or a library that does not fit this header.
  memory = TN_ERR_MEMORY          ///< The memory for something that grows with the transcript could not be had.
};

/// What became of a plan. Values may be added: treat one you do not know as unchanged.
enum class outcome : std::int32_t {
  compact = TN_COMPACT,              ///< The older messages are to be summarized.
  under_budget = TN_UNDER_BUDGET,    ///< Unchanged: the transcript counts no more than `max_tokens`.
  nothing_older = TN_NOTHING_OLDER,  ///< Unchanged: nothing before the tail could be summarized.
  nothing_new = TN_NOTHING_NEW,      ///< Unchanged: all there is before the tail is an earlier summary.
  call_in_flight = TN_CALL_IN_FLIGHT ///< Unchanged: a tool call waits for its result, and there is no place to cut.
};

/// What one character is, for the estimate.
enum class char_unit : std::int32_t {
  code_point = TN_CODE_POINT, ///< A Unicode code point, as Python counts.
  utf16 = TN_UTF16,           ///< A UTF-16 code unit, as JavaScript and the JVM count.
  utf8 = TN_UTF8              ///< A UTF-8 byte, as Go counts.
};

/// Where the tail may start.
enum class split : std::int32_t {
  steps, ///< At a user's turn; a turn that is too long alone may be cut between its steps, and its request is kept.
  turns  ///< At a user's turn only.
};

/// Whose message the summary is, and the reminder.
enum class role : std::int32_t {
  system,    ///< `"system"`
  developer, ///< `"developer"`
  user,      ///< `"user"`
  assistant  ///< `"assistant"`
};

/// The name of a status in the C interface, such as "TN_ERR_JSON"; "TN_UNKNOWN_STATUS" for one that the library does not know.
[[nodiscard]] inline std::string_view to_string(status value) noexcept {
  return tn_status_name(static_cast<std::int32_t>(value));
}

/// The name of an outcome, such as "under_budget"; "unknown" for one that this header does not know.
[[nodiscard]] inline std::string_view to_string(outcome value) noexcept {
  switch (value) {
    case outcome::compact: return "compact";
    case outcome::under_budget: return "under_budget";
    case outcome::nothing_older: return "nothing_older";
    case outcome::nothing_new: return "nothing_new";
    case outcome::call_in_flight: return "call_in_flight";
  }
  return "unknown";
}

/// A failure of the library. `what()` names the place, what was found and what is allowed.
class error : public std::runtime_error {
public:
  /// @param status Why it failed.
  /// @param what What is wrong, in words.
  error(tn::status status, const std::string &what) : std::runtime_error(what), status_(status) {}

  /// Why it failed.
  [[nodiscard]] tn::status status() const noexcept { return status_; }

private:
  tn::status status_;
};

/// A run of the host's messages, as a callable gets it: `messages[first..first + count]`. A callable that wants no more
/// than the text takes a `std::string_view`.
///
/// It is borrowed: from the library during the call of the callable, or from the plan that gave it.
struct slice {
  std::string_view json; ///< The messages, a JSON array in UTF-8. Not NUL-terminated.
  std::size_t first = 0; ///< Index of the first of them in the transcript.
  std::size_t count = 0; ///< How many they are.

  /// The text alone.
  operator std::string_view() const noexcept { return json; }
};

/// A number of tokens out of an integer of any type. It keeps the sign, so that a budget that came out negative is refused by
/// the library, and does not wrap around to one that is never reached.
class token_count {
public:
  /// @param tokens The number.
  template <class Integer,
            class = std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<std::remove_cv_t<Integer>, bool>>>
  constexpr token_count(Integer tokens) noexcept : magnitude_(static_cast<std::uint64_t>(tokens)) {
    if constexpr (std::is_signed_v<Integer>) {
      if (tokens < 0) {
        negative_ = true;
        magnitude_ = 0 - magnitude_;
      }
    }
  }

  /// The number as JSON has it.
  [[nodiscard]] std::string to_json() const { return (negative_ ? "-" : "") + std::to_string(magnitude_); }

private:
  std::uint64_t magnitude_;
  bool negative_ = false;
};

/// What to do with transcripts. What is left unset has the library's default; what a value may be is checked by the library,
/// when a tn::compactor is made.
///
/// @code{.cpp}
/// tn::options options{100'000};
/// options.keep_tail = 25'000;
/// options.flush_to_memory = true;
/// @endcode
///
/// With C++20 also `tn::options{.max_tokens = 100'000, .keep_tail = 25'000}`.
struct options {
  /// Compact only a transcript that counts more than this. Required.
  token_count max_tokens;
  /// Token budget of the kept tail; 0 keeps as little as a safe cut can. Default: half of `max_tokens`.
  std::optional<token_count> keep_tail = std::nullopt;
  /// Add a reminder after the summary: save to memory what is worth keeping.
  bool flush_to_memory = false;
  /// What one character is, for the estimate. Default: a code point.
  std::optional<tn::char_unit> char_unit = std::nullopt;
  /// Where the tail may start. Default: tn::split::steps.
  std::optional<tn::split> split = std::nullopt;
  /// Role of the summary message and of the reminder. Default: tn::role::system.
  std::optional<tn::role> summary_role = std::nullopt;

  /// The options as the library reads them: one JSON object, of what is set.
  [[nodiscard]] inline std::string to_json() const;
};

/// @cond INTERNAL
namespace detail {

// A text that the library hands out, freed by the library.
class owned_text {
public:
  owned_text() = default;
  owned_text(const owned_text &) = delete;
  owned_text &operator=(const owned_text &) = delete;
  ~owned_text() { tn_string_free(text_); }
  char **out() noexcept { return &text_; }
  const char *get() const noexcept { return text_; }
  std::optional<std::string> copy() const { return text_ ? std::optional<std::string>(std::in_place, text_) : std::nullopt; }

private:
  char *text_ = nullptr;
};

struct free_compactor {
  void operator()(tn_compactor *compactor) const noexcept { tn_compactor_free(compactor); }
};
struct free_plan {
  void operator()(tn_plan *plan) const noexcept { tn_plan_free(plan); }
};

inline void check(tn_status status, const owned_text &why) {
  const auto code = static_cast<std::int32_t>(status);
  if (code < 0) throw error(static_cast<tn::status>(code), why.get() ? why.get() : tn_status_name(code));
}

inline void check_abi() {
  if (tn_abi_version() != TN_ABI_VERSION)
    throw error(status::internal, std::string("the loaded tn_compactor ") + tn_version() + " speaks interface " +
                                      std::to_string(tn_abi_version()) + ", this program was compiled for interface " +
                                      std::to_string(TN_ABI_VERSION));
}

// The word for an option's value; for a value that has none its number, which the library refuses by the option's name.
inline std::string word(std::initializer_list<const char *> words, std::int32_t value) {
  const auto at = static_cast<std::size_t>(value);
  return at < words.size() ? '"' + std::string(words.begin()[at]) + '"' : std::to_string(value);
}

// In place of a host's count_tokens.
struct the_estimate {};

template <class Summarize> constexpr void check_summarize() {
  static_assert(std::is_invocable_v<Summarize &, slice>, "summarize must be callable with a tn::slice or a std::string_view");
  static_assert(std::is_convertible_v<std::invoke_result_t<Summarize &, slice>, std::string_view>,
                "summarize must return a text: a std::string, or what converts to a std::string_view");
}

template <class CountTokens> constexpr void check_count_tokens() {
  if constexpr (!std::is_same_v<CountTokens, the_estimate>) {
    static_assert(std::is_invocable_v<CountTokens &, slice>,
                  "count_tokens must be callable with a tn::slice or a std::string_view");
    using count = std::decay_t<std::invoke_result_t<CountTokens &, slice>>;
    static_assert(std::is_integral_v<count> && !std::is_same_v<count, bool>, "count_tokens must return an integer");
  }
}

// The host's callables, as `user_data`. What they throw passes through the library, which promises to leak nothing then, so no
// trampoline catches.
//
// What a setter of the sink returns is not looked at: where it refuses, the call fails and says why.
template <class Summarize, class CountTokens> struct host {
  Summarize &summarize;
  CountTokens &count_tokens;

  static void answer_with_summary(void *user_data, const char *json, std::size_t json_len, std::size_t first, std::size_t count,
                                  tn_sink *out) {
    auto &&summary = std::invoke(static_cast<host *>(user_data)->summarize, slice{{json, json_len}, first, count});
    if constexpr (std::is_convertible_v<decltype(summary), const char *>) {
      if (static_cast<const char *>(summary) == nullptr) return; // which the library reports as no answer
    }
    const std::string_view text = summary;
    tn_sink_set_text(out, text.data(), text.size());
  }

  static void answer_with_count(void *user_data, const char *json, std::size_t json_len, std::size_t first, std::size_t count,
                                tn_sink *out) {
    const auto tokens = std::invoke(static_cast<host *>(user_data)->count_tokens, slice{{json, json_len}, first, count});
    if constexpr (std::is_signed_v<decltype(tokens)>) {
      if (tokens < 0) {
        const std::string why = "count_tokens returned " + std::to_string(tokens) + " for messages[" + std::to_string(first) +
                                " .. " + std::to_string(first + count) + "]: a count is 0 or more";
        tn_sink_set_error(out, why.data(), why.size());
        return;
      }
    }
    tn_sink_set_count(out, static_cast<std::uint64_t>(tokens));
  }

  static constexpr tn_count_tokens_fn count_function() noexcept {
    if constexpr (std::is_same_v<CountTokens, the_estimate>) return nullptr;
    else return answer_with_count;
  }
};

} // namespace detail
/// @endcond

inline std::string options::to_json() const {
  std::string json = "{\"max_tokens\":" + max_tokens.to_json();
  if (keep_tail) json += ",\"keep_tail\":" + keep_tail->to_json();
  if (flush_to_memory) json += ",\"flush_to_memory\":true";
  if (char_unit)
    json += ",\"char_unit\":" + detail::word({"code_point", "utf16", "utf8"}, static_cast<std::int32_t>(*char_unit));
  if (split) json += ",\"split\":" + detail::word({"steps", "turns"}, static_cast<std::int32_t>(*split));
  if (summary_role)
    json += ",\"summary_role\":" +
            detail::word({"system", "developer", "user", "assistant"}, static_cast<std::int32_t>(*summary_role));
  return json + '}';
}

/// Where a transcript is cut, with a copy of what is needed to build the new one. It refers neither to the compactor nor to the
/// text it was made of.
///
/// Immutable: it may be shared by threads, and finished on another thread than it was made on. Move-only; one that was moved
/// from may be destroyed or assigned to, its accessors answer 0, and finishing it is a tn::error.
class plan {
public:
  /// What became of it.
  [[nodiscard]] tn::outcome outcome() const noexcept { return static_cast<tn::outcome>(tn_plan_outcome(plan_.get())); }

  /// The index after the leading instructions, which are kept: the system and developer messages at the start.
  [[nodiscard]] std::size_t head_end() const noexcept { return tn_plan_head_end(plan_.get()); }

  /// The index of the first message of the tail: the number of messages where the tail is empty, and head_end() unless the
  /// outcome is tn::outcome::compact.
  [[nodiscard]] std::size_t tail_start() const noexcept { return tn_plan_tail_start(plan_.get()); }

  /// The index of the first message of the request that is kept, right before the tail; tail_start() where none is.
  [[nodiscard]] std::size_t request_start() const noexcept { return tn_plan_request_start(plan_.get()); }

  /// The index after the request that is kept; request_start() where none is.
  [[nodiscard]] std::size_t request_end() const noexcept { return tn_plan_request_end(plan_.get()); }

  /// Tokens of the whole transcript, by the estimate or by the host's count.
  [[nodiscard]] std::uint64_t tokens() const noexcept { return tn_plan_tokens(plan_.get()); }

  /// Tokens of the tail alone, by the estimate or by the host's count; 0 unless the outcome is tn::outcome::compact.
  [[nodiscard]] std::uint64_t tail_tokens() const noexcept { return tn_plan_tail_tokens(plan_.get()); }

  /// The messages to summarize, from head_end() to tail_start(), whole and in complete pairs. Borrowed from the plan; empty
  /// unless the outcome is tn::outcome::compact.
  ///
  /// @throws tn::error tn::status::memory. The text is made when it is first asked for.
  [[nodiscard]] slice older() const & {
    if (outcome() != tn::outcome::compact) return slice{};
    std::size_t len = 0;
    const char *json = tn_plan_older(plan_.get(), &len);
    if (!json) throw error(status::memory, "there is no memory for the text of the older messages");
    return slice{{json, len}, head_end(), tail_start() - head_end()};
  }

  /// Not of a temporary: the text would be gone.
  slice older() const && = delete;

  /// Builds the new transcript. It may be called again, with the same or another summary.
  ///
  /// @param summary The summary in UTF-8, used as it is after the prefix.
  /// @return The new transcript, in which every kept message is byte for byte the input's. None where nothing changes: where
  ///   the outcome is not tn::outcome::compact.
  /// @throws tn::error tn::status::callback for a blank summary, tn::status::utf8, tn::status::memory.
  [[nodiscard]] std::optional<std::string> finish(std::string_view summary) const {
    detail::owned_text result, why;
    detail::check(tn_plan_finish(plan_.get(), summary.data(), summary.size(), result.out(), why.out()), why);
    return result.copy();
  }

  /// Cuts the host's own list of messages: for a host that has them as objects, and the text only to plan by.
  ///
  /// The kept messages are moved, so they are the very same, and nothing is read back from text. The new list is: the leading
  /// instructions, the summary, the reminder if there is one, the request if one is kept, and the tail. Where the outcome is not
  /// tn::outcome::compact, the list comes back as it was.
  ///
  /// @param messages The messages that the plan was made of, one by one in the same order. Passed by value: move it in.
  /// @param summary The summary message; its text starts with tn::summary_prefix().
  /// @param reminder The message that says tn::flush_reminder(), for a host that wants it.
  /// @return The new list.
  /// @throws std::out_of_range if `messages` is shorter than the transcript that was planned can have been.
  template <class Message, class Allocator>
  [[nodiscard]] std::vector<Message, Allocator>
  splice(std::vector<Message, Allocator> messages, typename std::vector<Message, Allocator>::value_type summary,
         std::optional<typename std::vector<Message, Allocator>::value_type> reminder = std::nullopt) const {
    if (outcome() != tn::outcome::compact) return messages;
    if (messages.size() < tail_start())
      throw std::out_of_range("the plan's tail starts at messages[" + std::to_string(tail_start()) + "], and there are " +
                              std::to_string(messages.size()) + " messages");
    std::vector<Message, Allocator> spliced(messages.get_allocator());
    spliced.reserve(head_end() + 2 + (request_end() - request_start()) + (messages.size() - tail_start()));
    const auto keep = [&](std::size_t from, std::size_t to) {
      for (; from < to; from++) spliced.push_back(std::move(messages[from]));
    };
    keep(0, head_end());
    spliced.push_back(std::move(summary));
    if (reminder) spliced.push_back(*std::move(reminder));
    keep(request_start(), request_end());
    keep(tail_start(), messages.size());
    return spliced;
  }

  /// The plan in the C interface, still owned by this object.
  [[nodiscard]] const tn_plan *get() const noexcept { return plan_.get(); }

private:
  friend class compactor;
  plan() = default;

  std::unique_ptr<tn_plan, detail::free_plan> plan_;
};

/// What to do with transcripts: the options, checked.
///
/// Immutable: one may be shared by threads, and used by several at once. Move-only; one that was moved from may be destroyed or
/// assigned to, and using it is a tn::error.
class compactor {
public:
  /// @param options What to do.
  /// @throws tn::error tn::status::options, naming the option, what was found and what is allowed.
  explicit compactor(const tn::options &options) : compactor(from_json(options.to_json())) {}

  /// A compactor out of options as JSON text, such as a configuration file holds.
  ///
  /// @param options One JSON object; its keys are the members of tn::options.
  /// @return The compactor.
  /// @throws tn::error tn::status::options, naming the key, what was found and what is allowed; tn::status::json,
  ///   tn::status::utf8.
  [[nodiscard]] static compactor from_json(std::string_view options) {
    detail::check_abi();
    tn_compactor *owned = nullptr;
    detail::owned_text why;
    detail::check(tn_compactor_new(options.data(), options.size(), &owned, why.out()), why);
    compactor made;
    made.compactor_.reset(owned);
    return made;
  }

  /// Compacts a transcript in one call: plans, asks `summarize`, and builds the new transcript. Tokens are estimated.
  ///
  /// @param messages The transcript: a JSON array of message objects in UTF-8.
  /// @param summarize Any callable that takes a tn::slice or a `std::string_view` with the older messages and returns the
  ///   summary, as a `std::string` or what converts to a `std::string_view`. Called at most once.
  /// @return The new transcript, in which every kept message is byte for byte the input's. None where nothing changes: keep what
  ///   you have.
  /// @throws tn::error tn::status::json, tn::status::transcript and tn::status::utf8 for the messages, tn::status::callback for
  ///   a blank summary or one that is not UTF-8. And what `summarize` throws.
  template <class Summarize>
  [[nodiscard]] std::optional<std::string> apply(std::string_view messages, Summarize &&summarize) const {
    detail::the_estimate count_tokens;
    return apply_counted(messages, summarize, count_tokens);
  }

  /// The same with the host's own count of tokens, which replaces the estimate everywhere.
  ///
  /// @param messages The transcript: a JSON array of message objects in UTF-8.
  /// @param summarize As above.
  /// @param count_tokens Any callable that takes a tn::slice or a `std::string_view` and returns an integer: the tokens of these
  ///   messages together. It sees the whole transcript and, over budget, a number of parts that grows with the logarithm of the
  ///   number of messages, never an empty one. It must not shrink when messages are added.
  /// @return The new transcript, or none where nothing changes.
  /// @throws tn::error As above, and tn::status::callback for a negative count. And what `summarize` and `count_tokens` throw.
  template <class Summarize, class CountTokens>
  [[nodiscard]] std::optional<std::string> apply(std::string_view messages, Summarize &&summarize,
                                                 CountTokens &&count_tokens) const {
    return apply_counted(messages, summarize, count_tokens);
  }

  /// Plans where to cut a transcript, and leaves the summary to the host's own time. Tokens are estimated.
  ///
  /// @param messages The transcript: a JSON array of message objects in UTF-8.
  /// @return The plan, also where nothing is to be changed.
  /// @throws tn::error tn::status::json, tn::status::transcript, tn::status::utf8, tn::status::memory.
  [[nodiscard]] tn::plan plan(std::string_view messages) const {
    detail::the_estimate count_tokens;
    return plan_counted(messages, count_tokens);
  }

  /// The same with the host's own count of tokens.
  ///
  /// @param messages The transcript: a JSON array of message objects in UTF-8.
  /// @param count_tokens As for apply().
  /// @return The plan, also where nothing is to be changed.
  /// @throws tn::error As above, and tn::status::callback for a negative count. And what `count_tokens` throws.
  template <class CountTokens> [[nodiscard]] tn::plan plan(std::string_view messages, CountTokens &&count_tokens) const {
    return plan_counted(messages, count_tokens);
  }

  /// The compactor in the C interface, still owned by this object.
  [[nodiscard]] const tn_compactor *get() const noexcept { return compactor_.get(); }

private:
  compactor() = default;

  template <class Summarize, class CountTokens>
  std::optional<std::string> apply_counted(std::string_view messages, Summarize &summarize, CountTokens &count_tokens) const {
    detail::check_summarize<Summarize>();
    detail::check_count_tokens<CountTokens>();
    using host = detail::host<Summarize, CountTokens>;
    host callables{summarize, count_tokens};
    detail::owned_text result, why;
    detail::check(tn_compactor_apply(compactor_.get(), messages.data(), messages.size(), host::answer_with_summary,
                                     host::count_function(), &callables, result.out(), why.out()),
                  why);
    return result.copy();
  }

  template <class CountTokens> tn::plan plan_counted(std::string_view messages, CountTokens &count_tokens) const {
    detail::check_count_tokens<CountTokens>();
    using host = detail::host<detail::the_estimate, CountTokens>;
    detail::the_estimate nobody;
    host callables{nobody, count_tokens};
    tn_plan *owned = nullptr;
    detail::owned_text why;
    detail::check(
        tn_plan_new(compactor_.get(), messages.data(), messages.size(), host::count_function(), &callables, &owned, why.out()),
        why);
    tn::plan made;
    made.plan_.reset(owned);
    return made;
  }

  std::unique_ptr<tn_compactor, detail::free_compactor> compactor_;
};

/// Estimates the tokens of a transcript: for each message a quarter of its characters in compact JSON, rounded up, however the
/// text is formatted or escaped. It is no tokenizer.
///
/// @param messages The transcript, or a tn::slice of one: a JSON array of message objects in UTF-8.
/// @param unit What one character is.
/// @return Tokens.
/// @throws tn::error tn::status::json, tn::status::transcript, tn::status::utf8.
[[nodiscard]] inline std::uint64_t estimate_tokens(std::string_view messages, char_unit unit = char_unit::code_point) {
  detail::check_abi();
  std::uint64_t tokens = 0;
  detail::owned_text why;
  detail::check(tn_estimate_tokens(messages.data(), messages.size(), static_cast<std::int32_t>(unit), &tokens, why.out()), why);
  return tokens;
}

/// What the text of every summary message begins with: "[Summary of earlier conversation]" and a line feed. NUL-terminated.
[[nodiscard]] inline std::string_view summary_prefix() noexcept { return tn_summary_prefix(); }

/// The text of the reminder that `flush_to_memory` adds right after the summary message. NUL-terminated.
[[nodiscard]] inline std::string_view flush_reminder() noexcept { return tn_flush_reminder(); }

/// The version of the library that is loaded, such as "0.1.0". NUL-terminated.
[[nodiscard]] inline std::string_view version() noexcept { return tn_version(); }

} // namespace tn

#endif
