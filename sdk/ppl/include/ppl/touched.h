// SPDX-License-Identifier: Apache-2.0
//
// What commands have touched so far, found again by the bytes: for the stages of loops, so that a
// long turn costs per command what a short one does.

#ifndef TENSORLANE_PPL_TOUCHED_H_
#define TENSORLANE_PPL_TOUCHED_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ppl/recorder.h"

namespace ppl {
namespace detail {

class Touched {
 public:
  // How some commands touch a view: those of one stage and engine that write it, or read it.
  struct Use {
    int stage;
    Engine engine;
    bool writes;
    int command;  // the first of them
    int next;     // -1: none
  };

  void clear() {
    for (const std::size_t key : used_) {
      Bucket& bucket = buckets_[bucket_of_[key]];
      bucket.places.clear();
      bucket.longest = 0;
      bucket_of_[key] = -1;
    }
    used_.clear();
    views_.clear();
    uses_.clear();
  }

  void add(const Access& access, int stage, Engine engine, int command) {
    const View& view = access.view;
    Bucket& bucket = bucket_for(key_of(view));
    auto place = std::lower_bound(bucket.places.begin(), bucket.places.end(),
                                  std::pair<std::int64_t, int>{view.offset, -1});
    for (; place != bucket.places.end() && place->first == view.offset; ++place) {
      Viewed& known = views_[place->second];
      if (!same(known.view, view)) continue;
      for (int use = known.uses; use >= 0; use = uses_[use].next) {
        const Use& each = uses_[use];
        if (each.stage == stage && each.engine == engine && each.writes == access.writes) return;
      }
      uses_.push_back({stage, engine, access.writes, command, known.uses});
      known.uses = static_cast<int>(uses_.size()) - 1;
      return;
    }
    uses_.push_back({stage, engine, access.writes, command, -1});
    views_.push_back({view, static_cast<int>(uses_.size()) - 1});
    bucket.longest = std::max(bucket.longest, extent(view));
    bucket.places.insert(place, {view.offset, static_cast<int>(views_.size()) - 1});
  }

  // Calls f(use) for each use of what shares bytes with the access, where one of the two writes.
  // `matters(use)`: whether it is worth a look.
  template <class Matters, class F>
  void each(const Access& access, Matters matters, F f) const {
    const View& view = access.view;
    const std::size_t key = key_of(view);
    if (key >= bucket_of_.size() || bucket_of_[key] < 0) return;
    const Bucket& bucket = buckets_[bucket_of_[key]];
    const std::int64_t end = view.offset + extent(view);
    auto place = std::lower_bound(bucket.places.begin(), bucket.places.end(),
                                  std::pair<std::int64_t, int>{view.offset - bucket.longest, -1});
    for (; place != bucket.places.end() && place->first < end; ++place) {
      const Viewed& other = views_[place->second];
      bool met = false;
      for (int use = other.uses; use >= 0; use = uses_[use].next) {
        const Use& each = uses_[use];
        if (!(each.writes || access.writes) || !matters(each)) continue;
        if (!met && !share_bytes(other.view, view)) break;
        met = true;
        f(each);
      }
    }
  }

 private:
  struct Viewed {
    View view;
    int uses;
  };
  // The views of a buffer, or of system memory, by where they begin.
  struct Bucket {
    std::vector<std::pair<std::int64_t, int>> places;
    std::int64_t longest = 0;  // from first to last byte
  };

  // Buckets are used again: those of short turns stay in the cache.
  Bucket& bucket_for(std::size_t key) {
    if (key >= bucket_of_.size()) bucket_of_.resize(key + key / 2 + 1, -1);
    if (bucket_of_[key] < 0) {
      bucket_of_[key] = static_cast<int>(used_.size());
      used_.push_back(key);
      if (used_.size() > buckets_.size()) buckets_.emplace_back();
    }
    return buckets_[bucket_of_[key]];
  }
  static std::size_t key_of(const View& view) {
    return view.memory == Memory::kSystem ? 0 : static_cast<std::size_t>(view.buffer) + 1;
  }
  static std::int64_t extent(const View& view) {
    return view.memory == Memory::kSystem ? system_extent(view) : local_extent(view);
  }
  static bool same(const View& a, const View& b) {
    return a.type == b.type && a.lane == b.lane && same_shape(a.shape, b.shape) &&
           same_shape(a.stride, b.stride);
  }

  std::vector<Bucket> buckets_;
  std::vector<int> bucket_of_;     // by key; -1: none
  std::vector<std::size_t> used_;  // keys that have one
  std::vector<Viewed> views_;
  std::vector<Use> uses_;
};

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_TOUCHED_H_
