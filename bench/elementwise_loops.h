// The peers of elementwise_bench: plain loops over dense arrays, vectorised by the compiler for the
// machine at hand.
#ifndef TENSORLANE_BENCH_ELEMENTWISE_LOOPS_H_
#define TENSORLANE_BENCH_ELEMENTWISE_LOOPS_H_

#include <cstdint>

// dst from a and b, `count` elements each.
using PlainLoop = void (*)(float* dst, const float* a, const float* b, std::int64_t count);

void plain_add(float* dst, const float* a, const float* b, std::int64_t count);
void plain_mul_constant(float* dst, const float* a, const float* b, std::int64_t count);
void plain_mac(float* dst, const float* a, const float* b, std::int64_t count);
void plain_max(float* dst, const float* a, const float* b, std::int64_t count);
void plain_relu(float* dst, const float* a, const float* b, std::int64_t count);
void plain_divide(float* dst, const float* a, const float* b, std::int64_t count);  // IEEE
void plain_select(float* dst, const float* a, const float* b, std::int64_t count);
void plain_xor(float* dst, const float* a, const float* b, std::int64_t count);  // of the bits
void plain_xor_constant(float* dst, const float* a, const float* b, std::int64_t count);
// The chip's formula of exp by 32 Taylor terms, in blocks that fit registers.
void plain_exp(float* dst, const float* a, const float* b, std::int64_t count);

#endif  // TENSORLANE_BENCH_ELEMENTWISE_LOOPS_H_
