#include "progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace tensorlane {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;

class ProgressBarTest : public testing::Test {
 protected:
  ProgressBar::Clock clock() {
    return [this] { return now_; };
  }
  // What was written since the last call.
  std::string output() {
    std::string text = stream_.str();
    stream_.str("");
    return text;
  }

  std::ostringstream stream_;
  milliseconds now_{5000};
  Terminal terminal_{&stream_, true, false, 60};
};

TEST_F(ProgressBarTest, ShowsShareAndTimeAndDisappears) {
  {
    ProgressBar bar(terminal_, "convert", 200, clock());
    now_ += milliseconds(3000);
    bar.advance(50);
    EXPECT_EQ(output(), "\r\x1b[Kconvert  [########                         ]  25%  9 s left");
  }
  EXPECT_EQ(output(), "\r\x1b[K");
}

TEST_F(ProgressBarTest, ShortWorkShowsNothing) {
  {
    ProgressBar bar(terminal_, "convert", 100, clock());
    now_ += milliseconds(299);
    bar.advance(100);
  }
  EXPECT_EQ(output(), "");
}

TEST_F(ProgressBarTest, DrawsAtMostTenTimesASecond) {
  ProgressBar bar(terminal_, "run", 1000, clock());
  int drawings = 0;
  for (int i = 0; i < 1000; ++i) {
    now_ += milliseconds(1);
    bar.advance(1);
    if (!output().empty()) ++drawings;
  }
  EXPECT_EQ(drawings, 8);  // at 300, 400, ... 1000 ms
}

TEST_F(ProgressBarTest, WritesNothingToFilesAndPipes) {
  terminal_.interactive = false;
  {
    ProgressBar bar(terminal_, "run", 10, clock());
    now_ += milliseconds(10000);
    bar.advance(5);
    bar.clear();
  }
  EXPECT_EQ(output(), "");
}

TEST_F(ProgressBarTest, NeverFillsTheLine) {
  for (int columns : {1, 2, 10, 20, 30, 200}) {
    terminal_.columns = columns;
    output();
    ProgressBar bar(terminal_, "a label", 10, clock());
    now_ += milliseconds(2000);
    bar.advance(1);
    const std::string line = output().substr(4);  // without the erasing of the line
    EXPECT_LT(line.size(), static_cast<std::size_t>(columns)) << line;
  }
}

TEST_F(ProgressBarTest, MoreThanAllStaysFull) {
  ProgressBar bar(terminal_, "run", 0, clock());
  now_ += milliseconds(500);
  bar.advance(7);
  EXPECT_THAT(output(), EndsWith("#] 100%"));
}

TEST_F(ProgressBarTest, ThreadsMayAdvanceAtOnce) {
  std::atomic<int> time = 0;
  ProgressBar bar(terminal_, "run", 40000, [&] { return milliseconds(time += 1); });
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) bar.advance(1);
    });
  }
  threads.clear();
  bar.clear();
  output();
  time += 1000;
  bar.advance(0);
  EXPECT_THAT(output(), HasSubstr("100%"));
}

TEST(Terminal, ColoursFollowTheEnvironment) {
  std::ostringstream stream;
  EXPECT_TRUE(make_terminal(stream, true, 0, {nullptr, "xterm", nullptr}).colour);
  EXPECT_TRUE(make_terminal(stream, true, 0, {"", "xterm", nullptr}).colour);
  EXPECT_FALSE(make_terminal(stream, true, 0, {"1", "xterm", nullptr}).colour);
  EXPECT_TRUE(make_terminal(stream, true, 0, {"1", "xterm", nullptr}).interactive);
  EXPECT_FALSE(make_terminal(stream, true, 0, {nullptr, "dumb", nullptr}).interactive);
  EXPECT_FALSE(make_terminal(stream, true, 0, {nullptr, nullptr, nullptr}).colour);
  EXPECT_FALSE(make_terminal(stream, false, 0, {nullptr, "xterm", nullptr}).colour);
}

TEST(Terminal, WidthComesFromTheTerminalFirst) {
  std::ostringstream stream;
  EXPECT_EQ(make_terminal(stream, true, 120, {nullptr, "xterm", "40"}).columns, 120);
  EXPECT_EQ(make_terminal(stream, true, 0, {nullptr, "xterm", "40"}).columns, 40);
  EXPECT_EQ(make_terminal(stream, true, 0, {nullptr, "xterm", "none"}).columns, 80);
}

TEST(Styled, ColoursOnlyWhereTheyAreWanted) {
  std::ostringstream stream;
  Terminal terminal{&stream, true, true, 80};
  EXPECT_EQ(styled(terminal, TextStyle::kRed, "no"), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(styled(terminal, TextStyle::kCyan, "no"), "\x1b[36mno\x1b[0m");
  terminal.colour = false;
  EXPECT_EQ(styled(terminal, TextStyle::kRed, "no"), "no");
}

}  // namespace
}  // namespace tensorlane
