// Times the C++ interface beside bare calls of the C interface, on a transcript of a megabyte. The two run by turns in one
// process, so that what else the machine does falls on both alike.
#include "generate.hpp"
#include "json.hpp"
#include "tn_compactor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int runs = 51;
constexpr char summary[] = "What was said so far.";

struct row {
  const char *what;
  std::function<void()> once;
  std::vector<double> milliseconds{};

  double median() {
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[milliseconds.size() / 2];
  }
};

// The first row is the measure of the others.
void table(const char *title, std::vector<row> rows) {
  for (int run = -3; run < runs; run++)
    for (row &it : rows) {
      const auto before = std::chrono::steady_clock::now();
      it.once();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
      if (run >= 0) it.milliseconds.push_back(took.count());
    }
  std::printf("\n%s\n", title);
  const double measure = rows.front().median();
  for (row &it : rows) std::printf("  %-52s %8.3f ms   %5.2f\n", it.what, it.median(), it.median() / measure);
}

void require(bool condition, const char *what) {
  if (condition) return;
  std::fprintf(stderr, "bench: %s\n", what);
  std::exit(1);
}

void summarize_in_c(void *, const char *, std::size_t, std::size_t, std::size_t, tn_sink *out) {
  tn_sink_set_text(out, summary, TN_NUL_TERMINATED);
}

// Returns the length of the result, 0 where nothing changes.
std::size_t apply_in_c(const tn_compactor *compactor, const std::string &text) {
  char *result = nullptr, *error = nullptr;
  require(tn_compactor_apply(compactor, text.data(), text.size(), summarize_in_c, nullptr, nullptr, &result, &error) == TN_OK,
          "the C call fails");
  const std::size_t length = result ? std::char_traits<char>::length(result) : 0;
  tn_string_free(result);
  return length;
}

} // namespace

int main() {
  const std::string text = long_transcript(1'000'000, 1);
  const std::uint64_t tokens = tn::estimate_tokens(text);
  const auto summarize = [](std::string_view) { return std::string_view(summary); };

  const tn::compactor whole(tn::options{tokens});
  tn::options options{tokens / 2};
  options.keep_tail = tokens / 4;
  const tn::compactor quarter(options);

  const std::string result = quarter.apply(text, summarize).value();
  require(apply_in_c(quarter.get(), text) == result.size(), "C and C++ give different transcripts");
  require(apply_in_c(whole.get(), text) == 0 && !whole.apply(text, summarize), "the budget is none");
  const json::value read = json::read(text);
  std::vector<std::string_view> list;
  for (const json::value &message : read.elements) list.push_back(message.text);

  std::printf("%zu bytes, %zu messages, %llu tokens; compacted %zu bytes; medians of %d runs by turns, and their ratio to the "
              "first row\n",
              text.size(), list.size(), static_cast<unsigned long long>(tokens), result.size(), runs);
  table("under budget",
        {
            {"C: tn_compactor_apply", [&] { apply_in_c(whole.get(), text); }},
            {"C++: compactor.apply", [&] { require(!whole.apply(text, summarize), "it compacts"); }},
            {"C++: compactor.plan", [&] { require(whole.plan(text).tokens() == tokens, "it counts otherwise"); }},
            {"C++: estimate_tokens", [&] { require(tn::estimate_tokens(text) == tokens, "it counts otherwise"); }},
        });
  table("a quarter kept",
        {
            {"C: tn_compactor_apply", [&] { apply_in_c(quarter.get(), text); }},
            {"C++: compactor.apply", [&] { require(quarter.apply(text, summarize) == result, "another result"); }},
            {"C++: plan, older, finish",
             [&] {
               const tn::plan it = quarter.plan(text);
               require(it.finish(summarize(it.older())) == result, "another result");
             }},
            {"C++: plan, splice of a list of the host's own",
             [&] { require(!quarter.plan(text).splice(list, summary).empty(), "an empty list"); }},
        });
}
