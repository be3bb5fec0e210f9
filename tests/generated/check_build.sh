#!/usr/bin/env bash
# check_build.sh TENSORLANE HOST WORK_FOLDER : builds the folders here with `tensorlane build` and launches the kernel by the
# host of examples/tpuv7. A finding names the line of the compiler's source.

set -euo pipefail
tensorlane=$1 host=$2 work=$3
here=$(dirname "$(realpath "$0")")
rm -rf "$work"
mkdir -p "$work"
cd "$work"

"$tensorlane" build "$here/scale" -o scale.so | tee said
grep "host.cpp' is left out: it has no kernels" said
grep "scale.so: kernels of 1 sources for the Sophon BM1690" said
"$tensorlane" run --check=all -- "$host" ./scale.so >said 2>&1
grep "^pass" said
if grep "error TL-" said; then exit 1; fi

"$tensorlane" build "$here/scale" -D DEFECT -o defect.so
"$tensorlane" run --check=all -- "$host" ./defect.so >said 2>&1 || true
grep "error TL-INIT-001" said
grep "reader *tpu_bdc_fp_mul_C at scale.py:9 in main" said

"$tensorlane" build "$here/own_helpers.c" --chip sg2260e --verbose -o own.so | tee said
grep -e "-DTENSORLANE_OWN_TENSOR_INFO -DTENSORLANE_OWN_GET_DTYPE" said
grep -e "-D__sg2260e__" said

echo "int broken(" >broken.c
if "$tensorlane" build broken.c 2>said; then exit 1; fi
grep "'broken.c' does not compile" said
