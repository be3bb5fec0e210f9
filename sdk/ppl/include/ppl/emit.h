// SPDX-License-Identifier: Apache-2.0
//
// From what was recorded to commands of the chip: order, addresses, then the calls.

#ifndef TENSORLANE_PPL_EMIT_H_
#define TENSORLANE_PPL_EMIT_H_

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "ppl/memory.h"
#include "ppl/recorder.h"
#include "ppl/stages.h"

namespace ppl {
namespace detail {

// Whether loops are cut into stages: unless --pipeline=off, TENSORLANE_PIPELINE=off.
inline bool pipelines_asked() {
  const char* value = tensorlane_option != nullptr ? tensorlane_option("pipeline") : nullptr;
  if (value == nullptr) value = std::getenv("TENSORLANE_PIPELINE");
  return value == nullptr || std::strcmp(value, "off") != 0;
}

inline void find_lives(Recorder& recorder, const std::vector<Step>& steps) {
  for (const int k : recorder.current) {
    Buffer& buffer = recorder.buffers[k];
    buffer.first = buffer.last = buffer.kept ? 0 : -1;
  }
  for (int step = 0; step < static_cast<int>(steps.size()); ++step) {
    for (const int k : steps[step].commands) {
      const Command& command = recorder.commands[k];
      for (std::size_t i = command.accesses; i < command.accesses_end; ++i) {
        const View& view = recorder.accesses[i].view;
        if (view.memory != Memory::kLocal || view.buffer < 0) continue;
        Buffer& buffer = recorder.buffers[view.buffer];
        if (!buffer.listed) {  // a view of it outlived all tensors
          buffer.listed = true;
          buffer.first = -1;
          recorder.current.push_back(view.buffer);
        }
        if (buffer.first < 0) buffer.first = step;
        buffer.last = step;
      }
    }
  }
}

// Carries out what was recorded. `more`: the kernel goes on, and may use its tensors again.
inline void flush(Recorder& recorder, bool more) {
  const int path = recorder.path;
  const std::vector<Step> steps = put_in_order(recorder, pipelines_asked());
  find_lives(recorder, steps);
  const int last = static_cast<int>(steps.size());
  for (const int k : recorder.current) {
    Buffer& buffer = recorder.buffers[k];
    if (buffer.first >= 0 && more && buffer.handles > 0) buffer.last = last;
  }
  place_buffers(recorder);
  recorder.path = path;
  if (!recorder.planning) {
    std::vector<std::vector<int>> born(steps.size());
    for (const int k : recorder.current) {
      const Buffer& buffer = recorder.buffers[k];
      if (buffer.first >= 0 && !buffer.kept && !buffer.given) born[buffer.first].push_back(k);
    }
    for (std::size_t step = 0; step < steps.size(); ++step) {
      if (tensorlane_discard != nullptr) {
        for (const int k : born[step]) {
          const Buffer& buffer = recorder.buffers[k];
          tensorlane_discard(static_cast<unsigned>(buffer.address),
                             static_cast<unsigned>(buffer.bytes));
        }
      }
      const std::vector<int>& commands = steps[step].commands;
      recorder.say_place(recorder.commands[commands.front()].path);
      if (steps[step].parallel) tpu_parallel_start();
      for (const int k : commands) {
        recorder.say_place(recorder.commands[k].path);
        recorder.commands[k].issue();
      }
      if (steps[step].parallel) tpu_parallel_end();
    }
    recorder.say_place(-1);
  }
  std::vector<int> left;
  for (const int k : recorder.current) {
    Buffer& buffer = recorder.buffers[k];
    if (!buffer.given) {
      buffer.kept = more && buffer.first >= 0 && buffer.handles > 0;
      if (!buffer.kept) buffer.address = -1;
    }
    buffer.listed = buffer.given || buffer.handles > 0;
    if (buffer.listed) left.push_back(k);
  }
  recorder.current = std::move(left);
  recorder.commands.clear();
  recorder.accesses.clear();
  recorder.loops.clear();
  std::fill(recorder.open_loops.begin(), recorder.open_loops.end(), -1);
}

// Before the kernel looks at memory itself.
inline void flush_and_wait(Recorder& recorder) {
  flush(recorder, true);
  if (!recorder.planning) tpu_poll();
}

// Addresses, once there are any.
inline local_addr_t at(const View& view) {
  const std::int64_t base = view.buffer < 0 ? 0 : recorder().buffers[view.buffer].address;
  return static_cast<local_addr_t>(std::int64_t{view.lane} * tpu_local_mem_size_per_npu() + base +
                                   view.offset);
}
inline system_addr_t system_at(const View& view) {
  return static_cast<system_addr_t>(view.offset);
}

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_EMIT_H_
