
#include "tensorlane/json/json.h"
#include "tensorlane/observe/recorder.h"

namespace tensorlane::observe {
namespace {

Json encode_arg(const ArgType& type, const Arg& arg) {
  if (arg.is_null) return nullptr;
  switch (type.kind) {
    case ArgKind::kStruct: {
      Json list = Json::array();
      for (int k = 0; k < field_count(type); ++k)
        list.push_back(arg.field[static_cast<std::size_t>(k)]);
      return list;
    }
    case ArgKind::kFloat:
      return arg.number;
    case ArgKind::kValueOrAddress: {
      const bool is_address = arg.is_address();
      Json object = {{is_address ? "addr" : "val", is_address ? arg.address() : arg.constant()}};
      const int kind = field_index(type, "type");  // says more than whether it is an address
      object[kind < 0 ? "is_addr" : "type"] =
          arg.field[static_cast<std::size_t>(std::max(0, kind))];
      return object;
    }
    case ArgKind::kPointer:
      return nullptr;
    default:
      return arg.field[0];
  }
}

}  // namespace

std::string recorded_line(const Op& op, std::span<const Arg> args) {
  Json object;
  object["op"] = op.name().substr(op.name().find('_') + 1);
  for (std::size_t k = 0; k < args.size(); ++k) {
    object[std::string(op.params()[k].name)] = encode_arg(arg_type(op.params()[k].type), args[k]);
  }
  return object.dump();
}

}  // namespace tensorlane::observe
