// The floating-point environment of the chips.
//
// Every float operation of the vendor's model flushes denormal results to a zero of their sign and
// reads denormal inputs as such (FTZ and DAZ of x86, FZ of aarch64), and rounds to nearest even.
// Code that computes for the chip stands in the scope of a ChipFloatScope; code that only moves
// bits does not need it. The environment belongs to the thread, so a parallel loop opens the scope
// inside its body.
//
//   ChipFloatScope chip_float;
//   out = a * b;             // 1e-30f * 1e-30f is +0, and so is a denormal a
#ifndef TENSORLANE_BASE_FP_ENVIRONMENT_H_
#define TENSORLANE_BASE_FP_ENVIRONMENT_H_

#include <cstdint>

namespace tensorlane {

// Enters the environment and restores the caller's when it ends. Scopes may nest. Both ends are
// calls into another file, over which a compiler does not move loads and stores of operands.
class ChipFloatScope {
 public:
  ChipFloatScope() noexcept;
  ~ChipFloatScope();
  ChipFloatScope(const ChipFloatScope&) = delete;
  ChipFloatScope& operator=(const ChipFloatScope&) = delete;

 private:
  std::uint64_t saved_;
};

// The same without flushing, for code that rounds to a narrower type itself: a product just below
// the smallest normal number may round up to it.
class GradualUnderflowScope {
 public:
  GradualUnderflowScope() noexcept;
  ~GradualUnderflowScope();
  GradualUnderflowScope(const GradualUnderflowScope&) = delete;
  GradualUnderflowScope& operator=(const GradualUnderflowScope&) = delete;

 private:
  std::uint64_t saved_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_FP_ENVIRONMENT_H_
