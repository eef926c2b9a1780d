// What the tests are written with. A test is a function whose name is a sentence; it fails by throwing.
//
// The program prints `1..N`, then one line per test: `ok NAME`, `not ok NAME` with what was wrong, or `SKIP NAME: REASON`.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace check {

struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void add(std::string name, std::function<void()> test);

struct registration {
  registration(const char *name, void (*test)()) { add(name, test); }
};
// Adds tests that are known only when the program runs, such as one per file.
struct family {
  explicit family(void (*add_all)()) { add_all(); }
};

template <class Value> std::string shown(const Value &value) {
  std::ostringstream text;
  if constexpr (std::is_enum_v<Value>) text << static_cast<long long>(value);
  else text << value;
  return text.str();
}

inline std::string place(const char *file, int line) {
  std::string path(file);
  return " (" + path.substr(path.find_last_of('/') + 1) + ':' + std::to_string(line) + ')';
}

template <class Got, class Want> void equal(const Got &got, const Want &want, const char *what, const char *file, int line) {
  if (!(got == want)) throw failure(std::string(what) + " is " + shown(got) + ", not " + shown(want) + place(file, line));
}

// The exception that `call` throws, which must be of this very type and not of one derived from it.
template <class Exception, class Call> Exception thrown_by(Call &&call, const char *what, const char *file, int line) {
  try {
    call();
  } catch (const Exception &exception) {
    if (typeid(exception) != typeid(Exception))
      throw failure(std::string(what) + " throws a derived exception" + place(file, line));
    return exception;
  } catch (const std::exception &exception) {
    throw failure(std::string(what) + " throws another exception: " + exception.what() + place(file, line));
  }
  throw failure(std::string(what) + " throws nothing" + place(file, line));
}

} // namespace check

#define TEST(name)                                                                                                             \
  static void name();                                                                                                          \
  static const check::registration name##_is_run(#name, name);                                                                 \
  static void name()

#define REQUIRE(condition)                                                                                                     \
  do {                                                                                                                         \
    if (!(condition)) throw check::failure(#condition " does not hold" + check::place(__FILE__, __LINE__));                    \
  } while (false)
#define REQUIRE_EQUAL(got, want) check::equal(got, want, #got, __FILE__, __LINE__)
#define THROWN(exception, call) check::thrown_by<exception>([&] { static_cast<void>(call); }, #call, __FILE__, __LINE__)

#endif
