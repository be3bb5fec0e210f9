// Counts the tests of every device function, for `tensorlane ops`; runs while TensorLane is built.
//
//   test_counts OUT.cc RECORDING... SOURCE...
//
// RECORDINGs are folders of recorded calls. A SOURCE is a test or an example that tests run; each
// of its top-level functions and test cases counts once for every device function it names.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tensorlane/chip/chip.h"
#include "tensorlane/conformance/cases.h"

namespace {

using namespace tensorlane;

constexpr std::string_view kTables = "sfu_";  // TPUKernel's tables have a prefix of their own

struct Count {
  int recorded = 0;
  int named = 0;
};

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void collect_names(const std::string& line, std::set<std::string>& names) {
  std::set<std::string_view> prefixes{kTables};
  for (const Chip* chip : all_chips()) prefixes.insert(chip->api.prefix);
  for (const std::string_view prefix : prefixes) {
    for (std::size_t at = line.find(prefix); at != std::string::npos;
         at = line.find(prefix, at + 1)) {
      if (at > 0 && in_name(line[at - 1])) continue;
      std::size_t end = at;
      while (end < line.size() && in_name(line[end])) ++end;
      names.insert(line.substr(at, end - at));
    }
  }
}

void scan(const char* path, std::map<std::string, Count>& counts) {
  std::ifstream file(path);
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    collect_names(line.substr(0, line.find("//")), names);
    if (!line.starts_with('}')) continue;  // the end of a top-level function
    for (const std::string& name : names) ++counts[name].named;
    names.clear();
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  std::map<std::string, Count> counts;
  for (int k = 2; k < argc; ++k) {
    if (!std::filesystem::is_directory(argv[k])) {
      scan(argv[k], counts);
      continue;
    }
    conformance::CaseReader recording(argv[k]);
    for (conformance::RecordedCase recorded; recording.next(recorded);)
      ++counts[recorded.call.function].recorded;
  }

  std::ofstream out(argv[1]);
  out << "#include \"test_counts.h\"\n\nnamespace tensorlane::cli {\n\n"
         "std::span<const TestCount> test_counts() {\n  static const TestCount counts[] = {\n";
  for (const auto& [name, count] : counts) {
    out << "      {\"" << name << "\", " << count.recorded << ", " << count.named << "},\n";
  }
  out << "  };\n  return counts;\n}\n\n}  // namespace tensorlane::cli\n";
  out.close();
  return out ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "test_counts: %s\n", error.what());
  return 1;
}
