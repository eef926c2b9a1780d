#include "check.hpp"

#include <iostream>
#include <utility>
#include <vector>

namespace {

std::vector<std::pair<std::string, std::function<void()>>> &tests() {
  static std::vector<std::pair<std::string, std::function<void()>>> all;
  return all;
}

} // namespace

void check::add(std::string name, std::function<void()> test) { tests().emplace_back(std::move(name), std::move(test)); }

int main() {
  bool failed = false;
  std::cout << "1.." << tests().size() << std::endl;
  for (const auto &[name, test] : tests()) {
    try {
      test();
      std::cout << "ok " << name << std::endl;
    } catch (const check::skipped &why) {
      std::cout << "SKIP " << name << ": " << why.what() << std::endl;
    } catch (const std::exception &wrong) {
      failed = true;
      std::cout << "not ok " << name << ": " << wrong.what() << std::endl;
    } catch (...) {
      failed = true;
      std::cout << "not ok " << name << ": an exception of an unknown type" << std::endl;
    }
  }
  return failed ? 1 : 0;
}
