// What a library that records the commands of a kernel and issues them later says to TensorLane, so
// that findings, times and traces name the lines that recorded them and not those that issued them.
// The PPL headers (ppl.h) do; kernels that call okk_ and tpu_ functions have no use for it.
//
// Nothing here needs TensorLane: the functions are declared weak, and null where libbmlib.so is
// another. All but the last are about the launch that runs on this thread; outside of one they do
// nothing.
#ifndef TENSORLANE_RECORDED_H_
#define TENSORLANE_RECORDED_H_

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#ifndef TENSORLANE_DEFINES_RECORDED /* the library itself */
#pragma weak tensorlane_place
#pragma weak tensorlane_discard
#pragma weak tensorlane_refuse
#pragma weak tensorlane_unpipelined
#pragma weak tensorlane_option
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Device functions called from now on count as called at calls[0], from calls[1] and so on: return
   addresses in the kernel's module, innermost first. They are copied. `count` 0: where they are
   called. */
void tensorlane_place(const void* const* calls, unsigned int count);

/* A new tensor lies here in every NPU: what was written to these bytes before is no value of it. */
void tensorlane_discard(unsigned int offset, unsigned int bytes);

/* Ends the launch: the kernel cannot be carried out. `name` is that of the error, `text` the reason
   in English, in which each {} stands for one of the `count` values, in their order. Where
   TensorLane has the text in the language of the program it says that. Does not return in a launch.
 */
void tensorlane_refuse(const char* name, const char* text, const char* const* values,
                       unsigned int count);

/* A loop is not cut into stages, since that would change what `reader` (as for tensorlane_place)
   gets of what `writer` writes. */
void tensorlane_unpipelined(const void* const* reader, unsigned int readers,
                            const void* const* writer, unsigned int writers, const char* message);

/* The value of an option of `tensorlane run` or Device(), "pipeline"; null where none is given. The
   text is valid until the device ends. */
const char* tensorlane_option(const char* name);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_RECORDED_H_
