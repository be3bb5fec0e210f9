// The ops list: one entry per device function.
//
// An entry (OpSpec) states everything the project knows about a function: its engine, its operands
// with their default layouts, its limits, its numerics, its cost and a line of documentation. That
// one list feeds the C interface, validation, dispatch, the checks, the clock, the conformance
// runner, the random differential tests and the reference pages. Nothing about a function stands
// anywhere else, so that no check can be forgotten.
//
// Entries live in the front end they belong to (okk/ops_*.cc) and are written with that front end's
// macro; see okk/define.h and CONTRIBUTING.md.
#ifndef TENSORLANE_OPS_OP_H_
#define TENSORLANE_OPS_OP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/ops/expression.h"
#include "tensorlane/ops/operand_forms.h"
#include "tensorlane/ops/real_formula.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

struct Command;
struct Invocation;

enum class Engine : std::uint8_t { kNone, kGdma, kBdc, kHau, kSdma };
std::string_view engine_name(Engine engine);

enum class Role : std::uint8_t { kIn, kOut, kInOut, kWork };
enum class MemoryKind : std::uint8_t { kLocal, kSystem, kStatic };

// The layout of an operand whose stride is NULL or cannot be given.
enum class DefaultLayout : std::uint8_t {
  kAligned,       // C stride rounded up to the chip's alignment
  kCompact,       // no gaps
  kCompactWords,  // compact, with the C stride rounded up to whole 32-bit words
  kLineAligned,   // the H stride rounded up to the chip's alignment
  kContinuous,    // dense in system memory
  kMatrix,        // aligned, `cols_per_channel` columns per channel; shape is (rows, cols)
  kRows,          // system matrix, rows `row_stride` elements apart; shape is (rows, cols)
  kRequired,      // the stride must be given
};

// How elements share a memory word.
enum class Storage : std::uint8_t {
  kPlain,
  kPacked,   // 4N for 8-bit, 2N for 16-bit elements
  k2IC,      // pairs of input channels
  kWeights,  // (oc, ic, kh, kw), input channels in groups: 64IC, 32IC or 1IC by width
};

// A figure of a command in the timing model.
using CommandFigure = std::function<double(const Command&, const TimingParameters&)>;

// Cycles that the work of a command takes, without what starting it costs, and the same in words:
// "2 cycles per step".
struct CycleCount {
  std::string text;
  CommandFigure figure;

  explicit operator bool() const { return figure != nullptr; }
  double operator()(const Command& command, const TimingParameters& parameters) const {
    return figure(command, parameters);
  }
};

// What a BDC command works at. Starting it, its peak and what makes it faster depend on that.
enum class Work : std::uint8_t {
  kVector,       // element-wise, reductions, copies: as many elements per step as the units hold
  kSpecial,      // exp and its kin, roots, divisions: many steps per element
  kIndexed,      // lookups, gathers: an element at a time
  kConvolution,  // products
  kMatrix,       // products; issued by a shorter sequence of the processor than the rest
};

// What an argument of the call decides about an operand. Of the command they see the arguments and
// nothing that a pointer among them points to.
using DtypeRule = std::function<Dtype(const Command&)>;
using LayoutRule = std::function<DefaultLayout(const Command&)>;

// What an element of a result is of the elements that it is made of.
enum class Combination : std::uint8_t {
  kFunction,    // a function in which each has its part
  kSum,         // the sum of products of those that go together; scaled or shifted perhaps
  kRotatedSum,  // likewise; kernels count from their end
  kMean,        // the sum of all, times a factor
  kMaximum,     // one of them or a constant, whichever is largest
  kMinimum,
  kSorted,  // one of them by its rank, or its position or index
};

// A one-line description in English; its Chinese is in po/zh.po, as that of all texts. Where there
// is a formula (ops/real_formula.h), the sentence is the formula and then these words.
struct Doc {
  std::string_view words = {};
  std::string_view formula = {};

  constexpr Doc() = default;
  constexpr Doc(const char* words) : words(words) {}  // NOLINT(google-explicit-constructor)
  constexpr Doc(std::string_view words, std::string_view formula)
      : words(words), formula(formula) {}
};
// computes("dst = 1 / src", " by Newton steps")
constexpr Doc computes(std::string_view formula, const Doc& words = {}) {
  return {words.words, formula};
}

