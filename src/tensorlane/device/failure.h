// Why a launch ended before its kernel returned.
#ifndef TENSORLANE_DEVICE_FAILURE_H_
#define TENSORLANE_DEVICE_FAILURE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

struct Failure {
  enum class Kind : std::uint8_t {
    kCall,       // a call that cannot be carried out, or an assertion of the kernel
    kCrash,      // a fault of the processor, abort(), an exception that nobody caught
    kExit,       // the kernel ended the process, or its thread
    kTimeout,    // it ran longer than allowed
    kInterrupt,  // the program was asked to end, by Ctrl-C for one
    kStopped,    // the host gave the launch up and goes on
    kDeadlock,   // no core can go on: all wait for messages that nobody sends any more
  };

  // An engine that waits for a message.
  struct Wait {
    int core = 0;
    std::string_view engine;
    std::string_view function;  // that the kernel called
    const void* call_site = nullptr;
    int slot = 0, sent = 0, wanted = 0;  // of a message
    std::string text = {};               // all of this and who could have sent, for people
  };

  Kind kind = Kind::kCall;
  std::string kernel = {};
  std::string message = {};         // what is wrong: function, parameter, value, rule
  const void* call_site = nullptr;  // where; see source_location.h
  // The calls that led there inside the kernel's own module, innermost first, as return addresses;
  // the first is `call_site` where that is known exactly.
  std::vector<const void*> calls = {};
  std::vector<Wait> waits = {};  // of kDeadlock
  int core = -1;                 // whose kernel it ended, of several; -1: no core's alone
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_FAILURE_H_
