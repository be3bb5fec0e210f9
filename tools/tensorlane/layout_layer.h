// `layout plan --command`: the plan of a network's layer.
#ifndef TENSORLANE_TOOLS_LAYOUT_LAYER_H_
#define TENSORLANE_TOOLS_LAYOUT_LAYER_H_

#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/layout/layer_plan.h"

namespace tensorlane::cli {

// "y=x,w:kernel=3x3:stride=2:pad=1:dilation=1"; one number is both of height and width.
PlanCommand parse_command(const std::string& text);

void print_layer_plan(const LayerPlan& plan, std::string_view chip);
Json layer_plan_json(const LayerPlan& plan, std::string_view chip);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAYOUT_LAYER_H_
