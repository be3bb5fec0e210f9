#include "tensorlane/device/access_size.h"

#include <gtest/gtest.h>

#include <vector>

namespace tensorlane {
namespace {

int bytes_of(std::vector<std::uint8_t> code) {
  code.resize(16);
  return access_bytes(code.data());
}

// As an assembler writes them, with (%rdi) for the memory.
TEST(AccessSize, OfPlainLoadsAndStores) {
  EXPECT_EQ(bytes_of({0x88, 0x07}), 1);               // mov %al,(%rdi)
  EXPECT_EQ(bytes_of({0x66, 0x89, 0x07}), 2);         // mov %ax,(%rdi)
  EXPECT_EQ(bytes_of({0x89, 0x07}), 4);               // mov %eax,(%rdi)
  EXPECT_EQ(bytes_of({0x48, 0x89, 0x07}), 8);         // mov %rax,(%rdi)
  EXPECT_EQ(bytes_of({0x4c, 0x8b, 0x07}), 8);         // mov (%rdi),%r8
  EXPECT_EQ(bytes_of({0xc6, 0x07, 0x01}), 1);         // movb $1,(%rdi)
  EXPECT_EQ(bytes_of({0xc7, 0x07, 0x01}), 4);         // movl $1,(%rdi)
  EXPECT_EQ(bytes_of({0x48, 0xc7, 0x07, 0x01}), 8);   // movq $1,(%rdi)
  EXPECT_EQ(bytes_of({0x0f, 0xb6, 0x07}), 1);         // movzbl (%rdi),%eax
  EXPECT_EQ(bytes_of({0x48, 0x0f, 0xbf, 0x07}), 2);   // movswq (%rdi),%rax
  EXPECT_EQ(bytes_of({0x48, 0x63, 0x07}), 4);         // movslq (%rdi),%rax
  EXPECT_EQ(bytes_of({0x01, 0x07}), 4);               // add %eax,(%rdi)
  EXPECT_EQ(bytes_of({0xf0, 0x48, 0xff, 0x07}), 8);   // lock incq (%rdi)
  EXPECT_EQ(bytes_of({0x83, 0x3f, 0x00}), 4);         // cmpl $0,(%rdi)
  EXPECT_EQ(bytes_of({0xf3, 0xa4}), 1);               // rep movsb
  EXPECT_EQ(bytes_of({0xf3, 0x48, 0xab}), 8);         // rep stos %rax
  EXPECT_EQ(bytes_of({0xdb, 0x3f}), 10);              // fstpt (%rdi)
  EXPECT_EQ(bytes_of({0x48, 0x0f, 0xc7, 0x0f}), 16);  // cmpxchg16b (%rdi)
}

TEST(AccessSize, SomeInstructionsReadWhatTheyWrite) {
  const auto reads = [](std::vector<std::uint8_t> code) {
    code.resize(16);
    return reads_what_it_writes(code.data());
  };
  EXPECT_TRUE(reads({0x01, 0x07}));                           // add %eax,(%rdi)
  EXPECT_TRUE(reads({0x83, 0x07, 0x01}));                     // addl $1,(%rdi)
  EXPECT_TRUE(reads({0x48, 0x83, 0x44, 0x87, 0x08, 0x01}));   // addq $1,8(%rdi,%rax,4)
  EXPECT_TRUE(reads({0xf0, 0x48, 0xff, 0x07}));               // lock incq (%rdi)
  EXPECT_TRUE(reads({0x66, 0x31, 0x07}));                     // xor %ax,(%rdi)
  EXPECT_TRUE(reads({0xf7, 0x1f}));                           // negl (%rdi)
  EXPECT_TRUE(reads({0xd1, 0x27}));                           // shll (%rdi)
  EXPECT_TRUE(reads({0xf0, 0x0f, 0xc1, 0x07}));               // lock xadd %eax,(%rdi)
  EXPECT_FALSE(reads({0x89, 0x07}));                          // mov %eax,(%rdi)
  EXPECT_FALSE(reads({0xc7, 0x07, 0x01}));                    // movl $1,(%rdi)
  EXPECT_FALSE(reads({0xf3, 0x48, 0xab}));                    // rep stos %rax
  EXPECT_FALSE(reads({0x83, 0x27, 0x00}));                    // andl $0,(%rdi)
  EXPECT_FALSE(reads({0x83, 0x4f, 0x08, 0xff}));              // orl $-1,8(%rdi)
  EXPECT_FALSE(reads({0x83, 0x25, 1, 2, 3, 4, 0x00}));        // andl $0,..(%rip)
  EXPECT_FALSE(reads({0x0f, 0x11, 0x07}));                    // movups %xmm0,(%rdi)
  EXPECT_FALSE(reads({0xf3, 0x0f, 0x11, 0x07}));              // movss %xmm0,(%rdi)
  EXPECT_FALSE(reads({0xc5, 0xfe, 0x7f, 0x07}));              // vmovdqu %ymm0,(%rdi)
  EXPECT_FALSE(reads({0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x07}));  // vmovdqu64 %zmm0,(%rdi)
}

TEST(AccessSize, OfVectors) {
  EXPECT_EQ(bytes_of({0xf3, 0x0f, 0x10, 0x07}), 4);               // movss (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0xf2, 0x0f, 0x11, 0x07}), 8);               // movsd %xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0x0f, 0x11, 0x07}), 16);                    // movups %xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0xf3, 0x0f, 0x58, 0x07}), 4);               // addss (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0x0f, 0x58, 0x07}), 16);                    // addps (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0x0f, 0x2f, 0x07}), 4);                     // comiss (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0x0f, 0x13, 0x07}), 8);                     // movlps %xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0x66, 0x0f, 0x7e, 0x07}), 4);               // movd %xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0x66, 0x0f, 0xd6, 0x07}), 8);               // movq %xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0xf3, 0x0f, 0x6f, 0x07}), 16);              // movdqu (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0x66, 0x0f, 0xe7, 0x07}), 16);              // movntdq %xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0xf3, 0x0f, 0x2a, 0x07}), 4);               // cvtsi2ssl (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0x66, 0x0f, 0x3a, 0x17, 0x07, 0x01}), 4);   // extractps $1,%xmm0,(%rdi)
  EXPECT_EQ(bytes_of({0xc5, 0xfa, 0x10, 0x07}), 4);               // vmovss (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0xc5, 0xfe, 0x7f, 0x07}), 32);              // vmovdqu %ymm0,(%rdi)
  EXPECT_EQ(bytes_of({0xc5, 0xfc, 0x58, 0x07}), 32);              // vaddps (%rdi),%ymm0,%ymm0
  EXPECT_EQ(bytes_of({0xc4, 0xe2, 0x79, 0x18, 0x07}), 4);         // vbroadcastss (%rdi),%xmm0
  EXPECT_EQ(bytes_of({0xc4, 0xe2, 0x71, 0x99, 0x07}), 4);         // vfmadd132ss (%rdi),..
  EXPECT_EQ(bytes_of({0xc4, 0xe3, 0x7d, 0x39, 0x07, 0x01}), 16);  // vextracti128 $1,%ymm0,(%rdi)
  EXPECT_EQ(bytes_of({0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x07}), 64);  // vmovdqu64 %zmm0,(%rdi)
  EXPECT_EQ(bytes_of({0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07}), 64);  // vmovups (%rdi),%zmm0
}

TEST(AccessSize, OfOthersIsUnknown) {
  EXPECT_EQ(bytes_of({0x90}), 0);        // nop
  EXPECT_EQ(bytes_of({0x0f, 0x05}), 0);  // syscall
}

}  // namespace
}  // namespace tensorlane
