// BDC: tables and series of coefficients, lookups, and sequences.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/chip/static_memory.h"
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/moves/indexed_rows.h"
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/compute/moves/number_rows.h"
#include "tensorlane/compute/rows/cast_rows.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/half_table_rows.h"
#include "tensorlane/compute/rows/polynomial_rows.h"
#include "tensorlane/compute/rows/typed_rounding.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tpukernel/families.h"
#include "tensorlane/tpukernel/series.h"

TL_TPU_OPS_FILE(tables);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kTableGroup = "bdc-special";

OpSpec table_spec(Doc doc, std::vector<OperandSpec> operands, Texts limits,
                  std::function<bool(const Invocation&)> run) {
  return {.engine = Engine::kBdc,
          .group = kTableGroup,
          .doc = doc,
          .operands = std::move(operands),
          .limits = std::move(limits),
          .numerics = Numerics::kExactToModel,
          .implementations = {{"reference", std::move(run)}},
          .cycles = per_step(1)};
}

// Copies fp32 words of static memory to every NPU, in the type of the destination.
OpSpec load(const Series& series, const StaticTable& table, TypeOf type,
            const Texts& more_limits = {}) {
  const auto run = [=](const Invocation& invocation) {
    const IndexedTensor to(invocation, series.param);
    const Dtype dtype = invocation.command.operands()[0].layout.dtype();
    const ConvertOptions options = tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven);
    const std::byte* const from =
        invocation.memory[static_cast<std::size_t>(Space::kStatic)] + table.offset;
    const auto count = static_cast<std::size_t>(to.extent(3));
    std::vector<std::byte> row(count * static_cast<std::size_t>(to.bytes()));
    convert_elements(row.data(), dtype, from, Dtype::kFp32, count, options);
    to.each_channel(
        0, [&](std::int64_t, std::byte* channel) { std::memcpy(channel, row.data(), row.size()); });
    return true;
  };
  Texts limits = series_limits(series);
  if (!type.param.empty()) limits = join({limits, float_type(type.param), more_limits});
  return table_spec("Copies a table of the chip to every NPU.",
                    {series_operand(Role::kOut, series, type)}, limits, run);
}

// Of chips that have them.
bool load_powers(const Invocation& invocation) {
  if (numerics_of(*invocation.command.chip).rules.exponentials.value != Exponentials::kTables)
    return true;
  const std::byte* const from =
      invocation.memory[static_cast<std::size_t>(Space::kStatic)] + tensorlane::kExpTable.offset;
  const IndexedTensor to(invocation, "table_addr");
  const auto bytes = static_cast<std::size_t>(to.extent(3) * to.bytes());
  to.each_channel(0, [&](std::int64_t, std::byte* channel) { std::memcpy(channel, from, bytes); });
  return true;
}

// Elements of static memory: the same on every NPU, or one on each.
OpSpec from_static(bool distribute) {
  OperandSpec source{.param = "src_addr",
                     .role = Role::kIn,
                     .memory = MemoryKind::kStatic,
                     .shape = {"1", "1", "1", "len"},
                     .layout = DefaultLayout::kContinuous,
                     .dtype_param = "dtype"};
  const OperandSpec target =
      distribute ? shaped(out("dst_addr", "dtype"), {"1", "len", "1", "1"}, DefaultLayout::kCompact)
                 : shaped(out("dst_addr", "dtype"), {"1", "npu_num", "1", "len"});
  const auto broadcast = [](const Invocation& invocation) {
    const IndexedTensor to(invocation, "dst_addr"), from(invocation, "src_addr");
    const std::byte* const row = from.at(0, 0, 0, 0);
    const auto bytes = static_cast<std::size_t>(to.bytes() * from.extent(3));
    to.each_channel(0, [&](std::int64_t, std::byte* channel) { std::memcpy(channel, row, bytes); });
    return true;
  };
  Texts limits =
      join({any_type("dtype"), {"1 <= len", "src_addr % tpu_eu_num(DT_INT8) == 0 [observed]"}});
  if (distribute) {
    limits.emplace_back("dst_addr % dtype.bytes == 0");
    OpSpec spec =
        table_spec("Gives element i of static memory to channel i.", {target, source}, limits, {});
    spec.only_moves = true;
    spec.implementations = move_permuted("dst_addr", "src_addr", {0, 3, 1, 2});
    return spec;
  }
  limits = join({limits,
                 {"dst_addr % tpu_eu_num(DT_INT8) == 0", "1 <= npu_num <= tpu_npu_num()",
                  "start_npu(dst_addr) + npu_num <= tpu_npu_num()"}});
  return table_spec("Copies `len` elements of static memory to `npu_num` NPUs.", {target, source},
                    limits, broadcast);
}

