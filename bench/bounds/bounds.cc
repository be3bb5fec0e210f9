#include "bounds.h"

#include <regex>
#include <string>

namespace tensorlane::bench {

Bound make_bound(const Command& command, std::string_view types, Memories memory) {
  const std::string function(command.op->name()), of(types);
  for (const BoundList* list : {&float_bounds(), &word_product_bounds(), &quantised_bounds(),
                                &integer_bounds(), &packed_bounds(), &copy_bounds(),
                                &product_bounds(), &window_bounds(), &wide_product_bounds()}) {
    for (const BoundEntry& entry : *list) {
      if (!std::regex_match(function, std::regex(std::string(entry.functions)))) continue;
      if (!std::regex_match(of, std::regex(std::string(entry.types)))) continue;
      if (std::function<void()> run = entry.make(command, memory)) return {entry.name, run};
    }
  }
  return {};
}

}  // namespace tensorlane::bench
