// Which part of every tensor a part of a layer's result needs.
#ifndef TENSORLANE_LAYOUT_LAYER_NETWORK_INTERNAL_H_
#define TENSORLANE_LAYOUT_LAYER_NETWORK_INTERNAL_H_

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/layer_plan.h"

namespace tensorlane::layer_network {

inline std::int64_t of(const Plane& plane, Axis axis) {
  return axis == Axis::kH ? plane.h : plane.w;
}

// The axis of a tensor that an axis of the result is cut with: rows of matrices as batches, output
// channels of weights as channels. None where the tensor has none.
inline std::optional<Axis> own_axis(const NamedLayout& tensor, Axis axis) {
  if (axis == Axis::kC && tensor.axes.has(Axis::kO)) return Axis::kO;
  if (axis == Axis::kN && tensor.axes.has(Axis::kRow)) return Axis::kRow;
  if (axis == Axis::kC && tensor.axes.has(Axis::kM)) return Axis::kI;
  if (tensor.axes.has(axis)) return axis;
  return std::nullopt;
}

inline bool holds_weights(const NamedLayout& tensor) {
  return tensor.axes.find_first_of({Axis::kO, Axis::kI}) >= 0;
}

inline Span joined(const std::optional<Span>& a, const Span& b) {
  if (!a) return b;
  const std::int64_t first = std::min(a->first, b.first);
  return {first, std::max(a->first + a->count, b.first + b.count) - first};
}

// Tensors and commands, resolved: what part of the result needs what part of every tensor.
class Network {
 public:
  Network(const std::vector<PlanTensor>& tensors, const std::vector<PlanCommand>& commands)
      : tensors_(tensors), commands_(commands) {
    for (const PlanTensor& tensor : tensors) made_.push_back(make_layout(tensor.spec));
    for (const PlanCommand& command : commands) {
      outputs_.push_back(find(command.output));
      inputs_.emplace_back();
      for (const std::string& input : command.inputs) inputs_.back().push_back(find(input));
    }
    result_ = outputs_.back();
    for (std::size_t i = 0; i < commands.size(); ++i) check(i);
  }

  int result() const { return result_; }
  const NamedLayout& made(int tensor) const { return made_[static_cast<std::size_t>(tensor)]; }
  int output(std::size_t command) const { return outputs_[command]; }
  const std::vector<int>& inputs(std::size_t command) const { return inputs_[command]; }

  std::int64_t extent(int tensor, Axis axis) const {
    const NamedLayout& made = made_[static_cast<std::size_t>(tensor)];
    const std::optional<Axis> own = own_axis(made, axis);
    return own ? made.spec.shape[static_cast<std::size_t>(made.axes.find(*own))] : 1;
  }

  // Whether the channels of the result may be cut: with their weights, or where there are none.
  bool cuts_channels() const {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      for (const int input : inputs_[i]) {
        if (holds_weights(made(input)) && tensors_[static_cast<std::size_t>(input)].whole &&
            channels_follow(i))
          return false;
      }
    }
    return !tensors_[static_cast<std::size_t>(result_)].whole;
  }