// As what a call takes the bits of a constant that stands in a union (scalar_t, variable_t, x32).
enum class ConstantUse : std::uint8_t {
  kNumber,  // a number
  kBits,    // for its bits
  kChosen,  // what a result becomes
  kOffset,  // of a quantisation: a field of 16 bits with the sign of its type
};
// A constant that is not a number of the type of the first source.
struct ConstantSpec {
  std::string_view param;
  ConstantUse use = ConstantUse::kNumber;
  std::string_view dtype_param =
      {};  // where one holds its type; of kChosen that of the result else
};

// What a call computes whose result lies exactly where a source does: at the same address, with the
// same strides. Said of each source that has the result's shape; there is no default.
enum class InPlace : std::uint8_t {
  kUnsaid,       // the source has another shape, or the function is not element-wise
  kExact,        // the bits that it computes elsewhere
  kOther,        // other bits, which the implementations compute too
  kNotRecorded,  // no recorded call of the models says: the bits that it computes elsewhere
  kRefused,      // nothing: a limit refuses the call
};
std::string_view in_place_name(InPlace in_place);

struct OperandSpec {
  std::string_view param;  // the address parameter; names the operand in messages
  Role role = Role::kIn;
  MemoryKind memory = MemoryKind::kLocal;
  Dtype dtype = Dtype::kFp32;
  std::vector<std::string_view> shape;  // expressions, outermost first: 4, or 2 for matrices
  std::string_view stride = {};         // the stride parameter, if there is one
  DefaultLayout layout = DefaultLayout::kAligned;
  Storage storage = Storage::kPlain;
  std::string_view used_if = {};   // a limit-language condition; absent operands are not decoded
  std::string_view inout_if = {};  // a condition under which an output is read as well
  std::string_view cols_per_channel = {};  // for kMatrix
  std::string_view row_stride = {};        // for kRows
  DtypeRule dtype_rule = {};               // overrides dtype where an argument decides
  std::string_view address = {};      // expression of the address when it is not `param` itself
  LayoutRule layout_rule = {};        // overrides layout likewise
  std::string_view dtype_param = {};  // the parameter that holds the dtype, where one does
  // A condition under which all channels of an NPU read one row: the operand is that row on every
  // NPU in use.
  std::string_view shared_row_if = {};
  bool copies = false;  // documents mean its rows, one for each NPU, to be the same
  bool added = false;   // to a sum: a bias
  // The function that fills it, where kernels have the chip do that: coefficients of a series.
  std::string_view loaded_by = {};
  bool decides = false;  // its values say where elements come from or go to: an index, a mask
  // Of a result that is added to what lies there, or multiplied with it, and so on: which of these,
  // as a number that is not 0, or 0 in calls that do not. Calls of different cores with the same
  // number give the same in either order, but for the rounding of floats.
  std::string_view accumulates_by = {};
  // Of a result; a test asks for it where one element is made of several of one source.
  std::optional<Combination> combination = {};
  // Of a source: what a result on it is. kOther: what that is, and where `other_if` does not hold
  // the call is exact.
  InPlace in_place = InPlace::kUnsaid;
  Doc other = {};
  std::string_view other_if = {};  // a limit-language condition
};

// How windows lie along a dimension of a source: element r of the result is made of the elements
// (r * step - before + k * dilation) / (inserted + 1), 0 <= k < kernel, as far as these are whole
// numbers and there are such elements.
struct WindowSpec {
  std::string_view source, result;  // the extents, as the shapes of the operands spell them
  std::string_view kernel;
  std::string_view step = "1", dilation = "1", before = "0", inserted = "0";
};

// Which elements of its sources an element of a result is made of.
enum class Dependence : std::uint8_t {
  // The same ones, where every source has the shape of the result or one value per channel; else
  // all of them.
  kByShape,
  // Extents name indices. A dimension of a source with an extent that is spelt like one of the
  // result is the same index; along one with windows it is what they cover, along others all.
  kByIndex,
  // One of them: elements move unchanged. Operands that decide may say where to, and elements of
  // an output that is read as well stay. The implementations see operands by their layouts alone.
  kMoved,
  // The same element of one of them, which those that decide name: a selection.
  kSelected,
};

