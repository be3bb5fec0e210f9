// Every pattern, planted in random data, is the first that is named.
#include "tensorlane/compare/patterns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace tensorlane::compare {
namespace {

using Index = std::vector<std::int64_t>;

class Planted : public testing::TestWithParam<int> {
 protected:
  Planted() : random_(static_cast<unsigned>(GetParam())) {
    want_.resize(static_cast<std::size_t>(element_count(shape_, "test")));
    std::normal_distribution<double> number;
    for (double& value : want_) value = number(random_);
    got_ = want_;
  }

  Index index(std::size_t i) const {
    const std::vector<std::int64_t> strides = strides_of(shape_);
    Index at;
    for (std::size_t d = 0; d < shape_.size(); ++d)
      at.push_back(static_cast<std::int64_t>(i) / strides[d] % shape_[d]);
    return at;
  }
  std::size_t flat(const Index& at) const {
    std::int64_t i = 0;
    for (std::size_t d = 0; d < shape_.size(); ++d) i = i * shape_[d] + at[d];
    return static_cast<std::size_t>(i);
  }
  // Replaces what `chosen` names with what `value` gives.
  void plant(const std::function<bool(const Index&)>& chosen,
             const std::function<double(std::size_t)>& value) {
    for (std::size_t i = 0; i < got_.size(); ++i) {
      if (chosen(index(i))) got_[i] = value(i);
    }
  }
  double noise() { return 10 + std::normal_distribution<double>()(random_); }

  std::string place() { return first(compare(got_, want_, shape_, {}).places); }
  std::string value() { return first(compare(got_, want_, shape_, {}).values); }
  static std::string first(const std::vector<Pattern>& patterns) {
    return patterns.empty() ? "" : patterns.front().text;
  }

  std::mt19937 random_;
  Shape shape_{2, 12, 6, 8};
  std::vector<double> want_, got_;
};

bool everywhere(const Index&) {
  return true;
}

TEST_P(Planted, BlocksOfAnAxis) {
  struct Case {
    std::function<bool(const Index&)> chosen;
    std::string text;
  };
  const Case cases[] = {
      {[](const Index& at) { return at[0] == 1; }, "batch 1 of 2"},
      {[](const Index& at) { return at[1] >= 3 && at[1] <= 6; }, "channels 3 to 6 of 12"},
      {[](const Index& at) { return at[1] >= 8; }, "the last channels 8 to 11 of 12"},
      {[](const Index& at) { return at[3] % 4 == 3; }, "every 4th column, from column 3"},
      {[](const Index& at) { return at[2] % 2 == 1; }, "every 2nd row, from row 1"},
      {[](const Index& at) { return at[1] % 3 == 0 && at[2] == 5; },
       "every 3rd channel, from channel 0, row 5 of 6"},
      {[](const Index& at) { return at[0] == 0 && at[3] >= 6; },
       "batch 0 of 2, the last columns 6 to 7 of 8"},
      {everywhere, "all of it"},
  };
  for (const Case& each : cases) {
    got_ = want_;
    plant(each.chosen, [&](std::size_t) { return noise(); });
    EXPECT_EQ(place(), each.text);
  }
}

TEST_P(Planted, StrayDifferencesDoNotHideABlock) {
  plant([](const Index& at) { return at[1] >= 3 && at[1] <= 6; },
        [&](std::size_t) { return noise(); });
  got_[flat({0, 0, 1, 2})] += 1;
  EXPECT_EQ(place(), "channels 3 to 6 of 12");
}

TEST_P(Planted, ElementsThatAgreeByChanceDoNotHideABlock) {
  plant([](const Index& at) { return at[1] >= 3 && at[1] <= 6; },
        [&](std::size_t i) { return i % 5 == 0 ? want_[i] : noise(); });
  EXPECT_EQ(place(), "channels 3 to 6 of 12");
}

TEST_P(Planted, ATailInMemory) {
  const std::size_t begin = want_.size() - 100;
  for (std::size_t i = begin; i < got_.size(); ++i) got_[i] = noise();
  EXPECT_EQ(place(), "the last 100 of 1152 elements in memory");
}

TEST_P(Planted, NoPlaceIsNamedWhereThereIsNone) {
  for (double& value : got_) {
    if (random_() % 3 == 0) value += 1;
  }
  EXPECT_EQ(place(), "");
}

TEST_P(Planted, Numbers) {
  const auto channels = [](const Index& at) { return at[1] >= 3 && at[1] <= 6; };
  struct Case {
    std::function<double(std::size_t)> value;
    std::string text;
  };
  const Case cases[] = {
      {[](std::size_t) { return std::nan(""); }, "NaN where a number is expected"},
      {[](std::size_t) { return std::numeric_limits<double>::infinity(); },
       "infinite where a number is expected"},
      {[](std::size_t) { return 0.0; }, "zero where a number is expected"},
      {[&](std::size_t i) { return 2 * want_[i]; }, "twice what is expected"},
      {[&](std::size_t i) { return want_[i] / 2; }, "half of what is expected"},
      {[&](std::size_t i) { return -want_[i]; }, "what is expected with the other sign"},
      {[&](std::size_t i) { return 0.125 * want_[i]; }, "0.125 times what is expected"},
      {[&](std::size_t i) { return want_[i] + 3; }, "what is expected + 3"},
      {[&](std::size_t i) { return want_[i] - 0.5; }, "what is expected - 0.5"},
      {[](std::size_t) { return 42.0; }, "42 everywhere"},
      {[&](std::size_t i) { return want_[i] * 1.001; },
       "within 0.001 of what is expected: precision (--precision says where)"},
  };
  for (const Case& each : cases) {
    got_ = want_;
    plant(channels, each.value);
    EXPECT_EQ(place(), "channels 3 to 6 of 12") << each.text;
    if (each.text.starts_with("within")) {
      // A factor says as much, and more; the size of the error is named beside it.
      const std::vector<Pattern> values = compare(got_, want_, shape_, {}).values;
      EXPECT_TRUE(std::ranges::any_of(
          values, [](const Pattern& pattern) { return pattern.text.starts_with("within"); }));
    } else {
      EXPECT_EQ(value(), each.text);
    }
  }
}

TEST_P(Planted, RoundingIsCalledPrecision) {
  std::uniform_real_distribution<double> part(-1, 1);
  plant(everywhere, [&](std::size_t i) { return want_[i] * (1 + 0.002 * part(random_)); });
  EXPECT_TRUE(value().starts_with("within 0.002 of what is expected: precision")) << value();
}

TEST_P(Planted, Transposes) {
  const char* const letters[] = {"n", "c", "h", "w"};
  for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{3, 3, 4, 4}, Shape{2, 5, 5, 3}}) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) {
        shape_ = shape;
        want_.resize(static_cast<std::size_t>(element_count(shape_, "test")));
        std::normal_distribution<double> number;
        for (double& value : want_) value = number(random_);
        got_ = want_;
        // The device wrote the tensor with the axes in another order.
        Shape swapped = shape;
        std::swap(swapped[a], swapped[b]);
        for (std::size_t i = 0; i < want_.size(); ++i) {
          Index at = index(i);
          std::swap(at[a], at[b]);
          std::int64_t to = 0;
          for (std::size_t d = 0; d < 4; ++d) to = to * swapped[d] + at[d];
          got_[static_cast<std::size_t>(to)] = want_[i];
        }
        if (got_ == want_) continue;
        EXPECT_EQ(value(),
                  std::string("equal after a transpose of ") + letters[a] + " and " + letters[b])
            << shape_text(shape);
      }
    }
  }
}

