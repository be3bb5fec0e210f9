// SPDX-License-Identifier: Apache-2.0
//
// Places of buffers in local memory, by the steps in which they live.
//
// Two buffers share bytes only where no step has both. In the order in which they begin to live,
// each gets the smallest gap that it fits into; where that takes a tenth more than the bytes alive
// at once, the largest first. What does not fit at all is refused before anything is issued.

#ifndef TENSORLANE_PPL_MEMORY_H_
#define TENSORLANE_PPL_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ppl/recorder.h"

namespace ppl {
namespace detail {

class Placement {
 public:
  Placement(std::vector<Buffer>& buffers, const std::vector<int>& current) : buffers_(buffers) {
    for (const int k : current) {
      const Buffer& buffer = buffers[k];
      if (buffer.first < 0) continue;
      (buffer.address >= 0 ? placed_ : open_).push_back(k);
    }
  }

  // The bytes that are alive at once, at most, and a step at which they are.
  std::int64_t bound(int& step) const {
    std::map<int, std::int64_t> changes;
    for (const std::vector<int>* each : {&placed_, &open_}) {
      for (const int k : *each) {
        changes[buffers_[k].first] += buffers_[k].bytes;
        changes[buffers_[k].last + 1] -= buffers_[k].bytes;
      }
    }
    std::int64_t alive = 0, most = 0;
    for (const auto& [at, change] : changes) {
      alive += change;
      if (alive <= most) continue;
      most = alive;
      step = at;
    }
    return most;
  }

  // The bytes in use at the highest place.
  std::int64_t run() {
    int step = 0;
    const std::int64_t least = bound(step);
    std::stable_sort(open_.begin(), open_.end(), [this](int a, int b) {
      return buffers_[a].first != buffers_[b].first ? buffers_[a].first < buffers_[b].first
                                                    : buffers_[a].bytes > buffers_[b].bytes;
    });
    std::int64_t peak = in_order_of_life();
    constexpr std::size_t kMostTried = 4096;  // every one is compared with all before
    if (peak * 10 > least * 11 && open_.size() <= kMostTried) {
      std::vector<std::int64_t> before;
      for (const int k : open_) before.push_back(buffers_[k].address);
      std::vector<int> by_life = open_;
      std::stable_sort(open_.begin(), open_.end(),
                       [this](int a, int b) { return buffers_[a].bytes > buffers_[b].bytes; });
      const std::int64_t other = largest_first();
      if (other < peak) {
        peak = other;
      } else {
        for (std::size_t k = 0; k < by_life.size(); ++k) buffers_[by_life[k]].address = before[k];
      }
    }
    return peak;
  }

  // Those alive at a step, largest first.
  std::vector<int> alive(int step) const {
    std::vector<int> found;
    for (const std::vector<int>* each : {&placed_, &open_}) {
      for (const int k : *each) {
        if (buffers_[k].first <= step && step <= buffers_[k].last) found.push_back(k);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [this](int a, int b) { return buffers_[a].bytes > buffers_[b].bytes; });
    return found;
  }

 private:
  struct Taken {
    std::int64_t begin, end;
    int last;
  };

  // `taken` in ascending order: the smallest gap for `bytes`.
  static std::int64_t gap_in(const std::vector<Taken>& taken, std::int64_t bytes) {
    std::int64_t at = 0, best = -1, best_size = INT64_MAX;
    for (const Taken& each : taken) {
      const std::int64_t size = each.begin - at;
      if (size >= bytes && size < best_size) {
        best = at;
        best_size = size;
      }
      at = std::max(at, each.end);
    }
    return best >= 0 ? best : at;
  }
  static void insert(std::vector<Taken>& taken, const Taken& one) {
    const auto before = [](const Taken& a, const Taken& b) { return a.begin < b.begin; };
    taken.insert(std::lower_bound(taken.begin(), taken.end(), one, before), one);
  }

  std::int64_t in_order_of_life() {
    std::vector<Taken> taken;
    std::int64_t peak = 0;
    for (const int k : placed_) {
      const Buffer& buffer = buffers_[k];
      // From the first step on: what lives earlier may yet come to lie there.
      insert(taken, {buffer.address, buffer.address + buffer.bytes, INT32_MAX});
      peak = std::max(peak, buffer.address + buffer.bytes);
    }
    for (const int k : open_) {
      Buffer& buffer = buffers_[k];
      taken.erase(std::remove_if(taken.begin(), taken.end(),
                                 [&](const Taken& each) { return each.last < buffer.first; }),
                  taken.end());
      buffer.address = gap_in(taken, buffer.bytes);
      insert(taken, {buffer.address, buffer.address + buffer.bytes, buffer.last});
      peak = std::max(peak, buffer.address + buffer.bytes);
    }
    return peak;
  }

  std::int64_t largest_first() {
    std::int64_t peak = 0;
    std::vector<int> done = placed_;
    for (const int k : placed_) peak = std::max(peak, buffers_[k].address + buffers_[k].bytes);
    for (const int k : open_) {
      Buffer& buffer = buffers_[k];
      std::vector<Taken> beside;
      for (const int other : done) {
        const Buffer& each = buffers_[other];
        if (each.last < buffer.first || buffer.last < each.first) continue;
        insert(beside, {each.address, each.address + each.bytes, 0});
      }
      buffer.address = gap_in(beside, buffer.bytes);
      peak = std::max(peak, buffer.address + buffer.bytes);
      done.push_back(k);
    }
    return peak;
  }

  std::vector<Buffer>& buffers_;
  std::vector<int> placed_, open_;
};

// Gives every buffer in use its address. What exceeds local memory is refused at the line of a
// tensor that is alive when most is.
inline void place_buffers(Recorder& recorder) {
  Placement placement(recorder.buffers, recorder.current);
  const std::int64_t peak = placement.run(), room = tpu_local_mem_size_per_npu();
  recorder.peak = std::max(recorder.peak, peak);
  if (peak <= room) return;
  int step = 0;
  const std::int64_t bound = placement.bound(step);
  const std::vector<int> alive = placement.alive(step);
  std::string largest;
  constexpr std::size_t kNamed = 4;
  for (std::size_t k = 0; k < alive.size() && k < kNamed; ++k)
    largest += (k == 0 ? "" : ", ") + std::to_string(recorder.buffers[alive[k]].bytes);
  recorder.path = alive.empty() ? -1 : recorder.buffers[alive.front()].made;
  recorder.refuse(
      PplLocalAddrAssignErr,
      msg("tensors alive at once take {} bytes of an NPU, it has {}; the largest: {} of "
          "{} tensors"),
      std::max(bound, peak), room, largest, alive.size());
}

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_MEMORY_H_
