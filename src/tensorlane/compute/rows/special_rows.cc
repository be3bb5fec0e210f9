#include "tensorlane/compute/rows/special_rows.h"

#include <bit>

#include "tensorlane/compute/rows/brief_rows.h"
#include "tensorlane/compute/rows/half_table_rows.h"
#include "tensorlane/compute/rows/overwritten_source.h"

namespace tensorlane {
namespace {

using Sources = std::vector<SourceParam>;

struct RowOf {
  special::Compute compute;
  special::Constants constants;
  Dtype dst;
  std::array<Dtype, 2> types;
  bool two_sources;
  BriefRow brief;

  void operator()(const Row& frame) const {
    if (is_brief(frame)) return brief(frame, constants);
    if (in_place(frame)) return compute_rows(frame);
    const std::size_t last = two_sources ? 1 : 0;
    WideResult<float> result(dst);
    WideSource<float> x({types[0], &frame, 0}), y({types[last], &frame, last});
    each_part(frame, kWideChunk, [&](const Row& part) {
      const float* const first = x.chunk(part);
      const float* const second = two_sources ? y.chunk(part) : nullptr;
      const auto count = static_cast<std::size_t>(elements_of(part));
      compute({first, second, result.chunk(part), count}, constants);
      result.finish(part);
    });
  }

 private:
  static constexpr std::int64_t kFp32Bytes = 4;
  static constexpr std::int64_t kLeast = 8;  // of elements in a row that is computed where it is

  bool is_brief(const Row& frame) const {
    if (brief == nullptr || frame.count < kLeast) return false;
    const std::int64_t bytes = dtype_bytes(dst);
    const auto is_taken = [&](std::size_t k) {
      return frame.src_step[k] == bytes || frame.src_step[k] == 0;
    };
    return frame.dst_step == bytes && is_taken(0) && (!two_sources || is_taken(1));
  }
  // Whether rows of fp32 are long enough to be computed where they are.
  bool in_place(const Row& frame) const {
    if (frame.count < kLeast || frame.count > kWideChunk) return false;
    const auto is_dense = [](Dtype type, const std::byte* at, const Places& places) {
      return type == Dtype::kFp32 && places.step == kFp32Bytes && places.next % kFp32Bytes == 0 &&
             places.block % kFp32Bytes == 0 &&
             reinterpret_cast<std::uintptr_t>(at) % alignof(float) == 0;
    };
    if (!is_dense(dst, frame.dst, Places::of_result(frame))) return false;
    for (std::size_t k = 0; k < (two_sources ? 2U : 1U); ++k) {
      const Places places = Places::of_source(frame, k);
      if (!places.all_the_same() && !is_dense(types[k], frame.src[k], places)) return false;
    }
    return true;
  }

  void compute_rows(const Row& frame) const {
    const std::size_t last = two_sources ? 1 : 0;
    WideSource<float> x({types[0], &frame, 0}), y({types[last], &frame, last});
    const auto first_of = [&](WideSource<float>& source, std::size_t k, const Row& part) {
      const bool moves = !Places::of_source(frame, k).all_the_same();
      return moves ? reinterpret_cast<const float*>(part.src[k]) : source.chunk(part);
    };
    // In each call as many rows as may be.
    const bool by_block = frame.rows > frame.blocks;
    const auto next = [by_block](std::int64_t row, std::int64_t block) {
      return static_cast<std::ptrdiff_t>((by_block ? row : block) / kFp32Bytes);
    };
    const std::int64_t calls = by_block ? frame.blocks : frame.rows;
    for (std::int64_t k = 0; k < calls; ++k) {
      const Row part = by_block ? moved(frame, k, 0, 0) : moved(frame, 0, k, 0);
      compute({.x = first_of(x, 0, part),
               .y = two_sources ? first_of(y, 1, part) : nullptr,
               .result = reinterpret_cast<float*>(part.dst),
               .count = static_cast<std::size_t>(frame.count),
               .rows = static_cast<std::size_t>(by_block ? frame.rows : frame.blocks),
               .x_next = next(frame.src_next[0], frame.src_block[0]),
               .y_next = next(frame.src_next[last], frame.src_block[last]),
               .result_next = next(frame.dst_next, frame.dst_block)},
              constants);
    }
  }
};

// What decides the results, but for types and constants of the call.
struct Arguments {
  special::Compute compute;
  special::Constants constants;
};

// By a table, of a function of one tensor of 16-bit elements and constants. False for other types,
// and while a table does not pay.
template <class RowOfCommand>
bool run_table(const Invocation& invocation, std::string_view dst, const Sources& sources,
               const Arguments& arguments, const RowOfCommand& row) {
  const Command& command = invocation.command;
  const Layout& result = command.find(dst)->layout;
  if (dtype_bits(result.dtype()) != 16) return false;
  Row constants{};
  std::array<std::uint32_t, 2> bits{};
  std::size_t tensor = 0;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (command.find(sources[k].param) != nullptr) {
      if (type_of(command, sources[k]) != result.dtype()) return false;
      tensor = k;
    } else {
      bits[k] = constant_bits(command, sources[k].param);
      constants.src[k] = reinterpret_cast<const std::byte*>(&bits[k]);
    }
  }
  const special::Constants& c = arguments.constants;
  const HalfTables::Key key = {reinterpret_cast<std::uintptr_t>(arguments.compute),
                               static_cast<std::uint64_t>(result.dtype()),
                               std::bit_cast<std::uint32_t>(c.first),
                               std::bit_cast<std::uint32_t>(c.second),
                               static_cast<std::uint64_t>(c.steps),
                               static_cast<std::uint64_t>(c.corrections),
                               tensor,
                               bits[0],
                               bits[1]};
  return look_up_tensor(
      key, [&] { return make_half_table(row(command), constants, tensor); }, invocation, dst,
      sources[tensor].param);
}

}  // namespace