// Whether the results of a call are the same whatever its sources hold; see ops/fixed_results.h.
using FixedRule = std::function<bool(const Command&)>;

// Why a function of the interface cannot be called.
enum class Absence : std::uint8_t {
  kNone,         // it can
  kLaterChip,    // the chip has no such function
  kNoDefinition  // nothing public says what it does
};
std::string_view absence_name(Absence absence);

// How close the results are to the chip's.
enum class Numerics : std::uint8_t {
  // Bit for bit the vendor's model, in all its recorded calls, those at the edges too, but for the
  // ones that docs/fidelity.md names.
  kExactToModel,
  kExactToDocument,  // no model was recorded: the documented meaning, tested against a reference
  // Nothing public decides the bits: what other chips and functions compute, tested likewise.
  kChoice,
  kNoData,  // touches no tensor
};
std::string_view numerics_name(Numerics numerics);

// What an entry claims of its results. There is no default: an entry without a claim does not
// compile.
class NumericsClaim {
 public:
  constexpr NumericsClaim(Numerics numerics)  // NOLINT(google-explicit-constructor)
      : numerics_(numerics) {}
  constexpr operator Numerics() const { return numerics_; }  // NOLINT(google-explicit-constructor)

 private:
  Numerics numerics_;
};

// One way to compute a function. It gets calls whose operands have one of its forms; `run` returns
// false to decline a case for another reason. Then the next one is tried. The last of a list is the
// reference, which takes every form and never declines.
struct Implementation {
  std::string_view name;  // "simd", "rows", "reference"
  std::function<bool(const Invocation&)> run;
  OperandForms forms = {};
};

// A function without an engine. What it gets belongs to the layer that calls it; what it returns
// are integers, pointers too.
struct HostCall;
using HostFunction = std::int64_t (*)(const HostCall&);

using Definitions = std::vector<Definition>;

// Other calls with the same results, up to a rounding, that take less time: which, the cycles of
// their work and starts, 0 for calls that have no such way, and how many commands more they are.
struct Cheaper {
  Doc way;
  CommandFigure cycles;
  int more_commands = 0;

  explicit operator bool() const { return cycles != nullptr; }
};

struct OpSpec {
  Engine engine = Engine::kNone;
  std::string_view group = {};
  Doc doc = {};
  std::vector<OperandSpec> operands = {};
  std::vector<std::string_view> limits = {};     // a call that breaks one is an error
  std::vector<std::string_view> preferred = {};  // breaking one only costs time
  Absence absence = Absence::kNone;
  std::string_view absence_reason = {};  // "an SDMA engine: SG2260", the part that is missing
  Definitions definitions = {};          // names for expressions of this entry
  Dependence dependence = Dependence::kByShape;
  std::vector<WindowSpec> windows = {};  // of Dependence::kByIndex
  // Its results are values of its source, or its constant, as they are or in a type that holds
  // them.
  bool only_moves = false;
  std::vector<ConstantSpec> constants = {};
  FixedRule fixed_if = {};  // its calls that depend on no source, if there are any
  NumericsClaim numerics;
  std::vector<Implementation> implementations = {};  // fastest first
  // Engine cycles of the command (BDC functions); GDMA commands are timed by their operands.
  CycleCount cycles = {};
  Cheaper cheaper = {};
  // Share of those cycles that waiting for a pipeline costs and more work per call would hide.
  CommandFigure latency_share = {};
  int issue_commands = 1;  // engine commands one call issues
  Work work = Work::kVector;
  // Of products: multiplications and additions, those of the whole chip per cycle at most, and the
  // outputs that an NPU makes at a time. Anything else makes an element per operation.
  CommandFigure operations = {}, peak = {}, outputs_at_a_time = {};
  HostFunction call = nullptr;  // functions without an engine; of others, what they return
};

