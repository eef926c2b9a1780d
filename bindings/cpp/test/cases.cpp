// The small transcripts of tests/cases, each under both splits.
#include "check.hpp"
#include "json.hpp"
#include "promises.hpp"
#include "tn_compactor.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::string contents_of(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw check::failure("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

struct model_failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct one_case {
  std::string text;
  json::value all = json::read(text);
  std::string messages = std::string(all.find("messages_text") ? all.string_at("messages_text") : all.at("messages").text);

  const json::value &expected(const char *split) const {
    const json::value &expect = all.at("expect");
    const json::value *by_name = expect.find(split);
    return by_name ? *by_name : expect;
  }
  bool summary_fails() const { return all.find("summarize_error") != nullptr; }
  bool summary_is_blank() const {
    return !summary_fails() && all.at("summary").string.find_first_not_of(" \t\r\n") == std::string::npos;
  }
};

one_case read_case(const std::filesystem::path &path) { return one_case{contents_of(path)}; }

std::string found(const tn::plan &plan) {
  std::string it =
      "{\"outcome\":\"" + std::string(tn::to_string(plan.outcome())) + "\",\"head_end\":" + std::to_string(plan.head_end());
  if (plan.outcome() == tn::outcome::compact)
    it += ",\"tail_start\":" + std::to_string(plan.tail_start()) + ",\"request\":" +
          (plan.request_start() == plan.request_end()
               ? "null"
               : "[" + std::to_string(plan.request_start()) + "," + std::to_string(plan.request_end()) + "]");
  return it + "}";
}

std::string wanted(const json::value &expect) {
  std::string it =
      "{\"outcome\":" + std::string(expect.at("outcome").text) + ",\"head_end\":" + std::string(expect.at("head_end").text);
  if (expect.string_at("outcome") == "compact") {
    std::string request(expect.at("request").text);
    request.erase(std::remove_if(request.begin(), request.end(), [](unsigned char c) { return c <= ' '; }), request.end());
    it += ",\"tail_start\":" + std::string(expect.at("tail_start").text) + ",\"request\":" + request;
  }
  return it + "}";
}

tn::options options_of(const one_case &it, tn::split split) {
  tn::options options{it.all.at("options").at("max_tokens").number()};
  for (const auto &[key, value] : it.all.at("options").members) {
    if (key == "keep_tail") options.keep_tail = value.number();
    else if (key != "max_tokens") throw check::failure("the case has an option that is not passed on: " + key);
  }
  options.split = split;
  return options;
}

void splits_where_expected(const one_case &it, const char *name, tn::split split) {
  const std::string want = wanted(it.expected(name));
  REQUIRE_EQUAL(found(tn::compactor(options_of(it, split)).plan(it.messages)), want);
  // As JSON text, where a repeated key is allowed and the last one counts.
  const std::string text = "{\"split\":\"" + std::string(name) + "\"," + std::string(it.all.at("options").text.substr(1));
  REQUIRE_EQUAL(found(tn::compactor::from_json(text).plan(it.messages)), want);
  if (split == tn::split::steps) {
    tn::options by_default = options_of(it, split);
    by_default.split.reset();
    REQUIRE_EQUAL(found(tn::compactor(by_default).plan(it.messages)), want);
  }
}

void ends_as_its_summary_does(const one_case &it, tn::split split, bool compacts) {
  const tn::compactor compactor(options_of(it, split));
  const std::string before = it.messages;
  if (it.summary_fails()) {
    const std::string why = it.all.at("summarize_error").string;
    const auto summarize = [&](std::string_view) -> std::string { throw model_failed(why); };
    if (compacts) REQUIRE_EQUAL(THROWN(model_failed, compactor.apply(it.messages, summarize)).what(), why);
    else REQUIRE(!compactor.apply(it.messages, summarize));
  } else if (it.summary_is_blank() && compacts) {
    const std::string blank = it.all.at("summary").string;
    REQUIRE(THROWN(tn::error, compactor.apply(it.messages, [&](std::string_view) { return blank; })).status() ==
            tn::status::callback);
    REQUIRE(THROWN(tn::error, compactor.plan(it.messages).finish(blank)).status() == tn::status::callback);
  }
  REQUIRE_EQUAL(it.messages, before);
}

const std::filesystem::path folder = "tests/cases";

const check::family all_cases([] {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto &path : paths) {
    const std::string name = "case_" + path.stem().string();
    check::add(name + "_is_estimated_as_expected", [path] {
      const one_case it = read_case(path);
      const json::value &tokens = it.all.at("tokens");
      REQUIRE_EQUAL(tn::estimate_tokens(it.messages), tokens.at("code_point").number());
      REQUIRE_EQUAL(tn::estimate_tokens(it.messages, tn::char_unit::code_point), tokens.at("code_point").number());
      REQUIRE_EQUAL(tn::estimate_tokens(it.messages, tn::char_unit::utf16), tokens.at("utf16").number());
      REQUIRE_EQUAL(tn::estimate_tokens(it.messages, tn::char_unit::utf8), tokens.at("utf8").number());
    });
    for (const char *split : {"steps", "turns"})
      check::add(name + "_by_" + split, [path, split] {
        const one_case it = read_case(path);
        const tn::split by = split == std::string("steps") ? tn::split::steps : tn::split::turns;
        const bool compacts = it.expected(split).string_at("outcome") == "compact";
        splits_where_expected(it, split, by);
        ends_as_its_summary_does(it, by, compacts);
        const bool usable = !it.summary_fails() && !it.summary_is_blank();
        const std::string summary = usable ? it.all.at("summary").string : "short recap";
        for (const bool flush_to_memory : {false, true})
          for (const tn::char_unit unit : {tn::char_unit::code_point, tn::char_unit::utf16, tn::char_unit::utf8}) {
            tn::options options = options_of(it, by);
            options.flush_to_memory = flush_to_memory;
            options.char_unit = unit;
            const tn::outcome outcome = keeps_every_promise(it.messages, options, summary);
            if (unit == tn::char_unit::code_point) REQUIRE(tn::to_string(outcome) == it.expected(split).string_at("outcome"));
          }
      });
  }
});

TEST(the_folder_of_cases_holds_as_many_as_its_readme_says) {
  unsigned long there = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) there += entry.path().extension() == ".json" ? 1u : 0u;
  const std::string readme = contents_of(folder / "README.md");
  REQUIRE_EQUAL(there, std::stoul(readme.substr(readme.find_first_of("0123456789"))));
}

} // namespace