// Which number of the sequence element w of channel c is.
using Position = std::int64_t (*)(std::int64_t c, std::int64_t w, std::int64_t num);

bool sequence(const Invocation& invocation, Position position) {
  const IndexedTensor to(invocation, "dst_addr");
  const auto start = static_cast<std::uint32_t>(invocation.command.arg("start").value());
  const auto step = static_cast<std::uint32_t>(invocation.command.arg("step").value());
  const std::int64_t width = to.extent(3);
  Plane plane = to.plane(0, 0);
  to.each_channel(0, [&](std::int64_t c, std::byte* channel) {
    plane.base = channel;
    // Numbers follow each other along a channel.
    const auto first = static_cast<std::uint32_t>(position(c, 0, width));
    for (std::int64_t w = 0; w < width; ++w) {
      const std::uint32_t value = start + step * (first + static_cast<std::uint32_t>(w));
      std::memcpy(plane.at(0, w), &value, sizeof value);
    }
  });
  return true;
}
// The same where the numbers of a channel lie one after the other.
bool sequence_in_rows(const Invocation& invocation, Position position) {
  const IndexedTensor to(invocation, "dst_addr");
  const auto start = static_cast<std::uint32_t>(invocation.command.arg("start").value());
  const auto step = static_cast<std::uint32_t>(invocation.command.arg("step").value());
  const std::int64_t width = to.extent(3);
  if (!to.has_dense_rows()) return false;
  to.each_channel(0, [&](std::int64_t c, std::byte* channel) {
    const auto first = static_cast<std::uint32_t>(position(c, 0, width));
    numbers::words(channel, width, start + step * first, step);
  });
  return true;
}

// Numbers of which each channel holds one, NPU by NPU.
bool sequence_along_npus(const Invocation& invocation) {
  const Operand& dst = *invocation.command.find("dst_addr");
  const auto start = static_cast<std::uint32_t>(invocation.command.arg("start").value());
  const auto step = static_cast<std::uint32_t>(invocation.command.arg("step").value());
  const std::span<const Digit> digits = dst.layout.digits(1);
  if (digits.size() != 2 || dst.layout.offset(1) != 0) return false;
  const std::int64_t npus = digits.front().extent, next = digits.back().stride;
  const std::int64_t channels = dst.layout.extent(1);
  for (std::int64_t npu = 0; npu < std::min(npus, channels); ++npu) {
    std::byte* to = invocation.base(dst) + dst.layout.base() + npu * digits.front().stride;
    const std::int64_t count = (channels - npu + npus - 1) / npus;
    std::uint32_t number = start + step * static_cast<std::uint32_t>(npu);
    const std::uint32_t further = step * static_cast<std::uint32_t>(npus);
    if (next == sizeof number) {
      numbers::words(to, count, number, further);
      continue;
    }
    for (std::int64_t k = 0; k < count; ++k, to += next, number += further)
      std::memcpy(to, &number, sizeof number);
  }
  return true;
}

OpSpec with_rows(OpSpec spec, std::string_view name, std::function<bool(const Invocation&)> rows) {
  spec.implementations.insert(spec.implementations.begin(), {name, std::move(rows)});
  return spec;
}

