#include "process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tensorlane/base/error.h"

namespace tensorlane::cli {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

volatile std::sig_atomic_t child = 0;

// The terminal sends its signals to the whole foreground group; what a process sends to us alone
// the program would not get.
void forward(int signal, siginfo_t* info, void*) {
  if (info->si_code <= 0 && child > 0) kill(static_cast<pid_t>(child), signal);
}

class Forwarding {
 public:
  Forwarding() {
    struct sigaction action = {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t k = 0; k < kForwarded.size(); ++k)
      sigaction(kForwarded[k], &action, &before_[k]);
  }
  ~Forwarding() { restore(); }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  void restore() const {
    for (std::size_t k = 0; k < kForwarded.size(); ++k)
      sigaction(kForwarded[k], &before_[k], nullptr);
  }

 private:
  std::array<struct sigaction, kForwarded.size()> before_{};
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& program,
                          const std::vector<std::pair<std::string, std::string>>& set,
                          ProgramOutput output) {
  std::vector<char*> arguments;
  for (const std::string& argument : program)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  // exec closes the pipe; when it fails, the reason comes through it.
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) user_error("cannot make a pipe: {}", std::strerror(errno));

  ProcessResult result;
  const auto start = std::chrono::steady_clock::now();
  const Forwarding forwarding;
  const pid_t pid = fork();
  if (pid < 0) user_error("cannot start a process: {}", std::strerror(errno));
  if (pid == 0) {
    forwarding.restore();
    if (output == ProgramOutput::kDiscarded) {
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    for (const auto& [name, value] : set) setenv(name.c_str(), value.c_str(), 1);
    execvp(arguments[0], arguments.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = write(failure[1], &reason, sizeof reason);
    _exit(kNotFound);
  }
  child = pid;
  close(failure[1]);
  int reason = 0;
  if (read(failure[0], &reason, sizeof reason) == sizeof reason) result.start_error = reason;
  close(failure[0]);

  int status = 0;
  rusage usage = {};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  child = 0;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.peak_memory_bytes = usage.ru_maxrss * 1024;
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
    result.status = 128 + result.signal;
  } else {
    result.status = WEXITSTATUS(status);
  }
  if (result.start_error != 0)
    result.status = result.start_error == ENOENT ? kNotFound : kNotExecutable;
  return result;
}

}  // namespace tensorlane::cli
