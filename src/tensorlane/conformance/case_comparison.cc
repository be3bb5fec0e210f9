#include "tensorlane/conformance/case_comparison.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/conformance/accepted_bytes.h"
#include "tensorlane/conformance/digest.h"
#include "tensorlane/conformance/element.h"
#include "tensorlane/json/json.h"

namespace tensorlane::conformance {
namespace {

// A returned range_t: two ints, side by side.
std::int64_t range_bits(const Json& range) {
  const auto half = [&](const char* field) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(range.at(field).get<int>()));
  };
  return static_cast<std::int64_t>(half("end") << 32U | half("start"));
}

}  // namespace

std::string CaseComparison::compare_operands(const RecordedCase& recorded) {
  for (const RecordedOperand& operand : recorded.expects) {
    for (const BufferRange& range : operand.ranges) {
      if (!operand.must_match)
        std::ranges::copy(image_.actual(range), image_.expected(range).begin());
    }
  }
  for (const RecordedOperand& operand : recorded.expects) {
    for (const BufferRange& range : operand.ranges) {
      if (operand.must_match && operand.digest_bytes == 0)
        std::ranges::copy(recording_.bytes(range), image_.expected(range).begin());
    }
  }
  if (recorded.any_nan) accept_other_nans(session_, image_);
  for (const RecordedOperand& operand : recorded.expects) {
    if (!operand.must_match) continue;
    std::string why = operand.digest_bytes == 0 ? compare_operand(recorded, operand)
                                                : compare_digests(recorded, operand);
    if (!why.empty()) return why;
  }
  return {};
}

std::string CaseComparison::compare_operand(const RecordedCase& recorded,
                                            const RecordedOperand& operand) {
  const auto step = static_cast<std::size_t>(dtype_bytes(recorded.dtype));
  std::optional<Place> first;
  std::size_t bytes = 0;
  for (const BufferRange& range : operand.ranges) {
    const std::span<std::byte> actual = image_.actual(range), expected = image_.expected(range);
    if (std::memcmp(actual.data(), expected.data(), actual.size()) == 0) continue;
    if (recorded.any_nan || recorded.tolerance) {
      for (std::size_t at = 0; at + step <= actual.size(); at += step) {
        const auto element = actual.subspan(at, step), wanted = expected.subspan(at, step);
        if (acceptable(recorded, element, wanted)) std::ranges::copy(element, wanted.begin());
      }
    }
    for (std::size_t at = 0; at < actual.size(); ++at) {
      if (actual[at] == expected[at]) continue;
      if (!first) first = image_.place(range, at);
      ++bytes;
    }
  }
  if (!first) return {};
  return tr("{} is not as recorded, {} of its bytes; the first difference:\n{}", operand.param,
            bytes, describe(*first));
}

std::string CaseComparison::compare_digests(const RecordedCase& recorded,
                                            const RecordedOperand& operand) {
  const std::optional<Dtype> floats =
      recorded.any_nan ? std::optional(recorded.dtype) : std::nullopt;
  for (const BufferRange& range : operand.ranges) {
    const std::span<std::byte> actual = image_.actual(range);
    for (std::uint64_t at = 0; at < actual.size(); at += operand.digest_bytes) {
      const auto piece =
          actual.subspan(at, std::min<std::uint64_t>(operand.digest_bytes, actual.size() - at));
      if (digest(piece, floats) != recording_.digest(range, at / operand.digest_bytes)) {
        return tr(
            "{} is not as recorded: the digest of the {} bytes from {} on differs, and the "
            "recording holds no more",
            operand.param, piece.size(), image_.place(range, at).text);
      }
    }
    std::ranges::copy(actual, image_.expected(range).begin());
  }
  return {};
}

// The element at a place, or the byte where it belongs to none, as it is and as it should be.
std::string CaseComparison::describe(const Place& place) {
  const auto values = [&](std::uint64_t offset, Dtype dtype) {
    const auto range =
        image_.range_of(place.space, offset, static_cast<std::uint64_t>(dtype_bytes(dtype)));
    if (!range) return std::string();
    return tr("\n    expected {}\n    got      {}", element_text(dtype, image_.expected(*range)),
              element_text(dtype, image_.actual(*range)));
  };
  const std::span<const Operand> operands =
      session_.latest == nullptr ? std::span<const Operand>() : session_.latest->operands();
  for (const Operand& operand : operands) {
    if (!operand.writes() || operand.space != place.space) continue;
    const Layout& layout = operand.layout;
    const auto index = layout.element_at(static_cast<std::int64_t>(place.offset));
    if (!index) continue;
    const std::span<const std::int64_t> indices(index->data(),
                                                static_cast<std::size_t>(layout.rank()));
    std::int64_t number = 0;
    for (int dim = 0; dim < layout.rank(); ++dim)
      number = number * layout.extent(dim) + indices[static_cast<std::size_t>(dim)];
    const auto address = static_cast<std::uint64_t>(layout.address(indices));
    const auto range = image_.range_of(place.space, address, 1);
    return tr("  {}, element {} ({}) of {}{}", range ? image_.place(*range, 0).text : place.text,
              number, fmt::join(indices, ", "), operand.name(), values(address, layout.dtype()));
  }
  return tr("  {}, in no element of the result{}", place.text, values(place.offset, Dtype::kX8));
}

std::string CaseComparison::stray_text(const Place& place) {
  return tr("a byte outside the recorded results changed:\n{}", describe(place));
}

std::string compare_values(const RecordedCase& recorded, const Op& op, const CaseArgs& args,
                           std::int64_t returned) {
  if (!recorded.returns.is_null()) {
    const std::int64_t expected = recorded.returns.is_object() ? range_bits(recorded.returns)
                                  : recorded.returns.is_boolean()
                                      ? static_cast<std::int64_t>(recorded.returns.get<bool>())
                                  : recorded.returns.is_string()
                                      ? std::stoll(recorded.returns.get<std::string>(), nullptr, 16)
                                      : recorded.returns.get<std::int64_t>();
    if (returned != expected) {
      return tr("returned {0} (0x{0:x}), recorded {1} (0x{1:x})", returned, expected);
    }
  }
  if (recorded.outs.is_null()) return {};
  for (const auto& [name, fields] : recorded.outs.items()) {
    const Param& param = op.params()[static_cast<std::size_t>(op.param(name))];
    const Arg& arg = args.args[static_cast<std::size_t>(op.param(name))];
    for (const auto& [field, value] : fields.items()) {
      const int index = field_index(arg_type(param.type), field);
      TL_INTERNAL_CHECK(index >= 0);
      const int actual = static_cast<const int*>(arg.pointer)[index];
      if (actual != value.get<int>()) {
        return tr("{}->{} is {}, recorded {}", name, field, actual, value.get<int>());
      }
    }
  }
  return {};
}

}  // namespace tensorlane::conformance