OpSpec sequence_on_npus(Doc doc, Position position) {
  OpSpec spec = table_spec(
      doc, {shaped(out("dst_addr", Dtype::kInt32), {"1", "npu_num", "1", "num"})},
      {"1 <= npu_num <= tpu_npu_num()", "start_npu(dst_addr) + npu_num <= tpu_npu_num()",
       "1 <= num <= 65535", "dst_addr % tpu_eu_num(DT_INT8) == 0"},
      [position](const Invocation& invocation) { return sequence(invocation, position); });
  return with_rows(std::move(spec), "simd", [position](const Invocation& invocation) {
    return sequence_in_rows(invocation, position);
  });
}
OpSpec continued_sequence() {
  OpSpec spec = sequence_on_npus(
      "start, start + step, ...: `num` on each of `npu_num` NPUs, from one to the next.",
      [](std::int64_t c, std::int64_t w, std::int64_t num) { return c * num + w; });
  spec.operands.push_back(shaped(work("buffer_addr", Dtype::kInt32), {"1", "npu_num", "1", "1"}));
  return spec;
}
// 0, 1, 2, ... on one NPU; the chip writes on to the end of a row of 128 or 64. [observed]
OpSpec counting_sequence() {
  const auto run = [](const Invocation& invocation) {
    const IndexedTensor to(invocation, "dst_addr");
    const Plane plane = to.plane(0, 0);
    with_width(to.bytes(), [&](auto element) {
      for (std::int64_t w = 0; w < to.extent(3); ++w)
        std::memcpy(plane.at(0, w), &w, sizeof element);
    });
    return true;
  };
  const auto rows = [](const Invocation& invocation) {
    const IndexedTensor to(invocation, "dst_addr");
    if (!to.has_dense_rows()) return false;
    std::byte* const row = to.at(0, 0, 0, 0);
    if (to.bytes() == 4) {
      numbers::words(row, to.extent(3), 0, 1);
    } else {
      numbers::halves(row, to.extent(3), 0, 1);
    }
    return true;
  };
  return with_rows(table_spec("0, 1, 2, ... on the NPU of dst_addr",
                              {shaped(out("dst_addr", "dtype"), {"1", "1", "1", "num"})},
                              {"dtype in {DT_UINT32, DT_UINT16} [observed]", "1 <= num <= 65535",
                               "dst_addr % tpu_eu_num(DT_INT8) == 0"},
                              run),
                   "simd", rows);
}
OpSpec sequence_over_channels(DefaultLayout layout) {
  OpSpec spec = table_spec(
      "start + step * c in channel c.",
      {shaped(out("dst_addr", Dtype::kInt32), {"1", "num", "1", "1"}, layout)},
      {"1 <= num <= 65535",
       layout == DefaultLayout::kCompact ? "dst_addr % 4 == 0"
                                         : "dst_addr % tpu_eu_num(DT_INT8) == 0",
       "start_npu(dst_addr) == 0 [observed]"},
      [](const Invocation& invocation) {
        return sequence(invocation, [](std::int64_t c, std::int64_t, std::int64_t) { return c; });
      });
  return with_rows(std::move(spec), "simd", sequence_along_npus);
}

// Calls f(n, c, coefficients) for every channel; the coefficients are those of its NPU.
template <class F>
void each_polynomial(const Invocation& invocation, const F& f) {
  const Command& command = invocation.command;
  const Operand& dst = *command.find("dst_addr");
  const IndexedTensor coefficients(invocation, "coeff_addr");
  const LoadRow<float> load_elements = load_row<float>(dst.layout.dtype());
  const auto start = static_cast<std::int64_t>(dst.address) / command.chip->local.npu_bytes;
  std::vector<float> k(static_cast<std::size_t>(coefficients.extent(3)));
  for (std::int64_t c = 0; c < dst.layout.extent(1); ++c) {
    const std::int64_t npu = (start + c) % command.chip->local.npus;
    load_elements(coefficients.at(0, npu, 0, 0), coefficients.bytes(), k.size(), k.data());
    for (std::int64_t n = 0; n < dst.layout.extent(0); ++n) f(n, c, k);
  }
}

// dst = sum of K[i] * src^i, highest first, rounded to the type at every step
bool taylor(const Invocation& invocation) {
  const IndexedTensor to(invocation, "dst_addr"), from(invocation, "src_addr");
  const TypedRounding rounded(invocation.command.operands()[0].layout.dtype());
  each_polynomial(invocation, [&](std::int64_t n, std::int64_t c, const std::vector<float>& k) {
    for (std::int64_t i = 0; i < to.extent(2) * to.extent(3); ++i) {
      const float x = rounded.read(from.flat(n, c, i));
      float sum = k.back();
      for (std::size_t term = k.size() - 1; term-- > 0;)
        sum = rounded(fp32::add(rounded(fp32::mul(sum, x)), k[term]));
      rounded.write(to.flat(n, c, i), sum);
    }
  });
  return true;
}

