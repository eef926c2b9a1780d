// Under budget nothing happens: nobody is asked for a summary, and the transcript stays what it was.
#include "tn_compactor.hpp"

#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

int main() {
  const std::string messages = R"([
    {"role": "system", "content": "You tend a garden."},
    {"role": "user", "content": "Which soil suits carrots? 胡萝卜 🥕"},
    {"role": "assistant", "content": "Loose and sandy."}
  ])";

  const tn::compactor compactor(tn::options{8000});
  const std::optional<std::string> shorter = compactor.apply(
      messages, [](std::string_view) -> std::string { throw std::logic_error("there was nothing to summarize"); });

  const tn::plan plan = compactor.plan(messages);
  std::cout << (shorter ? "compacted" : "unchanged") << ": " << tn::to_string(plan.outcome()) << ", " << plan.tokens()
            << " tokens\n";
}
