// The header of a safetensors file, written.
#ifndef TENSORLANE_IO_SAFETENSORS_INTERNAL_H_
#define TENSORLANE_IO_SAFETENSORS_INTERNAL_H_

#include <map>
#include <string>
#include <vector>

#include "tensorlane/io/tensor_places.h"

namespace tensorlane::io_internal {

// Sorts `tensors`, whose bytes are set, into the order of the file and sets their offsets from the
// end of the header on. Returns what stands before the elements, its length included. Throws
// UserError for names that the format does not take.
std::string place_safetensors(std::vector<PlacedTensor*>& tensors,
                              const std::map<std::string, std::string>& metadata);

}  // namespace tensorlane::io_internal

#endif  // TENSORLANE_IO_SAFETENSORS_INTERNAL_H_
