// What `--precision-of` limits double precision to. Each value is one of
//
//   softmax.c:57, softmax, okk_bdc_exp, #3.12   commands; see command_choice.h
//   launch=3, launch=3-5                        launches of the device, from 0
//   sample=1000                                 so many elements of each result at most
//
// Of several commands or launches each is meant; of several kinds all have to hold.
#ifndef TENSORLANE_OBSERVE_PRECISION_CHOICE_H_
#define TENSORLANE_OBSERVE_PRECISION_CHOICE_H_

#include <string>

#include "tensorlane/observe/precision/precision.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// Values as an environment variable has them: one a line. Throws UserError for one of another form.
// What matched nothing is said at the end, as of all choices; an empty `say` says nothing.
precision::Limits precision_limits(const std::string& values, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_PRECISION_CHOICE_H_
