#!/usr/bin/env bash
# check_silence.sh NM ARCHIVE... : the library leaves printing and ending the process to its front ends. These archives are
# not of front ends, so none of their object files may ask for what prints or ends a process.

set -euo pipefail
nm=$1
shift
prints='stdout|stderr|(v|f|vf|d|vd)?printf|(__(v|f|vf)?printf_chk)|f?put(s|c|char)|perror|psignal|_ZSt4(cout|cerr|clog)'
ends='abort|exit|_exit|_Exit|quick_exit|__assert_fail'
[ $# -gt 5 ] # archives
found=$("$nm" -A --undefined-only "$@" | grep -E " U ($prints|$ends)(@.*)?$" || true)
[ -z "$found" ] || { echo "$found"; exit 1; }