bool taylor_in_vectors(const Invocation& invocation) {
  const IndexedTensor to(invocation, "dst_addr"), from(invocation, "src_addr");
  const Dtype dtype = invocation.command.operands()[0].layout.dtype();
  const bool one_row = to.has_dense_channels() && from.has_dense_channels();
  each_polynomial(invocation, [&](std::int64_t n, std::int64_t c, const std::vector<float>& k) {
    const Plane target = to.plane(n, c), source = from.plane(n, c);
    Row frame{};
    frame.dst = target.base;
    frame.dst_step = target.w_stride;
    frame.dst_next = target.h_stride;
    frame.src[0] = source.base;
    frame.src_step[0] = source.w_stride;
    frame.src_next[0] = source.h_stride;
    frame.count = to.extent(3);
    frame.rows = to.extent(2);
    if (one_row) {
      frame.count *= frame.rows;
      frame.rows = 1;
    }
    polynomial_rows(dtype, k, frame);
  });
  return true;
}

// Of 16-bit elements, where all NPUs have the same coefficients: by a table of all results.
bool taylor_by_table(const Invocation& invocation) {
  const Command& command = invocation.command;
  const Layout& dst = command.find("dst_addr")->layout;
  const IndexedTensor coefficients(invocation, "coeff_addr");
  constexpr std::int64_t kMostTerms = 256;
  if (dtype_bits(dst.dtype()) != 16 || coefficients.extent(3) > kMostTerms) return false;
  const auto terms = static_cast<std::size_t>(coefficients.extent(3));
  std::vector<float> first, k(terms);
  const LoadRow<float> load_elements = load_row<float>(dst.dtype());
  for (std::int64_t npu = 0; npu < coefficients.extent(1); ++npu) {
    load_elements(coefficients.at(0, npu, 0, 0), coefficients.bytes(), terms, k.data());
    if (npu == 0) first = k;
    if (std::memcmp(first.data(), k.data(), terms * sizeof(float)) != 0) return false;
  }
  HalfTables::Key key = {reinterpret_cast<std::uintptr_t>(&polynomial_rows),
                         static_cast<std::uint64_t>(dst.dtype())};
  for (const float each : first) key.push_back(std::bit_cast<std::uint32_t>(each));
  const auto row = [&](const Row& frame) { polynomial_rows(dst.dtype(), first, frame); };
  return look_up_tensor(
      key, [&] { return make_half_table(row, {}, 0); }, invocation, "dst_addr", "src_addr");
}

// dst = table[src], a table per NPU
bool lookup(const Invocation& invocation) {
  const IndexedTensor to(invocation, "dst_addr"), from(invocation, "src_addr");
  const IndexedTensor table(invocation, "table_addr");
  const Command& command = invocation.command;
  const auto start =
      static_cast<std::int64_t>(command.find("dst_addr")->address) / command.chip->local.npu_bytes;
  for (std::int64_t n = 0; n < to.extent(0); ++n) {
    for (std::int64_t c = 0; c < to.extent(1); ++c) {
      const Plane values = table.plane(0, (start + c) % command.chip->local.npus);
      const Plane target = to.plane(n, c), source = from.plane(n, c);
      with_width(from.bytes(), [&](auto index_type) {
        with_width(to.bytes(), [&](auto element) {
          for (std::int64_t h = 0; h < to.extent(2); ++h) {
            for (std::int64_t w = 0; w < to.extent(3); ++w) {
              decltype(index_type) index;
              std::memcpy(&index, source.at(h, w), sizeof index);
              check_index(command, "src_addr", index, table.extent(3));
              std::memcpy(target.at(h, w), values.at(0, index), sizeof element);
            }
          }
        });
      });
    }
  }
  return true;
}

