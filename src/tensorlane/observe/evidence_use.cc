#include "tensorlane/observe/evidence_use.h"

namespace tensorlane::observe {
namespace {

constexpr auto kGlobal = static_cast<std::size_t>(Space::kGlobal);
constexpr std::int64_t kMostRuns = 4096;

Json names(const std::set<std::string_view>& functions) {
  Json list = Json::array();
  for (const std::string_view name : functions) list.push_back(name);
  return list;
}

Json json_of(const std::map<Evidence, std::set<std::string_view>>& functions,
             const std::set<std::string_view>& reached, const std::set<std::string_view>& orders) {
  Json out = Json::object();
  for (const Evidence evidence : kAllEvidence) {
    const auto found = functions.find(evidence);
    out[evidence_name(evidence)] = found == functions.end() ? Json::array() : names(found->second);
  }
  out["choices_in_outputs"] = names(reached);
  out["order_of_cores"] = names(orders);
  return out;
}

}  // namespace

EvidenceUse::EvidenceUse(const Chip& chip) : chip_(chip) {
  for (std::size_t k = 0; k < bytes_.size(); ++k) {
    const auto space = static_cast<Space>(k);
    if (!chip.has(space)) continue;
    const bool local = space == Space::kLocal;
    bytes_[k].emplace(local ? chip.local.npus : 1, local ? chip.local.npu_bytes : 0);
  }
}

trail::Mark EvidenceUse::mark_of(const Functions& functions) {
  if (functions.empty()) return trail::kUnwritten;
  const auto [at, is_new] =
      marks_.try_emplace(functions, static_cast<trail::Mark>(sets_.size() + 1));
  if (is_new) sets_.push_back(functions);
  return at->second;
}

trail::LaneMaps& EvidenceUse::memory(Space space, int core) {
  if (space != Space::kLocal || core == 0) return *bytes_[static_cast<std::size_t>(space)];
  while (other_cores_.size() < static_cast<std::size_t>(core))
    other_cores_.emplace_back(chip_.local.npus, chip_.local.npu_bytes);
  return other_cores_[static_cast<std::size_t>(core) - 1];
}

EvidenceUse::Functions EvidenceUse::found(const trail::LaneMaps& memory,
                                          const trail::Footprint& bytes) const {
  std::set<trail::Mark> marks;
  memory.visit(bytes, [&](int, int, const trail::LaneMaps::View& view, const trail::ByteBox& box,
                          std::int64_t origin) {
    const auto look = [&](std::int64_t begin, std::int64_t end) {
      view.visit({begin, end}, [&](std::int64_t, std::int64_t, trail::Mark mark) {
        if (mark != trail::kUnwritten) marks.insert(mark);
        return true;
      });
    };
    // Of a box of very many runs what lies between them counts too.
    const trail::Range bounds = box.bounds();
    if (box.count() > kMostRuns) {
      look(bounds.begin + origin, bounds.end + origin);
    } else {
      trail::for_each_run(box, origin, look);
    }
    return true;
  });
  Functions all;
  for (const trail::Mark mark : marks) all.insert(sets_[mark - 1].begin(), sets_[mark - 1].end());
  return all;
}

// Global memory is where kernels leave their results.
EvidenceUse::Functions EvidenceUse::in_global_memory() const {
  Functions all;
  if (!tracks_) return all;
  for (const trail::MarkMap::Interval& each : bytes_[kGlobal]->map(0).intervals())
    if (each.mark != trail::kUnwritten)
      all.insert(sets_[each.mark - 1].begin(), sets_[each.mark - 1].end());
  return all;
}

void EvidenceUse::launch_begin(const Launch& launch) {
  launch_functions_.clear();
  launch_orders_.clear();
  reduced_.clear();
  cores_ = launch.cores;
}

void EvidenceUse::look_for_orders(const Command& command) {
  for (const Operand& operand : command.operands()) {
    if (!dtype_info(operand.layout.dtype()).is_float || command.accumulates_by(operand) == 0)
      continue;
    const trail::Footprint& bytes = footprints_.get(operand.layout, 0);
    trail::LaneMaps& map = reduced_.try_emplace(operand.space, 1, 0).first->second;
    const auto mark = static_cast<trail::Mark>(command.core + 1);
    bool by_another = false;
    map.visit(bytes, [&](int, int, const trail::LaneMaps::View& view, const trail::ByteBox& box,
                         std::int64_t origin) {
      trail::for_each_run(box, origin, [&](std::int64_t begin, std::int64_t end) {
        view.visit({begin, end}, [&](std::int64_t, std::int64_t, trail::Mark other) {
          by_another = by_another || (other != trail::kUnwritten && other != mark);
          return !by_another;
        });
      });
      return !by_another;
    });
    map.assign(bytes, mark);
    if (!by_another) continue;
    orders_.insert(command.op->name());
    launch_orders_.insert(command.op->name());
  }
}

void EvidenceUse::command_end(const Command& command) {
  const std::optional<Evidence> evidence = evidence_of(command);
  if (!evidence) return;
  if (cores_ > 1) look_for_orders(command);
  functions_[*evidence].insert(command.op->name());
  launch_functions_[*evidence].insert(command.op->name());
  const bool choice = *evidence == Evidence::kChoice;
  tracks_ = tracks_ || choice;
  if (!tracks_) return;
  checked_.assign(command, footprints_);
  Functions made;
  if (choice) made.insert(command.op->name());
  for (int k = 0; k < checked_.size(); ++k) {
    const Operand& operand = checked_.operand(k);
    if (operand.reads()) made.merge(found(memory(operand.space, command.core), checked_.bytes(k)));
  }
  const trail::Mark mark = mark_of(made);
  for (int k = 0; k < checked_.size(); ++k) {
    const Operand& operand = checked_.operand(k);
    if (operand.role == Role::kOut || operand.role == Role::kInOut)
      memory(operand.space, command.core).assign(checked_.bytes(k), mark);
  }
}

void EvidenceUse::launch_end(const Launch&, Outcome) {
  reached_.merge(in_global_memory());
}

void EvidenceUse::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                              const HostCaller&) {
  if (!tracks_ || bytes == 0) return;
  const trail::Range range{static_cast<std::int64_t>(offset),
                           static_cast<std::int64_t>(offset + bytes)};
  if (access == HostAccess::kWrite) bytes_[kGlobal]->assign(0, range, trail::kUnwritten);
}

void EvidenceUse::host_copied(const DeviceCopy& copy, const HostCaller&) {
  if (!tracks_ || copy.count == 0) return;
  const auto footprint = [](std::uint64_t begin, std::uint64_t bytes) {
    return trail::linear_footprint(static_cast<std::int64_t>(begin),
                                   static_cast<std::int64_t>(bytes));
  };
  const trail::Mark mark =
      mark_of(found(*bytes_[kGlobal], footprint(copy.from, copy.bytes_at(copy.from_step))));
  bytes_[kGlobal]->assign(footprint(copy.to, copy.bytes_at(copy.to_step)), mark);
}

Json EvidenceUse::json() const {
  return json_of(functions_, reached_, orders_);
}

Json EvidenceUse::launch_json() const {
  return json_of(launch_functions_, in_global_memory(), launch_orders_);
}

}  // namespace tensorlane::observe
