// A program that has its messages as objects: it writes them as JSON to plan by, and cuts its own list. What is kept is moved,
// never read back from text.
#include "tn_compactor.hpp"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct message {
  std::string role;
  std::string content; // no character in this example has to be escaped: a real program has a JSON library for that
};

std::string to_json(const std::vector<message> &messages) {
  std::string json;
  for (const message &it : messages)
    json += (json.empty() ? "" : ",") + (R"({"role":")" + it.role + R"(","content":")" + it.content + "\"}");
  return '[' + json + ']';
}

} // namespace

int main() {
  tn::options options{60};
  options.keep_tail = 30;
  const tn::compactor compactor(options);

  std::vector<message> messages = {
      {"system", "You tend a garden."},
      {"user", "Which soil suits carrots? I have clay and some sand, and a bed in the shade. 胡萝卜 🥕"},
      {"assistant", "Work the sand into the clay, add compost, and take the bed that gets the morning sun."},
      {"user", "And leeks?"},
      {"assistant", "They are content with the shade."},
  };
  const tn::plan plan = compactor.plan(to_json(messages));
  if (plan.outcome() == tn::outcome::compact) {
    const std::string summary = std::to_string(plan.older().count) + " messages about carrots.";
    messages = plan.splice(std::move(messages), {"system", std::string(tn::summary_prefix()) + summary});
  }
  for (const message &it : messages) std::cout << it.role << ": " << it.content << '\n';
}
