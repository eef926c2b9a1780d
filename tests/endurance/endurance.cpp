// The same through the C++ interface: endurance TIMES FILE... See run.
#include "tn_compactor.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <malloc.h>
#include <unistd.h>

namespace {

struct transcript {
  std::string messages;
  tn::compactor compactor;
};

std::string recap(tn::slice older) { return std::to_string(older.count) + " messages, the first is " + std::to_string(older.first); }

std::optional<std::string> compacted(std::size_t turn, const transcript &it) {
  if (turn % 16 == 0) {
    try {
      static_cast<void>(it.compactor.apply(it.messages, [](tn::slice older) -> std::string { throw std::runtime_error(std::string(older)); }));
      throw std::logic_error("an exception did not arrive");
    } catch (const std::runtime_error &) {
    }
    try {
      static_cast<void>(tn::compactor::from_json("{}"));
      throw std::logic_error("options without a budget are taken");
    } catch (const tn::error &) {
    }
  }
  if (turn % 8 == 1) {
    const tn::plan plan = it.compactor.plan(it.messages);
    return plan.finish(std::to_string(plan.older().json.size()) + " bytes");
  }
  if (turn % 4 == 0) return it.compactor.apply(it.messages, recap, [](tn::slice some) { return tn::estimate_tokens(some); });
  return it.compactor.apply(it.messages, recap);
}

std::vector<std::string> kept;

void compact(const std::vector<transcript> &transcripts, std::size_t times) {
  for (std::size_t turn = 0; turn < times; turn++) {
    std::string result = compacted(turn, transcripts[turn % transcripts.size()]).value();
    if (std::getenv("TN_LEAK")) kept.push_back(std::move(result));
  }
}

std::size_t entries(const char *folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

void tell(const char *when) {
  std::size_t pages = 0;
  {
    std::ifstream statm("/proc/self/statm");
    statm >> pages >> pages;
  }
  std::cout << when << ": " << pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024 << " KiB resident, "
            << entries("/proc/self/fd") << " descriptors, " << entries("/proc/self/task") << " threads, "
            << mallinfo2().uordblks + mallinfo2().hblkhd << " bytes allocated" << std::endl;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) return std::cerr << "usage: endurance TIMES FILE...\n", 3;
  std::vector<transcript> transcripts;
  for (int i = 2; i < argc; i++) {
    std::ifstream file(argv[i], std::ios::binary);
    std::string messages{std::istreambuf_iterator<char>(file), {}};
    tn::compactor compactor(tn::options{tn::estimate_tokens(messages) / 2});
    if (compactor.apply(messages, recap)) transcripts.push_back({std::move(messages), std::move(compactor)});
  }
  const std::size_t times = std::stoull(argv[1]);
  compact(transcripts, times / 5);
  tell("before");
  compact(transcripts, times);
  tell("after");
}
