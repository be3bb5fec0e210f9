// Runs the command line as a user does and keeps what it prints.
#ifndef TENSORLANE_TOOLS_COMMAND_TEST_SUPPORT_H_
#define TENSORLANE_TOOLS_COMMAND_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "commands.h"

namespace tensorlane::cli {

struct Result {
  int status;
  std::string out, err;
};

// "tensorlane" with these words.
inline Result run_words(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"tensorlane"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  setenv("LC_ALL", "C", 1);  // the texts are compared in English
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Result result{};
  result.status = run_cli(static_cast<int>(argv.size()), argv.data());
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

// "tensorlane" with the words of a line: no word of it may hold a space.
inline Result run_line(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return run_words(words);
}

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMMAND_TEST_SUPPORT_H_
