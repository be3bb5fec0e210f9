// What the processor prints, dumps and checks of memory on a kernel's behalf.
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/tensor/float16.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(processor);

namespace tensorlane::tpukernel {
namespace {

std::string element_text(const std::byte* at, Dtype dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(dtype_bytes(dtype)));
  switch (dtype) {
    case Dtype::kFp32:
      return fmt::format("{:g}", std::bit_cast<float>(bits));
    case Dtype::kFp16:
      return fmt::format("{:g}", fp16_to_float(static_cast<std::uint16_t>(bits)));
    case Dtype::kBf16:
      return fmt::format("{:g}", bf16_to_float(static_cast<std::uint16_t>(bits)));
    case Dtype::kInt8:
      return fmt::format("{}", static_cast<std::int8_t>(bits));
    case Dtype::kInt16:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case Dtype::kInt32:
      return fmt::format("{}", static_cast<std::int32_t>(bits));
    default:
      return fmt::format("{}", bits);
  }
}

// Rows of w, a line before each channel. `bytes_at` gives the element at an address of the layout.
template <class BytesAt>
void print_tensor(const BytesAt& bytes_at, const Layout& layout, const Shape4& shape, Dtype dtype) {
  for (std::int64_t n = 0; n < shape.n; ++n) {
    for (std::int64_t c = 0; c < shape.c; ++c) {
      std::printf("n %lld c %lld\n", static_cast<long long>(n), static_cast<long long>(c));
      for (std::int64_t h = 0; h < shape.h; ++h) {
        std::string row;
        for (std::int64_t w = 0; w < shape.w; ++w) {
          const Layout::Index index{n, c, h, w};
          row += ' ';
          row += element_text(bytes_at(layout.address(index)), dtype);
        }
        std::printf(" %s\n", row.c_str());
      }
    }
  }
}

std::int64_t print_local(const HostCall& call) {
  constexpr const char* kName = "tpu_print_local_mem_data";
  Session& session = launched(call, kName);
  const Dtype dtype = call.arg("dtype").dtype();
  const LocalMemory& local = call.chip.local;
  const Shape4 shape = call.arg("shape").shape();
  const std::int64_t start = call.value("start_idx");
  const Arg& given = call.arg("stride");
  const Stride4 stride =
      given.is_null ? aligned_stride(local, start, shape, dtype_bytes(dtype)) : given.stride();
  const Layout layout = local_layout(local, start * local.npu_bytes + call.value("local_offset"),
                                     shape, stride, dtype);
  const Layout::Bounds bounds = layout.npu_offset_bounds();
  if (bounds.begin < 0 || bounds.end > local.npu_bytes)
    user_error("{}: the tensor leaves local memory", kName);
  const auto element = [&](std::int64_t address) {
    return session.read(Space::kLocal, static_cast<std::uint64_t>(address),
                        static_cast<std::uint64_t>(dtype_bytes(dtype)), kName, call.call_site);
  };
  print_tensor(element, layout, shape, dtype);
  return 0;
}

struct Place {
  Space space;
  std::uint64_t offset;
};
// Where `bytes` bytes of system memory from `address` on lie: all of them in one region.
Place system_place(const HostCall& call, std::int64_t address, std::int64_t bytes,
                   const char* function) {
  for (const Space space : {Space::kGlobal, Space::kL2}) {
    const Region& region = call.chip.region(space);
    const auto begin = static_cast<std::int64_t>(region.begin);
    if (address < begin || address + bytes > begin + static_cast<std::int64_t>(region.bytes))
      continue;
    return {space, static_cast<std::uint64_t>(address - begin)};
  }
  user_error("{}: {} bytes from {:#x} on are neither in global memory nor in L2", function, bytes,
             address);
}

Stride4 stride_or_continuous(const Arg& stride, const Shape4& shape) {
  return stride.is_null ? continuous_stride(shape) : stride.stride();
}
// From the first element to behind the last, in elements.
std::int64_t span_of(const Shape4& shape, const Stride4& stride) {
  return (shape.n - 1) * stride.n + (shape.c - 1) * stride.c + (shape.h - 1) * stride.h +
         (shape.w - 1) * stride.w + 1;
}

std::int64_t print_global(const HostCall& call) {
  constexpr const char* kName = "tpu_print_global_mem_data";
  Session& session = launched(call, kName);
  const Dtype dtype = call.arg("dtype").dtype();
  const Shape4 shape = call.arg("shape").shape();
  const Stride4 stride = stride_or_continuous(call.arg("stride"), shape);
  const Layout layout = system_layout(0, shape, stride, dtype);
  const Place place =
      system_place(call, call.value("addr"), span_of(shape, stride) * dtype_bytes(dtype), kName);
  const auto element = [&](std::int64_t offset) {
    return session.read(place.space, place.offset + static_cast<std::uint64_t>(offset),
                        static_cast<std::uint64_t>(dtype_bytes(dtype)), kName, call.call_site);
  };
  print_tensor(element, layout, shape, dtype);
  return 0;
}

std::int64_t dump_global(const HostCall& call) {
  constexpr const char* kName = "tpu_dump_global_layer_data";
  const Dtype dtype = call.arg("dtype").dtype();
  const auto* const shape = static_cast<const int*>(call.arg("shape").pointer);
  std::int64_t count = 1;
  std::string text = "{\"shape\":[";
  for (std::int64_t k = 0; k < call.value("dims"); ++k) {
    if (shape[k] < 1) user_error("{}: shape[{}] = {}, must be at least 1", kName, k, shape[k]);
    text += fmt::format("{},", shape[k]);
    count *= shape[k];
  }
  text += fmt::format("],\"is_fp\":{},\"data\":[", dtype_info(dtype).is_float ? 1 : 0);
  const std::int64_t bytes = count * dtype_bytes(dtype);
  const Place place = system_place(call, call.value("addr"), bytes, kName);
  const std::byte* at = launched(call, kName)
                            .read(place.space, place.offset, static_cast<std::uint64_t>(bytes),
                                  kName, call.call_site);
  for (std::int64_t i = 0; i < count; ++i, at += dtype_bytes(dtype))
    text += element_text(at, dtype) + ',';
  text += "]}";
  const auto* const name = static_cast<const char*>(call.arg("filename").pointer);
  std::FILE* const file = std::fopen(name, "a");
  if (file == nullptr) user_error("{}: cannot open '{}'", kName, name);
  const bool written = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !written) user_error("{}: cannot write '{}'", kName, name);
  return 0;
}

