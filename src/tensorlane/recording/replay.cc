#include "tensorlane/recording/replay.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/device/call.h"
#include "tensorlane/ops/engines.h"
#include "tensorlane/recording/recording.h"

namespace tensorlane {
namespace {

// Random values in what the command reads from system memory, once per range.
class Filler {
 public:
  Filler(DeviceMemory& memory, std::uint32_t seed) : memory_(memory), random_(seed) {}
  void fill(const Command& command) {
    for (const Operand& operand : command.operands()) {
      if (operand.space == Space::kLocal || !operand.reads()) continue;
      const Layout::Bounds range = operand.layout.bounds();
      if (range.begin >= done_begin_ && range.end <= done_end_ && operand.space == done_space_)
        continue;
      std::byte* const at = memory_.base(operand.space);
      for (std::int64_t k = range.begin; k + 4 <= range.end; k += 4) {
        float old = 0;
        std::memcpy(&old, at + k, sizeof old);
        if (old != 0) continue;
        const float value = static_cast<float>(random_() >> 8) * 0x1p-23f - 1.0f;
        std::memcpy(at + k, &value, sizeof value);
      }
      done_begin_ = range.begin;
      done_end_ = range.end;
      done_space_ = operand.space;
    }
  }

 private:
  DeviceMemory& memory_;
  std::mt19937 random_;
  Space done_space_ = Space::kLocal;
  std::int64_t done_begin_ = 0, done_end_ = 0;
};

}  // namespace

Replay replay_recording(const std::string& path, const Chip& chip, std::uint32_t seed,
                        ImplementationChoice choice, std::span<Observer* const> observers) {
  DeviceMemory memory(chip);
  Replay result;
  if (choice != ImplementationChoice::kNone) {
    RecordingReader reader(path, &chip);
    Filler filler(memory, seed);
    Command command;
    while (const auto call = reader.next()) {
      if (call->op == nullptr) continue;
      const Engine engine = call->op->engine();
      if (!is_dma(engine) && engine != Engine::kHau) continue;
      decode(*call->op, call->args, chip, false, command);
      filler.fill(command);
    }
  }
  RecordingReader reader(path, &chip);
  Launch launch{path, 0, &chip};
  launch.cores = reader.cores();
  std::vector<std::unique_ptr<Session>> sessions;  // one per core
  for (int core = 0; core < launch.cores; ++core) {
    sessions.push_back(std::make_unique<Session>(Session{.chip = chip,
                                                         .memory = memory,
                                                         .observers = observers,
                                                         .launch = launch,
                                                         .choice = choice,
                                                         .core = core,
                                                         .cores = launch.cores}));
  }
  Session* session = sessions.front().get();
  for (Observer* observer : observers) observer->launch_begin(launch);
  std::chrono::steady_clock::duration spent{};
  while (const auto call = reader.next()) {
    if (call->core) {
      session = sessions[static_cast<std::size_t>(*call->core)].get();
      memory.select_core(*call->core);
      for (Observer* observer : observers) observer->core_selected(*call->core);
    }
    // It has come: those that it orders stand in this order.
    if (call->message) {
      for (Observer* observer : observers) observer->message(*call->message);
    }
    if (call->op == nullptr) continue;
    ++result.calls;
    const auto start = std::chrono::steady_clock::now();
    try {
      call_in_session(session, *call->op, call->args, nullptr, chip);
    } catch (const UserError& error) {
      user_error("{}: call {}: {}", path, result.calls, error.what());
    }
    spent += std::chrono::steady_clock::now() - start;
  }
  for (Observer* observer : observers) observer->launch_end(launch, Outcome::kDone);
  for (const auto& each : sessions) result.commands += static_cast<long long>(each->commands);
  result.seconds = std::chrono::duration<double>(spent).count();
  return result;
}

}  // namespace tensorlane
