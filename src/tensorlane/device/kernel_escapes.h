// Calls with which a kernel would leave its launch for good: exit() and its like, fork(), exec().
//
// A program that a user wrote with its host may end by them. An interpreter that somebody works in
// must not: there the call ends the launch, as a failure with its line.
#ifndef TENSORLANE_DEVICE_KERNEL_ESCAPES_H_
#define TENSORLANE_DEVICE_KERNEL_ESCAPES_H_

namespace tensorlane {

// From now on such calls in the code of a library, as dlopen() gives it, end the launch they are
// made in. Outside of a launch they do what they always do, but for exec(), which fails.
void keep_kernels_inside(void* library);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_KERNEL_ESCAPES_H_
