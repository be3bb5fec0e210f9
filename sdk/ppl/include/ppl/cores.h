// SPDX-License-Identifier: Apache-2.0
//
// What a kernel asks about cores, and says about loops and order.

#ifndef TENSORLANE_PPL_CORES_H_
#define TENSORLANE_PPL_CORES_H_

#include "ppl/emit.h"

namespace ppl {

// How many cores the kernel wants: those who launch it ask (`ppl_cores_NAME` of its library). It
// runs on as many as it was launched on, one where the chip has one; kernels ask for their number.
inline void set_core_num(int count) {
  if (detail::recorder().asking) throw detail::CoresAsked{count};
}
inline void set_block_num(int count) {
  set_core_num(count);
}
inline void set_group_num(int count) {
  static_cast<void>(count);
}
inline int get_core_num() {
  return tpu_core_num();
}
inline int get_core_index() {
  return tpu_core_index();
}
inline int get_block_num() {
  return tpu_core_num();
}
inline int get_block_index() {
  return tpu_core_index();
}

// A barrier: all cores come here before any goes on.
PPL_CALL void sync() {
  PPL_HERE;
  detail::Recorder& recorder = detail::recorder();
  if (tpu_core_num() == 1) return;
  detail::flush(recorder, true);
  if (!recorder.planning) tpu_sync_all();
}
PPL_CALL void sync_all() {
  PPL_HERE;
  sync();
}
// Barriers where cores share data are the kernel's; none is added here.
inline void set_config_auto_sync(bool on) {
  static_cast<void>(on);
}

// Commands between the two run on their engines side by side.
inline void parallel_start() {
  detail::Recorder& recorder = detail::recorder();
  recorder.region = recorder.regions++;
}
inline void parallel_end() {
  detail::recorder().region = -1;
}

// The rest of a loop's body, from `enable_pipeline();` on: its turns may overlap.
class pipeline_scope {
 public:
  [[gnu::noinline]] pipeline_scope() {
    detail::Recorder& all = detail::recorder();
    const void* const place = __builtin_return_address(0);
    // The loop around it is none to cut: its body is one already.
    for (const int outer : all.open_loops) {
      if (outer >= 0) all.loops[outer].pipelined = false;
    }
    const bool goes_on = !all.loops.empty() && all.loops.back().place == place &&
                         all.loops.back().iterations.back().end == all.commands.size();
    if (!goes_on) {
      all.loops.emplace_back();
      all.loops.back().place = place;
    }
    all.loops.back().iterations.push_back({all.commands.size(), all.commands.size()});
    all.open_loops.push_back(static_cast<int>(all.loops.size()) - 1);
  }
  ~pipeline_scope() {
    detail::Recorder& all = detail::recorder();
    if (all.open_loops.empty()) return;
    const int loop = all.open_loops.back();
    all.open_loops.pop_back();
    if (loop >= 0) all.loops[loop].iterations.back().end = all.commands.size();
  }
  pipeline_scope(const pipeline_scope&) = delete;
  pipeline_scope& operator=(const pipeline_scope&) = delete;
};

}  // namespace ppl

// A statement that has to know where the body ends, so it is a variable; one per block.
#define enable_pipeline() pipeline_scope ppl_pipeline_of_this_loop

#endif  // TENSORLANE_PPL_CORES_H_
