#include "json.hpp"

#include <stdexcept>

namespace json {
namespace {

class reader {
public:
  explicit reader(std::string_view text) : text_(text) {}

  value whole() {
    value it = one();
    space();
    if (at_ != text_.size()) wrong("something after the value");
    return it;
  }

private:
  [[noreturn]] void wrong(const char *what) const {
    throw std::runtime_error(std::string("no JSON at byte ") + std::to_string(at_) + ": " + what);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) at_++;
  }

  bool took(char wanted) {
    space();
    if (peek() != wanted || at_ == text_.size()) return false;
    at_++;
    return true;
  }

  void take(char wanted) {
    if (!took(wanted)) wrong("another character is wanted");
  }

  void take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) wrong("an unknown word");
    at_ += word.size();
  }

  value one() {
    space();
    value it;
    const std::size_t start = at_;
    switch (peek()) {
      case '{':
        it.kind = kind::object;
        at_++;
        if (!took('}')) {
          do {
            space();
            std::string key = string();
            take(':');
            it.members.emplace_back(std::move(key), one());
          } while (took(','));
          take('}');
        }
        break;
      case '[':
        it.kind = kind::array;
        at_++;
        if (!took(']')) {
          do it.elements.push_back(one());
          while (took(','));
          take(']');
        }
        break;
      case '"':
        it.kind = kind::string;
        it.string = string();
        break;
      case 't': it.kind = kind::boolean, take("true"); break;
      case 'f': it.kind = kind::boolean, take("false"); break;
      case 'n': take("null"); break;
      default:
        it.kind = kind::number;
        while (at_ < text_.size() && std::string_view("+-.eE0123456789").find(text_[at_]) != std::string_view::npos) at_++;
        if (at_ == start) wrong("no value");
    }
    it.text = text_.substr(start, at_ - start);
    return it;
  }

  std::uint32_t four_digits() {
    const std::string digits(text_.substr(at_, 4));
    at_ += 4;
    return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
  }

  std::string string() {
    if (peek() != '"') wrong("no string");
    at_++;
    std::string content;
    for (;;) {
      if (at_ == text_.size()) wrong("an open string");
      const char c = text_[at_++];
      if (c == '"') return content;
      if (c != '\\') {
        content += c;
        continue;
      }
      const char escape = peek();
      at_++;
      switch (escape) {
        case 'b': content += '\b'; break;
        case 'f': content += '\f'; break;
        case 'n': content += '\n'; break;
        case 'r': content += '\r'; break;
        case 't': content += '\t'; break;
        case 'u': {
          std::uint32_t point = four_digits();
          if (point >= 0xd800 && point < 0xdc00 && text_.substr(at_, 2) == "\\u") {
            const std::size_t before = at_;
            at_ += 2;
            const std::uint32_t low = four_digits();
            if (low >= 0xdc00 && low < 0xe000) point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
            else at_ = before;
          }
          append(content, point);
          break;
        }
        default: content += escape;
      }
    }
  }

  static void append(std::string &content, std::uint32_t point) {
    const auto byte = [&](std::uint32_t bits) { content += static_cast<char>(bits); };
    if (point < 0x80) {
      byte(point);
    } else if (point < 0x800) {
      byte(0xc0 | point >> 6);
      byte(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      byte(0xe0 | point >> 12);
      byte(0x80 | (point >> 6 & 0x3f));
      byte(0x80 | (point & 0x3f));
    } else {
      byte(0xf0 | point >> 18);
      byte(0x80 | (point >> 12 & 0x3f));
      byte(0x80 | (point >> 6 & 0x3f));
      byte(0x80 | (point & 0x3f));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

value read(std::string_view text) { return reader(text).whole(); }

const value *value::find(std::string_view key) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member)
    if (member->first == key) return &member->second;
  return nullptr;
}

const value &value::at(std::string_view key) const {
  if (const value *found = find(key)) return *found;
  throw std::runtime_error("there is no \"" + std::string(key) + "\" in " + std::string(text));
}

std::string_view value::string_at(std::string_view key) const {
  const value *found = find(key);
  return found && found->is_string() ? std::string_view(found->string) : std::string_view();
}

std::uint64_t value::number() const { return std::stoull(std::string(text)); }

std::string quoted(std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  std::string it = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': it += "\\\""; break;
      case '\\': it += "\\\\"; break;
      case '\b': it += "\\b"; break;
      case '\f': it += "\\f"; break;
      case '\n': it += "\\n"; break;
      case '\r': it += "\\r"; break;
      case '\t': it += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) it = it + "\\u00" + digits[c >> 4] + digits[c & 15];
        else it += c;
    }
  }
  return it + '"';
}

std::string array(const std::vector<std::string_view> &elements) {
  std::string it = "[";
  for (const std::string_view element : elements) {
    if (it.size() > 1) it += ',';
    it += element;
  }
  return it + ']';
}

} // namespace json
