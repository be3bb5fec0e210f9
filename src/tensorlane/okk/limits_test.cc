// Every limit of the list is enforced: see ops/limits_test_support.h.
#include "tensorlane/ops/limits_test_support.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "tensorlane/device/computed_alike_test_support.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"
#include "tensorlane/ops/encode.h"

namespace tensorlane::okk {
namespace {

// An address in every memory and NPU, and out of them; aligned and not.
template <class T>
void add_values_and_addresses(std::vector<Arg>& values) {
  values.push_back(encode(static_cast<const T*>(nullptr)));
  for (const unsigned address : {0U, 2U, 32U, 40000U, 3U * 524288U, 64U * 524288U}) {
    T value{};
    value.is_addr = true;
    value.context.addr = address;
    values.push_back(encode(static_cast<const T*>(&value)));
  }
}

// Codes that the enumeration cannot hold.
void add_numbers(std::initializer_list<int> codes, std::vector<Arg>& values) {
  for (const int code : codes) values.push_back(arguments::integer(code));
}

std::vector<Arg> whole_values(std::string_view type) {
  std::vector<Arg> values;
  if (type == "op_type_t") {
    for (int code = 0; code < 32; ++code) values.push_back(encode(static_cast<op_type_t>(code)));
    add_numbers({-1, 32}, values);
  } else if (type == "mul_type_t") {
    for (int code = 0; code < 8; ++code) values.push_back(encode(static_cast<mul_type_t>(code)));
    add_numbers({-1, 8}, values);
  } else if (type == "const fp32_or_addr_t*") {
    add_values_and_addresses<fp32_or_addr_t>(values);
  } else if (type == "const x32_or_addr_t*") {
    add_values_and_addresses<x32_or_addr_t>(values);
  } else if (type == "const dim4*") {
    const dim4 cube{3, 3, 3, 3};
    values = {encode(static_cast<const dim4*>(nullptr)), encode(&cube)};
  } else if (type == "const dim2*") {
    const dim2 square{1, 1};
    values = {encode(static_cast<const dim2*>(nullptr)), encode(&square)};
  } else if (type == "const Padding*") {
    const Padding none{0, 0, 0, 0};
    values = {encode(static_cast<const Padding*>(nullptr)), encode(&none)};
  }
  return values;
}

// Draws until a call is legal.
std::optional<std::vector<Arg>> legal_call(const Op& op, rc::Random& random) {
  const rc::Gen<RandomCall> calls = random_call(op);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const RandomCall call = calls(random.split(), rc::kNominalSize).value();
    if (call.legal) return call.args;
  }
  return std::nullopt;
}

class Limits : public testing::TestWithParam<const Op*> {};

LimitsLaw law() {
  static ComputedAlike runs(bm1684());
  return {bm1684(),
          [random = rc::Random(54321)](const Op& op) mutable { return legal_call(op, random); },
          whole_values, [](const Command& command) { runs.expect(command); }};
}

TEST_P(Limits, EveryOneIsEnforcedByItself) {
  expect_every_limit_enforced(*GetParam(), law());
}

TEST_P(Limits, HoldOfACallThatComesAgain) {
  expect_repeated_calls_decoded_alike(*GetParam(), law());
}

TEST_P(Limits, ACallThatComesAgainIsComputedAlike) {
  expect_repeated_calls_computed_alike(*GetParam(), law());
}

INSTANTIATE_TEST_SUITE_P(, Limits, testing::ValuesIn(functions_with_an_engine(op_list())),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace tensorlane::okk
