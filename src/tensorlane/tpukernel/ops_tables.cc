// BDC: functions that take a table per NPU: series of coefficients, lookups. Exponents.
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/moves/indexed_rows.h"
#include "tensorlane/compute/rows/cast_rows.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/half_table_rows.h"
#include "tensorlane/compute/rows/polynomial_rows.h"
#include "tensorlane/compute/rows/typed_rounding.h"
#include "tensorlane/tpukernel/table_families.h"

TL_TPU_OPS_FILE(tables);

namespace tensorlane::tpukernel {
namespace {

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

}  // namespace tensorlane::tpukernel
