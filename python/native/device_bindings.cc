// Devices, their memory, modules of kernels and launches.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstring>

#include "argument_packer.h"
#include "bindings.h"
#include "emulated_device.h"
#include "kernel_module.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/argument_struct.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/check/report.h"
#include "tensorlane/observe/run_options.h"
#include "tensorlane/observe/why/chain_text.h"

namespace tensorlane::python {
namespace {

// How long a launch may run before Python looks after its signals.
constexpr std::chrono::milliseconds kSignalInterval{50};

using DevicePtr = std::shared_ptr<EmulatedDevice>;

// Bytes of global memory that belong to the script.
class Memory {
 public:
  Memory(DevicePtr device, std::uint64_t bytes)
      : device_(std::move(device)), bytes_(bytes), place_(caller_place()) {
    const py::gil_scoped_release unlocked;
    address_ = device_->allocate(bytes, place_);
  }
  ~Memory() {
    const py::gil_scoped_release unlocked;  // queued launches that use it end first
    device_->free(address_, place_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uint64_t address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

  // The observers hear that the host reads all of it.
  const std::byte* read() const {
    const void* const place = caller_place();
    const py::gil_scoped_release unlocked;
    return device_->access(HostAccess::kRead, address_, bytes_, place);
  }
  // The same of pieces of as many bytes, from each of `offsets` on.
  const std::byte* read_runs(const py::buffer& offsets, std::uint64_t run_bytes) const {
    const Bytes numbers(offsets);
    const auto* const first = reinterpret_cast<const std::int64_t*>(numbers.span().data());
    const std::size_t count = numbers.span().size() / sizeof *first;
    const void* const place = caller_place();
    const py::gil_scoped_release unlocked;
    for (std::size_t k = 0; k < count; ++k) {
      device_->access(HostAccess::kRead, address_ + static_cast<std::uint64_t>(first[k]), run_bytes,
                      place);
    }
    return device_->data(address_);
  }
  // The observers hear that the host reads or writes all of it; nothing is moved.
  void touch(bool reads) {
    const void* const place = caller_place();
    const py::gil_scoped_release unlocked;
    device_->access(reads ? HostAccess::kRead : HostAccess::kWrite, address_, bytes_, place);
  }
  void write(const py::buffer& data) {
    const Bytes bytes(data);
    const std::span<const std::byte> from = bytes.span();
    if (from.size() != bytes_) user_error("{} bytes for a tensor of {}", from.size(), bytes_);
    const void* const place = caller_place();
    const py::gil_scoped_release unlocked;
    std::byte* const to = device_->access(HostAccess::kWrite, address_, bytes_, place);
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }

 private:
  const DevicePtr device_;
  const std::uint64_t bytes_;
  const void* const place_;
  std::uint64_t address_ = 0;
};

// What the memory holds, now and later, to be read in place.
struct MemoryView {
  std::shared_ptr<Memory> memory;
  const std::byte* data;
};

py::object failure_of(const LaunchRecord& launch) {
  if (!launch.failure) return py::none();
  return py::str(failure_json(launch).dump());
}

std::string fields_json(const KernelModule& module, const std::string& name) {
  Json structs = Json::array();
  const KernelFunction kernel = module.find(name);
  for (const ArgumentStruct& each : argument_structs(reinterpret_cast<const void*>(kernel), name)) {
    Json fields = Json::array();
    for (const ArgumentStruct::Field& field : each.fields) {
      constexpr std::string_view kKinds[] = {"unsigned", "signed", "enumeration", "float", "other"};
      fields.push_back({{"name", field.name},
                        {"offset", field.offset},
                        {"bytes", field.bytes},
                        {"count", field.count},
                        {"array", field.is_array},
                        {"union", field.in_union},
                        {"target", field.target},
                        {"target_bytes", field.target_bytes},
                        {"target_kind", kKinds[static_cast<std::size_t>(field.target_kind)]},
                        {"kind", kKinds[static_cast<std::size_t>(field.kind)]}});
    }
    structs.push_back(
        {{"name", each.name}, {"bytes", each.bytes}, {"place", each.place}, {"fields", fields}});
  }
  return structs.dump();
}

// Waits without Python's lock. Where a signal's handler raises, Ctrl-C for one, the launch is ended
// first.
void wait(const DevicePtr& device, const LaunchRecord& launch) {
  while (true) {
    {
      const py::gil_scoped_release unlocked;
      if (device->wait_for(launch, kSignalInterval)) return;
    }
    if (PyErr_CheckSignals() == 0) continue;
    const py::error_already_set raised;
    {
      const py::gil_scoped_release unlocked;
      do device->stop();
      while (!device->wait_for(launch, kSignalInterval));
    }
    throw raised;
  }
}

// What was found since the last call.
std::string news(EmulatedDevice& device) {
  const py::gil_scoped_release unlocked;
  const std::vector<check::Finding> news = device.news();
  return news.empty() ? std::string() : findings_json(news).dump();
}

std::shared_ptr<LaunchRecord> submit(const DevicePtr& device,
                                     const std::shared_ptr<KernelModule>& library,
                                     const std::string& name, const py::buffer& args, int cores) {
  const Bytes bytes(args);
  return device->submit(name, library->find(name), bytes.span(), caller_place(), library, cores);
}

// A launch and its outcome. Nothing is done between submitting and waiting: while this thread goes
// on, the system gives the launch to another core, away from the data that this one has just
// written, and a launch on a megabyte takes a third longer.
py::tuple run(const DevicePtr& device, const std::shared_ptr<KernelModule>& library,
              const std::string& name, const py::buffer& args, int cores) {
  const std::shared_ptr<LaunchRecord> launch = submit(device, library, name, args, cores);
  wait(device, *launch);
  return py::make_tuple(launch, news(*device), failure_of(*launch));
}

void add_modules(py::module_& module) {
  py::class_<KernelModule, std::shared_ptr<KernelModule>>(module, "KernelModule")
      .def(py::init([](const std::string& path) {
        const py::gil_scoped_release unlocked;
        return KernelModule::load(path);
      }))
      .def("kernels",
           [](const KernelModule& self) {
             std::vector<std::string> names;
             for (const auto& [name, kernel] : self.kernels()) names.push_back(name);
             return names;
           })
      .def("argument_structs", fields_json);
  py::class_<ArgumentPacker>(module, "ArgumentPacker")
      .def(py::init<const py::list&, std::size_t, py::type>())
      .def("pack", &ArgumentPacker::pack);
}

void add_memory(py::module_& module) {
  py::class_<MemoryView>(module, "MemoryView", py::buffer_protocol())
      .def_buffer([](const MemoryView& self) {
        const auto bytes = static_cast<py::ssize_t>(self.memory->bytes());
        auto* const data = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(self.data));
        return py::buffer_info(data, 1, py::format_descriptor<std::uint8_t>::format(), 1, {bytes},
                               {py::ssize_t{1}}, true);
      });
  py::class_<Memory, std::shared_ptr<Memory>>(module, "Memory")
      .def(py::init<DevicePtr, std::uint64_t>())
      .def_property_readonly("address", &Memory::address)
      .def_property_readonly("nbytes", &Memory::bytes)
      .def("write", &Memory::write)
      .def("touch", &Memory::touch)
      .def("view",
           [](const std::shared_ptr<Memory>& self) {
             return MemoryView{self, self->read()};
           })
      .def("view_runs", [](const std::shared_ptr<Memory>& self, const py::buffer& offsets,
                           std::uint64_t run_bytes) {
        return MemoryView{self, self->read_runs(offsets, run_bytes)};
      });
}

// Bytes of a mapped file, to be read in place; `keeper` lives as long as somebody has them.
struct HeldBytes {
  py::buffer_info whole;
  py::object keeper;
  std::uint64_t offset, bytes;
};
void add_held_bytes(py::module_& module) {
  py::class_<HeldBytes>(module, "HeldBytes", py::buffer_protocol())
      .def(py::init([](const py::buffer& whole, std::uint64_t offset, std::uint64_t bytes,
                       py::object keeper) {
        return HeldBytes{whole.request(), std::move(keeper), offset, bytes};
      }))
      .def_buffer([](const HeldBytes& self) {
        auto* const data = static_cast<std::uint8_t*>(self.whole.ptr) + self.offset;
        return py::buffer_info(data, 1, py::format_descriptor<std::uint8_t>::format(), 1,
                               {static_cast<py::ssize_t>(self.bytes)}, {py::ssize_t{1}}, true);
      });
}

DevicePtr open_device(const std::string& chip, const std::string& check,
                      const std::map<std::string, std::string>& settings, bool dry_run,
                      bool timeline, bool prebuilt, double timeout, std::size_t history,
                      bool shadow, const std::string& log, bool red_zones, int number, bool shared,
                      int obituary) {
  if (!(timeout >= 0 && timeout < 1e9))
    user_error("timeout is {}; it must be the seconds that a launch may take", timeout);
  const py::gil_scoped_release unlocked;
  return std::make_shared<EmulatedDevice>(find_chip(chip), DeviceOptions{.check = check,
                                                                         .settings = settings,
                                                                         .dry_run = dry_run,
                                                                         .red_zones = red_zones,
                                                                         .timeline = timeline,
                                                                         .prebuilt = prebuilt,
                                                                         .timeout = timeout,
                                                                         .history = history,
                                                                         .shadow = shadow,
                                                                         .log = log,
                                                                         .number = number,
                                                                         .shared = shared,
                                                                         .obituary = obituary});
}

}  // namespace

// The rows of observe/run_options.h that Python has a keyword for.
py::list rows_with_keywords() {
  py::list rows;
  for (const observe::RunOption& row : observe::run_options()) {
    if (row.keyword.empty()) continue;
    const char* const kinds[] = {"switch", "text", "choice", "seconds", "file", "list"};
    rows.append(py::make_tuple(row.keyword, row.variable, kinds[static_cast<int>(row.kind)],
                               row.words, translated(row.help)));
  }
  return rows;
}

void add_devices(py::module_& module) {
  add_modules(module);
  module.def("run_options", rows_with_keywords);
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  py::class_<EmulatedDevice, DevicePtr>(module, "EmulatedDevice")
      .def(py::init(&open_device), py::arg("chip"), py::kw_only(), py::arg("check"),
           py::arg("settings"), py::arg("dry_run"), py::arg("timeline"), py::arg("prebuilt"),
           py::arg("timeout"), py::arg("history"), py::arg("shadow"), py::arg("log"),
           py::arg("red_zones") = false, py::arg("number") = -1, py::arg("shared") = false,
           py::arg("obituary") = -1)
      .def_property_readonly("number", &EmulatedDevice::number)
      .def_property_readonly("closed", &EmulatedDevice::is_closed)
      .def_property_readonly("allocated", &EmulatedDevice::allocated_bytes)
      .def("run", run)
      .def("submit", submit)
      .def("wait",
           [](const DevicePtr& self, const LaunchRecord& launch) {
             wait(self, launch);
             return py::make_tuple(news(*self), failure_of(launch));
           })
      .def(
          "done",
          [](EmulatedDevice& self, const LaunchRecord& launch, int most_ms) {
            const py::gil_scoped_release unlocked;
            return self.wait_for(launch, std::chrono::milliseconds(most_ms));
          },
          py::arg("launch"), py::arg("most_ms") = 0)
      .def("stop", &EmulatedDevice::stop, unlocked)
      .def("take_memory_file", &EmulatedDevice::take_memory_file)
      .def("access",
           [](EmulatedDevice& self, bool reads, std::uint64_t address, std::uint64_t bytes) {
             const void* const place = caller_place();
             const py::gil_scoped_release unlocked;
             self.access(reads ? HostAccess::kRead : HostAccess::kWrite, address, bytes, place);
           })
      .def("allocate",
           [](EmulatedDevice& self, std::uint64_t bytes) {
             const void* const place = caller_place();
             const py::gil_scoped_release unlocked;
             return self.allocate(bytes, place);
           })
      .def("free",
           [](EmulatedDevice& self, std::uint64_t address) {
             const void* const place = caller_place();
             const py::gil_scoped_release unlocked;
             self.free(address, place);
           })
      .def("drain", &EmulatedDevice::drain, unlocked)
      .def("close", &EmulatedDevice::close, unlocked)
      .def("news", news)
      .def("why",
           [](EmulatedDevice& self, std::uint64_t address, int bit, int depth, int width,
              int terms) {
             const py::gil_scoped_release unlocked;
             return self.why(address, bit, {.depth = depth, .width = width, .terms = terms}).dump();
           })
      .def("replace_by_real",
           [](EmulatedDevice& self, std::uint64_t address, const std::string& dtype,
              py::array_t<double, py::array::c_style>& values) {
             const std::span<double> all(values.mutable_data(),
                                         static_cast<std::size_t>(values.size()));
             const py::gil_scoped_release unlocked;
             self.replace_by_real(address, parse_dtype(dtype), all);
           })
      .def("statistics", [](EmulatedDevice& self) {
        const py::gil_scoped_release unlocked;
        return self.statistics().dump();
      });
  module.def("chain_text",
             [](const std::string& answer) { return why::chain_text(Json::parse(answer), true); });
  module.def("next_device_number", next_device_number);
  add_memory(module);
  add_held_bytes(module);
  py::class_<LaunchRecord, std::shared_ptr<LaunchRecord>>(module, "LaunchRecord")
      .def_property_readonly("number", [](const LaunchRecord& self) { return self.ticket - 1; })
      .def_property_readonly("kernel", [](const LaunchRecord& self) { return self.kernel; })
      .def_property_readonly("us", [](const LaunchRecord& self) { return self.timeline.kernel_us; })
      .def_property_readonly("us_at_most",
                             [](const LaunchRecord& self) { return self.timeline.kernel_high_us; })
      .def("failure", failure_of);
}

}  // namespace tensorlane::python
