# The same programs by CMake, and which versions the package says that it will do for.

project=$away/project
mkdir -p "$project"
cp "$consumer/example.c" "$consumer/example.cpp" "$project/"
cat >"$project/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.10)
project(example C CXX)
find_package(tn_compactor ${WANTED} CONFIG REQUIRED)
message(STATUS "version ${tn_compactor_VERSION}")
set(CMAKE_CXX_STANDARD 17)
foreach(kind tn_compactor shared static)
  foreach(language c cpp)
    add_executable(${language}_${kind} example.${language})
    target_link_libraries(${language}_${kind} PRIVATE tn_compactor::${kind})
  endforeach()
endforeach()
TEXT
# configure FOLDER PREFIX ARGUMENTS...
configure() { cmake -S "$project" -B "$project/$1" -DCMAKE_PREFIX_PATH="$2" "${@:3}"; }
# asks VERSION: has find_package look for that version. rejects VERSION: it does not take the installed one for it.
mkdir -p "$project/ask"
cat >"$project/ask/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.19)
project(ask NONE)
find_package(tn_compactor ${WANTED} CONFIG REQUIRED)
TEXT
asks() { rm -rf "$project/ask/build" && cmake -S "$project/ask" -B "$project/ask/build" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$1"; }
rejects() { refuses "version: $version" asks "$1"; }

if ! command -v cmake >/dev/null; then
  skip "install CMake" "CMake is not installed"
else
  minor=$(cut -d. -f2 <<<"$version")
  is_so "CMake configures a program by find_package" prints "version $version" configure build "$prefix" -DWANTED="$major.$minor"
  is_so "the programs build" cmake --build "$project/build"
  for program in c_tn_compactor cpp_tn_compactor c_shared cpp_shared c_static cpp_static; do
    is_so "$program runs" summarized "$project/build/$program"
  done
  is_so "the static target needs no shared library of ours" needs_no_shared "$project/build/c_static"

  for wanted in "$major" "$major.$minor" "$version" "$version;EXACT" "$major.$minor...<$major.$((minor + 1))" "0.0.1...$version"; do
    is_so "find_package takes it for $wanted" asks "$wanted"
  done
  for wanted in "$major.$((minor + 1))" "$((major + 1))" "$version.1" "0.0...<$version"; do
    is_so "find_package does not take it for $wanted" rejects "$wanted"
  done

  # As a packager stages it, and with headers in a folder of their own.
  make install PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu DESTDIR="$staged" >/dev/null
  is_so "CMake finds a tree that was moved" configure moved "$staged/usr" -DWANTED="$version"
  is_so "the programs build with it" cmake --build "$project/moved"
  is_so "they use its headers and its library" summarized "$project/moved/cpp_tn_compactor"
  make install PREFIX="$away/apart" INCLUDEDIR="$away/apart/headers/tn" >/dev/null
  is_so "CMake finds headers that stand apart" configure apart "$away/apart"
  is_so "the programs build with those" cmake --build "$project/apart"
fi
