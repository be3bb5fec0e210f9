#include "verify_model.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "commands.h"
#include "model_plan.h"
#include "packed_check.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/sha256.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane::cli {
namespace {

// The tensors that hold elements of another one are told apart by the sums of their bytes.
struct WrongTensor {
  std::string name, words = {};  // words: what is wrong, where it is not a matter of elements
  std::optional<PackedCheck> check = {};
  std::optional<NamedLayout> layout = {};
  std::string sum = {};
};

// A tensor that is kept, as a layout of the array's own axes.
NamedLayout array_layout(const Shape& shape, Dtype dtype) {
  const bool small = !shape.empty() && shape.size() <= 8;
  const Shape extents = small ? shape : Shape{element_count(shape, "tensor")};
  LayoutSpec spec{.dtype = dtype, .shape = extents};
  spec.layout = notation(row_major_layout(extents, dtype));
  return make_layout(spec);
}

class ModelCheck {
 public:
  ModelCheck(const VerifyModel& command, const ModelFile& packed, const ModelFile& original,
             const ModelPlan& plan)
      : command_(command), packed_(packed), original_(original), plan_(plan) {
    for (std::size_t k = 0; k < packed.tensors().size(); ++k) places_[packed.tensors()[k].name] = k;
  }

  void run() {
    std::uint64_t bytes = 0;
    for (const TensorInfo& info : packed_.tensors()) bytes += info.bytes;
    ProgressBar bar(stderr_terminal(), tr("verify"), bytes);
    for (const ModelTensor& tensor : plan_.tensors()) {
      const std::string& name = original_.tensors()[tensor.source].name;
      const auto place = places_.find(name);
      if (place == places_.end()) {
        wrong_.push_back({.name = name, .words = tr("it is missing")});
        continue;
      }
      check(tensor, place->second);
      bar.advance(packed_.tensors()[place->second].bytes);
      places_.erase(place);
    }
    for (const TensorInfo& info : packed_.tensors()) {
      if (places_.contains(info.name))
        wrong_.push_back({.name = info.name, .words = tr("the original has no such tensor")});
    }
    find_owners();
  }
  const std::vector<WrongTensor>& wrong() const { return wrong_; }
  std::size_t right() const { return right_; }

 private:
  void check(const ModelTensor& tensor, std::size_t place) {
    const TensorInfo& source = original_.tensors()[tensor.source];
    const TensorInfo& info = packed_.tensors()[place];
    WrongTensor found{.name = source.name};
    if (const std::string words = misfit(tensor, source, info); !words.empty()) {
      found.words = words;
      wrong_.push_back(std::move(found));
      return;
    }
    const Tensor packed = packed_.read(place, tensor.dtype);
    if (packed.data.empty()) {
      ++right_;
      return;
    }
    const Tensor before = original_.read(tensor.source, tensor.read_as);
    const bool kept = tensor.action == ModelAction::kKeep;
    const NamedLayout to = kept ? array_layout(tensor.shape, tensor.dtype) : *tensor.to,
                      from = kept ? array_layout(tensor.shape, tensor.read_as) : *tensor.from;
    PackedCheckOptions options{.conversion = tensor.conversion, .padding = command_.padding};
    PackedCheck result = verify_packed(to, packed.data, from, before.data, options);
    if (result.right()) {
      ++right_;
      return;
    }
    found.sum = sha256(packed.data);
    found.check = std::move(result);
    found.layout = to;
    wrong_.push_back(std::move(found));
  }

  // What is wrong before any element is compared.
  static std::string misfit(const ModelTensor& tensor, const TensorInfo& source,
                            const TensorInfo& info) {
    const auto dtype = info.dtype ? std::string(dtype_name(*info.dtype)) : info.stored_type;
    const std::int64_t elements = element_count(info.shape, "tensor"),
                       wanted = element_count(tensor.shape, "tensor");
    // Files have other names for types that they do not know.
    const bool bits = info.dtype && dtype_bits(*info.dtype) == dtype_bits(tensor.dtype);
    const bool nibbles =
        dtype_bits(tensor.dtype) == 4 && info.dtype && dtype_bits(*info.dtype) == 8;
    const bool whole =
        info.dtype && (*info.dtype == tensor.dtype || !dtype_info(*info.dtype).is_float);
    if (elements == wanted && !((bits || nibbles) && whole))
      return tr("its elements are {}, not {}", dtype, dtype_name(tensor.dtype));
    if (elements == wanted) return {};
    if (tensor.to && info.shape == source.shape) {
      return tr("it is not packed: its shape is {}, that of the original; {} takes {}",
                shape_text(info.shape), tensor.to->name(), shape_text(tensor.shape));
    }
    return tr("it has {} elements ({}), not {} ({})", elements, shape_text(info.shape), wanted,
              shape_text(tensor.shape));
  }