// The same in rows. Declines at the first channel with an index past the end, which is where the
// reference stops.
bool lookup_rows(const Invocation& invocation) {
  const IndexedTensor to(invocation, "dst_addr"), from(invocation, "src_addr");
  const IndexedTensor table(invocation, "table_addr");
  const Command& command = invocation.command;
  if (!to.has_dense_channels() || !from.has_dense_channels() || !table.has_dense_rows())
    return false;
  const auto start =
      static_cast<std::int64_t>(to.operand().address) / command.chip->local.npu_bytes;
  const indexed::MoveRow gather = indexed::find_gather(to.bytes(), from.bytes());
  const std::int64_t count = to.extent(2) * to.extent(3);
  const Channels targets(to), sources(from), tables(table);
  for (std::int64_t n = 0; n < to.extent(0); ++n) {
    for (std::int64_t c = 0; c < to.extent(1); ++c) {
      const indexed::Numbers index{sources.at(n, c), from.bytes(), count};
      if (static_cast<std::int64_t>(indexed::largest(index)) >= table.extent(3)) return false;
      gather(targets.at(n, c), tables.at(0, (start + c) % command.chip->local.npus), index);
    }
  }
  return true;
}

OpSpec element_by_element(OpSpec spec) {
  spec.cycles = per_element();
  spec.work = Work::kIndexed;
  return spec;
}

OperandSpec per_npu_table(std::string_view param, TypeOf type, std::string_view length) {
  return shaped(in(param, type), {"1", "tpu_npu_num()", "1", length});
}

OpSpec exponent_spec() {
  OpSpec spec = table_spec(
      "The exponent of src: 0 for 1.0.",
      {out("dst_addr", "dst_dtype"), unrecorded_in_place(in("src_addr", "src_dtype"))},
      join({kShapeLimits,
            any_type("dst_dtype"),
            float_type("src_dtype"),
            {"dst_addr % tpu_eu_num(DT_INT8) == 0", "src_addr % tpu_eu_num(DT_INT8) == 0",
             "same_start_npu(dst_addr, src_addr)"}}),
      {});
  spec.numerics = Numerics::kExactToDocument;
  const auto one_type = [](const Command& command) {
    return type_in(command, "dst_dtype") == type_in(command, "src_dtype");
  };
  constexpr TypedRow kFloat = TypedRow::kExponent, kInteger = TypedRow::kExponentNumber;
  const SourceParams<1> source = {"src_addr"};
  // Not the function itself, of which each element would be a call.
  const auto number = [](float x) {
    return formula_value<kInteger, FloatNumbers, std::uint32_t, float>(x);
  };
  std::vector<Implementation> integers = widened<std::uint32_t, float>("dst_addr", source, number);
  const auto vectors = [](const Invocation& invocation) {
    const Command& command = invocation.command;
    const Dtype from = command.arg("src_dtype").dtype();
    const std::int64_t bytes = dtype_bytes(command.arg("dst_dtype").dtype());
    const std::array<std::string_view, 1> sources = {"src_addr"};
    return run_rows(invocation, "dst_addr", sources, exponent_row(from, bytes),
                    {bytes, dtype_bytes(from)});
  };
  integers.insert(integers.begin(), {"simd", vectors, kVectorOperands});
  spec.implementations =
      by_kind("dst_dtype",
              choose(one_type, float_formula<kFloat>("dst_addr", source, "src_dtype"),
                     float_numbers<kFloat>("dst_addr", source)),
              integers);
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp_taylor) = [] {
  OpSpec spec = table_spec(
      "dst = sum of coeff[i] * src ^ i, coefficients of the element's NPU",
      {out("dst_addr", "dtype"), exact_in_place(in("src_addr", "dtype")),
       per_npu_table("coeff_addr", "dtype", "num")},
      join({kShapeLimits,
            float_type("dtype"),
            {"2 <= num <= 65535", "dst_addr % tpu_eu_num(DT_INT8) == 0",
             "src_addr % tpu_eu_num(DT_INT8) == 0", "coeff_addr % tpu_eu_num(DT_INT8) == 0",
             "start_npu(coeff_addr) == 0", "same_start_npu(dst_addr, src_addr)"}}),
      taylor);
  spec.operands.back().copies = true;  // as tpu_bdc_load_* leave them
  spec.implementations.insert(spec.implementations.begin(),
                              {{"table", taylor_by_table}, {"simd", taylor_in_vectors}});
  return spec;
}();
TL_TPU_OP(tpu_bdc_table_lookup) = with_rows(
    element_by_element(table_spec(
        "dst = table[src], the table of the element's NPU",
        {out("dst_addr", "dst_dtype"), unrecorded_in_place(in("src_addr", "src_dtype")),
         per_npu_table("table_addr", "dst_dtype", "len")},
        join({kShapeLimits,
              any_type("dst_dtype"),
              {"src_dtype in {DT_UINT8, DT_UINT16}", "1 <= len <= 65535",
               "shape.h * shape.w <= 65535", "dst_addr % tpu_eu_num(DT_INT8) == 0",
               "src_addr % tpu_eu_num(DT_INT8) == 0", "table_addr % tpu_eu_num(DT_INT8) == 0",
               "start_npu(table_addr) == 0", "same_start_npu(dst_addr, src_addr)"}}),
        lookup)),
    "rows", lookup_rows);
