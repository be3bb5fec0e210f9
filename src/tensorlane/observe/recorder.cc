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
    Json header = {{"header", 1},
                   {"kernel", launch.kernel},
                   {"chip", launch.chip->name},
                   {"npu", launch.chip->local.npus},
                   {"local_mem_bytes_per_npu", launch.chip->local.npu_bytes}};
    if (launch.cores > 1) header["cores"] = launch.cores;
    write(header.dump());
    core_ = written_ = 0;
  }
  void launch_end(const Launch&, Outcome) override {
    if (file_ && gzclose(file_.release()) != Z_OK) say_lost();
  }
  // A core that says nothing before the next goes on leaves no line.
  void core_selected(int core) override { core_ = core; }
  void message(const MessageEvent& event) override {
    constexpr std::string_view kKinds[] = {"send", "wait", "join"};
    Json line = {{"message", kKinds[static_cast<std::size_t>(event.kind)]}};
    if (event.kind != MessageEvent::Kind::kJoin) {
      line["engine"] = engine_name(event.engine);
      line["slot"] = event.slot;
      line["count"] = event.count;
    }
    say(line.dump());
  }
  void command_begin(const Command& command) override {
    say(recorded_line(*command.op, command.args()));
  }
  void sync(SyncEvent event, std::int64_t, const void*) override {
    switch (event) {
      case SyncEvent::kInitialize:
        return say(R"({"op":"initialize"})");
      case SyncEvent::kPoll:
        return say(R"({"op":"poll"})");
      case SyncEvent::kHauPoll:
        return say(R"({"op":"hau_poll"})");
      case SyncEvent::kParallelStart:
        return say(R"({"op":"parallel_start"})");
      case SyncEvent::kParallelEnd:
        return say(R"({"op":"parallel_end"})");
    }
  }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  // Of the core that goes on.
  void say(const std::string& line) {
    if (core_ != written_) write(Json{{"core", core_}}.dump());
    written_ = core_;
    write(line);
  }
  void write(const std::string& line) {
    if (!file_) return;
    gzwrite(file_.get(), line.data(), static_cast<unsigned>(line.size()));
    gzputc(file_.get(), '\n');
  }
  void say_lost() const { report_problem(file_name_ + ": cannot be written", say_); }
  std::string path_, file_name_;
  Say say_;
  int core_ = 0, written_ = 0;  // that goes on, and whose lines were written last
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace

void record_calls(Device& device, const std::string& path, const Say& say) {
  device.add_observer(std::make_unique<Recorder>(file_of_device(path), say));
}

}  // namespace tensorlane::observe