TEST_P(Planted, Shifts) {
  struct Case {
    Index by;
    std::string text;
  };
  const Case cases[] = {
      {{0, 0, 0, 1}, "off by one column: it holds what belongs to the next"},
      {{0, 0, 0, -1}, "off by one column: it holds what belongs before"},
      {{0, 0, 1, 0}, "off by one row: it holds what belongs to the next"},
      {{0, -1, 0, 0}, "off by one channel: it holds what belongs before"},
      {{0, 4, 0, 0}, "off by 4 channels: it holds what belongs to the next"},
  };
  const std::vector<std::int64_t> strides = strides_of(shape_);
  for (const Case& each : cases) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < 4; ++d) offset += each.by[d] * strides[d];
    for (std::size_t i = 0; i < got_.size(); ++i) {
      const std::int64_t from = static_cast<std::int64_t>(i) + offset;
      got_[i] = from < 0 || from >= static_cast<std::int64_t>(want_.size())
                    ? 0.0
                    : want_[static_cast<std::size_t>(from)];
    }
    EXPECT_EQ(value(), each.text);
  }
}

TEST_P(Planted, AShiftOfAPart) {
  // A tile that went to the wrong address: what belongs 40 elements further on.
  for (std::size_t i = 200; i < 400; ++i) got_[i] = want_[i + 41];
  EXPECT_EQ(value(), "what belongs 41 elements further on");
}

TEST_P(Planted, OtherOrders) {
  struct Case {
    std::size_t axis;
    std::function<std::int64_t(std::int64_t, std::int64_t)> from;
    std::string text;
  };
  const Case cases[] = {
      {3, [](std::int64_t i, std::int64_t n) { return (i + n / 2) % n; },
       "the halves of the columns swapped"},
      {1, [](std::int64_t i, std::int64_t n) { return (i + n / 2) % n; },
       "the halves of the channels swapped"},
      {3, [](std::int64_t i, std::int64_t) { return i ^ 1; },
       "neighbouring columns swapped (the order within words?)"},
      {3, [](std::int64_t i, std::int64_t) { return i ^ 3; },
       "columns in reverse order within groups of 4 (the order within words?)"},
      {2, [](std::int64_t i, std::int64_t n) { return n - 1 - i; }, "rows in reverse order"},
  };
  for (const Case& each : cases) {
    for (std::size_t i = 0; i < got_.size(); ++i) {
      Index at = index(i);
      at[each.axis] = each.from(at[each.axis], shape_[each.axis]);
      got_[i] = want_[flat(at)];
    }
    EXPECT_EQ(value(), each.text);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Planted, testing::Range(0, 8));

}  // namespace
}  // namespace tensorlane::compare