  // What every tensor is needed of for indices `span` of the result along `axis`; nothing of those
  // that no command on the way to the result reads.
  std::vector<std::optional<Span>> needs(Axis axis, const Span& span) const {
    std::vector<std::optional<Span>> need(tensors_.size());
    need[static_cast<std::size_t>(result_)] = span;
    for (std::size_t i = commands_.size(); i-- > 0;) {
      const std::optional<Span> made = need[static_cast<std::size_t>(outputs_[i])];
      if (!made) continue;
      for (std::size_t k = 0; k < inputs_[i].size(); ++k) {
        std::optional<Span>& own = need[static_cast<std::size_t>(inputs_[i][k])];
        own = joined(own, input_span(i, k, axis, *made));
      }
    }
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t].whole && need[t]) need[t] = Span{0, extent(static_cast<int>(t), axis)};
    }
    return need;
  }

  // Rows (columns) of padding that a window reads before and behind its input.
  std::array<std::int64_t, 2> padding(std::size_t command, Axis axis, const Span& made) const {
    const PlanCommand& c = commands_[command];
    const std::int64_t first = made.first * of(c.stride, axis) - of(c.pad, axis);
    const std::int64_t end = (made.first + made.count - 1) * of(c.stride, axis) - of(c.pad, axis) +
                             (of(c.kernel, axis) - 1) * of(c.dilation, axis) + 1;
    const std::int64_t extent = this->extent(inputs_[command][0], axis);
    return {std::max<std::int64_t>(0, -first), std::max<std::int64_t>(0, end - extent)};
  }

 private:
  int find(const std::string& name) const {
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t].name == name) return static_cast<int>(t);
    }
    user_error("a command names '{}', which is none of the tensors", name);
  }

  // Whether some channels of the result need some of the output channels of this command only.
  bool channels_follow(std::size_t command) const {
    int at = outputs_[command];
    for (std::size_t i = command + 1; i < commands_.size(); ++i) {
      if (std::ranges::find(inputs_[i], at) == inputs_[i].end()) continue;
      for (const int input : inputs_[i]) {
        if (holds_weights(made(input))) return false;
      }
      at = outputs_[i];
    }
    return at == result_;
  }

  Span input_span(std::size_t command, std::size_t place, Axis axis, const Span& made) const {
    const int input = inputs_[command][place], output = outputs_[command];
    const std::int64_t extent = this->extent(input, axis), out = this->extent(output, axis);
    const Span whole{0, extent};
    const bool weights = holds_weights(this->made(input));
    if (weights) return axis == Axis::kC && extent == out ? made : whole;
    if (place > 0 || axis == Axis::kN) return extent == out ? made : whole;
    if (axis == Axis::kC) {
      const bool sums =
          std::ranges::any_of(inputs_[command], [&](int each) { return has_input_channels(each); });
      return extent == out && !sums ? made : whole;
    }
    const PlanCommand& c = commands_[command];
    if (extent == 1 && of(c.kernel, axis) == 1) return whole;  // broadcast
    const std::int64_t first = made.first * of(c.stride, axis) - of(c.pad, axis);
    const std::int64_t end = (made.first + made.count - 1) * of(c.stride, axis) - of(c.pad, axis) +
                             (of(c.kernel, axis) - 1) * of(c.dilation, axis) + 1;
    const std::int64_t from = std::clamp<std::int64_t>(first, 0, extent - 1);
    return {from, std::clamp<std::int64_t>(end, from + 1, extent) - from};
  }
  // Weights of sums over all channels, unlike those of a depthwise window.
  bool has_input_channels(int tensor) const {
    return holds_weights(made(tensor)) && !made(tensor).axes.has(Axis::kM);
  }

  void check(std::size_t i) const {
    const PlanCommand& c = commands_[i];
    if (inputs_[i].empty()) user_error("the command of '{}' has no input", c.output);
    for (const Axis axis : {Axis::kH, Axis::kW}) {
      if (of(c.kernel, axis) < 1 || of(c.stride, axis) < 1 || of(c.dilation, axis) < 1 ||
          of(c.pad, axis) < 0) {
        user_error("the window of '{}': kernel, stride and dilation are at least 1, pad at least 0",
                   c.output);
      }
      const std::int64_t in = extent(inputs_[i][0], axis), out = extent(outputs_[i], axis);
      if (in == 1 && of(c.kernel, axis) == 1) continue;
      const std::int64_t window = (of(c.kernel, axis) - 1) * of(c.dilation, axis) + 1;
      const std::int64_t most = in + 2 * of(c.pad, axis) < window
                                    ? 0
                                    : (in + 2 * of(c.pad, axis) - window) / of(c.stride, axis) + 1;
      if (out > most) {
        user_error("'{}' has {} of {}; a window of {}, stride {}, pad {} over {} of '{}' gives {}",
                   c.output, out, axis_name(axis), of(c.kernel, axis), of(c.stride, axis),
                   of(c.pad, axis), in, c.inputs[0], most);
      }
    }
    for (const int input : inputs_[i]) {
      if (has_input_channels(input) && extent(input, Axis::kC) != extent(outputs_[i], Axis::kC)) {
        user_error("'{}' has {} channels, the weights '{}' {} output channels", c.output,
                   extent(outputs_[i], Axis::kC), tensors_[static_cast<std::size_t>(input)].name,
                   extent(input, Axis::kC));
      }
    }
  }

  const std::vector<PlanTensor>& tensors_;
  const std::vector<PlanCommand>& commands_;
  std::vector<NamedLayout> made_;
  std::vector<int> outputs_;
  std::vector<std::vector<int>> inputs_;
  int result_ = 0;
};

}  // namespace tensorlane::layer_network

#endif  // TENSORLANE_LAYOUT_LAYER_NETWORK_INTERNAL_H_
