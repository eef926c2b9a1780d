// Each of these must be refused by the compiler, with a word on why. MISUSE says which.
#include "tn_compactor.hpp"

#include <string>
#include <string_view>

std::string recap(std::string_view);
extern const tn::compactor &compactor;
extern tn::compactor &theirs;

void misuse();
void misuse() {
  [[maybe_unused]] const std::string messages = "[]";
#if MISUSE == 0
  static_cast<void>(compactor.apply(messages, recap)); // none: this one compiles
#elif MISUSE == 1
  static_cast<void>(compactor.apply(messages, [](int) { return "recap"; })); // WHY: summarize must be callable with
#elif MISUSE == 2
  static_cast<void>(compactor.apply(messages, [](std::string_view) { return 3; })); // WHY: summarize must return a text
#elif MISUSE == 3
  static_cast<void>(compactor.apply(messages, [](std::string_view) {})); // WHY: summarize must return a text
#elif MISUSE == 4
  static_cast<void>(compactor.apply(messages, recap, [](std::string_view) { return 0.5; })); // WHY: count_tokens must return an integer
#elif MISUSE == 5
  static_cast<void>(compactor.plan(messages, [](std::string_view) { return true; })); // WHY: count_tokens must return an integer
#elif MISUSE == 6
  static_cast<void>(compactor.plan(messages, [] { return 1; })); // WHY: count_tokens must be callable with
#elif MISUSE == 7
  compactor.apply(messages, recap); // WHY: nodiscard|unused-result
#elif MISUSE == 8
  compactor.plan(messages).finish("recap"); // WHY: nodiscard|unused-result
#elif MISUSE == 9
  static_cast<void>(compactor.plan(messages).older()); // WHY: deleted
#elif MISUSE == 10
  const tn::compactor copy = theirs; // WHY: deleted|implicitly-deleted
#elif MISUSE == 11
  const tn::compactor unset{tn::options{}}; // WHY: token_count
#elif MISUSE == 12
  const tn::compactor fraction{tn::options{0.8 * 8000}}; // WHY: token_count
#elif MISUSE == 13
  const tn::compactor text("{\"max_tokens\":8000}"); // WHY: no matching
#else
#error "WHY: no such misuse"
#endif
}
