// Attention of one head after the other without the matrix of scores in memory: keys and values come
// in blocks, the maximum and the sum of every row of scores are brought up to date with each.
// q, output [heads, queries, width], k and v [heads, keys, width].
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

__KERNEL__ void flash_attention(fp16* output, fp16* q, fp16* k, fp16* v, int heads, int queries,
                                int keys, int width, float scale, const int block_q,
                                const int block_k) {
  dim4 q_shape = {heads, queries, 1, width}, k_shape = {heads, keys, 1, width};
  auto q_all = gtensor<fp16>(q_shape, GLOBAL, q), out_all = gtensor<fp16>(q_shape, GLOBAL, output);
  auto k_all = gtensor<fp16>(k_shape, GLOBAL, k), v_all = gtensor<fp16>(k_shape, GLOBAL, v);
  dim4 most_q = {1, block_q, 1, width}, most_k = {1, block_k, 1, width};
  dim4 most_s = {1, block_q, 1, block_k}, most_one = {1, block_q, 1, 1};
  for (int head = 0; head < heads; ++head) {
    for (int row = 0; row < queries; row += block_q) {
      const int rows = min(block_q, queries - row);
      dim4 real_q = {1, rows, 1, width}, one = {1, rows, 1, 1}, at_q = {head, row, 0, 0};
      auto query = make_tensor<fp16>(most_q, real_q);
      dma::load(query, q_all.sub_view(real_q, at_q));
      auto largest = make_tensor<fp32>(most_one, one), sum = make_tensor<fp32>(most_one, one);
      auto result = make_tensor<fp32>(most_q, real_q);
      tiu::fill(largest, -1e10f);
      tiu::zero(sum);
      tiu::zero(result);
      for (int at = 0; at < keys; at += block_k) {
        enable_pipeline();
        const int count = min(block_k, keys - at);
        dim4 real_k = {1, count, 1, width}, real_s = {1, rows, 1, count}, at_k = {head, at, 0, 0};
        auto key = make_tensor<fp16>(most_k, real_k), value = make_tensor<fp16>(most_k, real_k);
        dma::load(key, k_all.sub_view(real_k, at_k));
        dma::load(value, v_all.sub_view(real_k, at_k));
        auto score = make_tensor<fp32>(most_s, real_s);
        tiu::fmm2(score, query, key, false, true, false);
        tiu::fmul(score, score, scale);
        auto here = make_tensor<fp32>(most_one, one), now = make_tensor<fp32>(most_one, one);
        quick_pooling(here, score, &most_s, &real_s, 0, 0);
        tiu::fmax(now, largest, here);
        auto kept = make_tensor<fp32>(most_one, one);
        tiu::fsub(kept, largest, now);
        exp_no_overflow(kept, kept, &most_one, &one);
        tiu::move(largest, now);
        tiu::fsub(score, score, now);
        auto power = make_tensor<fp32>(most_s, real_s);
        exp_no_overflow(power, score, &most_s, &real_s);
        quick_pooling(here, power, &most_s, &real_s, 0, 1);
        tiu::fmul(sum, sum, kept);
        tiu::fadd(sum, sum, here);
        auto weight = make_tensor<fp16>(most_s, real_s);
        tiu::cast(weight, power);
        auto part = make_tensor<fp32>(most_q, real_q);
        tiu::fmm2(part, weight, value, false, false, false, false, false, DT_FP32);
        tiu::fmul(result, result, kept);
        tiu::fadd(result, result, part);
      }
      tiu::fdiv(sum, 1.f, sum, 3);
      tiu::fmul(result, result, sum);
      auto rounded = make_tensor<fp16>(most_q, real_q);
      tiu::cast(rounded, result);
      dma::store(out_all.sub_view(real_q, at_q), rounded);
    }
  }
}
