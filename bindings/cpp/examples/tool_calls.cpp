// A transcript with tool calls over budget, in two calls: the plan says what to summarize, the program summarizes in its own
// time, and the plan builds the new transcript, which goes to standard output. What happens is told on standard error.
#include "tn_compactor.hpp"

#include <iostream>
#include <string>

// One question, its tool call, the result and the answer.
static std::string turn(const std::string &id, const std::string &city, const std::string &weather) {
  const std::string arguments = R"({\"city\":\")" + city + R"(\"})";
  std::string messages;
  messages += R"(, {"role": "user", "content": "What is the weather in )" + city + R"(?"})";
  messages += R"(, {"role": "assistant", "content": null, "tool_calls": [{"id": ")" + id + R"(", "type": "function",)";
  messages += R"( "function": {"name": "weather", "arguments": ")" + arguments + R"("}}]})";
  messages += R"(, {"role": "tool", "tool_call_id": ")" + id + R"(", "content": ")" + weather + R"("})";
  messages += R"(, {"role": "assistant", "content": ")" + city + ": " + weather + R"("})";
  return messages;
}

int main() {
  std::string messages = R"([{"role": "system", "content": "You are a weather service.\nAnswer briefly. 🌦"})";
  messages += turn("call_1", "Kraków", "12 degrees and rain, which will last until the evening");
  messages += turn("call_2", "北京", "三十一度，晴天，傍晚有雷阵雨");
  messages += turn("call_3", "Lisbon", "22 degrees, a clear sky, and wind from the sea");
  messages += turn("call_4", "Tromsø", "3 degrees, snow above two hundred metres ❄️");
  messages += "]";

  try {
    tn::options options{300};
    options.keep_tail = 150;
    const tn::plan plan = tn::compactor(options).plan(messages);
    std::cerr << tn::to_string(plan.outcome()) << ": " << plan.tokens() << " tokens, of which the tail's are "
              << plan.tail_tokens() << '\n';
    if (plan.outcome() != tn::outcome::compact) return 0;

    const tn::slice older = plan.older();
    std::cerr << "to summarize: messages " << older.first << " to " << older.first + older.count - 1 << ", "
              << older.json.size() << " bytes\n";
    const std::string summary = "The user asked for the weather in several cities."; // ask your model about `older.json` here

    std::cout << plan.finish(summary).value() << '\n';
  } catch (const tn::error &error) {
    std::cerr << tn::to_string(error.status()) << ": " << error.what() << '\n';
    return 1;
  }
}
