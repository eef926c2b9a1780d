#include "promises.hpp"

#include "check.hpp"
#include "json.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

// ---- who is called, who answers: each dialect's shapes, straight from its documentation and with no cleverness ----

struct tie {
  std::string id, name; // "id:..." and "name:...", or empty
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

void add_id(std::vector<tie> &ties, const json::value *id) {
  if (id && id->is_string()) ties.push_back({"id:" + id->string, ""});
}

const json::value *object_at(const json::value &in, std::string_view key) {
  const json::value *found = in.find(key);
  return found && found->kind == json::kind::object ? found : nullptr;
}

std::vector<json::value> blocks(const json::value &message) {
  std::vector<json::value> all;
  for (const char *key : {"content", "parts"})
    if (const json::value *list = message.find(key); list && list->kind == json::kind::array)
      for (const json::value &block : list->elements)
        if (block.kind == json::kind::object) all.push_back(block);
  return all;
}

std::vector<tie> calls(const json::value &message) {
  std::vector<tie> found;
  if (const json::value *list = message.find("tool_calls"))
    for (const json::value &call : list->elements) add_id(found, call.find("id"));
  if (const json::value *call = object_at(message, "function_call"))
    if (const json::value *name = call->find("name"); name && name->is_string()) found.push_back({"", "name:" + name->string});
  if (ends_with(message.string_at("type"), "_call")) add_id(found, message.find("call_id"));
  for (const json::value &block : blocks(message)) {
    if (ends_with(block.string_at("type"), "tool_use")) add_id(found, block.find("id"));
    if (block.string_at("type") == "tool-call") add_id(found, block.find("toolCallId"));
    if (const json::value *use = object_at(block, "toolUse")) add_id(found, use->find("toolUseId"));
    for (const char *key : {"functionCall", "function_call"})
      if (const json::value *call = object_at(block, key)) {
        const std::string id(call->string_at("id")), name(call->string_at("name"));
        if (!id.empty() || !name.empty()) found.push_back({id.empty() ? "" : "id:" + id, name.empty() ? "" : "name:" + name});
      }
  }
  return found;
}

// A result without an id or a name has an empty tie: it belongs to no call, but it is a result.
std::vector<tie> results(const json::value &message) {
  std::vector<tie> found;
  const auto by_id = [&](const json::value &in, const char *key) {
    add_id(found, in.find(key));
    if (const json::value *id = in.find(key); !id || !id->is_string()) found.push_back({});
  };
  if (message.string_at("role") == "tool" && message.find("tool_call_id")) by_id(message, "tool_call_id");
  if (message.string_at("role") == "function") {
    if (const json::value *name = message.find("name"); name && name->is_string())
      found.push_back({"", "name:" + name->string});
    else found.push_back({});
  }
  if (ends_with(message.string_at("type"), "_output")) by_id(message, "call_id");
  for (const json::value &block : blocks(message)) {
    if (ends_with(block.string_at("type"), "tool_result")) by_id(block, "tool_use_id");
    if (block.string_at("type") == "tool-result") by_id(block, "toolCallId");
    if (const json::value *result = object_at(block, "toolResult")) by_id(*result, "toolUseId");
    for (const char *key : {"functionResponse", "function_response"})
      if (const json::value *response = object_at(block, key)) {
        const std::string id(response->string_at("id")), name(response->string_at("name"));
        if (!id.empty()) found.push_back({"id:" + id, ""});
        else found.push_back({"", name.empty() ? "" : "name:" + name});
      }
  }
  return found;
}

struct pairing {
  std::vector<std::pair<std::size_t, std::size_t>> pairs; // indices of the call's and of the result's message
  std::multiset<std::string_view> orphans;                // the texts of messages with a result whose call was never there
};

pairing paired(const std::vector<json::value> &messages) {
  pairing it;
  std::vector<std::pair<std::size_t, tie>> open;
  for (std::size_t i = 0; i < messages.size(); i++) {
    for (tie &call : calls(messages[i])) open.emplace_back(i, std::move(call));
    for (const tie &result : results(messages[i])) {
      const auto call = std::find_if(open.rbegin(), open.rend(), [&](const auto &candidate) {
        return result.id.empty() ? !result.name.empty() && candidate.second.name == result.name
                                 : candidate.second.id == result.id;
      });
      if (call == open.rend()) {
        it.orphans.insert(messages[i].text);
      } else {
        it.pairs.emplace_back(call->first, i);
        open.erase(std::next(call).base());
      }
    }
  }
  return it;
}

std::string_view text_of(const json::value &message) {
  const json::value *content = message.find("content");
  if (content && content->is_string()) return content->string;
  for (const char *key : {"content", "parts"})
    if (const json::value *list = message.find(key);
        list && list->kind == json::kind::array && !list->elements.empty() && !list->elements.front().string_at("text").empty())
      return list->elements.front().string_at("text");
  return {};
}

bool is_summary(const json::value &message) {
  return text_of(message).substr(0, tn::summary_prefix().size()) == tn::summary_prefix();
}

bool is_plain_user(const json::value &message) {
  return message.string_at("role") == "user" && calls(message).empty() && results(message).empty() && !is_summary(message) &&
         text_of(message) != tn::flush_reminder();
}

bool is_the_models(const json::value &message) {
  const std::string_view role = message.string_at("role"), type = message.string_at("type");
  return role == "assistant" || role == "model" || (!message.find("role") && !type.empty() && !ends_with(type, "_output"));
}

// ---- the promises ----

std::string shortened(std::string_view text) {
  return text.size() <= 8000 ? std::string(text)
                             : std::string(text.substr(0, 8000)) + "... of " + std::to_string(text.size()) + " bytes";
}

void promise(bool kept, const std::string &broken) {
  if (!kept) throw check::failure(broken);
}

std::string role_of_the_summary(const tn::options &options) {
  switch (options.summary_role.value_or(tn::role::system)) {
    case tn::role::system: return "system";
    case tn::role::developer: return "developer";
    case tn::role::user: return "user";
    case tn::role::assistant: return "assistant";
  }
  return "";
}

std::string message_of(const std::string &role, std::string_view content) {
  return "{\"role\":" + json::quoted(role) + ",\"content\":" + json::quoted(content) + '}';
}

// The host's own objects, known by where they are.
using object = std::unique_ptr<std::string>;

void same_as(const std::optional<std::string> &got, const std::optional<std::string> &want, const char *how) {
  promise(got == want, std::string(how) + " gives\n" + got.value_or("nothing") + "\nnot\n" + want.value_or("nothing"));
}

tn::outcome examine(std::string_view transcript, const tn::options &options, std::string_view summary) {
  const json::value input = json::read(transcript);
  const std::vector<json::value> &messages = input.elements;
  const tn::char_unit unit = options.char_unit.value_or(tn::char_unit::code_point);
  const tn::compactor compactor(options);
  const tn::plan plan = compactor.plan(transcript);
  const bool compacts = plan.outcome() == tn::outcome::compact;

  promise(plan.head_end() <= plan.request_start() && plan.request_start() <= plan.request_end() &&
              plan.request_end() <= plan.tail_start() && plan.tail_start() <= messages.size(),
          "the plan's places are out of order");
  promise(plan.tokens() == tn::estimate_tokens(transcript, unit), "the plan counts another number of tokens than the estimate");

  // The messages to summarize are these, and the host's function gets what the plan shows.
  const tn::slice older = plan.older();
  if (compacts) {
    promise(older.first == plan.head_end() && older.count == plan.tail_start() - plan.head_end(),
            "older says another place than the plan");
    const json::value read = json::read(older.json);
    promise(read.elements.size() == older.count, "older holds another number of messages than it says");
    for (std::size_t i = 0; i < older.count; i++)
      promise(read.elements[i].text == messages[older.first + i].text,
              "messages[" + std::to_string(older.first + i) + "] came out changed in older");
  } else {
    promise(older.json.empty() && older.count == 0, "older messages where nothing is compacted");
    promise(plan.tail_start() == plan.head_end(), "a tail where nothing is compacted");
  }

  std::vector<std::string_view> kept;
  std::vector<bool> is_kept(messages.size(), false);
  const auto keep = [&](std::size_t from, std::size_t to) {
    for (; from < to; from++) kept.push_back(messages[from].text), is_kept[from] = true;
  };
  const std::string summary_message =
      message_of(role_of_the_summary(options), std::string(tn::summary_prefix()) + std::string(summary));
  const std::string reminder_message = message_of(role_of_the_summary(options), tn::flush_reminder());
  keep(0, plan.head_end());
  kept.push_back(summary_message);
  if (options.flush_to_memory) kept.push_back(reminder_message);
  const std::size_t added = 1 + (options.flush_to_memory ? 1 : 0);
  keep(plan.request_start(), plan.request_end());
  keep(plan.tail_start(), messages.size());
  const std::optional<std::string> want = compacts ? std::optional(json::array(kept)) : std::nullopt;

  // Every way to call gives the same, byte for byte.
  same_as(plan.finish(summary), want, "finish");
  same_as(plan.finish(summary), want, "finishing again");
  int asked = 0;
  const auto summarize = [&](tn::slice given) {
    asked++;
    promise(given.json == older.json && given.first == older.first && given.count == older.count,
            "summarize gets other messages than the plan shows");
    return summary;
  };
  same_as(compactor.apply(transcript, summarize), want, "apply");
  promise(asked == (compacts ? 1 : 0), "summarize was called " + std::to_string(asked) + " times");
  const auto count = [&](tn::slice given) {
    promise(given.count > 0 && given.first + given.count <= messages.size(),
            "count_tokens gets an empty list, or one that is not there");
    return tn::estimate_tokens(given, unit);
  };
  if (!messages.empty()) {
    same_as(compactor.apply(transcript, summarize, count), want, "a host that counts as the estimate does");
    promise(compactor.plan(transcript, count).tail_tokens() == plan.tail_tokens(),
            "the tail counts otherwise where the host counts");
  }

  // The host's own list: the very same objects, in the order of the text.
  std::vector<object> own;
  std::vector<const std::string *> identities;
  for (const json::value &message : messages) {
    own.push_back(std::make_unique<std::string>(message.text));
    identities.push_back(own.back().get());
  }
  std::optional<object> reminder;
  if (options.flush_to_memory) reminder = std::make_unique<std::string>(reminder_message);
  const std::vector<object> spliced =
      plan.splice(std::move(own), std::make_unique<std::string>(summary_message), std::move(reminder));
  std::vector<std::string_view> texts;
  for (const object &message : spliced) texts.push_back(*message);
  if (compacts) promise(json::array(texts) == *want, "splice gives\n" + json::array(texts) + "\nnot\n" + *want);
  std::vector<const std::string *> survivors;
  for (std::size_t i = 0; i < spliced.size(); i++)
    if (!compacts || i < plan.head_end() || i >= plan.head_end() + added) survivors.push_back(spliced[i].get());
  std::vector<const std::string *> expected;
  for (std::size_t i = 0; i < messages.size(); i++)
    if (!compacts || is_kept[i]) expected.push_back(identities[i]);
  promise(survivors == expected, "splice gives other objects than it got");

  if (!compacts) return plan.outcome();

  // What is left out was in older, and no result lost its call, nor a call in the tail its result.
  for (std::size_t i = 0; i < messages.size(); i++)
    promise(is_kept[i] || (older.first <= i && i < older.first + older.count),
            "messages[" + std::to_string(i) + "] is neither kept nor summarized");
  const pairing before = paired(messages);
  for (const auto &[call, result] : before.pairs)
    promise(is_kept[call] == is_kept[result],
            "messages[" + std::to_string(call) + "] and its result, messages[" + std::to_string(result) + "], are parted");
  const json::value output = json::read(*want);
  const pairing after = paired(output.elements);
  promise(std::includes(before.orphans.begin(), before.orphans.end(), after.orphans.begin(), after.orphans.end()),
          "a result is an orphan that was none");

  // The leading instructions are the system's.
  for (std::size_t i = 0; i < plan.head_end(); i++)
    promise((messages[i].string_at("role") == "system" || messages[i].string_at("role") == "developer") &&
                !is_summary(messages[i]),
            "messages[" + std::to_string(i) + "] is no leading instruction");

  // The request survives, save where it was answered and everything is summarized.
  const bool steps = options.split.value_or(tn::split::steps) == tn::split::steps;
  if (steps && !(plan.tail_start() == messages.size() && is_the_models(messages.back())))
    for (std::size_t i = messages.size(); i-- > plan.head_end();)
      if (is_plain_user(messages[i])) {
        promise(is_kept[i], "the last request, messages[" + std::to_string(i) + "], is gone");
        promise(output.elements.size() > plan.head_end() + added && is_plain_user(output.elements[plan.head_end() + added]),
                "what follows the summary is no plain user message");
        break;
      }
  return plan.outcome();
}

} // namespace

tn::outcome keeps_every_promise(std::string_view transcript, const tn::options &options, std::string_view summary) {
  try {
    return examine(transcript, options, summary);
  } catch (const std::exception &wrong) {
    throw check::failure(std::string(wrong.what()) + "\n# options " + options.to_json() + "\n# transcript " +
                         shortened(transcript));
  }
}
