// Where the bytes of every memory come from: who wrote them, and which hold a value that depends on
// bytes nobody wrote.
//
// Kept once, from the commands, copies of the host and pointers the kernel takes; the checks that
// judge values ask it. Unwritten bytes that a command merely passes on become undefined bytes with
// a record of where they came from, a hole; see init_shadow.h.
#ifndef TENSORLANE_TRAIL_PROVENANCE_H_
#define TENSORLANE_TRAIL_PROVENANCE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/trail/call.h"
#include "tensorlane/trail/checked_command.h"
#include "tensorlane/trail/core_memories.h"
#include "tensorlane/trail/element_boxes.h"
#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/init_shadow.h"
#include "tensorlane/trail/writers.h"

namespace tensorlane::trail {

class Provenance {
 public:
  // `memory`: the values that indices and masks hold; null where they are not known.
  Provenance(const Chip& chip, FootprintCache& footprints, const DeviceMemory* memory);

  // Marks in the shadow. Writers in global memory are not told apart, so that its intervals merge;
  // writer n elsewhere has the mark kFirstWriter + n - 1.
  static constexpr Mark kHost = 1, kKernel = 2, kFirstWriter = 3;

  [[gnu::hot]] void launch_begin();
  // From here on commands and accesses of local memory are those of this core.
  void select_core(int core) { core_ = core; }
  // A command in two steps: what its sources hold, and, after the checks have seen that, what its
  // results become.
  [[gnu::hot]] void read(const CheckedCommand& command);
  [[gnu::hot]] void write(const CheckedCommand& command);
  // Offsets in a memory that the processor may write from here on, that the host writes, that were
  // allocated. What the host copies inside of global memory keeps its marks.
  void processor_wrote(Space space, Range bytes);
  void host_wrote(Range bytes);
  void host_copied(const DeviceCopy& copy);
  void allocated(Range bytes);
  // Offsets in every NPU that hold a new tensor, which nobody has written.
  void discarded(Range offsets);

  // The mark of the first of these bytes that hold no defined value.
  std::optional<Mark> undefined(Space space, Range bytes) const;

  // A source of the command in hand.
  struct Source {
    bool undefined_use = false;  // undefined bytes decide more than elements of a result
    std::vector<Mark> writers;  // whose bytes it holds; numbers of writers(), none in global memory
  };
  const Source& source(int operand) const { return sources_[static_cast<std::size_t>(operand)]; }
  // The writer that an operand of the command in hand is; 0 in global memory and for work memory.
  Mark writer(int operand) const { return results_[static_cast<std::size_t>(operand)].writer; }
  // The command in hand makes elements of its results undefined.
  bool passes_on_undefined() const { return !pending_.empty() || !parts_.empty(); }

  // Why bytes hold no defined value.
  struct Hole {
    Call reader;        // who used them first, or whose work memory it was
    bool work = false;  // left behind in work memory; nobody wrote the bytes otherwise
    Space space = Space::kLocal;
    std::vector<Range> bytes;       // linear
    std::optional<Call> neighbour;  // the latest write next to them
  };
  const Hole& hole(Mark undefined) const { return holes_[undefined & ~kUndefinedBit]; }
  // The marks of the undefined bytes of a source of the command in hand.
  std::set<Mark> holes(const CheckedCommand& command, int operand);

  const Writers& writers() const { return writers_; }
  // Whether a writer writes into the local memory of its core, which no other can reach.
  bool of_one_core(Mark writer) const { return is_local(writers_.get(writer).place.memory); }
  // The marks of every memory, by the number of its Space; local memory is that of core 0.
  const InitShadow& shadow() const { return shadow_; }
  const MarkMap& global() const { return shadow_.maps(number(Space::kGlobal)).map(0); }

 private:
  // What the command in hand makes undefined.
  struct Pending {
    int memory;
    Range bytes;
    Mark mark;
  };
  struct Result {
    Mark writer = 0;
    Footprint bytes;
    bool in_parts = false;  // only parts_ of it are written
  };
  // A part of a result with a mark of its own; kUnwritten: that of the command.
  struct Part {
    int result;
    Footprint bytes;
    Mark mark;
  };
  // How undefined elements of a command's sources get into its results.
  enum class Passing : std::uint8_t { kElementWise, kByIndex, kMoved, kSelected, kNot };
  int number(Space space) const { return memory_number(space, core_); }

  [[gnu::hot]] Passing passing(const Op& op);
  Footprint word_bytes(const CheckedCommand& command, int operand);
  void pass_on(const CheckedCommand& command, int source);
  void pass_by_index(const CheckedCommand& command, int source,
                     std::span<const ElementBox> undefined);
  void move(const CheckedCommand& command);
  [[gnu::hot]] void number_results(const CheckedCommand& command);
  // The mark of undefined bytes of an operand; bytes nobody wrote get a hole record first: all of
  // the operand's, or those in `used`.
  Mark hole_of(const CheckedCommand& command, int operand, Mark mark,
               std::span<const Footprint> used = {});
  // Adds the bytes of the parts of a layout that are these elements.
  static void add_footprints(const CheckedCommand& command, const Operand& operand,
                             const Elements& elements, std::vector<Footprint>& to);
  Mark work_hole(const CheckedCommand& command, int operand);
  std::optional<Call> neighbour(const Footprint& bytes, Space space) const;

  const Chip& chip_;
  FootprintCache& footprints_;
  const DeviceMemory* const memory_;
  InitShadow shadow_;
  Writers writers_;
  int core_ = 0;
  std::uint64_t time_ = 0;  // commands so far
  std::array<Source, kMaxOperands> sources_;
  std::array<Result, kMaxOperands> results_;
  std::vector<Pending> pending_;
  std::vector<Part> parts_;
  std::vector<Mark> marks_;
  std::map<std::tuple<CallKey, int, int, bool>, Mark> hole_numbers_;  // by call, core and operand
  std::vector<Hole> holes_;
  std::unordered_map<const Op*, Passing> passing_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_PROVENANCE_H_