special::Function SpecialFunction::of(Dtype dtype, const NumericsRules& rules) const {
  if (root_ != nullptr) {
    constexpr special::RootRule kRules[] = {special::RootRule::kBare, special::RootRule::kChecked,
                                            special::RootRule::kCheckedTyped};
    return root_(dtype, kRules[static_cast<std::size_t>(rules.roots.value)]);
  }
  const special::Dialect dialect = rules.exponentials.value == Exponentials::kTables
                                       ? special::Dialect::kTables
                                       : special::Dialect::kSeries;
  return by_dtype_ != nullptr ? by_dtype_(dtype, dialect) : fp32_(dialect);
}

RowFunction special_row(const Command& command, std::string_view dst, const Sources& sources,
                        special::Compute compute, const ConstantsOf& constants) {
  const Dtype result = command.find(dst)->layout.dtype();
  const std::array<Dtype, 2> types = {type_of(command, sources.front()),
                                      type_of(command, sources.back())};
  const bool one_type = types[0] == result && types[1] == result;
  return RowOf{compute,
               constants ? constants(command) : special::Constants{},
               result,
               types,
               sources.size() == 2,
               one_type ? brief_row(compute, result) : nullptr};
}

std::vector<Implementation> special_rows(std::string_view dst, const Sources& sources,
                                         SpecialFunction function, const SpecialRows& rows) {
  std::vector<std::string_view> names;
  for (const SourceParam& source : sources) names.push_back(source.param);
  const auto function_of = [=, in_place = rows.in_place](const Command& command) {
    const bool other = in_place && overwrites(command, dst, names.front());
    return (other ? *in_place : function)
        .of(command.find(dst)->layout.dtype(), numerics_of(*command.chip).rules);
  };
  const auto vectors_of = [=, constants = rows.constants](const Command& command) {
    return special_row(command, dst, sources, function_of(command).vector, constants);
  };
  std::vector<Implementation> list = {
      {"simd",
       [=](const Invocation& invocation) {
         return run_rows(invocation, dst, names, vectors_of(invocation.command));
       },
       kAnyOperands},
      {"reference",
       [=, constants = rows.constants](const Invocation& invocation) {
         const Command& command = invocation.command;
         return run_elements(
             invocation, dst, names,
             special_row(command, dst, sources, function_of(command).reference, constants));
       },
       kAnyOperands}};
  if (!rows.tables) return list;
  const auto look_up = [=, constants = rows.constants](const Invocation& invocation) {
    const Command& command = invocation.command;
    const special::Compute compute = function_of(command).vector;
    const Arguments arguments{compute, constants ? constants(command) : special::Constants{}};
    return run_table(invocation, dst, sources, arguments, vectors_of);
  };
  list.insert(list.begin(), {"table", look_up, kAnyOperands});
  return list;
}

}  // namespace tensorlane
