#include "progress.h"
#include "tensorlane/base/language.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace tensorlane {
namespace {

constexpr std::int64_t kFirstDraw = 300;  // milliseconds: shorter work shows no bar
constexpr std::int64_t kRedraw = 100;
constexpr std::string_view kEraseLine = "\r\x1b[K";

Terminal terminal_of(std::ostream& stream, int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0;
  return make_terminal(stream, ::isatty(descriptor) != 0, known ? size.ws_col : 0,
                       {std::getenv("NO_COLOR"), std::getenv("TERM"), std::getenv("COLUMNS")});
}

std::string duration_text(std::chrono::milliseconds left) {
  const std::int64_t seconds = (left.count() + 999) / 1000;
  if (seconds < 100) return fmt::format("{} s", seconds);
  if (seconds < 6000) return fmt::format("{} min", (seconds + 59) / 60);
  return fmt::format("{} h", (seconds + 3599) / 3600);
}

}  // namespace

Terminal make_terminal(std::ostream& stream, bool is_terminal, int width,
                       const TerminalEnvironment& environment) {
  Terminal terminal{&stream, is_terminal, false, 80};
  const std::string_view term = environment.term != nullptr ? environment.term : "";
  if (term.empty() || term == "dumb") terminal.interactive = false;
  const bool refused = environment.no_color != nullptr && *environment.no_color != '\0';
  terminal.colour = terminal.interactive && !refused;
  if (width <= 0 && environment.columns != nullptr) width = std::atoi(environment.columns);
  if (width > 0) terminal.columns = width;
  return terminal;
}

Terminal stderr_terminal() {
  return terminal_of(std::cerr, STDERR_FILENO);
}

Terminal stdout_terminal() {
  return terminal_of(std::cout, STDOUT_FILENO);
}

std::string styled(const Terminal& terminal, TextStyle style, std::string_view text) {
  if (!terminal.colour) return std::string(text);
  // Select Graphic Rendition codes, in the order of the enumeration.
  constexpr int kCodes[] = {1, 2, 31, 32, 33, 34, 35, 36};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<int>(style)], text);
}

ProgressBar::ProgressBar(const Terminal& terminal, std::string_view label, std::uint64_t total,
                         Clock clock)
    : terminal_(terminal),
      label_(label),
      total_(std::max<std::uint64_t>(total, 1)),
      clock_(clock ? std::move(clock) : Clock([] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now().time_since_epoch());
      })),
      start_(clock_()),
      next_draw_(kFirstDraw) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::clear() {
  const std::lock_guard lock(drawing_);
  if (!visible_) return;
  *terminal_.stream << kEraseLine << std::flush;
  visible_ = false;
}

void ProgressBar::advance(std::uint64_t steps) {
  done_ += steps;
  if (!terminal_.interactive) return;
  const std::chrono::milliseconds now = elapsed();
  if (now.count() < next_draw_) return;
  // Another thread that draws right now shows nearly the same.
  const std::unique_lock lock(drawing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  next_draw_ = now.count() + kRedraw;
  *terminal_.stream << kEraseLine << line(now) << std::flush;
  visible_ = true;
}

std::string ProgressBar::line(std::chrono::milliseconds elapsed) const {
  const std::uint64_t done = std::min<std::uint64_t>(done_, total_);
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  std::string tail = fmt::format(" {:3}%", static_cast<int>(share * 100));
  // The first estimates are wild.
  if (share > 0.01 && elapsed >= std::chrono::seconds(1)) {
    const auto all = static_cast<double>(elapsed.count()) / share;
    const std::chrono::milliseconds left(static_cast<std::int64_t>(all) - elapsed.count());
    tail += tr("  {} left", duration_text(left));
  }
  // One column stays free, since a full line would wrap on some terminals.
  const int fixed = static_cast<int>(label_.size() + tail.size()) + 5;
  const int width = std::min(terminal_.columns - fixed, 50);
  if (width < 4) {
    return (label_ + tail).substr(0, static_cast<std::size_t>(std::max(terminal_.columns - 1, 0)));
  }
  const int filled = static_cast<int>(share * width);
  return fmt::format("{}  [{}{:{}}]{}", label_,
                     styled(terminal_, TextStyle::kGreen, fmt::format("{:#>{}}", "", filled)), "",
                     width - filled, tail);
}

}  // namespace tensorlane
