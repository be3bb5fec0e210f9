# Which instruction sets a build leaves out, by what it is for and by what the processor has (cmake/TensorlaneVectors.cmake).
#
#   cmake -D MODULE=cmake/TensorlaneVectors.cmake -P vectors.cmake
cmake_minimum_required(VERSION 3.25)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

# expect(VECTORS WIDEST LEFT_OUT)
function(expect vectors widest left_out)
  set(TENSORLANE_VECTORS ${vectors})
  set(TENSORLANE_WIDEST "${widest}")
  include(${MODULE})
  if(NOT "${TENSORLANE_VECTORS_LEFT_OUT}" STREQUAL "${left_out}")
    message(SEND_ERROR "${vectors} on a processor with '${widest}': left out '${TENSORLANE_VECTORS_LEFT_OUT}', not '${left_out}'")
  endif()
endfunction()

foreach(widest avx512 avx2 sse4 "")
  expect(all "${widest}" "")
endforeach()
expect(here avx512 HWY_SSE4)
expect(here avx2 "HWY_AVX3_DL|HWY_AVX3")
expect(here sse4 "HWY_AVX3_DL|HWY_AVX3|HWY_AVX2")
expect(best avx512 "HWY_AVX2|HWY_SSE4")
expect(best avx2 "HWY_AVX3_DL|HWY_AVX3|HWY_SSE4")
expect(best sse4 "HWY_AVX3_DL|HWY_AVX3|HWY_AVX2")
# A processor without any, and one that is not known: nothing is left out.
expect(here "" "")
expect(best "" "")

# Another processor's code is compiled whole.
set(CMAKE_CROSSCOMPILING ON)
expect(best avx2 "")
set(CMAKE_CROSSCOMPILING OFF)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
expect(best avx2 "")

# What this processor has is one of the four.
tensorlane_widest_here(widest)
if(NOT widest MATCHES "^(avx512|avx2|sse4|)$")
  message(SEND_ERROR "this processor has '${widest}'")
endif()