  // Of what is not explained: whose elements are they?
  void find_owners() {
    std::map<std::string, std::vector<WrongTensor*>> by_sum;
    std::set<std::uint64_t> sizes;
    for (WrongTensor& wrong : wrong_) {
      if (!wrong.check || wrong.check->differing == 0 || !wrong.check->explanation.empty())
        continue;
      by_sum[wrong.sum].push_back(&wrong);
      sizes.insert(static_cast<std::uint64_t>(wrong.layout->total_bytes()));
    }
    if (by_sum.empty()) return;
    for (const ModelTensor& tensor : plan_.tensors()) {
      const std::uint64_t bytes = tensor.to ? static_cast<std::uint64_t>(tensor.to->total_bytes())
                                            : tensor_bytes(tensor.dtype, tensor.shape, "tensor");
      if (!sizes.contains(bytes)) continue;
      const Tensor made =
          tensor.converted(original_.read(tensor.source, tensor.read_as), CopyThreads::kAuto);
      const auto found = by_sum.find(sha256(made.data));
      if (found == by_sum.end()) continue;
      for (WrongTensor* wrong : found->second) {
        wrong->check->explanation =
            tr("it holds what belongs to '{}'", original_.tensors()[tensor.source].name);
      }
    }
  }

  const VerifyModel& command_;
  const ModelFile& packed_;
  const ModelFile& original_;
  const ModelPlan& plan_;
  std::map<std::string, std::size_t> places_;
  std::vector<WrongTensor> wrong_;
  std::size_t right_ = 0;
};

Json report(const ModelCheck& check) {
  Json wrong = Json::array();
  for (const WrongTensor& tensor : check.wrong()) {
    Json entry = {{"name", tensor.name}};
    if (tensor.check) entry.update(check_json(*tensor.layout, *tensor.check));
    if (!tensor.words.empty()) entry["explanation"] = tensor.words;
    wrong.push_back(std::move(entry));
  }
  return {{"right", check.wrong().empty()},
          {"tensors", check.right() + check.wrong().size()},
          {"wrong", wrong}};
}

void print(const VerifyModel& command, const ModelCheck& check) {
  for (const WrongTensor& tensor : check.wrong()) {
    const std::string where = fmt::format("'{}'", tensor.name);
    if (tensor.check) {
      print_check(where, *tensor.layout, *tensor.check);
    } else {
      fmt::print("{}: {}\n", where, tensor.words);
    }
  }
  const std::size_t all = check.right() + check.wrong().size();
  fmt::print("{}\n", check.wrong().empty() ? tr("{}: all {} tensors are right", command.packed, all)
                                           : tr("{}: {} of {} tensors are wrong", command.packed,
                                                check.wrong().size(), all));
}

ModelFile open(const std::string& path, const std::string& manifest) {
  if (names_its_tensors(path)) return ModelFile(path);
  const std::optional<Manifest> found = Manifest::of(path, manifest);
  return ModelFile(path, found ? std::optional(found->places()) : std::nullopt);
}

}  // namespace

void verify_model(const VerifyModel& command) {
  const ModelFile packed = open(command.packed, command.manifest),
                  original = open(command.original, "");
  const ModelPlan plan(command.original, original, command.rules,
                       Manifest::of(command.original, ""));
  ModelCheck check(command, packed, original, plan);
  check.run();
  if (!command.json.replaces_text()) print(command, check);
  command.json.write(report(check));
  if (!check.wrong().empty()) throw ExitStatus{1};
}

}  // namespace tensorlane::cli