// The compiled form of an entry.
class Op {
 public:
  struct CompiledOperand {
    const OperandSpec* spec;
    int param;         // index into params
    int stride_param;  // -1 when there is none
    int dtype_param;   // likewise
    Expression address;
    std::vector<Expression> shape;
    Expression used_if{}, inout_if{}, cols_per_channel{}, row_stride{}, shared_row_if{}, other_if{};
    Expression accumulates_by{};
    Inputs inputs = kAnyInput;  // what decides about all of it but `used_if`
  };
  struct CompiledWindow {
    const WindowSpec* spec;
    Expression kernel, step, dilation, before, inserted;
  };

  Op(std::string_view name, std::string_view returns, std::span<const Param> params,
     const OpSpec& spec, std::span<const std::pair<std::string_view, std::int64_t>> constants);

  std::string_view name() const { return name_; }
  std::string_view returns() const { return returns_; }
  std::span<const Param> params() const { return params_; }
  std::span<const ArgType* const> types() const { return types_; }  // of the parameters
  const OpSpec& spec() const { return *spec_; }
  Engine engine() const { return spec_->engine; }
  std::span<const CompiledOperand> operands() const { return operands_; }
  std::span<const CompiledWindow> windows() const { return windows_; }
  // What it does, as one sentence.
  std::string doc(Language language) const;
  // What an element of the result is, in real numbers, where the entry has a formula of that.
  const RealFormula* formula() const { return formula_ ? &*formula_ : nullptr; }
  // The parameters that its names stand for.
  std::span<const int> formula_params() const { return formula_params_; }
  std::span<const Limit> limits() const { return limits_; }
  std::span<const Limit> preferred() const { return preferred_; }
  // Index of a parameter; internal error when there is none of that name.
  int param(std::string_view name) const;
  // The type of a parameter.
  const ArgType& type_of(std::string_view param) const {
    return *types_[static_cast<std::size_t>(this->param(param))];
  }
  // A field of an argument by name, e.g. ("padding", "top"); "" is the value itself. Internal error
  // where the type has no such field.
  std::int64_t value(std::span<const Arg> args, std::string_view param,
                     std::string_view field = {}) const;

 private:
  std::string_view name_;
  std::string_view returns_;
  std::span<const Param> params_;
  std::vector<const ArgType*> types_;
  const OpSpec* spec_;
  std::vector<CompiledOperand> operands_;
  std::vector<CompiledWindow> windows_;
  std::optional<RealFormula> formula_;
  std::vector<int> formula_params_;
  std::vector<Limit> limits_, preferred_;
};

// The entries of one source file, in the order they stand there.
class OpFile {
 public:
  explicit OpFile(std::string_view name) : name_(name) {}
  struct Entry {
    std::string_view name;
    std::string_view returns;
    std::span<const Param> params;
    const OpSpec* spec;
    mutable std::atomic<const Op*> compiled = nullptr;
    Entry(std::string_view name, std::string_view returns, std::span<const Param> params,
          const OpSpec* spec)
        : name(name), returns(returns), params(params), spec(spec) {}
  };
  const Entry* add(std::string_view name, std::string_view returns, std::span<const Param> params,
                   const OpSpec* spec);
  std::string_view name() const { return name_; }
  const std::vector<const Entry*>& entries() const { return entries_; }

 private:
  std::string_view name_;
  // Never destroyed: devices that end with the program still name functions.
  std::vector<const Entry*>& entries_ = *new std::vector<const Entry*>;
};

// All entries of a front end, file by file. Lives as long as the program.
class OpList {
 public:
  using Constants = std::span<const std::pair<std::string_view, std::int64_t>>;
  OpList(std::vector<const OpFile*> files, Constants constants)
      : files_(std::move(files)), constants_(constants) {}

  // The compiled entry (compiled on first use).
  const Op& compiled(const OpFile::Entry& entry) const;
  // All of them, which takes some milliseconds the first time.
  std::span<const Op* const> all() const;
  // The entry called `name`, null when there is none. No other is compiled.
  const Op* find(std::string_view name) const;

 private:
  std::vector<const OpFile*> files_;
  Constants constants_;
  mutable std::once_flag listed_, named_;
  mutable std::vector<const Op*> all_;
  mutable std::unordered_map<std::string_view, const OpFile::Entry*> by_name_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_OP_H_
