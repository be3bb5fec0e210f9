#include "tensorlane/device/device_test_support.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/device/host_call.h"

namespace tensorlane::toy {
namespace {

thread_local std::string_view last;

std::byte& local_byte(const Invocation& invocation, std::size_t arg) {
  return invocation
      .memory[static_cast<std::size_t>(Space::kLocal)][invocation.command.args()[arg].value()];
}

bool run_set(const Invocation& invocation, std::string_view name) {
  last = name;
  local_byte(invocation, 0) = static_cast<std::byte>(invocation.command.args()[1].value());
  return true;
}

bool run_copy(const Invocation& invocation) {
  local_byte(invocation, 0) = local_byte(invocation, 1);
  return true;
}

bool run_multiply(const Invocation& invocation) {
  std::byte* const local = invocation.memory[static_cast<std::size_t>(Space::kLocal)];
  float factors[2];
  std::memcpy(factors, local, sizeof factors);
  volatile float a = factors[0], b = factors[1];
  const float product = a * b;
  std::memcpy(local + 8, &product, sizeof product);
  return true;
}

OperandSpec byte_operand(std::string_view param, Role role) {
  return {.param = param, .role = role, .dtype = Dtype::kInt8, .shape = {"1", "1", "1", "1"}};
}

OpSpec copy_spec(Engine engine) {
  return {.engine = engine,
          .operands = {byte_operand("to", Role::kOut), byte_operand("from", Role::kIn)},
          .numerics = Numerics::kExactToDocument,
          .implementations = {{"reference", run_copy}}};
}

// An entry that lives as long as the program.
const Op& entry(std::string_view name, std::vector<Param> params, OpSpec spec) {
  struct Parts {
    std::vector<Param> params;
    OpSpec spec;
  };
  static auto& kept = *new std::vector<std::unique_ptr<const Parts>>;
  kept.push_back(std::make_unique<const Parts>(Parts{std::move(params), std::move(spec)}));
  return *new Op(name, "int", kept.back()->params, kept.back()->spec, {});
}

const std::vector<Param> kAtAndValue = {{"local_addr_t", "at"}, {"int", "value"}};
const std::vector<Param> kToAndFrom = {{"local_addr_t", "to"}, {"local_addr_t", "from"}};

}  // namespace

namespace {

FrontEnd front_end_for(const KernelInterface& api) {
  return {.api = api,
          .chip = chip(),
          .registration = {},
          .symbols = {},
          .layouts = {},
          .ops = nullptr,
          .tier = nullptr,
          .argument = nullptr,
          .recorded_memory = {},
          .reference_page = {},
          .report = [](const std::string& text) { reported() += text; }};
}

}  // namespace

std::string& reported() {
  static std::string texts;
  return texts;
}

const FrontEnd& front_end() {
  static const FrontEnd own = front_end_for(chip().api);
  return own;
}

const FrontEnd& foreign_front_end() {
  static const FrontEnd foreign = front_end_for(kTpukernel);
  return foreign;
}

const Op& set() {
  static const Op& op =
      entry("toy_set", kAtAndValue,
            {.engine = Engine::kBdc,
             .operands = {byte_operand("at", Role::kOut)},
             .limits = {"0 <= value <= 100 [doc]", "value != 98 [doc; computed]",
                        "value != 96 [doc; on request]"},
             .numerics = Numerics::kExactToDocument,
             .implementations = {{"even",
                                  [](const Invocation& invocation) {
                                    return invocation.command.args()[1].value() % 2 == 0 &&
                                           run_set(invocation, "even");
                                  }},
                                 {"reference", [](const Invocation& invocation) {
                                    return run_set(invocation, "reference");
                                  }}}});
  return op;
}

const Op& copy() {
  static const Op& op = entry("toy_copy", kToAndFrom, copy_spec(Engine::kGdma));
  return op;
}
const Op& hau_copy() {
  static const Op& op = entry("toy_hau_copy", kToAndFrom, copy_spec(Engine::kHau));
  return op;
}

const Op& multiply() {
  static const Op& op = entry("toy_multiply", {},
                              {.engine = Engine::kBdc,
                               .numerics = Numerics::kExactToDocument,
                               .implementations = {{"reference", run_multiply}}});
  return op;
}

const Op& unwilling() {
  static const Op& op =
      entry("toy_unwilling", {},
            {.engine = Engine::kBdc,
             .numerics = Numerics::kExactToDocument,
             .implementations = {{"reference", [](const Invocation&) { return false; }}}});
  return op;
}

const Op& answer() {
  static const Op& op = entry("toy_answer", {{"int", "x"}},
                              {.limits = {"x != 13 [doc]", "x == 14 => parallel_state == 1 [doc]"},
                               .numerics = Numerics::kNoData,
                               .call = [](const HostCall& call) {
                                 const bool region =
                                     call.session != nullptr && call.session->in_parallel_region;
                                 return call.args[0].value() + (region ? 2 : 1);
                               }});
  return op;
}

const Op& later() {
  static const Op& op = entry("toy_later", {},
                              {.engine = Engine::kBdc,
                               .absence = Absence::kLaterChip,
                               .absence_reason = "a second TPU",
                               .numerics = Numerics::kNoData});
  return op;
}
const Op& undefined() {
  static const Op& op = entry("toy_undefined", {},
                              {.engine = Engine::kBdc,
                               .absence = Absence::kNoDefinition,
                               .absence_reason = "nothing public says what it does",
                               .numerics = Numerics::kNoData});
  return op;
}
const Op& dropped() {
  static const Op& op = entry(
      "toy_dropped", {},
      {.numerics = Numerics::kNoData, .call = [](const HostCall&) { return std::int64_t{1}; }});
  return op;
}

std::string_view last_implementation() {
  return last;
}

std::vector<Arg> args(std::initializer_list<std::int64_t> values) {
  std::vector<Arg> result;
  for (const std::int64_t value : values) result.emplace_back().field[0] = value;
  return result;
}

}  // namespace tensorlane::toy
