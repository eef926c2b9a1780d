// Reading JSON in the tests: a tree whose values know the text they were read from, for comparing byte for byte.
#ifndef JSON_HPP
#define JSON_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace json {

enum class kind { null, boolean, number, string, array, object };

struct value {
  json::kind kind = json::kind::null;
  std::string_view text; // as it stands in what was read, and borrowed from it
  std::string string;    // unescaped; a lone surrogate in the three bytes that UTF-8 forbids
  std::vector<value> elements;
  std::vector<std::pair<std::string, value>> members;

  const value *find(std::string_view key) const; // of repeated keys the last
  const value &at(std::string_view key) const;
  std::string_view string_at(std::string_view key) const; // empty where it is no string
  std::uint64_t number() const;
  bool is_string() const { return kind == json::kind::string; }
};

// Throws where the text is not JSON, or more than one value.
value read(std::string_view text);

// A JSON string, with what has to be escaped escaped in the shortest way.
std::string quoted(std::string_view text);

// The array of these texts, one comma between two of them.
std::string array(const std::vector<std::string_view> &elements);

} // namespace json

#endif
