// Entries of the tables, the static memory and the sequences of the BDC.
#ifndef TENSORLANE_TPUKERNEL_TABLE_FAMILIES_H_
#define TENSORLANE_TPUKERNEL_TABLE_FAMILIES_H_

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// The entry; `run` is its reference.
inline OpSpec table_spec(Doc doc, std::vector<OperandSpec> operands, Texts limits,
                         std::function<bool(const Invocation&)> run) {
  return {.engine = Engine::kBdc,
          .group = "bdc-special",
          .doc = doc,
          .operands = std::move(operands),
          .limits = std::move(limits),
          .numerics = Numerics::kExactToModel,
          .implementations = {{"reference", std::move(run)}},
          .cycles = per_step(1)};
}

// The entry with an implementation that goes before those that it has.
inline OpSpec with_rows(OpSpec spec, std::string_view name,
                        std::function<bool(const Invocation&)> rows) {
  spec.implementations.insert(spec.implementations.begin(), {name, std::move(rows)});
  return spec;
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_TABLE_FAMILIES_H_
