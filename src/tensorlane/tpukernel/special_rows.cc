#include "tensorlane/tpukernel/special_rows.h"

namespace tensorlane::tpukernel {
namespace {

using Sources = std::vector<SourceParam>;

struct RowOf {
  special::Compute compute;
  special::Constants constants;
  Dtype dst;
  std::array<Dtype, 2> types;
  bool two_sources;

  void operator()(const Row& frame) const {
    const std::size_t last = two_sources ? 1 : 0;
    WideResult<float> result(dst);
    WideSource<float> x({types[0], &frame, 0}), y({types[last], &frame, last});
    each_part(frame, kWideChunk, [&](const Row& part) {
      const float* const second = two_sources ? y.chunk(part) : nullptr;
      compute(x.chunk(part), second, constants, static_cast<std::size_t>(elements_of(part)),
              result.chunk(part));
      result.finish(part);
    });
  }
};

}  // namespace

RowFunction special_row(const Command& command, std::string_view dst, const Sources& sources,
                        special::Compute compute, const ConstantsOf& constants) {
  return RowOf{compute,
               constants ? constants(command) : special::Constants{},
               command.find(dst)->layout.dtype(),
               {type_of(command, sources.front()), type_of(command, sources.back())},
               sources.size() == 2};
}

std::vector<Implementation> special_rows(std::string_view dst, const Sources& sources,
                                         SpecialFunction function, ConstantsOf constants) {
  std::vector<std::string_view> names;
  for (const SourceParam& source : sources) names.push_back(source.param);
  const auto function_of = [=](const Command& command) {
    return function.of(command.find(dst)->layout.dtype());
  };
  return {{"simd",
           [=](const Invocation& invocation) {
             const Command& command = invocation.command;
             return run_rows(
                 invocation, dst, names,
                 special_row(command, dst, sources, function_of(command).vector, constants));
           }},
          {"reference", [=](const Invocation& invocation) {
             const Command& command = invocation.command;
             return run_elements(
                 invocation, dst, names,
                 special_row(command, dst, sources, function_of(command).reference, constants));
           }}};
}

}  // namespace tensorlane::tpukernel
