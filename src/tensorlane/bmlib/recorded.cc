// What libraries say that record commands and issue them later; see tensorlane_recorded.h.
#define TENSORLANE_DEFINES_RECORDED
#include "tensorlane_recorded.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <cstring>
#include <span>
#include <string>

#include "tensorlane/base/language.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/running_kernel.h"

using namespace tensorlane;

namespace {

// The name, then the text in the language of the process with the values in their places.
std::string refusal_text(const char* name, const char* text, std::span<const char* const> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const char* const value : values) arguments.push_back(value);
  try {
    return tr("{}: {}", name, fmt::vformat(translated(text), arguments));
  } catch (const fmt::format_error&) {
    return tr("{}: {}", name, text);  // other values than the text has places for
  }
}

// Apart, for nothing of it is to be alive where the kernel ends.
void say_refusal(RunningKernel& run, const std::string& message, const void* call_site) {
  run.session.refuse({Refusal::Kind::kLimit, "ppl", message, call_site});
  set_failure(message, call_site);
}

}  // namespace

extern "C" void tensorlane_place(const void* const* calls, unsigned int count) {
  RunningKernel* const run = running_kernel();
  if (run == nullptr) return;
  enter_library();
  run->place.assign(calls, calls + count);
  leave_library();
}

extern "C" void tensorlane_discard(unsigned int offset, unsigned int bytes) {
  Session* const session = current_session();
  if (session == nullptr) return;
  enter_library();
  for (Observer* observer : session->observers) observer->discarded(offset, bytes);
  leave_library();
}

extern "C" void tensorlane_refuse(const char* name, const char* text, const char* const* values,
                                  unsigned int count) {
  RunningKernel* const run = running_kernel();
  if (run == nullptr) return;
  enter_library();
  const void* const call_site =
      run->place.empty() ? __builtin_return_address(0) : run->place.front();
  say_refusal(*run, refusal_text(name, text, {values, count}), call_site);
  run->place.clear();
  end_kernel();
}

extern "C" void tensorlane_unpipelined(const void* const* reader, unsigned int readers,
                                       const void* const* writer, unsigned int writers,
                                       const char*) {
  Session* const session = current_session();
  if (session == nullptr) return;
  enter_library();
  const Unpipelined loop{{reader, readers}, {writer, writers}};
  for (Observer* observer : session->observers) observer->unpipelined(loop);
  leave_library();
}

extern "C" const char* tensorlane_option(const char* name) {
  const Session* const session = current_session();
  if (session == nullptr || std::strcmp(name, "pipeline") != 0) return nullptr;
  return session->pipeline.empty() ? nullptr : session->pipeline.data();
}
