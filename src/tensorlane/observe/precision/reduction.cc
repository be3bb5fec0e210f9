#include "tensorlane/observe/precision/reduction.h"

#include <algorithm>
#include <array>

#include "tensorlane/observe/precision/operand_values.h"

namespace tensorlane::precision {
namespace {

std::int64_t value_of(const Expression& expression, const Command& command) {
  return expression.evaluate({command.args(), command.chip, command.region >= 0}).value_or(0);
}

}  // namespace

int Reduction::variable(std::string_view name, std::int64_t extent) {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  if (found != variables_.end()) return static_cast<int>(found - variables_.begin());
  variables_.push_back({name, extent});
  return static_cast<int>(variables_.size() - 1);
}

Reduction::Reduction(const Command& command, std::vector<const Operand*> sources,
                     const Operand& result, bool rotated) {
  for (int d = 0; d < result.layout.rank(); ++d) extents_.push_back(result.layout.extent(d));
  for (const Operand* operand : sources) {
    Source& source = sources_.emplace_back();
    std::int64_t stride = operand->layout.size();
    for (int d = 0; d < operand->layout.rank(); ++d) {
      const std::int64_t extent = operand->layout.extent(d);
      stride /= std::max<std::int64_t>(1, extent);
      const std::string_view name = operand->spec->shape[static_cast<std::size_t>(d)];
      Dimension dimension;
      dimension.result = result_dimension(*operand, d, result);
      const Op::CompiledWindow* window = nullptr;
      for (const Op::CompiledWindow& each : command.op->windows()) {
        if (each.spec->source == name && dimension.result < 0) window = &each;
      }
      if (window != nullptr) {
        const auto& of_result = result.spec->shape;
        dimension.result = static_cast<int>(std::ranges::find(of_result, window->spec->result) -
                                            of_result.begin());
        const std::int64_t taps = value_of(window->kernel, command);
        dimension.variable = variable(window->spec->kernel, taps);
        const std::int64_t step = value_of(window->step, command),
                           dilation = value_of(window->dilation, command),
                           before = value_of(window->before, command),
                           spacing = value_of(window->inserted, command) + 1;
        for (std::int64_t r = 0; r < extents_[static_cast<std::size_t>(dimension.result)]; ++r) {
          for (std::int64_t k = 0; k < taps; ++k) {
            const std::int64_t at = r * step - before + k * dilation;
            const bool inside = at >= 0 && at % spacing == 0 && at / spacing < extent;
            dimension.offset.push_back(inside ? at / spacing * stride : -1);
          }
        }
      } else if (dimension.result >= 0) {
        for (std::int64_t r = 0; r < extent; ++r) dimension.offset.push_back(r * stride);
      } else {
        if (extent == 1) continue;
        dimension.variable = variable(name, extent);
        const bool reversed =
            rotated && std::ranges::any_of(command.op->windows(), [&](const auto& each) {
              return each.spec->kernel == name;
            });
        for (std::int64_t v = 0; v < extent; ++v)
          dimension.offset.push_back((reversed ? extent - 1 - v : v) * stride);
      }
      source.dimensions.push_back(std::move(dimension));
    }
  }
}

std::int64_t Reduction::length() const {
  std::int64_t length = 1;
  for (const Variable& variable : variables_) length *= variable.extent;
  return length;
}

std::int64_t Reduction::row_offset(const Source& source, const Layout::Index& result,
                                   const Layout::Index& variables) const {
  std::int64_t offset = 0;
  const int last = static_cast<int>(extents_.size()) - 1;
  for (const Dimension& dimension : source.dimensions) {
    if (dimension.result == last) continue;
    const auto r = dimension.result < 0 ? 0 : result[static_cast<std::size_t>(dimension.result)];
    const auto v =
        dimension.variable < 0 ? 0 : variables[static_cast<std::size_t>(dimension.variable)];
    const auto count = dimension.variable < 0
                           ? 1
                           : variables_[static_cast<std::size_t>(dimension.variable)].extent;
    const std::int64_t part = dimension.at(r, v, count);
    if (part < 0) return -1;
    offset += part;
  }
  return offset;
}

const Reduction::Dimension* Reduction::last_of(const Source& source) const {
  const int last = static_cast<int>(extents_.size()) - 1;
  const auto found = std::ranges::find(source.dimensions, last, &Dimension::result);
  return found == source.dimensions.end() ? nullptr : &*found;
}

template <class Row>
void Reduction::each_row(Row row) const {
  Layout::Index result{};
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < extents_.size(); ++d) rows *= extents_[d];
  const std::int64_t combinations = length();
  for (std::int64_t k = 0; k < rows; ++k) {
    Layout::Index at{};
    for (std::int64_t c = 0; c < combinations; ++c) {
      row(k * extents_.back(), result, at);
      for (std::size_t v = variables_.size(); v-- > 0;) {
        if (++at[v] < variables_[v].extent) break;
        at[v] = 0;
      }
    }
    for (std::size_t d = extents_.size() - 1; d-- > 0;) {
      if (++result[d] < extents_[d]) break;
      result[d] = 0;
    }
  }
}

