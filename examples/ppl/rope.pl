// Rotary position embedding: the two halves of every head are turned by the angles of its position.
// input [positions, heads, 2 * half], cosine and sine [positions, half].
#include "ppl.h"
using namespace ppl;

__KERNEL__ void rope(fp32* output, fp32* input, fp32* cosine, fp32* sine, int positions, int heads,
                     int half, const int block) {
  dim4 shape = {1, positions, heads, 2 * half}, angles = {1, positions, 1, half};
  auto in = gtensor<fp32>(shape, GLOBAL, input), out = gtensor<fp32>(shape, GLOBAL, output);
  auto cos_all = gtensor<fp32>(angles, GLOBAL, cosine), sin_all = gtensor<fp32>(angles, GLOBAL, sine);
  dim4 most = {1, block, heads, half}, most_angle = {1, block, 1, half};
  for (int at = 0; at < positions; at += block) {
    enable_pipeline();
    const int count = min(block, positions - at);
    dim4 real = {1, count, heads, half}, real_angle = {1, count, 1, half};
    dim4 first = {0, at, 0, 0}, second = {0, at, 0, half};
    auto x = make_tensor<fp32>(most, real), y = make_tensor<fp32>(most, real);
    auto c = make_tensor<fp32>(most_angle, real_angle), s = make_tensor<fp32>(most_angle, real_angle);
    dma::load(x, in.sub_view(real, first));
    dma::load(y, in.sub_view(real, second));
    dma::load(c, cos_all.sub_view(real_angle, first));
    dma::load(s, sin_all.sub_view(real_angle, first));
    auto turned = make_tensor<fp32>(most, real), part = make_tensor<fp32>(most, real);
    tiu::fmul(turned, x, c);
    tiu::fmul(part, y, s);
    tiu::fsub(turned, turned, part);
    dma::store(out.sub_view(real, first), turned);
    auto other = make_tensor<fp32>(most, real);
    tiu::fmul(other, y, c);
    tiu::fmul(part, x, s);
    tiu::fadd(other, other, part);
    dma::store(out.sub_view(real, second), other);
  }
}
