#include "generate.hpp"

#include "json.hpp"
#include "tn_compactor.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// SplitMix64: the standard's distributions differ from library to library, and a failing transcript must be found again.
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  bool one_in(std::size_t so_many) { return below(so_many) == 0; }
  template <class Item> const Item &of(const std::vector<Item> &items) { return items[below(items.size())]; }

private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

const std::vector<std::string_view> words = {
    "the",   "quick",    "fox",    "reads",  "main.rs", "weather", "Kraków", "naïve",    "压缩",         "对话",         "工具",
    "天气",  "あいさつ", "한국어", "مرحبا",  "😀",      "🚀",      "👩‍👩‍👧",     "🇯🇵",       "e\xcc\x81",    "\xe2\x80\xa8", "\xe2\x80\xa9",
    "\x7f",  "\x01",     "\b\f\r", "C:\\pa", "\"q\"",   "tab\tt",  "\n",     "</script>", "\xef\xbb\xbf", "{}[],:",       "\\u0041"};

enum class dialect { openai, legacy, responses, anthropic, gemini, gemini_by_name, bedrock, aisdk };
const std::vector<dialect> dialects = {dialect::openai,         dialect::openai,    dialect::legacy,
                                       dialect::responses,      dialect::anthropic, dialect::gemini,
                                       dialect::gemini_by_name, dialect::bedrock,   dialect::aisdk};

struct call {
  std::string id, name;
};

class writer {
public:
  explicit writer(std::uint64_t number)
      : dice_(number), dialect_(dice_.of(dialects)), mixed_(dice_.one_in(8)), longest_(dice_.of<std::size_t>({4, 12, 40})),
        odd_(dice_.one_in(3)), spaced_(dice_.one_in(4)), escaped_(dice_.one_in(4)) {}

  std::string write() {
    head();
    const std::size_t turns = dice_.of<std::size_t>({0, 1, 1, 1, 2, 2, 3, 5, 8});
    for (std::size_t i = 0; i < turns; i++) turn(i + 1 == turns);
    std::string text = "[";
    for (std::size_t i = 0; i < messages_.size(); i++) {
      text += i ? "," : "";
      text += space();
      text += messages_[i];
    }
    return text + space() + "]";
  }

private:
  std::string space() {
    return spaced_ && dice_.one_in(2) ? std::string(dice_.of<std::string_view>({" ", "\n", "\t", " \r\n  "})) : "";
  }

  std::string words_at_random() {
    std::string text;
    for (std::size_t i = dice_.between(1, longest_); i > 0; i--) text += std::string(dice_.of(words)) + (i > 1 ? " " : "");
    if (dice_.one_in(60)) text += std::string(dice_.between(200, 2000), 'x');
    return text;
  }

  // A JSON string: with non-ASCII as it is, or as escapes, where a lone surrogate may stand too.
  std::string string(std::string_view text) {
    std::string plain = json::quoted(text);
    if (dice_.one_in(40))
      plain.insert(plain.size() - 1, dice_.of<std::string_view>({"\\ud83d", "\\udc00", "\\u0000", "\\/", "\\u0041"}));
    if (!escaped_) return plain;
    std::string ascii;
    for (std::size_t i = 0; i < plain.size();) {
      const auto lead = static_cast<unsigned char>(plain[i]);
      if (lead < 0x80) {
        ascii += plain[i++];
        continue;
      }
      const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
      std::uint32_t point = lead & (0xffu >> (length + 1));
      for (std::size_t k = 1; k < length; k++) point = point << 6 | (static_cast<unsigned char>(plain[i + k]) & 0x3fu);
      i += length;
      if (point >= 0x10000) {
        ascii += unit(0xd800 + ((point - 0x10000) >> 10));
        ascii += unit(0xdc00 + ((point - 0x10000) & 0x3ff));
      } else {
        ascii += unit(point);
      }
    }
    return ascii;
  }

