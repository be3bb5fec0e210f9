#include "tensorlane/compute/rows/formula_rows.h"

namespace tensorlane {

std::vector<Implementation> selection(std::string_view dst, const SourceParams<4>& sources,
                                      std::string_view dtype_param, const Selection& selection) {
  using u32 = std::uint32_t;
  using s64 = std::int64_t;
  return typed_simd(
      selection.vectors, dst,
      {sources[0].param, sources[1].param, sources[2].param, sources[3].param}, dtype_param,
      by_kind(dtype_param, widened<u32, float, float, u32, u32>(dst, sources, selection.of_floats),
              widened<u32, s64, s64, u32, u32>(dst, sources, selection.of_integers)));
}

std::vector<Implementation> extreme(std::string_view dst, const SourceParams<2>& sources,
                                    std::string_view dtype_param, const Extreme& extreme) {
  using u32 = std::uint32_t;
  const SourceParam &a = sources[0], &b = sources[1];
  const auto of_floats = [=, f = extreme.of_floats](const Command& command) {
    const Dtype dtype = command.find(dst)->layout.dtype();
    return [=](float x, float y, u32 x_bits, u32 y_bits) {
      return f({x, x_bits, dtype}, {y, y_bits, dtype});
    };
  };
  return typed_simd(
      extreme.vectors, dst, {a.param, b.param}, dtype_param,
      by_kind(
          dtype_param, widened<u32, float, float, u32, u32>(dst, {a, b, a, b}, of_floats),
          widened<std::int64_t, std::int64_t, std::int64_t>(dst, sources, extreme.of_integers)));
}

}  // namespace tensorlane
