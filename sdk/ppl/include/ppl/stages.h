// SPDX-License-Identifier: Apache-2.0
//
// The order in which recorded commands are issued: one after the other, or, in loops with
// enable_pipeline(), the stages of several turns side by side.
//
// A turn of a loop is cut where data goes from one engine to another: what is copied before
// anything is computed is stage 0, what is computed of it stage 1, what is copied of that stage 2,
// and so on. The SDMA is an engine of its own: what it brings into L2 is a stage before the copy
// from there. In step t stage s of turn t - s is issued, all of a step in one parallel region. Two
// commands that touch the same bytes, one writing them, have to keep their order: inside a turn
// they do by how stages are made; across turns that is looked at, and a loop in which they would
// not is issued turn by turn.

#ifndef TENSORLANE_PPL_STAGES_H_
#define TENSORLANE_PPL_STAGES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ppl/recorder.h"

namespace ppl {
namespace detail {

// Commands that are issued together; more than one only in a parallel region.
struct Step {
  std::vector<int> commands;
  bool parallel = false;
};

inline bool depend(const Recorder& recorder, const Command& a, const Command& b) {
  for (std::size_t i = a.accesses; i < a.accesses_end; ++i) {
    for (std::size_t k = b.accesses; k < b.accesses_end; ++k) {
      const Access &one = recorder.accesses[i], &other = recorder.accesses[k];
      if ((one.writes || other.writes) && share_bytes(one.view, other.view)) return true;
    }
  }
  return false;
}

// The loop of one run of turns.
class Stages {
 public:
  Stages(Recorder& recorder, const Loop& loop) : recorder_(recorder), loop_(loop) {
    for (const Iteration& turn : loop.iterations) cut(turn);
  }

  // Two commands that would change places: the earlier and the later of the kernel. False: none.
  bool conflict(int& earlier, int& later) const {
    const int turns = static_cast<int>(loop_.iterations.size());
    for (int i = 0; i < turns; ++i) {
      for (int k = i + 1; k < turns && k - i < count_; ++k) {
        if (conflict_between(i, k, earlier, later)) return true;
      }
    }
    return false;
  }

  void append(std::vector<Step>& steps) const {
    const int turns = static_cast<int>(loop_.iterations.size());
    for (int step = 0; step < turns + count_ - 1; ++step) {
      Step next;
      unsigned engines = 0;  // a bit for each
      for (int turn = std::max(0, step - count_ + 1); turn <= std::min(step, turns - 1); ++turn) {
        const Iteration& range = loop_.iterations[turn];
        for (std::size_t k = range.begin; k < range.end; ++k) {
          if (stage(k) != step - turn) continue;
          next.commands.push_back(static_cast<int>(k));
          engines |= 1U << static_cast<unsigned>(recorder_.commands[k].engine);
        }
      }
      if ((engines & (engines - 1)) != 0) {
        next.parallel = true;
        steps.push_back(std::move(next));
      } else {
        for (const int k : next.commands) steps.push_back({{k}, false});
      }
    }
  }

 private:
  int stage(std::size_t command) const { return stages_[command - loop_.iterations.front().begin]; }

  // Without the SDMA copies have even stages, computations odd ones.
  void cut(const Iteration& turn) {
    for (std::size_t k = turn.begin; k < turn.end; ++k) {
      const Command& command = recorder_.commands[k];
      int at = command.engine == Engine::kTiu ? 1 : 0;
      for (std::size_t i = turn.begin; i < k; ++i) {
        const Command& before = recorder_.commands[i];
        const int least = stage(i) + (before.engine == command.engine ? 0 : 1);
        if (least > at && depend(recorder_, before, command)) at = least;
      }
      stages_.push_back(at);
      count_ = std::max(count_, at + 1);
    }
  }

  bool conflict_between(int i, int k, int& earlier, int& later) const {
    const Iteration &first = loop_.iterations[i], &second = loop_.iterations[k];
    for (std::size_t a = first.begin; a < first.end; ++a) {
      for (std::size_t b = second.begin; b < second.end; ++b) {
        const int before = i + stage(a), after = k + stage(b);
        const bool kept = before < after || (before == after && recorder_.commands[a].engine ==
                                                                    recorder_.commands[b].engine);
        if (kept || !depend(recorder_, recorder_.commands[a], recorder_.commands[b])) continue;
        earlier = static_cast<int>(a);
        later = static_cast<int>(b);
        return true;
      }
    }
    return false;
  }

  Recorder& recorder_;
  const Loop& loop_;
  std::vector<int> stages_;  // of its commands
  int count_ = 1;
};

// Of the two, whose lines are given: the one that reads first.
inline void say_unpipelined(const Recorder& recorder, int earlier, int later) {
  if (tensorlane_unpipelined == nullptr || recorder.planning) return;
  const auto& first = recorder.calls(recorder.commands[earlier].path);
  const auto& second = recorder.calls(recorder.commands[later].path);
  tensorlane_unpipelined(second.data(), static_cast<unsigned>(second.size()), first.data(),
                         static_cast<unsigned>(first.size()), "");
}

inline std::vector<Step> put_in_order(Recorder& recorder, bool pipelines) {
  std::vector<Step> steps;
  std::size_t k = 0;
  while (k < recorder.commands.size()) {
    const Command& command = recorder.commands[k];
    if (command.region >= 0) {
      Step step;
      step.parallel = true;
      const int region = command.region;
      for (; k < recorder.commands.size() && recorder.commands[k].region == region; ++k)
        step.commands.push_back(static_cast<int>(k));
      steps.push_back(std::move(step));
      continue;
    }
    const Loop* const loop = command.loop < 0 ? nullptr : &recorder.loops[command.loop];
    if (pipelines && loop != nullptr && loop->pipelined && loop->iterations.size() > 1 &&
        k == loop->iterations.front().begin) {
      const Stages stages(recorder, *loop);
      int earlier = 0, later = 0;
      if (!stages.conflict(earlier, later)) {
        stages.append(steps);
        k = loop->iterations.back().end;
        continue;
      }
      say_unpipelined(recorder, earlier, later);
      for (; k < loop->iterations.back().end; ++k) steps.push_back({{static_cast<int>(k)}, false});
      continue;
    }
    steps.push_back({{static_cast<int>(k)}, false});
    ++k;
  }
  return steps;
}

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_STAGES_H_
