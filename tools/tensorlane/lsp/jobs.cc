#include "lsp/jobs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tensorlane/base/system_text.h"

namespace tensorlane::lsp {
namespace {

constexpr int kNotStarted = 127;
constexpr std::size_t kMostOutput = 64 << 10;

// What comes out of the pipe until nobody holds its other end any more.
std::string read_end(int pipe) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > 2 * kMostOutput) text.erase(0, text.size() - kMostOutput);
  }
}

// A program of its own group, so that what it starts can be ended with it. Its input is empty; the
// server's own streams belong to the protocol. 0, or the error number.
int spawn(const std::vector<std::string>& words, const std::string& folder, int output,
          pid_t& pid) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error =
      posix_spawnp(&pid, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

void Jobs::end(Job& job) {
  job.stopped = true;
  const int process = job.process;
  if (process > 0) kill(-process, SIGKILL);
}

Outcome Jobs::run(Job& job, const Step& step, const std::string& folder) {
  Outcome outcome;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {kNotStarted, error_number_text(errno), false};
  pid_t pid = 0;
  const int error = spawn(step.words, folder, ends[1], pid);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return {kNotStarted, step.words.front() + ": " + error_number_text(error) + "\n", false};
  }
  job.process = pid;
  if (job.stopped) kill(-pid, SIGKILL);  // said between the start and the line above
  outcome.output = read_end(ends[0]);
  close(ends[0]);
  siginfo_t gone{};
  // The number stays this program's until it is waited for, so that stop() hits no other.
  while (waitid(P_PID, static_cast<id_t>(pid), &gone, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  job.process = 0;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.stopped = job.stopped;
  return outcome;
}

void Jobs::start(const Json& id, std::vector<Step> steps, std::string folder,
                 std::function<void(std::vector<Outcome>)> done) {
  clear_ended();
  const auto job = std::make_shared<Job>();
  job->id = id;
  jobs_.push_back(job);
  job->thread = std::thread(
      [this, job, steps = std::move(steps), folder = std::move(folder), done = std::move(done)] {
        std::vector<Outcome> outcomes;
        for (const Step& step : steps) {
          outcomes.push_back(run(*job, step, folder));
          if (job->stopped) outcomes.back().stopped = true;
          if (job->stopped || (step.must_succeed && outcomes.back().status != 0)) break;
        }
        job->ended = true;
        Item item;
        item.done = [done, outcomes = std::move(outcomes)] { done(outcomes); };
        inbox_.add(std::move(item));
      });
}

bool Jobs::stop(const Json& id) {
  for (const auto& job : jobs_) {
    if (job->ended || job->id.is_null() || !(job->id == id)) continue;
    end(*job);
    return true;
  }
  return false;
}

void Jobs::clear_ended() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (!(*job)->ended) {
      ++job;
      continue;
    }
    (*job)->thread.join();
    job = jobs_.erase(job);
  }
}

Jobs::~Jobs() {
  for (const auto& job : jobs_) end(*job);
  for (const auto& job : jobs_) job->thread.join();
}

}  // namespace tensorlane::lsp
