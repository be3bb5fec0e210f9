// Any bytes as calls of okk.h in one launch: each is carried out or refused by a UserError, and
// memory outside the chip's is never touched (the sanitizers see to that).
#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <vector>

#include "tensorlane/device/call.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/okk/define.h"

namespace tensorlane {
namespace {

// Values at which limits change, more often than chance would draw them.
constexpr std::array<std::int64_t, 20> kEdges = {
    0,    1,       2,     3,     4,      5,          31,        64,          127,         128,
    4095, 0x80000, 65535, 65536, 524284, 0x7fffffff, 0x1ffff80, -0x80000000, 0x100000000, -1};

std::int64_t draw(FuzzedDataProvider& data) {
  const auto kind = data.ConsumeIntegralInRange<int>(0, 4);
  if (kind < 2) return data.ConsumeIntegralInRange<std::int64_t>(0, 9);
  if (kind == 2) return kEdges[data.ConsumeIntegralInRange<std::size_t>(0, kEdges.size() - 1)];
  if (kind == 3) return data.ConsumeIntegralInRange<std::int64_t>(0, 8191) * 128;
  return data.ConsumeIntegral<std::int32_t>();
}

bool is_unsigned(std::string_view type) {
  return type == "unsigned int";
}

// An argument of a C type as the front end encodes it: what the type cannot hold is not drawn.
Arg draw_arg(FuzzedDataProvider& data, const Param& param, const Chip& chip, dim4& out) {
  const ArgType& type = arg_type(param.type);
  Arg arg;
  switch (type.kind) {
    case ArgKind::kInteger:
      if (param.type == "bool") return okk::encode(data.ConsumeBool());
      if (param.type == "op_type_t")
        return okk::encode(static_cast<op_type_t>(data.ConsumeIntegralInRange<int>(0, 31)));
      if (param.type == "mul_type_t")
        return okk::encode(static_cast<mul_type_t>(data.ConsumeIntegralInRange<int>(0, 7)));
      arg.field[0] = is_unsigned(param.type) ? static_cast<std::uint32_t>(draw(data))
                                             : static_cast<std::int32_t>(draw(data));
      break;
    case ArgKind::kLocalAddress:
    case ArgKind::kUnion:
      arg.field[0] = static_cast<std::uint32_t>(draw(data));
      break;
    case ArgKind::kSystemAddress: {
      const auto base = static_cast<std::int64_t>(chip.region(Space::kGlobal).begin);
      arg.field[0] = data.ConsumeBool() ? draw(data) : base + draw(data);
      break;
    }
    case ArgKind::kFloat: {
      const auto bits = static_cast<std::uint32_t>(draw(data));
      return okk::encode(std::bit_cast<float>(bits));
    }
    case ArgKind::kStruct:
      arg.is_null = data.ConsumeIntegralInRange<int>(0, 3) == 0;
      arg.has_value = !arg.is_null || type.null_default;
      for (int k = 0; k < kMaxArgFields; ++k) {
        arg.field[k] =
            arg.is_null ? type.null_default.value_or(0) : static_cast<std::int32_t>(draw(data));
      }
      break;
    case ArgKind::kValueOrAddress:
      arg.field = {data.ConsumeBool() ? 1 : 0, static_cast<std::uint32_t>(draw(data)),
                   static_cast<std::uint32_t>(draw(data))};
      break;
    case ArgKind::kPointer:
      if (param.type == "dim4*" && data.ConsumeBool()) return okk::encode(&out);
      arg.is_null = true;
      break;
  }
  return arg;
}

// Extents whose product would take minutes say nothing that small ones do not.
bool is_small(const Op& op, std::span<const Arg> args) {
  double elements = 1;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const bool is_stride = op.params()[k].name.find("stride") != std::string_view::npos;
    if (is_stride) continue;
    const ArgKind kind = arg_type(op.params()[k].type).kind;
    if (kind == ArgKind::kStruct) {
      for (const std::int64_t extent : args[k].field) {
        elements *= static_cast<double>(std::max<std::int64_t>(1, extent));
      }
    } else if (kind == ArgKind::kInteger) {
      elements *= static_cast<double>(std::max<std::int64_t>(1, args[k].value()));
    }
  }
  return elements < 1e4;
}

}  // namespace
}  // namespace tensorlane

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tensorlane;
  static DeviceMemory& memory = *new DeviceMemory(bm1684());
  FuzzedDataProvider data(bytes, size);
  Session session{bm1684(), memory, {}, {}};
  while (data.remaining_bytes() > 0) {
    const auto ops = okk::op_list();
    const Op& op = *ops[data.ConsumeIntegralInRange<std::size_t>(0, ops.size() - 1)];
    // Functions that print or register for the life of the process are not for a loop like this.
    if (op.spec().group == "debug" || op.name().starts_with("okk_register") ||
        op.name().starts_with("okk_dump"))
      continue;
    dim4 out{};
    std::vector<Arg> args;
    for (const Param& param : op.params()) {
      args.push_back(draw_arg(data, param, session.chip, out));
    }
    if (op.engine() != Engine::kNone && !is_small(op, args)) continue;
    try {
      call_in_session(&session, op, args, nullptr, session.chip);
    } catch (const UserError&) {
    }
  }
  return 0;
}
