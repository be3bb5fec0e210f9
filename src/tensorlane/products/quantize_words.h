// The loops of quantize.h in vectors: elements widened to words, the numbers of one channel.
//
// Integers are multiplied to 64 bits, or 32 where that holds them, shifted with rounding there and
// saturated; fp32 is computed as it is.
#ifndef TENSORLANE_PRODUCTS_QUANTIZE_WORDS_H_
#define TENSORLANE_PRODUCTS_QUANTIZE_WORDS_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/products/quantize.h"

namespace tensorlane {

// `words` is read up to this many behind the last.
inline constexpr int kQuantSlack = 16;

// Whether `quantize_words` takes numbers like these.
bool quantizes_words(const QuantArgs& args, const QuantNumbers& numbers);

// Elements of args.dst_type from `count` words of args.src_type, one behind the other. In the
// chips' float environment.
void quantize_words(const QuantArgs& args, const QuantNumbers& numbers, const std::int32_t* words,
                    int count, std::byte* to);

}  // namespace tensorlane

#endif  // TENSORLANE_PRODUCTS_QUANTIZE_WORDS_H_
