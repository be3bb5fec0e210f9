// What the command line shows while it works: colours and a progress bar.
//
// The library itself never prints; tools hand the stream over as a Terminal. A bar appears on
// terminals only and disappears when the work is done, so that neither logs nor pipes contain it:
//
//   ProgressBar bar(stderr_terminal(), "convert", bytes_in_total);
//   ... bar.advance(bytes_of_this_block);       // from any thread
//
//   convert  [############              ]  46%  3 s left
//
// Colours follow https://no-color.org: none when NO_COLOR is set and not empty, when TERM is dumb,
// or when the stream is no terminal.
#ifndef TENSORLANE_TOOLS_PROGRESS_H_
#define TENSORLANE_TOOLS_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>

namespace tensorlane {

// A stream and what it can show.
struct Terminal {
  std::ostream* stream = nullptr;
  bool interactive = false;  // can move its cursor: bars are drawn
  bool colour = false;
  int columns = 80;
};

// The environment variables that matter, null where one is not set.
struct TerminalEnvironment {
  const char* no_color = nullptr;
  const char* term = nullptr;
  const char* columns = nullptr;  // COLUMNS, used where the terminal does not tell its width
};

// `is_terminal`: of the stream; `width`: its columns, 0 if unknown.
Terminal make_terminal(std::ostream& stream, bool is_terminal, int width,
                       const TerminalEnvironment& environment);
// std::cerr and std::cout with the real environment.
Terminal stderr_terminal();
Terminal stdout_terminal();

enum class TextStyle : std::uint8_t { kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// `text` in that style, or just `text` on a terminal without colours.
std::string styled(const Terminal& terminal, TextStyle style, std::string_view text);

// A bar for work of `total` steps (bytes, elements, cases). It appears after 0.3 s and is redrawn
// at most ten times a second; its end removes it. All functions may be called from several threads.
class ProgressBar {
 public:
  using Clock = std::function<std::chrono::milliseconds()>;  // time since any fixed moment

  // The clock is for tests; by default it is the steady clock of the system.
  ProgressBar(const Terminal& terminal, std::string_view label, std::uint64_t total,
              Clock clock = {});
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Counts more steps as done; beyond `total` the bar stays full.
  void advance(std::uint64_t steps);
  // Removes the bar, so that a message can be printed; the next advance() may draw it again.
  void clear();

 private:
  std::chrono::milliseconds elapsed() const { return clock_() - start_; }
  std::string line(std::chrono::milliseconds elapsed) const;

  Terminal terminal_;
  std::string label_;
  std::uint64_t total_;
  Clock clock_;
  std::chrono::milliseconds start_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::int64_t> next_draw_;  // milliseconds after start_
  std::mutex drawing_;
  bool visible_ = false;  // guarded by drawing_
};

}  // namespace tensorlane

#endif  // TENSORLANE_TOOLS_PROGRESS_H_
