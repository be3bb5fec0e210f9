#include "tensorlane/base/fp_environment.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace tensorlane {
namespace {

#if defined(__SSE__)
// All exceptions masked, round to nearest, flush to zero (bit 15), denormals are zero (bit 6).
constexpr std::uint64_t kChipControl = 0x9FC0, kGradualControl = 0x1F80;

std::uint64_t read_control() {
  return _mm_getcsr();
}
void write_control(std::uint64_t control) {
  _mm_setcsr(static_cast<unsigned>(control));
}
#elif defined(__aarch64__)
constexpr std::uint64_t kChipControl = std::uint64_t{1} << 24;  // FPCR.FZ, round to nearest
constexpr std::uint64_t kGradualControl = 0;

std::uint64_t read_control() {
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
void write_control(std::uint64_t control) {
  asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
}
#else
#error "TensorLane needs SSE or aarch64: the chips' float results depend on flush-to-zero."
#endif

}  // namespace

ChipFloatScope::ChipFloatScope() noexcept : saved_(read_control()) {
  write_control(kChipControl);
}

ChipFloatScope::~ChipFloatScope() {
  write_control(saved_);
}

GradualUnderflowScope::GradualUnderflowScope() noexcept : saved_(read_control()) {
  write_control(kGradualControl);
}

GradualUnderflowScope::~GradualUnderflowScope() {
  write_control(saved_);
}

}  // namespace tensorlane