  static std::string unit(std::uint32_t value) {
    static const char digits[] = "0123456789aBcDeF";
    std::string escape = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) escape += digits[value >> shift & 15];
    return escape;
  }

  std::string text() { return string(words_at_random()); }

  using fields = std::vector<std::pair<std::string, std::string>>;
  std::string object(const fields &members) {
    std::string it = "{";
    for (std::size_t i = 0; i < members.size(); i++) {
      it += i ? "," : "";
      it += space();
      it += '"' + members[i].first + "\":";
      it += space();
      it += members[i].second;
    }
    return it + space() + "}";
  }
  static std::string list(const std::vector<std::string> &elements) {
    return json::array(std::vector<std::string_view>(elements.begin(), elements.end()));
  }

  std::string arguments() {
    return object(
        {{"q", text()},
         {"n", dice_.of<std::string>({"0", "-1.50", "1e22", "123456789012345678901234567890", "true", "null", "[[{}]]"})}});
  }

  void add(const fields &members) { messages_.push_back(object(members)); }

  void head() {
    switch (dice_.below(8)) {
      case 0: break;
      case 1: add({{"role", "\"developer\""}, {"content", text()}}); break;
      case 2:
        add({{"role", "\"system\""}, {"content", text()}});
        add({{"role", "\"developer\""}, {"content", text()}});
        break;
      case 3: add({{"role", "\"system\""}, {"content", string(std::string(tn::summary_prefix()) + words_at_random())}}); break;
      case 4:
        add({{"role", "\"system\""}, {"content", text()}});
        add({{"role", "\"system\""}, {"content", string(std::string(tn::summary_prefix()) + words_at_random())}});
        if (dice_.one_in(2)) add({{"role", "\"system\""}, {"content", json::quoted(tn::flush_reminder())}});
        break;
      default: add({{"role", "\"system\""}, {"content", text()}});
    }
  }

  void turn(bool last) {
    if (mixed_) dialect_ = dice_.of(dialects);
    if (!dice_.one_in(20)) user();
    if (dice_.one_in(12)) user();
    const std::size_t steps = dice_.of<std::size_t>({0, 1, 1, 2, 3, 6});
    for (std::size_t i = 0; i < steps; i++) step(last && i + 1 == steps);
    if (!last || dice_.one_in(2)) say();
  }

  void step(bool ends_here) {
    std::vector<call> made;
    for (std::size_t i = dialect_ == dialect::legacy ? 1 : dice_.of<std::size_t>({1, 1, 1, 2, 3}); i > 0; i--) {
      if (!dice_.one_in(15)) calls_++;
      made.push_back({"call_" + std::to_string(calls_), dice_.of<std::string>({"weather", "read_file", "bash"})});
    }
    ask(made);
    if (ends_here && dice_.one_in(3)) return;
    if (odd_ && dice_.one_in(3)) {
      switch (dice_.below(5)) {
        case 0: user(); break;                                                     // a late result
        case 1: user(); return;                                                    // a dead call
        case 2: made.push_back({"gone_" + std::to_string(calls_), "gone"}); break; // an orphan
        case 3: std::reverse(made.begin(), made.end()); break;
        default: add({{"role", "\"system\""}, {"content", text()}});
      }
    }
    answer(made);
  }

  void user() {
    switch (dialect_) {
      case dialect::gemini:
      case dialect::gemini_by_name: add({{"role", "\"user\""}, {"parts", list({object({{"text", text()}})})}}); break;
      case dialect::bedrock: add({{"role", "\"user\""}, {"content", list({object({{"text", text()}})})}}); break;
      case dialect::anthropic:
        add({{"role", "\"user\""},
             {"content", list({object({{"type", "\"text\""}, {"text", text()}}), object({{"type", "\"image\""}})})}});
        break;
      default: add({{"content", text()}, {"role", "\"user\""}});
    }
  }

  void say() {
    switch (dialect_) {
      case dialect::gemini:
      case dialect::gemini_by_name: add({{"role", "\"model\""}, {"parts", list({object({{"text", text()}})})}}); break;
      case dialect::responses:
        add({{"type", "\"message\""},
             {"role", "\"assistant\""},
             {"content", list({object({{"type", "\"output_text\""}, {"text", text()}})})}});
        break;
      case dialect::bedrock: add({{"role", "\"assistant\""}, {"content", list({object({{"text", text()}})})}}); break;
      default: add({{"role", "\"assistant\""}, {"content", text()}});
    }
  }

  void ask(const std::vector<call> &made) {
    std::vector<std::string> items;
    const bool thinks = dice_.one_in(4);
    for (const call &it : made) {
      const std::string id = string_of(it.id), name = string_of(it.name);
      switch (dialect_) {
        case dialect::openai:
          items.push_back(object({{"id", id},
                                  {"type", "\"function\""},
                                  {"function", object({{"name", name}, {"arguments", string(arguments())}})}}));
          break;
        case dialect::legacy:
          add({{"role", "\"assistant\""},
               {"content", "null"},
               {"function_call", object({{"name", name}, {"arguments", string(arguments())}})}});
          break;
        case dialect::responses:
          if (thinks && items.empty()) add({{"type", "\"reasoning\""}, {"summary", "[]"}});
          items.emplace_back();
          add({{"type", dice_.of<std::string>({"\"function_call\"", "\"custom_tool_call\""})},
               {"call_id", id},
               {"name", name},
               {"arguments", string(arguments())}});
          break;
        case dialect::anthropic:
          if (thinks && items.empty()) items.push_back(object({{"type", "\"thinking\""}, {"thinking", text()}}));
          items.push_back(object({{"type", "\"tool_use\""}, {"id", id}, {"name", name}, {"input", arguments()}}));
          break;
        case dialect::gemini:
          items.push_back(object({{"functionCall", object({{"id", id}, {"name", name}, {"args", arguments()}})}}));
          break;
        case dialect::gemini_by_name:
          items.push_back(object({{"function_call", object({{"name", name}, {"args", arguments()}})}}));
          break;
        case dialect::bedrock:
          items.push_back(object({{"toolUse", object({{"toolUseId", id}, {"name", name}, {"input", arguments()}})}}));
          break;
        case dialect::aisdk:
          items.push_back(object({{"type", "\"tool-call\""}, {"toolCallId", id}, {"toolName", name}, {"input", arguments()}}));
          break;
      }
    }
    switch (dialect_) {
      case dialect::openai:
        add({{"role", "\"assistant\""}, {"content", dice_.one_in(2) ? "null" : text()}, {"tool_calls", list(items)}});
        break;
      case dialect::legacy:
      case dialect::responses: break;
      case dialect::gemini:
      case dialect::gemini_by_name: add({{"role", "\"model\""}, {"parts", list(items)}}); break;
      default: add({{"role", "\"assistant\""}, {"content", list(items)}});
    }
  }

  void answer(const std::vector<call> &made) {
    std::vector<std::string> items;
    for (const call &it : made) {
      const std::string id = string_of(it.id), name = string_of(it.name);
      switch (dialect_) {
        case dialect::openai: add({{"role", "\"tool\""}, {"tool_call_id", id}, {"content", text()}}); break;
        case dialect::legacy: add({{"role", "\"function\""}, {"name", name}, {"content", text()}}); break;
        case dialect::responses: add({{"type", "\"function_call_output\""}, {"call_id", id}, {"output", text()}}); break;
        case dialect::anthropic:
          items.push_back(object({{"type", "\"tool_result\""}, {"tool_use_id", id}, {"content", text()}}));
          break;
        case dialect::gemini:
          items.push_back(object({{"functionResponse", object({{"id", id}, {"name", name}, {"response", arguments()}})}}));
          break;
        case dialect::gemini_by_name:
          items.push_back(object({{"function_response", object({{"name", name}, {"response", arguments()}})}}));
          break;
        case dialect::bedrock:
          items.push_back(
              object({{"toolResult", object({{"toolUseId", id}, {"content", list({object({{"json", arguments()}})})}})}}));
          break;
        case dialect::aisdk:
          items.push_back(object({{"type", "\"tool-result\""}, {"toolCallId", id}, {"output", arguments()}}));
          break;
      }
    }
    if (items.empty()) return;
    const bool gemini = dialect_ == dialect::gemini || dialect_ == dialect::gemini_by_name;
    add({{"role", dialect_ == dialect::aisdk ? "\"tool\"" : "\"user\""}, {gemini ? "parts" : "content", list(items)}});
  }

  static std::string string_of(const std::string &identifier) { return json::quoted(identifier); }

  dice dice_;
  dialect dialect_;
  bool mixed_;
  std::size_t longest_;
  bool odd_, spaced_, escaped_;
  std::size_t calls_ = 0;
  std::vector<std::string> messages_;
};

} // namespace

std::string generated_transcript(std::uint64_t number) { return writer(number).write(); }

std::string long_transcript(std::size_t bytes, std::uint64_t number) {
  std::string text = R"([{"role":"system","content":"You maintain shop )" + std::to_string(number) + R"(."})";
  for (std::size_t turn = 0; text.size() + 1 < bytes; turn++) {
    const std::string n = std::to_string(turn);
    text += R"(,{"role":"user","content":"Look at module )" + n + R"(, please. 看看第)" + n + R"(个模块 🙂"})";
    for (const char *step : {"0", "1", "2"}) {
      const std::string id = n + '_' + step;
      text += R"(,{"role":"assistant","content":null,"tool_calls":[{"id":"call_)" + id +
              R"(","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"src/module.rs\"}"}}]})";
      text += R"(,{"role":"tool","tool_call_id":"call_)" + id + R"(","content":")";
      for (int line = 0; line < 12; line++)
        text += R"(    let total = items.iter().map(|item| item.price).sum::<u64>(); // \"sum\" 合计\n)";
      text += "\"}";
    }
    text += R"(,{"role":"assistant","content":"Done 🚀: the sums are right."})";
  }
  return text + ']';
}
