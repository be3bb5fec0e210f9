// The ops list of OKKernel: the files it consists of, in the order of okk.h.
#include "tensorlane/okk/define.h"

namespace tensorlane::okk {

// clang-format off
#define TL_FILES(X) \
  X(common) X(memory_info) X(utils) X(gdma) X(bdc_memory) X(cast) X(fp32_unary) X(fp32_binary) \
  X(bit32) X(nn) X(fixed_point) X(undeclared)
// clang-format on
#define TL_DECLARE(name) extern OpFile name;
TL_FILES(TL_DECLARE)

namespace {

#define TL_ADDRESS(name) &name,
OpFile* const kFiles[] = {TL_FILES(TL_ADDRESS)};

constexpr std::pair<std::string_view, std::int64_t> kConstants[] = {
#define TL_CONSTANT(name) \
  { #name, name }
    TL_CONSTANT(S8_OP_S8_TO_S8),    TL_CONSTANT(S8_OP_S8_TO_S16),   TL_CONSTANT(S8_OP_U8_TO_S8),
    TL_CONSTANT(S8_OP_U8_TO_S16),   TL_CONSTANT(U8_OP_S8_TO_S8),    TL_CONSTANT(U8_OP_S8_TO_S16),
    TL_CONSTANT(U8_OP_U8_TO_S8),    TL_CONSTANT(U8_OP_U8_TO_S16),   TL_CONSTANT(U8_OP_U8_TO_U8),
    TL_CONSTANT(U8_OP_U8_TO_U16),   TL_CONSTANT(S16_OP_S16_TO_S8),  TL_CONSTANT(S16_OP_S16_TO_S16),
    TL_CONSTANT(S16_OP_U16_TO_S8),  TL_CONSTANT(S16_OP_U16_TO_S16), TL_CONSTANT(U16_OP_S16_TO_S8),
    TL_CONSTANT(U16_OP_S16_TO_S16), TL_CONSTANT(U16_OP_U16_TO_S8),  TL_CONSTANT(U16_OP_U16_TO_S16),
    TL_CONSTANT(U16_OP_U16_TO_U8),  TL_CONSTANT(U16_OP_U16_TO_U16), TL_CONSTANT(S16_MUL_S8_TO_S16),
    TL_CONSTANT(U16_MUL_S8_TO_S16), TL_CONSTANT(U16_MUL_U8_TO_U16), TL_CONSTANT(S16_MUL_U8_TO_S16),
#undef TL_CONSTANT
};

}  // namespace

const OpList& ops() {
  static const OpList* const list = new OpList({std::begin(kFiles), std::end(kFiles)}, kConstants);
  return *list;
}

}  // namespace tensorlane::okk
