// Which views fast paths take, as far as it is a matter of how elements follow each other: said
// here for all of them, so that none tests strides for itself. What lies in another form is widened
// element by element or left to the reference.
#ifndef TENSORLANE_COMPUTE_BANDS_VIEW_FORMS_H_
#define TENSORLANE_COMPUTE_BANDS_VIEW_FORMS_H_

#include <cstdint>

#include "tensorlane/compute/bands/local_view.h"

namespace tensorlane {

// Elements of a row stand side by side.
inline bool has_dense_rows(const LocalView& view) {
  return view.w == 1;
}
// All elements of a channel do, row behind row of `width`.
inline bool has_dense_channels(const LocalView& view, std::int64_t width) {
  return has_dense_rows(view) && view.h == width;
}
// All elements of a channel follow each other at one step, which may be 0.
inline bool has_even_channels(const LocalView& view, std::int64_t width) {
  return view.h == width * view.w;
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_VIEW_FORMS_H_
