// The copies of a command: one strided copy per box, planned once where the call comes again.
#ifndef TENSORLANE_COMPUTE_ROWS_KEPT_COPIES_H_
#define TENSORLANE_COMPUTE_ROWS_KEPT_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

class KeptCopies final : public Lowering {
 public:
  // Of the operands `dst` and `src` (or a constant of that name) of a command.
  KeptCopies(const Invocation& invocation, std::string_view dst, std::string_view src)
      : dst_(dst), src_(src), memory_(invocation.memory) {}

  // Runs those that are kept of the command in hand. False where none are.
  static bool run_known(const Invocation& invocation, std::string_view dst, std::string_view src);

  void add(const Box& box, std::byte* to, const std::byte* from, std::int64_t element_bytes) {
    copies_.push_back({StridedCopy(box, element_bytes), to, from});
  }
  // One element for all, kept here.
  void add_constant(const Box& box, std::byte* to, std::uint32_t bits, std::int64_t element_bytes) {
    constant_ = bits;
    add(box, to, reinterpret_cast<const std::byte*>(&constant_), element_bytes);
  }
  // Runs `copies`, and keeps them where the call comes again, unless they are from elements as they
  // are now.
  static void run_and_keep(const Invocation& invocation, std::unique_ptr<KeptCopies> copies,
                           bool only_now = false);

 private:
  struct Copy {
    StridedCopy copy;
    std::byte* to;
    const std::byte* from;
  };
  void run() const {
    for (const Copy& each : copies_) each.copy.run(each.to, each.from);
  }

  std::string_view dst_, src_;
  decltype(Invocation::memory) memory_;
  std::uint32_t constant_ = 0;
  std::vector<Copy> copies_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_KEPT_COPIES_H_