TL_TPU_OP(tpu_bdc_fp_exponent_part) = exponent_spec();

TL_TPU_OP(tpu_bdc_npu_bcast_from_static) = from_static(false);
TL_TPU_OP(tpu_bdc_npu_distribute_from_static) = from_static(true);
TL_TPU_OP(tpu_bdc_arithmetic_sequence_bcast) =
    sequence_on_npus("start, start + step, ... on each of `npu_num` NPUs.",
                     [](std::int64_t, std::int64_t w, std::int64_t) { return w; });
TL_TPU_OP(tpu_bdc_arithmetic_sequence_general) = continued_sequence();
TL_TPU_OP(tpu_bdc_generate_arithmetic_sequence) = counting_sequence();
TL_TPU_OP(tpu_bdc_arithmetic_sequence_distribute) = sequence_over_channels(DefaultLayout::kCompact);
TL_TPU_OP(tpu_bdc_arithmetic_sequence_distribute_aligned) =
    sequence_over_channels(DefaultLayout::kAligned);

#define TPU_LOAD(name, table, into) \
  TL_TPU_OP(tpu_bdc_load_##name) = load({"coeff_addr", into}, table, Dtype::kFp32)
TPU_LOAD(fp32_exp_coeff, kExpSeries, kExpCoeff);
TL_TPU_OP(tpu_bdc_load_fp32_exp_table) =
    table_spec("Copies the table of powers of e to every NPU; nothing where a chip has none.",
               {series_operand(Role::kWork, {"table_addr", kPowersOfE}, Dtype::kFp32)},
               series_limits({"table_addr", kPowersOfE}), load_powers);
TPU_LOAD(fp32_log_coeff, kLogSeries, kLogCoeff);
TPU_LOAD(fp32_erf_coeff, kErfSeries, kErfCoeff);
TPU_LOAD(fp32_sin_coeff, kSinSeries, kSinCoeff);
TPU_LOAD(fp32_cos_coeff, kCosSeries, kCosCoeff);
TPU_LOAD(fp32_tan_coeff, kTanSeries, kTanCoeff);
TPU_LOAD(fp32_arcsin_coeff, kArcsinSeries, kArcsinCoeff);

#define TPU_LOAD_IN_TYPE(name, table, into) \
  TL_TPU_OP(tpu_bdc_load_##name) = load({"coeff_addr", into}, table, "dtype")
TPU_LOAD_IN_TYPE(fp_exp_coeff, kExpSeries, kTypedExpCoeff);
TL_TPU_OP(tpu_bdc_load_fp_erf_coeff) = load({"coeff_addr", kTypedErfCoeff}, kErfSeries, "dtype",
                                            newer_model_fp32_only("dtype"));
TPU_LOAD_IN_TYPE(fp_log_coeff, kLogSeries, kTypedLogCoeff);
TPU_LOAD_IN_TYPE(fp_sin_coeff, kSinSeries, kTypedSinCoeff);
TPU_LOAD_IN_TYPE(fp_cos_coeff, kCosSeries, kTypedCosCoeff);
TL_TPU_OP(tpu_bdc_load_fp_arcsin_coeff) = as_documented(load({"coeff_addr", kTypedArcsinCoeff},
                                                             kArcsinSeries, "dtype"));

TL_TPU_OP(sfu_taylor_exp_len) = host("Elements to reserve for tpu_bdc_load_fp_exp_coeff.",
                                     [](const HostCall&) -> std::int64_t {
                                       return kReservedExpWords;
                                     });
TL_TPU_OP(sfu_taylor_log_len) = host("Elements to reserve for tpu_bdc_load_fp_log_coeff.",
                                     [](const HostCall&) -> std::int64_t {
                                       return kReservedLogWords;
                                     });

}  // namespace tensorlane::tpukernel
