#include "tensorlane/device/access_size.h"

namespace tensorlane {
namespace {

// The prefix that is part of the opcode of vector instructions, as VEX numbers it.
enum Mandatory : std::uint8_t { kNone, k66, kF3, kF2 };

struct Prefixes {
  bool operand16 = false;  // 66
  bool wide = false;       // REX.W, VEX.W
  Mandatory mandatory = kNone;
  int vector_bytes = 16;
  bool vex = false;  // without it, and without a mandatory prefix, the older ones work on 8 bytes
  int word() const { return wide ? 8 : operand16 ? 2 : 4; }
};

template <class... Opcodes>
constexpr bool is(std::uint8_t opcode, Opcodes... opcodes) {
  return ((opcode == opcodes) || ...);
}
constexpr bool within(std::uint8_t opcode, int first, int last) {
  return opcode >= first && opcode <= last;
}

// Opcodes of one byte.
int plain_bytes(std::uint8_t opcode, const std::uint8_t* after, const Prefixes& prefixes) {
  const int field = *after >> 3 & 7;          // of the byte that names the operands
  if ((opcode < 0x40 && (opcode & 7) < 4) ||  // add, or, ..., cmp
      is(opcode, 0x80, 0x81, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe) ||
      within(opcode, 0x84, 0x8b) || within(opcode, 0xa4, 0xa7) || within(opcode, 0xaa, 0xaf) ||
      within(opcode, 0xd0, 0xd3)) {
    return (opcode & 1) == 0 ? 1 : prefixes.word();
  }
  if (is(opcode, 0x69, 0x6b, 0x83)) return prefixes.word();
  if (opcode == 0xff) return field < 2 ? prefixes.word() : 8;  // others take addresses
  if (opcode == 0xdb && (field & 5) == 5) return 10;           // extended precision
  if (is(opcode, 0x63, 0xd8, 0xd9, 0xda, 0xdb)) return 4;
  if (is(opcode, 0xdc, 0xdd, 0xdf)) return 8;
  return opcode == 0xde ? 2 : 0;
}

// Vector instructions of the map 0F.
int vector_bytes(std::uint8_t opcode, const Prefixes& prefixes) {
  const Mandatory prefix = prefixes.mandatory;
  const int whole = prefixes.vector_bytes;
  const int scalar = prefix == kF3 ? 4 : prefix == kF2 ? 8 : 0;
  const int by_word = prefixes.wide ? 8 : 4;
  if (is(opcode, 0x10, 0x11, 0x51, 0x52, 0x53, 0x58, 0x59, 0x5c, 0x5d, 0x5e, 0x5f, 0xc2))
    return scalar != 0 ? scalar : whole;
  if (is(opcode, 0x12, 0x16))  // half vectors; F3 and F2 duplicate
    return prefix == kF3 || (prefix == kF2 && whole > 16) ? whole : 8;
  if (is(opcode, 0x13, 0x17, 0xd6)) return 8;
  if (opcode == 0x2a) return scalar != 0 ? by_word : 8;
  if (is(opcode, 0x2c, 0x2d)) return scalar != 0 ? scalar : prefix == k66 ? 16 : 8;
  if (is(opcode, 0x2e, 0x2f)) return prefix == k66 ? 8 : 4;
  if (opcode == 0x5a) return scalar != 0 ? scalar : prefix == kNone ? whole / 2 : whole;
  if (opcode == 0xe6) return prefix == kF3 ? whole / 2 : whole;
  if (opcode == 0x6e) return by_word;
  if (opcode == 0x7e) return prefix == kF3 ? 8 : by_word;
  if (opcode == 0xc4) return 2;
  if (opcode == 0xae) return 4;  // ldmxcsr, stmxcsr
  if (is(opcode, 0x14, 0x15, 0x28, 0x29, 0x2b, 0x5b, 0xc6, 0xf0) || within(opcode, 0x54, 0x57))
    return whole;
  if (within(opcode, 0x60, 0x7f) || opcode >= 0xd0)  // integers
    return prefix == kNone && !prefixes.vex ? 8 : whole;
  return 0;
}

int two_byte_bytes(std::uint8_t opcode, const Prefixes& prefixes) {
  if (is(opcode, 0xb0, 0xb6, 0xbe, 0xc0) || within(opcode, 0x90, 0x9f)) return 1;
  if (is(opcode, 0xb7, 0xbf)) return 2;
  if (is(opcode, 0xa3, 0xa4, 0xa5, 0xab, 0xac, 0xad, 0xaf, 0xb1, 0xb3, 0xb8, 0xc1, 0xc3) ||
      within(opcode, 0x40, 0x4f) || within(opcode, 0xba, 0xbd)) {
    return prefixes.word();
  }
  if (opcode == 0xc7) return prefixes.wide ? 16 : 8;  // cmpxchg8b, cmpxchg16b
  return vector_bytes(opcode, prefixes);
}

// The map 0F 38.
int broadcast_bytes(std::uint8_t opcode, const Prefixes& prefixes) {
  const int whole = prefixes.vector_bytes;
  if (is(opcode, 0x18, 0x58)) return 4;
  if (is(opcode, 0x19, 0x59)) return 8;
  if (is(opcode, 0x1a, 0x5a)) return 16;
  if (opcode == 0x78) return 1;
  if (opcode == 0x79) return 2;
  // Extensions of integers and halves.
  if (is(opcode, 0x13, 0x20, 0x23, 0x25, 0x30, 0x33, 0x35)) return whole / 2;
  if (is(opcode, 0x21, 0x24, 0x31, 0x34)) return whole / 4;
  if (is(opcode, 0x22, 0x32)) return whole / 8;
  if (is(opcode, 0xf0, 0xf1))  // movbe, crc32
    return opcode == 0xf0 && prefixes.mandatory == kF2 ? 1 : prefixes.word();
  if (within(opcode, 0x90, 0xbf) && (opcode & 0xf) >= 9 && (opcode & 1) != 0)
    return prefixes.wide ? 8 : 4;  // fused multiply-add of scalars
  return whole;
}

// The map 0F 3A.
int insert_bytes(std::uint8_t opcode, const Prefixes& prefixes) {
  if (is(opcode, 0x14, 0x20)) return 1;
  if (opcode == 0x15) return 2;
  if (is(opcode, 0x16, 0x22)) return prefixes.wide ? 8 : 4;
  if (is(opcode, 0x0a, 0x17, 0x21)) return 4;
  if (opcode == 0x0b) return 8;
  if (is(opcode, 0x18, 0x19, 0x38, 0x39)) return 16;
  return opcode == 0x1d ? prefixes.vector_bytes / 2 : prefixes.vector_bytes;
}

// The byte after the operands in memory of an instruction without VEX: its constant.
const std::uint8_t* after_operands(const std::uint8_t* operands) {
  const int mode = *operands >> 6, base = *operands & 7;
  const bool has_sib = base == 4;
  const bool no_base = mode == 0 && (has_sib ? (operands[1] & 7) == 5 : base == 5);
  const int displacement = mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0;
  return operands + 1 + (has_sib ? 1 : 0) + displacement;
}

// Opcodes of one byte.
bool plain_updates(std::uint8_t opcode, const std::uint8_t* operands) {
  const int field = *operands >> 3 & 7;
  if (is(opcode, 0x80, 0x83)) {
    const std::uint8_t constant = *after_operands(operands);
    return (field != 1 || constant != 0xff) && (field != 4 || constant != 0);
  }
  if (is(opcode, 0xf6, 0xf7)) return field == 2 || field == 3;  // not, neg
  if (is(opcode, 0xfe, 0xff)) return field < 2;                 // inc, dec
  return (opcode < 0x38 && (opcode & 7) < 2) ||                 // add, or, ..., xor
         is(opcode, 0x81, 0x86, 0x87, 0xc0, 0xc1) || within(opcode, 0xd0, 0xd3);
}

int in_map(int map, std::uint8_t opcode, const Prefixes& prefixes) {
  if (map == 1) return two_byte_bytes(opcode, prefixes);
  if (map == 2) return broadcast_bytes(opcode, prefixes);
  return map == 3 ? insert_bytes(opcode, prefixes) : 0;
}

// Reads the prefixes that stand before all others; `code` is then at what follows them.
Prefixes read_prefixes(const std::uint8_t*& code) {
  Prefixes prefixes;
  for (;; ++code) {
    if (*code == 0x66) {
      prefixes.operand16 = true;
      if (prefixes.mandatory == kNone) prefixes.mandatory = k66;
    } else if (*code == 0xf3) {
      prefixes.mandatory = kF3;
    } else if (*code == 0xf2) {
      prefixes.mandatory = kF2;
    } else if (!is(*code, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67, 0xf0)) {
      return prefixes;
    }
  }
}

}  // namespace

int access_bytes(const std::uint8_t* code) {
  Prefixes prefixes = read_prefixes(code);
  if (*code == 0xc5) {
    prefixes.vex = true;
    prefixes.mandatory = static_cast<Mandatory>(code[1] & 3);
    prefixes.vector_bytes = (code[1] & 4) != 0 ? 32 : 16;
    return in_map(1, code[2], prefixes);
  }
  if (*code == 0xc4 || *code == 0x62) {
    const bool evex = *code == 0x62;
    prefixes.vex = true;
    prefixes.wide = (code[2] & 0x80) != 0;
    prefixes.mandatory = static_cast<Mandatory>(code[2] & 3);
    prefixes.vector_bytes = evex ? 16 << (code[3] >> 5 & 3) : (code[2] & 4) != 0 ? 32 : 16;
    return in_map(code[1] & (evex ? 7 : 0x1f), code[evex ? 4 : 3], prefixes);
  }
  if ((*code & 0xf0) == 0x40) prefixes.wide = (*code++ & 8) != 0;
  if (*code != 0x0f) return plain_bytes(*code, code + 1, prefixes);
  if (code[1] == 0x38) return in_map(2, code[2], prefixes);
  if (code[1] == 0x3a) return in_map(3, code[2], prefixes);
  return in_map(1, code[1], prefixes);
}

bool reads_what_it_writes(const std::uint8_t* code) {
  read_prefixes(code);
  if ((*code & 0xf0) == 0x40) ++code;
  if (*code != 0x0f) return plain_updates(*code, code + 1);
  // Double shifts, changes of single bits, compare and exchange, exchange and add.
  return is(code[1], 0xa4, 0xa5, 0xab, 0xac, 0xad, 0xb0, 0xb1, 0xb3, 0xba, 0xbb, 0xc0, 0xc1, 0xc7);
}

}  // namespace tensorlane
