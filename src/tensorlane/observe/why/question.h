// What `tensorlane why` asks: which value, and when.
//
// The command line writes it as JSON into TENSORLANE_WHY; every device of the program answers it in
// a line of the report.
#ifndef TENSORLANE_OBSERVE_WHY_QUESTION_H_
#define TENSORLANE_OBSERVE_WHY_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/inspect/place.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/why/chain.h"

namespace tensorlane::why {

struct Question {
  // The place as text (inspect::parse_place), or a tensor by name: a field of the kernel's argument
  // struct that holds an address, or what tl_name called so, or "read:3", what
  // the host copies at that read.
  std::string place, name;
  // Of a named tensor: the index of an element. Of one whose layout is not known, in a shape
  // (empty: the index is one number) of elements that lie one after the other.
  std::vector<std::int64_t> element, shape;
  std::string dtype = "fp32";

  // When: at a read of the host, counted from 0; at the end of a launch, likewise; at the end of
  // the program. Nothing of it: when the host read the place for the last time, or at the end where
  // it never did.
  std::optional<std::uint64_t> read, launch;
  bool at_end = false;

  ChainLimits limits;
  std::optional<double> expected;  // what should stand there
  // Others of the same tensor and type, wrong ones and right ones.
  struct Sample {
    std::uint64_t address;
    double expected;
    bool wrong;
  };
  std::vector<Sample> samples;
  std::uint64_t memory_bytes = 512 << 20;  // that the history may take

  // Steps that the run before left open: with all of the history up to the latest of them.
  struct Open {
    int id, depth;
    trail::Writer event, read_by;
    inspect::Place place;
  };
  std::vector<Open> open;
  int next_id = 0;
  std::optional<int> device;  // that answers; every one else
};

Json json(const Question& question);
// Throws UserError for what is none.
Question question_of(const Json& json);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_QUESTION_H_
