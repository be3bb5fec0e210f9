// A document as the source of a kernel: which interface it is written for, which of its calls are
// device functions, and what is known of their arguments.
#ifndef TENSORLANE_TOOLS_LSP_KERNEL_TEXT_H_
#define TENSORLANE_TOOLS_LSP_KERNEL_TEXT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lsp/c_text.h"
#include "lsp/c_values.h"
#include "tensorlane/device/front_end.h"

namespace tensorlane::lsp {

class KernelText {
 public:
  // `chip` is that of the settings; it counts where its kernels are of the interface in question.
  KernelText(std::string_view text, std::string_view chip);
  KernelText(const KernelText&) = delete;
  KernelText& operator=(const KernelText&) = delete;

  const CText& c() const { return c_; }
  // The interfaces whose header the text includes; all of them where it includes none.
  const std::vector<const FrontEnd*>& interfaces() const { return interfaces_; }
  const Chip& chip_of(const FrontEnd& front_end) const;

  struct Function {
    const Op* op = nullptr;
    const FrontEnd* front_end = nullptr;
    explicit operator bool() const { return op != nullptr; }
  };
  // None where no interface of the text has it.
  Function find(std::string_view name) const;

  // The innermost call of a device function around a place, and which argument the place is in.
  struct Inside {
    const WrittenCall* call;
    Function function;
    std::size_t argument;
  };
  std::optional<Inside> call_around(std::size_t offset) const;
  // The call whose name is at a place.
  const WrittenCall* call_named_at(const Span& name) const;

  // The arguments that the text says, by name, in the form that recorded calls have.
  std::map<std::string, Json> known_arguments(const WrittenCall& call,
                                              const Function& function) const;

 private:
  CText c_;
  std::vector<const FrontEnd*> interfaces_;
  std::string chip_;
  CValues values_;
};

// The whole call that the text says, as arguments of the entry; nothing where one is not known.
std::optional<std::vector<Arg>> decoded(const KernelText::Function& function,
                                        const std::map<std::string, Json>& known);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_KERNEL_TEXT_H_
