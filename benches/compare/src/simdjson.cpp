// simdjson as its users call it: a padded text and parsers that are kept between the calls.

#include <cstdint>
#include <memory>
#include <string_view>

#include <simdjson.h>

namespace {

struct reader {
  simdjson::padded_string text;
  simdjson::ondemand::parser on_demand;
  simdjson::dom::parser dom;
};

}  // namespace

extern "C" {

extern const char *const compare_simdjson_version = SIMDJSON_STRINGIFY(SIMDJSON_VERSION);

// The back end that simdjson chose for this machine.
const char *compare_simdjson_chosen() {
  static const std::string name = simdjson::get_active_implementation()->name();
  return name.c_str();
}

// A reader of `text` with the back end `name`, or nullptr if this machine has not got it.
reader *compare_simdjson_new(const char *text, size_t len, const char *name) {
  const simdjson::implementation *wanted = simdjson::get_available_implementations()[name];
  if (wanted == nullptr || !wanted->supported_by_runtime_system()) return nullptr;
  const simdjson::implementation *chosen = simdjson::get_active_implementation();
  auto made = std::make_unique<reader>();
  made->text = simdjson::padded_string(text, len);
  // A parser keeps the back end that is active when it allocates.
  simdjson::get_active_implementation() = wanted;
  const bool allocated = !made->on_demand.allocate(len) && !made->dom.allocate(len);
  simdjson::get_active_implementation() = chosen;
  return allocated ? made.release() : nullptr;
}

void compare_simdjson_free(reader *made) { delete made; }

// Iterates over the array and takes each element's raw JSON. The number of elements, or -1; their bytes in `bytes`.
int64_t compare_simdjson_on_demand(reader *made, uint64_t *bytes) {
  simdjson::ondemand::document document;
  simdjson::ondemand::array messages;
  if (made->on_demand.iterate(made->text).get(document) || document.get_array().get(messages)) return -1;
  int64_t count = 0;
  uint64_t sum = 0;
  for (auto element : messages) {
    simdjson::ondemand::object message;
    std::string_view raw;
    if (element.get_object().get(message) || message.raw_json().get(raw)) return -1;
    sum += raw.size();
    ++count;
  }
  *bytes = sum;
  return count;
}

// Builds the document tree. The number of elements of its array, or -1.
int64_t compare_simdjson_dom(reader *made) {
  simdjson::dom::element document;
  simdjson::dom::array messages;
  if (made->dom.parse(made->text).get(document) || document.get_array().get(messages)) return -1;
  return static_cast<int64_t>(messages.size());
}

}  // extern "C"
