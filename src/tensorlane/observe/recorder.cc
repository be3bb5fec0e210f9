#include "tensorlane/observe/recorder.h"

#include <fmt/format.h>
#include <zlib.h>

#include <memory>

#include "tensorlane/base/error.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/device_file.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {
namespace {

class Recorder : public Observer {
 public:
  Recorder(std::string path, Say say) : path_(std::move(path)), say_(std::move(say)) {}

  void launch_begin(const Launch& launch) override {
    file_name_ = launch.number == 0 ? path_ : numbered(path_, fmt::format("-{}", launch.number));
    // "T" writes without compression.
    file_.reset(gzopen(file_name_.c_str(), file_name_.ends_with(".gz") ? "wb" : "wbT"));
    if (!file_) say_lost();
    const Json header = {{"header", 1},
                         {"kernel", launch.kernel},
                         {"chip", launch.chip->name},
                         {"npu", launch.chip->local.npus},
                         {"local_mem_bytes_per_npu", launch.chip->local.npu_bytes}};
    write(header.dump());
  }
  void launch_end(const Launch&, Outcome) override {
    if (file_ && gzclose(file_.release()) != Z_OK) say_lost();
  }
  void command_begin(const Command& command) override {
    write(recorded_line(*command.op, command.args()));
  }
  void sync(SyncEvent event, std::int64_t, const void*) override {
    switch (event) {
      case SyncEvent::kInitialize:
        return write(R"({"op":"initialize"})");
      case SyncEvent::kPoll:
        return write(R"({"op":"poll"})");
      case SyncEvent::kHauPoll:
        return write(R"({"op":"hau_poll"})");
      case SyncEvent::kParallelStart:
        return write(R"({"op":"parallel_start"})");
      case SyncEvent::kParallelEnd:
        return write(R"({"op":"parallel_end"})");
    }
  }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  void write(const std::string& line) {
    if (!file_) return;
    gzwrite(file_.get(), line.data(), static_cast<unsigned>(line.size()));
    gzputc(file_.get(), '\n');
  }
  void say_lost() const { report_problem(file_name_ + ": cannot be written", say_); }
  std::string path_, file_name_;
  Say say_;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace

void record_calls(Device& device, const std::string& path, const Say& say) {
  device.add_observer(std::make_unique<Recorder>(file_of_device(path), say));
}

}  // namespace tensorlane::observe
