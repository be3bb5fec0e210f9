# The instruction sets that vector code is compiled for (src/tensorlane/base/simd_targets.h). Each costs as much time to compile as
# the others, and all give the same bits:
#
#   all   what goes to other machines: packages, wheels
#   here  the widest that this processor runs, the next one and the plain form: what test.sh builds, which tries them one by one;
#         SSE4 beside AVX-512 is for the desk, with all
#   best  the widest that this processor runs, beside the plain form: what demo.sh builds
#
# A processor that a build knows nothing of runs the widest form that it has, the plain one at worst.
set(TENSORLANE_VECTORS all CACHE STRING "Instruction sets of vector code: all, here (this processor's) or best (its widest)")
set_property(CACHE TENSORLANE_VECTORS PROPERTY STRINGS all here best)
if(NOT TENSORLANE_VECTORS MATCHES "^(all|here|best)$")
  message(FATAL_ERROR "TENSORLANE_VECTORS is '${TENSORLANE_VECTORS}'; it must be all, here or best (cmake/TensorlaneVectors.cmake)")
endif()

# avx512, avx2, sse4 or nothing: what decides, as Highway decides it when a program starts.
function(tensorlane_widest_here result)
  set(flags)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  endif()
  set(widest)
  if(flags MATCHES " avx512f" AND flags MATCHES " avx512bw" AND flags MATCHES " avx512vl" AND flags MATCHES " avx512dq")
    set(widest avx512)
  elseif(flags MATCHES " avx2" AND flags MATCHES " fma" AND flags MATCHES " bmi2")
    set(widest avx2)
  elseif(flags MATCHES " sse4_1")
    set(widest sse4)
  endif()
  set(${result} "${widest}" PARENT_SCOPE)
endfunction()

set(TENSORLANE_VECTORS_LEFT_OUT)
if(NOT TENSORLANE_VECTORS STREQUAL all AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # As if the processor were a smaller one: -D TENSORLANE_WIDEST=avx2.
  if(NOT DEFINED TENSORLANE_WIDEST)
    tensorlane_widest_here(TENSORLANE_WIDEST)
  endif()
  set(left_out_all_avx512 HWY_SSE4)
  set(left_out_all_avx2 HWY_AVX3_DL|HWY_AVX3)
  set(left_out_all_sse4 HWY_AVX3_DL|HWY_AVX3|HWY_AVX2)
  set(left_out_best_avx512 HWY_AVX2|HWY_SSE4)
  set(left_out_best_avx2 HWY_AVX3_DL|HWY_AVX3|HWY_SSE4)
  set(left_out_best_sse4 HWY_AVX3_DL|HWY_AVX3|HWY_AVX2)
  string(REPLACE here all kept ${TENSORLANE_VECTORS})
  set(TENSORLANE_VECTORS_LEFT_OUT ${left_out_${kept}_${TENSORLANE_WIDEST}})
endif()
