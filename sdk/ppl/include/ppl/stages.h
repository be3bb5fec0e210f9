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
#include "ppl/touched.h"

namespace ppl {
namespace detail {

// Commands that are issued together; more than one only in a parallel region.
struct Step {
  std::vector<int> commands;
  bool parallel = false;
};

// The loop of one run of turns.
class Stages {
 public:
  Stages(Recorder& recorder, const Loop& loop) : recorder_(recorder), loop_(loop) {
    for (const Iteration& turn : loop.iterations) cut(turn);
  }

  // Two commands that would change places: the earlier and the later of the kernel. False: none.
  bool conflict(int& earlier, int& later) {
    const int turns = static_cast<int>(loop_.iterations.size());
    for (int i = 0; i < turns; ++i) {
      touched_.clear();
      for (std::size_t k = loop_.iterations[i].begin; k < loop_.iterations[i].end; ++k) touch(k);
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

  void touch(std::size_t k) {
    const Command& command = recorder_.commands[k];
    for (std::size_t i = command.accesses; i < command.accesses_end; ++i)
      touched_.add(recorder_.accesses[i], stage(k), command.engine, static_cast<int>(k));
  }

  // Without the SDMA copies have even stages, computations odd ones.
  void cut(const Iteration& turn) {
    touched_.clear();
    for (std::size_t k = turn.begin; k < turn.end; ++k) {
      const Command& command = recorder_.commands[k];
      int at = command.engine == Engine::kTiu ? 1 : 0;
      const auto least = [&command](const Touched::Use& before) {
        return before.stage + (before.engine == command.engine ? 0 : 1);
      };
      for (std::size_t i = command.accesses; i < command.accesses_end; ++i) {
        touched_.each(
            recorder_.accesses[i], [&](const Touched::Use& before) { return least(before) > at; },
            [&](const Touched::Use& before) { at = std::max(at, least(before)); });
      }
      stages_.push_back(at);
      count_ = std::max(count_, at + 1);
      touch(k);
    }
  }

  // Of turn `i`, which was touched, and turn `k`: the first command there that one of `k`
  // overtakes.
  bool conflict_between(int i, int k, int& earlier, int& later) const {
    bool found = false;
    const Iteration& second = loop_.iterations[k];
    for (std::size_t b = second.begin; b < second.end; ++b) {
      const Command& command = recorder_.commands[b];
      const int after = k + stage(b);
      const auto overtaken = [&](const Touched::Use& use) {
        const int before = i + use.stage;
        return before > after || (before == after && use.engine != command.engine);
      };
      for (std::size_t each = command.accesses; each < command.accesses_end; ++each) {
        touched_.each(recorder_.accesses[each], overtaken, [&](const Touched::Use& use) {
          if (found && use.command >= earlier) return;
          found = true;
          earlier = use.command;
          later = static_cast<int>(b);
        });
      }
    }
    return found;
  }

  Recorder& recorder_;
  const Loop& loop_;
  std::vector<int> stages_;  // of its commands
  int count_ = 1;
  Touched touched_;
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
      Stages stages(recorder, *loop);
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
