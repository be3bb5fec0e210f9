#include "tensorlane/observe/precision/moved.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane::precision {
namespace {

// The same elements one after the other from `base` on.
Layout dense(const Layout& layout, std::int64_t base) {
  Layout result(layout.dtype());
  result.set_base(base);
  std::int64_t step = layout.size() * layout.element_units();
  for (int d = 0; d < layout.rank(); ++d) {
    step /= layout.extent(d);
    result.add_dim(layout.extent(d), {{1, step}});
  }
  return result;
}

// The command in memory of its own, where its operands lie one after the other.
class NumberRun {
 public:
  NumberRun(const Command& command, const DeviceMemory& memory) : command_(command) {
    std::int64_t bytes = 0;
    for (int k = 0; k < command.operand_count; ++k) {
      Operand& own = command_.operand_storage[static_cast<std::size_t>(k)];
      own.layout = dense(own.layout, bytes);
      own.space = Space::kGlobal;
      bytes += align_up(own.layout.size() * own.layout.element_units(), 64);
    }
    memory_.resize(static_cast<std::size_t>(bytes));
    for (int k = 0; k < command.operand_count; ++k) {
      const Operand& real = command.operand_storage[static_cast<std::size_t>(k)];
      if (!real.spec->decides) continue;
      for (const Box& box : fold({&operand(k).layout, &real.layout})) {
        strided_copy(box, memory_.data(), memory.base(real.space), real.layout.element_units());
      }
    }
  }

  const Operand& operand(int k) const {
    return command_.operand_storage[static_cast<std::size_t>(k)];
  }
  std::byte* data(int k) { return memory_.data() + operand(k).layout.base(); }
  std::size_t bytes(int k) const {
    const Layout& layout = operand(k).layout;
    return static_cast<std::size_t>(layout.size() * layout.element_units());
  }

  // With results that hold `filling` before.
  void run(int filling) {
    for (int k = 0; k < command_.operand_count; ++k) {
      if (operand(k).role != Role::kIn) std::memset(data(k), filling, bytes(k));
    }
    std::array<std::byte*, kSpaces> bases{};
    bases.fill(memory_.data());
    const Invocation invocation{command_, bases};
    const bool done =
        std::ranges::any_of(command_.op->spec().implementations,
                            [&](const Implementation& each) { return each.run(invocation); });
    TL_INTERNAL_CHECK(done);
  }

 private:
  Command command_;
  std::vector<std::byte> memory_;
};

std::uint64_t element(const std::byte* data, std::size_t i, std::size_t width) {
  std::uint64_t value = 0;
  std::memcpy(&value, data + i * width, width);
  return value;
}

}  // namespace

std::vector<std::vector<Origin>> origins_of(const Command& command, const DeviceMemory& memory) {
  constexpr int kFilling = 0x55, kOther = 0xff;
  NumberRun numbers(command, memory);
  // A run with zeros in the sources tells constants from what was not written.
  numbers.run(kFilling);
  std::vector<int> results;
  std::vector<std::vector<std::byte>> plain;
  std::vector<std::vector<Origin>> origins;
  for (int k = 0; k < command.operand_count; ++k) {
    if (!numbers.operand(k).writes()) continue;
    results.push_back(k);
    plain.emplace_back(numbers.data(k), numbers.data(k) + numbers.bytes(k));
    origins.emplace_back(static_cast<std::size_t>(numbers.operand(k).layout.size()));
  }
  for (int source = 0; source < command.operand_count; ++source) {
    const Operand& operand = numbers.operand(source);
    if (operand.role != Role::kIn || operand.spec->decides ||
        dtype_bits(operand.layout.dtype()) < 8)
      continue;
    const auto width = static_cast<std::size_t>(operand.layout.element_units());
    const auto count = static_cast<std::uint64_t>(operand.layout.size());
    // Numbers from 1 on, in as many digits as they take; all ones mean that nothing was written.
    const std::uint64_t digits = (std::uint64_t{1} << (8 * width)) - 2;
    std::vector<std::vector<std::int64_t>> found;
    for (const auto& each : origins) found.emplace_back(each.size(), 0);
    for (std::uint64_t scale = 1; scale == 1 || scale < count; scale *= digits) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t digit = i / scale % digits + 1;
        std::memcpy(numbers.data(source) + i * width, &digit, width);
      }
      numbers.run(kOther);
      for (std::size_t r = 0; r < results.size(); ++r) {
        const auto unit =
            static_cast<std::size_t>(numbers.operand(results[r]).layout.element_units());
        if (unit != width) continue;
        const std::byte* const held = numbers.data(results[r]);
        for (std::size_t i = 0; i < origins[r].size(); ++i) {
          const std::uint64_t value = element(held, i, width);
          if (value == digits + 1) {
            origins[r][i].kept = true;
          } else if (value != element(plain[r].data(), i, width)) {
            origins[r][i].operand = source;
            found[r][i] += static_cast<std::int64_t>((value - 1) * scale);
          }
        }
      }
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      for (std::size_t i = 0; i < origins[r].size(); ++i) {
        if (origins[r][i].operand == source) origins[r][i].element = found[r][i];
      }
    }
    std::memset(numbers.data(source), 0, numbers.bytes(source));
  }
  return origins;
}

}  // namespace tensorlane::precision
