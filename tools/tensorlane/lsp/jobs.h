// Programs that the server starts for its client, each in a thread that waits for it.
#ifndef TENSORLANE_TOOLS_LSP_JOBS_H_
#define TENSORLANE_TOOLS_LSP_JOBS_H_

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lsp/inbox.h"

namespace tensorlane::lsp {

struct Outcome {
  int status = 0;        // as a shell has it; 127 where it could not be started
  std::string output;    // both streams, the end of them where they are long
  bool stopped = false;  // by stop()
};

class Jobs {
 public:
  explicit Jobs(Inbox& inbox) : inbox_(inbox) {}
  // Stops what still runs.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  struct Step {
    std::vector<std::string> words;
    bool must_succeed = false;  // else the steps behind it are left out
  };
  // Runs the steps one after the other in `folder`, then hands their outcomes to `done` by way of
  // the inbox. `id` is what stop() names.
  void start(const Json& id, std::vector<Step> steps, std::string folder,
             std::function<void(std::vector<Outcome>)> done);
  // Ends the programs of a job, and those that they started. False for an id that nothing has.
  bool stop(const Json& id);

 private:
  struct Job {
    Json id;
    std::atomic<int> process = 0;
    std::atomic<bool> stopped = false, ended = false;
    std::thread thread;
  };
  static void end(Job& job);
  static Outcome run(Job& job, const Step& step, const std::string& folder);
  void clear_ended();

  Inbox& inbox_;
  std::list<std::shared_ptr<Job>> jobs_;
};

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_JOBS_H_
