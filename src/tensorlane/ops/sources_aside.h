// Sources that a result lies over, copied before it is written.
//
// A call whose result shares bytes with a source is then computed as any other: by every
// implementation, on any number of threads. What it computes is what it computes where the result
// lies elsewhere.
#ifndef TENSORLANE_OPS_SOURCES_ASIDE_H_
#define TENSORLANE_OPS_SOURCES_ASIDE_H_

#include "tensorlane/ops/command.h"

namespace tensorlane {

class SourcesAside {
 public:
  // Whether it is the sources alone that overlap with results: no result shares bytes with itself
  // or with another one. False as well for operands of hundreds of megabytes.
  static bool help(const Command& command);

  // Copies the sources that share bytes with results.
  explicit SourcesAside(const Invocation& invocation);
  SourcesAside(const SourcesAside&) = delete;
  SourcesAside& operator=(const SourcesAside&) = delete;
  ~SourcesAside();

  // The call that reads the copies. Nothing of it is kept for a call that comes again.
  Invocation invocation() const { return {command_, memory_, &moved_}; }

 private:
  Command command_;
  decltype(Invocation::memory) memory_;
  MovedSources moved_{};
  int copies_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_SOURCES_ASIDE_H_
