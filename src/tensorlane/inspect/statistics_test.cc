#include "tensorlane/inspect/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"

namespace tensorlane::inspect {
namespace {

template <class T>
Tensor tensor_of(Dtype dtype, const std::vector<T>& values) {
  Tensor tensor{dtype, {std::ssize(values)}, {}};
  tensor.data.resize(values.size() * sizeof(T));
  std::copy_n(reinterpret_cast<const std::byte*>(values.data()), tensor.data.size(),
              tensor.data.begin());
  return tensor;
}

// Any type, more than one block of elements now and then.
Tensor any_tensor() {
  const auto types = all_dtypes();
  const Dtype dtype = types[*rc::gen::inRange<std::size_t>(0, types.size())].dtype;
  const auto count = *rc::gen::inRange<std::int64_t>(0, 3000);
  Tensor tensor{dtype, {count}, {}};
  tensor.data.resize(tensor_bytes(dtype, tensor.shape, "test"));
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  for (std::byte& byte : tensor.data)
    byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return tensor;
}

RC_GTEST_PROP(Statistics, AreThoseOfTheElementsOneByOne, ()) {
  const Tensor tensor = any_tensor();
  const Statistics found = statistics(tensor);
  std::int64_t nans = 0, infinities = 0, finite = 0;
  double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0;
  for (std::int64_t k = 0; k < tensor.shape[0]; ++k) {
    const double value = value_of(element_bits(tensor, k), tensor.dtype);
    nans += std::isnan(value) ? 1 : 0;
    infinities += std::isinf(value) ? 1 : 0;
    if (!std::isfinite(value)) continue;
    ++finite;
    min = std::min(min, value);
    max = std::max(max, value);
    sum += value;
  }
  RC_ASSERT(found.elements == tensor.shape[0]);
  RC_ASSERT(found.nans == nans);
  RC_ASSERT(found.infinities == infinities);
  if (finite == 0) return;
  RC_ASSERT(found.min == min);
  RC_ASSERT(found.max == max);
  RC_ASSERT(found.mean == sum / static_cast<double>(finite));
}

RC_GTEST_PROP(Statistics, AnyChangedBitChangesTheHash, ()) {
  Tensor tensor = any_tensor();
  RC_PRE(!tensor.data.empty());
  const std::uint64_t before = hash_of(tensor.data);
  const auto at = *rc::gen::inRange<std::size_t>(0, tensor.data.size());
  tensor.data[at] ^= static_cast<std::byte>(1 << *rc::gen::inRange(0, 8));
  RC_ASSERT(hash_of(tensor.data) != before);
}

TEST(Statistics, ZerosOfAnotherNumberHaveAnotherHash) {
  EXPECT_NE(hash_of(std::vector<std::byte>(8)), hash_of(std::vector<std::byte>(9)));
  EXPECT_NE(hash_of(std::vector<std::byte>(8)), hash_of(std::vector<std::byte>(16)));
}

TEST(Statistics, AsText) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = HUGE_VALF;
  const auto text = [](const Tensor& tensor) {
    const std::string whole = statistics_text(statistics(tensor));
    return whole.substr(0, whole.find(", hash "));
  };
  EXPECT_EQ(text(tensor_of<float>(Dtype::kFp32, {-1, 0.5, 3.5})), "min -1, max 3.5, mean 1");
  EXPECT_EQ(text(tensor_of<float>(Dtype::kFp32, {2, nan, -inf, nan})),
            "min 2, max 2, mean 2, 2 NaN, 1 Inf");
  EXPECT_EQ(text(tensor_of<float>(Dtype::kFp32, {nan})), "nothing finite, 1 NaN");
  EXPECT_EQ(text(tensor_of<float>(Dtype::kFp32, {})), "no element");
  EXPECT_EQ(text(tensor_of<std::int32_t>(Dtype::kInt32, {-2147483647 - 1, 2147483647})),
            "min -2.14748e+09, max 2.14748e+09, mean -0.5");
}

}  // namespace
}  // namespace tensorlane::inspect
