// The modules of this process as libdw sees them: how an address leads to debug information.
#ifndef TENSORLANE_DEVICE_DEBUG_SESSION_H_
#define TENSORLANE_DEVICE_DEBUG_SESSION_H_

#include <elfutils/libdwfl.h>

namespace tensorlane {

// Those that are loaded now, and those loaded later when somebody asks for an address of them. Not
// thread safe.
class DebugSession {
 public:
  DebugSession();
  ~DebugSession();
  DebugSession(const DebugSession&) = delete;
  DebugSession& operator=(const DebugSession&) = delete;

  // The module that an address lies in; null where there is none.
  Dwfl_Module* find(Dwarf_Addr address);

 private:
  void report();
  Dwfl* dwfl_ = nullptr;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DEBUG_SESSION_H_
