// The ops list of OKKernel: the files it consists of, in the order of okk.h.
#include "tensorlane/okk/define.h"

namespace tensorlane::okk {

extern OpFile common;
extern OpFile memory_info;
extern OpFile utils;
extern OpFile gdma;
extern OpFile bdc_memory;
extern OpFile cast;
extern OpFile fp32_unary;
extern OpFile fp32_binary;
extern OpFile bit32;
extern OpFile nn;
extern OpFile fixed_point;
extern OpFile undeclared;

namespace {

OpFile* const kFiles[] = {&common,     &memory_info, &utils, &gdma, &bdc_memory,  &cast,
                          &fp32_unary, &fp32_binary, &bit32, &nn,   &fixed_point, &undeclared};

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