void Reduction::sum(const double* first, const double* second, double* result) const {
  if (!sum_densely(first, second, result)) sum_by_rows(first, second, result);
}

void Reduction::sum_by_rows(const double* first, const double* second, double* result) const {
  constexpr double kOne = 1;
  const std::array<const double*, 2> data = {first, second};
  const std::int64_t width = extents_.back();
  each_row([&](std::int64_t begin, const Layout::Index& index, const Layout::Index& at) {
    // Per source: where its row starts, and how it goes on along the result's last dimension.
    std::array<const double*, 2> from = {&kOne, &kOne};
    std::array<const std::int64_t*, 2> table{};
    std::array<std::int64_t, 2> step{};
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const std::int64_t offset = row_offset(sources_[k], index, at);
      if (offset < 0) return;
      from[k] = data[k] + offset;
      const Dimension* const last = last_of(sources_[k]);
      if (last == nullptr) continue;
      const bool windowed = last->variable >= 0;
      const std::int64_t count =
          windowed ? variables_[static_cast<std::size_t>(last->variable)].extent : 1;
      table[k] =
          last->offset.data() + (windowed ? at[static_cast<std::size_t>(last->variable)] : 0);
      step[k] = count;
    }
    double* const to = result + begin;
    for (std::int64_t w = 0; w < width; ++w) {
      const std::int64_t a = table[0] == nullptr ? 0 : table[0][w * step[0]];
      const std::int64_t b = table[1] == nullptr ? 0 : table[1][w * step[1]];
      if (a >= 0 && b >= 0) to[w] += from[0][a] * from[1][b];
    }
  });
}

std::vector<std::int64_t> Reduction::largest(const double* source,
                                             std::vector<bool>& outside) const {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents_) size *= extent;
  std::vector<std::int64_t> where(static_cast<std::size_t>(size), -1);
  outside.assign(where.size(), false);
  each_row([&](std::int64_t begin, const Layout::Index& index, const Layout::Index& at) {
    const std::int64_t offset = row_offset(sources_[0], index, at);
    if (offset < 0) {
      for (std::int64_t w = 0; w < extents_.back(); ++w)
        outside[static_cast<std::size_t>(begin + w)] = true;
      return;
    }
    const Dimension* const last = last_of(sources_[0]);
    for (std::int64_t w = 0; w < extents_.back(); ++w) {
      std::int64_t part = 0;
      if (last != nullptr) {
        const bool windowed = last->variable >= 0;
        part = last->at(w, windowed ? at[static_cast<std::size_t>(last->variable)] : 0,
                        windowed ? variables_[static_cast<std::size_t>(last->variable)].extent : 1);
      }
      if (part < 0) {
        outside[static_cast<std::size_t>(begin + w)] = true;
        continue;
      }
      std::int64_t& held = where[static_cast<std::size_t>(begin + w)];
      if (held < 0 || source[offset + part] > source[held]) held = offset + part;
    }
  });
  return where;
}

}  // namespace tensorlane::precision
