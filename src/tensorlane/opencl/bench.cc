#include "tensorlane/opencl/bench.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "tensorlane/base/error.h"
#include "tensorlane/opencl/error.h"
#include "tensorlane/opencl/verify.h"

namespace tensorlane::opencl {
namespace {

using Command = std::function<cl::Event()>;

double seconds(const Command& command) {
  const auto begin = std::chrono::steady_clock::now();
  command().wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Runs the commands by turns and keeps the fastest time of each.
void measure(const std::vector<std::pair<double*, Command>>& commands, int turns) {
  constexpr int kWarmUp = 2;
  for (int turn = -kWarmUp; turn < turns; ++turn) {
    for (const auto& [fastest, command] : commands) {
      const double now = seconds(command);
      if (turn == 0 || (turn > 0 && now < *fastest)) *fastest = now;
    }
  }
}

// What is measured, before it is.
BenchResult unmeasured(const NamedLayout& packed, const Layout& plain) {
  return {.layout = std::string(packed.info->name),
          .shape = packed.spec.shape,
          .width = packed.is_image() ? packed.layout.image_width()
                                     : packed.bytes / 4 / packed.layout.element_units(),
          .height = packed.is_image() ? packed.image_height : 1,
          .plain_bytes = plain.size() * plain.element_units(),
          .packed_bytes = packed.bytes};
}

BenchResult bench_one(ClDevice& device, ImageTransfer& transfer, const NamedLayout& packed,
                      const BenchOptions& options) {
  const Layout plain = plain_layout(packed, options.plain_dtype);
  BenchResult result = unmeasured(packed, plain);
  const cl::Buffer source = transfer.make_buffer(plain), target = transfer.make_buffer(plain);
  const cl::Buffer packed_buffer = transfer.make_buffer(packed);
  const cl::Image2D image = packed.is_image() ? transfer.make_image(packed) : cl::Image2D();
  const cl::CommandQueue& queue = device.queue();
  const auto bytes = static_cast<std::size_t>(result.plain_bytes);
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(std::max(result.plain_bytes, packed.bytes)));
  queue.enqueueWriteBuffer(source, CL_TRUE, 0, bytes, zeros.data());
  queue.enqueueWriteBuffer(packed_buffer, CL_TRUE, 0, static_cast<std::size_t>(packed.bytes),
                           zeros.data());

  const cl::array<cl::size_type, 3> origin = {0, 0, 0};
  const cl::array<cl::size_type, 3> region = {static_cast<cl::size_type>(result.width),
                                              static_cast<cl::size_type>(result.height), 1};
  std::vector<std::pair<double*, Command>> commands;
  commands.emplace_back(&result.copy, [&] {
    cl::Event done;
    queue.enqueueCopyBuffer(source, target, 0, 0, bytes, nullptr, &done);
    return done;
  });
  if (!packed.is_image()) {
    commands.emplace_back(&result.pack,
                          [&] { return transfer.pack(packed, packed_buffer, plain, source); });
    commands.emplace_back(&result.unpack,
                          [&] { return transfer.unpack(packed, packed_buffer, plain, target); });
  } else {
    commands.emplace_back(&result.pack,
                          [&] { return transfer.pack(packed, image, plain, source); });
    commands.emplace_back(&result.unpack,
                          [&] { return transfer.unpack(packed, image, plain, target); });
    commands.emplace_back(&result.copy_to_image, [&] {
      cl::Event done;
      queue.enqueueCopyBufferToImage(packed_buffer, image, 0, origin, region, nullptr, &done);
      return done;
    });
    commands.emplace_back(&result.copy_from_image, [&] {
      cl::Event done;
      queue.enqueueCopyImageToBuffer(image, packed_buffer, origin, region, 0, nullptr, &done);
      return done;
    });
  }
  measure(commands, options.turns);
  return result;
}

}  // namespace

NamedLayout bench_tensor(const std::string& layout, Dtype dtype, std::int64_t elements,
                         const DeviceInfo& device) {
  LayoutSpec spec{.system = System::kMace, .layout = layout, .dtype = dtype};
  const LayoutInfo& info = find_layout(System::kMace, layout);
  const auto rest = [&](std::int64_t others) {
    return std::max<std::int64_t>(4, elements / others / 4 * 4);
  };
  if (info.pixels == PixelForm::kNone) user_error("layout {} has no kernels", layout);
  std::map<Axis, std::int64_t> extents;
  if (info.axes.has(Axis::kC)) {
    extents = {
        {Axis::kN, 1}, {Axis::kH, rest(std::int64_t{256} * 64)}, {Axis::kW, 256}, {Axis::kC, 64}};
  } else if (info.axes.has(Axis::kO)) {
    const std::int64_t side = info.winograd ? spec.winograd_block + 2 : 3;
    extents = {
        {Axis::kO, rest(512 * side * side)}, {Axis::kI, 512}, {Axis::kH, side}, {Axis::kW, side}};
  } else if (info.axes.has(Axis::kM)) {
    extents = {
        {Axis::kM, 1}, {Axis::kI, rest(std::int64_t{32} * 32)}, {Axis::kH, 32}, {Axis::kW, 32}};
  } else if (info.axes.has(Axis::kH)) {
    extents = {{Axis::kH, rest(2048)}, {Axis::kW, 2048}};
  } else {  // one row of pixels
    extents = {{Axis::kW, std::min(elements, 4 * std::max<std::int64_t>(1, device.max_width))}};
  }
  for (const Axis axis : info.axes) spec.shape.push_back(extents.at(axis));
  return make_layout(spec);
}

std::vector<BenchResult> bench_device(ClDevice& device, const BenchOptions& options) {
  std::vector<std::string> names = options.layouts;
  if (names.empty()) {
    names = packed_layouts(PixelForm::kImage);
  }
  const std::int64_t elements = options.bytes / 4;
  ImageTransfer transfer(device, options.path);
  std::vector<BenchResult> results;
  for (const std::string& name : names) {
    const NamedLayout packed = bench_tensor(name, options.packed_dtype, elements, device.info());
    try {
      results.push_back(cl_calls(tensor_text(packed),
                                 [&] { return bench_one(device, transfer, packed, options); }));
    } catch (const UserError& error) {
      results.push_back(unmeasured(packed, plain_layout(packed, options.plain_dtype)));
      results.back().skipped = error.what();
    }
    if (options.progress) {
      options.progress(static_cast<int>(results.size()), static_cast<int>(names.size()));
    }
  }
  if (std::all_of(results.begin(), results.end(),
                  [](const BenchResult& result) { return !result.skipped.empty(); }))
    throw UserError(results.front().skipped);
  return results;
}

}  // namespace tensorlane::opencl
