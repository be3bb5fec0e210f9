#include "elementwise_loops.h"

#include <algorithm>
#include <bit>
#include <cmath>

void plain_add(float* dst, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = a[i] + b[i];
}
void plain_mul_constant(float* dst, const float* a, const float*, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = a[i] * 1.5F;
}
void plain_mac(float* dst, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = dst[i] + a[i] * b[i];
}
void plain_max(float* dst, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = a[i] > b[i] ? a[i] : b[i];
}
void plain_relu(float* dst, const float* a, const float*, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = a[i] > 0.0F ? a[i] : 0.0F;
}
void plain_divide(float* dst, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = a[i] / b[i];
}
void plain_select(float* dst, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dst[i] = a[i] > b[i] ? 1.0F : 0.0F;
}

void plain_xor(float* dst, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    dst[i] = std::bit_cast<float>(std::bit_cast<int>(a[i]) ^ std::bit_cast<int>(b[i]));
}
void plain_xor_constant(float* dst, const float* a, const float*, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    dst[i] = std::bit_cast<float>(std::bit_cast<int>(a[i]) ^ 0x3f800000);
}

void plain_exp(float* dst, const float* a, const float*, std::int64_t count) {
  constexpr int kBlock = 64, kSeries = 32;
  float coefficient[kSeries + 1] = {1.0F};
  for (int k = 1; k <= kSeries; ++k) coefficient[k] = coefficient[k - 1] / static_cast<float>(k);
  float table[256];
  for (int k = -128; k < 128; ++k) table[k + 128] = std::exp(static_cast<float>(k));
  for (std::int64_t i = 0; i < count; i += kBlock) {
    const int n = static_cast<int>(std::min<std::int64_t>(kBlock, count - i));
    float x[kBlock] = {}, sum[kBlock];
    int whole[kBlock] = {};
    for (int j = 0; j < n; ++j) {
      whole[j] = static_cast<int>(a[i + j]);
      x[j] = a[i + j] - static_cast<float>(whole[j]);
    }
    for (int j = 0; j < kBlock; ++j) sum[j] = coefficient[kSeries];
    for (int k = kSeries - 1; k >= 1; --k) {
      for (int j = 0; j < kBlock; ++j) sum[j] = sum[j] * x[j] + coefficient[k];
    }
    for (int j = 0; j < n; ++j) {
      const float whole_exp = table[(whole[j] + 128) & 255];
      dst[i + j] = whole_exp + whole_exp * (sum[j] * x[j]);
    }
  }
}
