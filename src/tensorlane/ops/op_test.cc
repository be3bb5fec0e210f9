#include "tensorlane/ops/op.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

static_assert(!std::is_default_constructible_v<OpSpec>, "an entry states what it claims");

constexpr Param kParams[] = {
    {"int", "count"},          {"const dim4*", "shape"}, {"const padding_t*", "padding"},
    {"const dim2*", "stride"}, {"data_type_t", "dtype"}, {"op_type_t", "op_type"},
    {"const variable_t*", "C"}};

class OpTest : public testing::Test {
 protected:
  OpTest() {
    std::int64_t next = 100;
    for (Arg& arg : args_) {
      for (std::int64_t& field : arg.field) field = next++;
    }
  }
  const OpSpec spec_{.numerics = Numerics::kNoData};
  const Op op_{"some_function", "void", kParams, spec_, {}};
  std::array<Arg, std::size(kParams)> args_;
};

TEST_F(OpTest, ReadsEveryFieldOfAnArgumentByItsName) {
  for (std::size_t k = 0; k < std::size(kParams); ++k) {
    const ArgType& type = op_.type_of(kParams[k].name);
    EXPECT_EQ(type.spelling, kParams[k].type);
    EXPECT_EQ(op_.value(args_, kParams[k].name), args_[k].value());
    for (std::size_t at = 0; at < type.fields.size() && !type.fields[at].empty(); ++at) {
      EXPECT_EQ(op_.value(args_, kParams[k].name, type.fields[at]), args_[k].field[at])
          << kParams[k].name << '.' << type.fields[at];
    }
  }
  EXPECT_EQ(op_.value(args_, "padding", "left"), args_[2].field[2]);
  EXPECT_EQ(op_.value(args_, "dtype", "bits"), args_[4].field[2]);
}

TEST_F(OpTest, WhatHasNoSuchNameIsADefect) {
  EXPECT_THROW(op_.value(args_, "shape", "depth"), InternalError);
  EXPECT_THROW(op_.value(args_, "count", "n"), InternalError);
  EXPECT_THROW(op_.value(args_, "scale"), InternalError);
}

}  // namespace
}  // namespace tensorlane
