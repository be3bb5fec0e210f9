// Which vector instructions this process may use.
//
// Our vector code is compiled for several instruction sets and takes the best one that the
// processor has. The environment variable TENSORLANE_ISA limits that, from the start of the process
// on and for everything in it, so that a program or a test computes as on a smaller machine. The
// bits of results are the same on all of them:
//
//   TENSORLANE_ISA=avx2 ./okk_test
//
// From the largest: native (all that there is: AMX and fp16 arithmetic too), avx512vnni (AVX-512
// with dot products of bytes), avx512, avx2, sse4, scalar (no vectors). A limit above what the
// processor has changes nothing. On other architectures than x86 there is native alone.
#ifndef TENSORLANE_TENSOR_INSTRUCTION_SET_H_
#define TENSORLANE_TENSOR_INSTRUCTION_SET_H_

#include <span>
#include <string_view>

namespace tensorlane {

// The names above that this architecture has.
std::span<const std::string_view> instruction_sets();
// From now on no more than that. UserError for another name, with those there are.
void limit_instruction_set(std::string_view name);
// The limit.
std::string_view instruction_set_limit();
// Whether instructions that belong to no set but native may be used: AMX, arithmetic on fp16.
bool may_use_every_instruction();

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_INSTRUCTION_SET_H_
