// Results that lie where a source does, of functions that compute something else then: the chip
// takes several commands for them and reads the source again after it has begun to write.
#ifndef TENSORLANE_COMPUTE_ROWS_OVERWRITTEN_SOURCE_H_
#define TENSORLANE_COMPUTE_ROWS_OVERWRITTEN_SOURCE_H_

#include <string_view>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// Whether the result overwrites the source from its first byte on. Operands of such functions have
// one shape and no strides of their own.
inline bool overwrites(const Command& command, std::string_view dst, std::string_view src) {
  const Operand &result = *command.find(dst), &source = *command.find(src);
  return result.space == source.space && result.address == source.address;
}
inline bool overwrites_source(const Command& command) {
  return overwrites(command, "dst_addr", "src_addr");
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_OVERWRITTEN_SOURCE_H_
