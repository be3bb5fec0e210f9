// The language of the process for a while.
#ifndef TENSORLANE_BASE_LANGUAGE_SCOPE_H_
#define TENSORLANE_BASE_LANGUAGE_SCOPE_H_

#include "tensorlane/base/language.h"

namespace tensorlane {

// Sets the language; at its end the language is again what it was, whatever was set meanwhile.
class [[nodiscard]] LanguageScope {
 public:
  explicit LanguageScope(Language language) noexcept : before_(tensorlane::language()) {
    set_language(language);
  }
  ~LanguageScope() { set_language(before_); }
  LanguageScope(const LanguageScope&) = delete;
  LanguageScope& operator=(const LanguageScope&) = delete;

 private:
  Language before_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_LANGUAGE_SCOPE_H_
