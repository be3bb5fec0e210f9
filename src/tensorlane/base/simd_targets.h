// The instruction sets that our vector code is compiled for; every file with such code includes
// this before hwy/foreach_target.h. Each set costs as much time to compile as the others.
//
// Left out are SSSE3 (processors of 2006 and 2007; they run the plain form, HWY_SCALAR) and the
// scalable ones: blocks are arrays of vectors, which those cannot form.
#ifndef TENSORLANE_BASE_SIMD_TARGETS_H_
#define TENSORLANE_BASE_SIMD_TARGETS_H_

// What a build for this processor alone does without: cmake/TensorlaneVectors.cmake.
#ifndef TENSORLANE_VECTORS_LEFT_OUT
#define TENSORLANE_VECTORS_LEFT_OUT 0
#endif

#define HWY_DISABLED_TARGETS                                               \
  (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | \
   (TENSORLANE_VECTORS_LEFT_OUT))

#endif  // TENSORLANE_BASE_SIMD_TARGETS_H_