// ---- Ranges of memory that a kernel records, and checks against them ----

struct Record {
  std::int64_t begin, bytes;
};
// As the firmware's list it outlives a launch.
class Records {
 public:
  void add(Record record) {
    const std::lock_guard lock(mutex_);
    for (const Record& other : records_) {
      if (record.begin < other.begin + other.bytes && other.begin < record.begin + record.bytes)
        fail("tpu_mem_record_add", record, "overlaps a recorded range");
    }
    records_.push_back(record);
  }
  void remove(Record record) {
    const std::lock_guard lock(mutex_);
    const std::size_t removed = std::erase_if(records_, [&](const Record& other) {
      return other.begin == record.begin && other.bytes == record.bytes;
    });
    if (removed == 0) fail("tpu_mem_record_del", record, "are not recorded");
  }
  void check(std::string_view function, Record record) {
    const std::lock_guard lock(mutex_);
    if (records_.empty()) return;
    for (const Record& other : records_) {
      if (other.begin <= record.begin && record.begin + record.bytes <= other.begin + other.bytes)
        return;
    }
    fail(function, record, "are in no recorded range");
  }

 private:
  [[noreturn]] void fail(std::string_view function, Record record, std::string_view what) {
    records_.clear();
    user_error("{}: {} bytes from {:#x} on {}", function, record.bytes, record.begin, what);
  }

  std::mutex mutex_;
  std::vector<Record> records_;
};
Records& records() {
  static Records* const instance = new Records;
  return *instance;
}

std::int64_t check_bytes(const HostCall& call, std::int64_t bytes) {
  const Region& l2 = call.chip.region(Space::kL2);
  const std::int64_t address = call.value("addr"), begin = static_cast<std::int64_t>(l2.begin);
  if (begin <= address && address < begin + static_cast<std::int64_t>(l2.bytes)) return 0;
  records().check(call.op.name(), {address, bytes});
  return 0;
}

}  // namespace

TL_TPU_OP(tpu_print_local_mem_data) = host("Prints a tensor in local memory.", print_local,
                                           join({{"not_null(shape)",
                                                  "0 <= start_idx < tpu_npu_num()",
                                                  "local_offset < tpu_local_mem_size_per_npu()"},
                                                 any_type("dtype")}));
TL_TPU_OP(tpu_print_global_mem_data) = host("Prints a tensor in global memory.", print_global,
                                            join({{"not_null(shape)", "1 <= shape.n",
                                                   "1 <= shape.c", "1 <= shape.h", "1 <= shape.w"},
                                                  any_type("dtype")}));
TL_TPU_OP(tpu_dump_global_layer_data) =
    host("Appends shape and elements of a dense tensor in global memory to a file.", dump_global,
         join({{"not_null(filename)", "not_null(shape)", "1 <= dims"}, any_type("dtype")}));

TL_TPU_OP(tpu_mem_record_add) = host("Records a range of memory that tpu_mem_check_* accept.",
                                     [](const HostCall& call) -> std::int64_t {
                                       records().add({call.value("addr"), call.value("size")});
                                       return 0;
                                     });
TL_TPU_OP(tpu_mem_record_del) = host("Forgets a recorded range.",
                                     [](const HostCall& call) -> std::int64_t {
                                       records().remove({call.value("addr"), call.value("size")});
                                       return 0;
                                     });
TL_TPU_OP(tpu_mem_check_tensor) = host(
    "Ends the launch when ranges are recorded and none holds the tensor.",
    [](const HostCall& call) {
      const Shape4 shape = call.arg("shape").shape();
      return check_bytes(call, span_of(shape, stride_or_continuous(call.arg("stride"), shape)) *
                                   call.value("dtype", "bytes"));
    },
    join({{"not_null(shape)"}, any_type("dtype")}));
TL_TPU_OP(tpu_mem_check_matrix) = host(
    "Ends the launch when ranges are recorded and none holds the matrix.",
    [](const HostCall& call) {
      return check_bytes(
          call, ((call.value("rows") - 1) * call.value("row_stride") + call.value("cols")) *
                    call.value("dtype", "bytes"));
    },
    join({{"1 <= rows"}, any_type("dtype")}));
TL_TPU_OP(tpu_mem_check_range) =
    host("Ends the launch when ranges are recorded and none holds these bytes.",
         [](const HostCall& call) { return check_bytes(call, call.value("size")); });

}  // namespace tensorlane::tpukernel
