// Real conversations, where they are at hand: TN_TRANSCRIPTS names their folder if it is not ../shared/transcripts.
#include "check.hpp"
#include "promises.hpp"
#include "tn_compactor.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

const check::family all_real_transcripts([] {
  const char *named = std::getenv("TN_TRANSCRIPTS");
  const std::filesystem::path folder = named ? named : "../shared/transcripts";
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder))
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".json") paths.push_back(entry.path());
  if (paths.empty())
    check::add("real transcripts", [] { throw check::skipped("none are at hand; TN_TRANSCRIPTS names their folder"); });
  std::sort(paths.begin(), paths.end());
  for (const auto &path : paths)
    check::add("real_transcript_" + path.stem().string(), [path] {
      std::ifstream file(path, std::ios::binary);
      const std::string transcript(std::istreambuf_iterator<char>(file), {});
      for (const tn::split split : {tn::split::steps, tn::split::turns})
        for (const unsigned parts : {2u, 4u, 10u}) {
          tn::options options{tn::estimate_tokens(transcript) / parts};
          options.split = split;
          options.flush_to_memory = parts == 4;
          keeps_every_promise(transcript, options, "short recap");
        }
    });
});

} // namespace
