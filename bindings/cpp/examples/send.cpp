// Sends a transcript to a chat API, compacted where it is too long: send URL < transcript.json
//
// URL is the address of an API that speaks OpenAI's, up to and without "/v1". What it answers goes to standard output.
#include "tn_compactor.hpp"

#include <curl/curl.h>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

std::size_t append(char *bytes, std::size_t, std::size_t count, void *answer) {
  static_cast<std::string *>(answer)->append(bytes, count);
  return count;
}

std::string post(const std::string &url, std::string_view body) {
  const std::unique_ptr<CURL, void (*)(CURL *)> curl(curl_easy_init(), curl_easy_cleanup);
  if (!curl) throw std::runtime_error("libcurl cannot be started");
  const std::unique_ptr<curl_slist, void (*)(curl_slist *)> headers(
      curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
  std::string answer;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
  if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) throw std::runtime_error("the API answered " + std::to_string(status) + ": " + answer);
  return answer;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: send URL < transcript.json\n";
    return 2;
  }
  const std::string messages(std::istreambuf_iterator<char>(std::cin), {});
  try {
    tn::options options{8000};
    options.flush_to_memory = true;
    const auto shorter = tn::compactor(options).apply(messages, [](tn::slice older) {
      return std::to_string(older.count) + " messages about tide gauges."; // ask your model about `older.json` here
    });
    const std::string body = R"({"model":"some-model","messages":)" + shorter.value_or(messages) + '}';
    std::cout << post(std::string(argv[1]) + "/v1/chat/completions", body) << '\n';
  } catch (const std::exception &error) {
    std::cerr << "send: " << error.what() << '\n';
    return 1;
  }
}
