// Random tensors in every named layout, and loops over their elements: for tests.
#ifndef TENSORLANE_LAYOUT_LAYOUT_TEST_SUPPORT_H_
#define TENSORLANE_LAYOUT_LAYOUT_TEST_SUPPORT_H_

#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

// Calls visit(index) for every element in logical order.
// The sizes of real chips.
inline constexpr LocalMemory kBm1684Local{64, 524288, 128}, kBm1684xLocal{64, 262144, 64};

template <class Visit>
void for_each_index(const Layout& layout, const Visit& visit) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    visit(index);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

inline std::string describe_spec(const LayoutSpec& spec) {
  return fmt::format("{} {} {} [{}] start {} cols {} strides [{}]", system_name(spec.system),
                     spec.layout, dtype_name(spec.dtype), fmt::join(spec.shape, ","),
                     spec.start_npu, spec.cols_per_channel.value_or(0),
                     fmt::join(spec.strides, ","));
}

class LayoutMaker {
 public:
  explicit LayoutMaker(unsigned seed) : random_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  // A small tensor that the layout takes, with element type, start NPU and strides at random.
  LayoutSpec random_spec(System system, const LayoutInfo& info) {
    LayoutSpec spec{.system = system, .layout = std::string(info.name)};
    for (int d = 0; d < info.axes.size(); ++d) spec.shape.push_back(pick(1, 6));
    spec.dtype = random_dtype(info);
    finish(spec, info);
    return spec;
  }

  // Start NPU, strides and the like for a spec that has its shape and element type.
  void finish(LayoutSpec& spec, const LayoutInfo& info) {
    if (info.axes.has(Axis::kColumn)) {
      spec.shape.back() += pick(0, 20);
      spec.cols_per_channel = pick(1, spec.shape.back());
    }
    if (info.winograd) {
      spec.winograd_block = static_cast<int>(2 * pick(1, 3));
      spec.shape[2] = spec.shape[3] = spec.winograd_block + 2;
    }
    const int multiplier = info.axes.find(Axis::kM);
    if (multiplier >= 0) spec.shape[static_cast<std::size_t>(multiplier)] = 1;
    if (info.either_memory()) spec.system_memory = pick(0, 1) == 1;
    if (spec.system != System::kMace && !info.row_major && !spec.system_memory) {
      spec.memory = LocalMemory{static_cast<int>(pick(1, 8)), 1 << 20,
                                spec.system == System::kBm1684 ? 128 : 64};
      spec.start_npu = pick(0, spec.memory->npus - 1);
      spec.offset = 128 * pick(0, 2);
    }
    if (info.either_memory()) {
      std::int64_t stride = pick(1, 3);
      spec.strides.assign(4, 0);
      for (int d = 3; d >= 0; --d) {
        spec.strides[static_cast<std::size_t>(d)] = stride;
        stride = stride * spec.shape[static_cast<std::size_t>(d)] + pick(0, 3);
      }
    }
  }

  // What a random layout may have beside axes cut into digits that lie in any order.
  struct Form {
    int most_axes = 4;
    bool gaps = true;        // strides wider than what the digits below span
    bool multiples = false;  // but multiples of it
    bool partial = true;     // axes that begin or end inside their digits
    bool backwards = true;
    bool base = true;
    bool broadcast = false;
    bool swizzle = false;
  };
  Layout random_layout(const Form& form) {
    const int rank = static_cast<int>(pick(1, form.most_axes));
    std::vector<std::vector<Digit>> axes(static_cast<std::size_t>(rank));
    std::vector<Digit*> order;
    for (std::vector<Digit>& digits : axes) {
      digits.resize(static_cast<std::size_t>(pick(1, 3)));
      for (Digit& digit : digits) {
        digit = {form.multiples && pick(0, 1) == 1 ? 2 : pick(1, 4), 0};
        order.push_back(&digit);
      }
    }
    std::shuffle(order.begin(), order.end(), random_);
    const std::int64_t unit = 4;
    std::int64_t stride = form.gaps ? pick(1, 2) : 1, back = 0;
    for (Digit* digit : order) {
      digit->stride = stride * unit;
      stride *= digit->extent;
      if (form.gaps && pick(0, 3) == 0)
        stride = form.multiples ? stride * pick(1, 3) : stride + pick(0, 3);
      if (form.broadcast && pick(0, 7) == 0) digit->stride = 0;
      if (form.backwards && pick(0, 7) == 0) {
        back += digit->stride * (digit->extent - 1);
        digit->stride = -digit->stride;
      }
    }
    Layout layout(Dtype::kFp32);
    for (std::vector<Digit>& digits : axes) {
      std::int64_t places = 1;
      for (const Digit& digit : digits) places *= digit.extent;
      const bool partial = form.partial && pick(0, 3) == 0;
      const std::int64_t first = partial ? pick(0, places - 1) : 0;
      digits.back().extent = 1;
      layout.add_dim(partial ? pick(1, places - first) : places, digits, first);
    }
    layout.set_base(back + (form.base ? unit * pick(0, 9) : 0));
    if (form.swizzle) {
      const int bits = static_cast<int>(pick(1, 3)), distance = static_cast<int>(pick(bits, 4));
      layout.set_swizzle({static_cast<std::int8_t>(bits), static_cast<std::int8_t>(pick(0, 2)),
                          static_cast<std::int8_t>(pick(0, 3) == 0 ? -distance : distance)});
    }
    return layout;
  }

  Dtype random_dtype(const LayoutInfo& info) {
    std::vector<Dtype> taken;
    for (const DtypeInfo& type : all_dtypes()) {
      const bool raw = type.dtype <= Dtype::kX32;  // converts to no other type
      if (!raw && info.takes(type.dtype)) taken.push_back(type.dtype);
    }
    return taken[static_cast<std::size_t>(pick(0, std::ssize(taken) - 1))];
  }

 private:
  std::mt19937 random_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_LAYOUT_TEST_SUPPORT_H_
