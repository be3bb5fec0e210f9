// The functions of all interfaces, as parameters of tests.
#ifndef TENSORLANE_DIFFERENTIAL_FUNCTIONS_TEST_SUPPORT_H_
#define TENSORLANE_DIFFERENTIAL_FUNCTIONS_TEST_SUPPORT_H_

#include <ostream>
#include <vector>

#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::differential {

struct Function {
  const FrontEnd* front_end;
  const Op* op;
};
inline std::ostream& operator<<(std::ostream& out, const Function& function) {
  return out << function.op->name();
}

// Those that can be called and of which `wanted(op)` holds.
template <class Wanted>
std::vector<Function> functions_where(Wanted wanted) {
  std::vector<Function> list;
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const Op* op : front_end->ops().all()) {
      if (op->spec().absence == Absence::kNone && wanted(*op)) list.push_back({front_end, op});
    }
  }
  return list;
}

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_FUNCTIONS_TEST_SUPPORT_H_
