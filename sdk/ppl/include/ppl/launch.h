// SPDX-License-Identifier: Apache-2.0
//
// From a kernel of a `.pl` file to one that can be launched: `tensorlane ppl build` writes the
// lines that use this.

#ifndef TENSORLANE_PPL_LAUNCH_H_
#define TENSORLANE_PPL_LAUNCH_H_

#include <cstdio>

#include "ppl/emit.h"
#include "ppl/test.h"

// A function that is a kernel, and one that tests kernels. What `tensorlane ppl build` makes
// launchable it finds in the text.
#ifndef __KERNEL__
#define __KERNEL__
#endif
#ifndef __TEST__
#define __TEST__
#endif
#ifndef __AUTOTUNE__
#define __AUTOTUNE__
#endif

// A condition that does not hold ends the launch, or the test. Kernels write ppl::assert, too.
#undef assert
#define assert(condition) \
  need(static_cast<bool>(condition), #condition, __FILE__, __LINE__, __func__)

namespace ppl {

PPL_CALL void need(bool holds, const char* condition, const char* file, int line,
                   const char* function) {
  if (holds) return;
  if (detail::test_host.failed != nullptr) {
    detail::test_host.failed(condition, file, line);
    throw detail::TestEnded();
  }
  if (detail::recorder().planning) throw detail::Refused{PplTensorConvErr};
  PPL_HERE;
  detail::recorder().say_place(detail::recorder().path);
  tpu_assert_failed(condition, file, line, function);
}

template <class... A>
void print(const char* format, A... values) {
  std::printf(format, values...);
}

namespace detail {

// Before and after the call of a kernel on the device. `frame`: of the function that calls.
inline void begin_launch(const void* frame) {
  recorder().begin(frame, false);
  tpu_initialize();
}
inline void end_launch() {
  flush(recorder(), false);
  tpu_poll();
  forget_recorder();
}

// On the host: 0, or the error that a launch would end with.
template <class Call>
int plan(const void* frame, Call call) {
  recorder().begin(frame, true);
  int code = 0;
  try {
    call();
    flush(recorder(), false);
  } catch (const Refused& refused) {
    code = refused.code;
  }
  forget_recorder();
  return code;
}

// How many cores the kernel asks for with these arguments; 0: it does not say.
template <class Call>
int asked_cores(const void* frame, Call call) {
  recorder().begin(frame, true);
  recorder().asking = true;
  int count = 0;
  try {
    call();
  } catch (const CoresAsked& asked) {
    count = asked.count;
  } catch (const Refused&) {
    count = 0;
  }
  forget_recorder();
  return count;
}

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_LAUNCH_H_
