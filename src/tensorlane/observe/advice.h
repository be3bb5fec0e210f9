// Advice: the preferred conditions of the ops list that a program misses. They cost time, never
// correctness.
#ifndef TENSORLANE_OBSERVE_ADVICE_H_
#define TENSORLANE_OBSERVE_ADVICE_H_

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "tensorlane/device/observer.h"

namespace tensorlane::observe {

// Hands each missed condition over once per source line.
class Advice : public Observer {
 public:
  // `say` gets one line of text: where, which function, the values and the condition.
  explicit Advice(std::function<void(const std::string&)> say) : say_(std::move(say)) {}

  void command_end(const Command& command) override;

 private:
  std::function<void(const std::string&)> say_;
  std::set<std::pair<const void*, std::string>> said_;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_ADVICE_H_
