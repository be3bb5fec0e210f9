#include "layout_layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "layout_facts.h"
#include "layout_options.h"
#include "layout_tensor_words.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane::cli {
namespace {

// "3x1", or "3" for both.
Plane parse_plane(const std::string& text, const std::string& word, std::string_view digits) {
  const std::vector<std::string> parts = split_text(std::string(digits), 'x');
  std::vector<std::int64_t> numbers;
  for (const std::string& part : parts) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || stop != part.data() + part.size() || value < 0 ||
        value > kMostExtent)
      user_error("--command '{}': '{}' does not end in numbers, as in kernel=3x3", text, word);
    numbers.push_back(value);
  }
  if (numbers.size() > 2)
    user_error("--command '{}': '{}' does not end in numbers, as in kernel=3x3", text, word);
  return {numbers.front(), numbers.back()};
}

std::string addresses_of(const LayerPlan& plan, int tensor) {
  std::vector<std::string> addresses;
  for (const LayerPlace& place : plan.places) {
    if (place.tensor != tensor) continue;
    const PlanTensor& own = plan.tensors[static_cast<std::size_t>(tensor)];
    addresses.push_back(
        fmt::format("{:#x}", place.offset + own.spec.start_npu * plan.memory.npu_bytes));
  }
  return fmt::format("{}", fmt::join(addresses, ", "));
}

std::string times_of(const LayerPlan& plan, int tensor) {
  for (const LayerPlace& place : plan.places) {
    if (place.tensor != tensor) continue;
    if (place.always) return tr("always");
    if (place.first_command == place.last_command) return tr("command {}", place.first_command + 1);
    return tr("commands {} to {}", place.first_command + 1, place.last_command + 1);
  }
  return {};
}

// Pairs of tensors that a command uses and that share a bank.
std::vector<std::string> shared_banks(const LayerPlan& plan, std::size_t command) {
  std::vector<std::string> names = plan.commands[command].inputs, pairs;
  names.push_back(plan.commands[command].output);
  const auto used = [&](const LayerPlace& place) {
    return std::ranges::find(names, plan.tensors[static_cast<std::size_t>(place.tensor)].name) !=
           names.end();
  };
  for (const LayerPlace& a : plan.places) {
    for (const LayerPlace& b : plan.places) {
      if (a.tensor >= b.tensor || !used(a) || !used(b)) continue;
      const auto bank = [&](std::int64_t offset) { return offset / plan.bank_bytes; };
      if (bank(a.offset + a.bytes - 1) < bank(b.offset) ||
          bank(b.offset + b.bytes - 1) < bank(a.offset))
        continue;
      pairs.push_back(tr("{} and {} in bank {}",
                         plan.tensors[static_cast<std::size_t>(a.tensor)].name,
                         plan.tensors[static_cast<std::size_t>(b.tensor)].name,
                         bank(std::max(a.offset, b.offset))));
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// Rows of the execution units that a part of a tensor takes in a command.
struct OperandRows {
  std::string tensor;
  EuRows rows;
};
std::vector<OperandRows> rows_of(const LayerPlan& plan, std::size_t command) {
  std::vector<OperandRows> operands;
  std::vector<std::string> names = plan.commands[command].inputs;
  names.push_back(plan.commands[command].output);
  for (const std::string& name : names) {
    const auto found = std::ranges::find(plan.tensors, name, &PlanTensor::name);
    LayoutSpec part = found->spec;
    part.shape = plan.part_shape(static_cast<int>(found - plan.tensors.begin()));
    if (const std::optional<EuRows> rows = eu_rows(make_layout(part)))
      operands.push_back({name, *rows});
  }
  return operands;
}

std::string rows_text(const std::vector<OperandRows>& operands) {
  std::vector<std::string> texts;
  for (const auto& [name, rows] : operands) {
    std::string text = rows.rows == rows.least
                           ? fmt::format("{} {}", name, rows.rows)
                           : tr("{} {} ({} would do)", name, rows.rows, rows.least);
    if (rows.twice > 0) text += tr(", {} times two channels meet in one", rows.twice);
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string cuts_text(const LayerPlan& plan) {
  std::vector<std::string> cuts;
  for (const LayerCut& cut : plan.cuts) {
    if (cut.parts > 1)
      cuts.push_back(tr("{} {} of {}", axis_letter(cut.axis), cut.largest(), cut.extent));
  }
  return cuts.empty() ? std::string() : tr(" ({})", fmt::join(cuts, ", "));
}

}  // namespace

PlanCommand parse_command(const std::string& text) {
  const std::vector<std::string> words = split_text(text, ':');
  const std::size_t equals = words[0].find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == words[0].size()) {
    user_error("--command '{}': expected RESULT=INPUT,... and more words, as in y=x,w:kernel=3x3",
               text);
  }
  PlanCommand command{.output = words[0].substr(0, equals),
                      .inputs = split_text(words[0].substr(equals + 1), ',')};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t at = std::min(word.find('='), word.size());
    const std::string_view digits = at < word.size() ? std::string_view(word).substr(at + 1) : "";
    const std::string name = word.substr(0, at);
    const std::pair<const char*, Plane PlanCommand::*> known[] = {
        {"kernel", &PlanCommand::kernel},
        {"stride", &PlanCommand::stride},
        {"pad", &PlanCommand::pad},
        {"dilation", &PlanCommand::dilation}};
    const auto* const found =
        std::ranges::find_if(known, [&](const auto& each) { return each.first == name; });
    if (found == std::end(known)) {
      user_error("--command '{}': '{}' is none of kernel=, stride=, pad=, dilation=", text, word);
    }
    command.*found->second = parse_plane(text, word, digits);
  }
  return command;
}

void print_layer_plan(const LayerPlan& plan, std::string_view chip) {
  fmt::print("{}\n\n",
             tr("{}: {} NPUs of {} bytes, {} banks of {} in each", chip, plan.memory.npus,
                plan.memory.npu_bytes, plan.memory.npu_bytes / plan.bank_bytes, plan.bank_bytes));
  if (!plan.fits) return;
  fmt::print("{:<8} {:<5} {:<10} {:<18} {:<18} {:>10}  {:<16} {}\n", tr("tensor"), tr("dtype"),
             tr("layout"), tr("whole"), tr("a part"), tr("B per NPU"), tr("needed"),
             tr("addresses"));
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
    const PlanTensor& tensor = plan.tensors[t];
    const NamedLayout made = make_layout(tensor.spec);
    const int at = static_cast<int>(t);
    std::int64_t bytes = 0;
    for (const LayerPlace& place : plan.places) {
      if (place.tensor == at) bytes = place.bytes;
    }
    fmt::print("{:<8} {:<5} {:<10} {:<18} {:<18} {:>10}  {:<16} {}\n", tensor.name,
               dtype_name(tensor.spec.dtype), made.name(),
               fmt::format("{}", fmt::join(tensor.spec.shape, ",")),
               fmt::format("{}", fmt::join(plan.part_shape(at), ",")), bytes, times_of(plan, at),
               addresses_of(plan, at));
  }
  fmt::print(
      "\n{}\n",
      tr("plan: {}{}; {}", tr_n("{} part", "{} parts", plan.parts()), cuts_text(plan),
         plan.banks == BankUse::kOwn ? tr("every buffer in banks of its own")
                                     : tr("buffers share banks: two engines in one bank wait")));
  fmt::print("{}\n",
             tr("the parts load {} bytes, each input once would be {}; {}", plan.loaded_bytes,
                plan.once_bytes,
                plan.channels_first ? tr("the loop over output channels is the outer one")
                                    : tr("the loop over output channels is the inner one")));
  for (std::size_t i = 0; i < plan.commands.size(); ++i) {
    const std::vector<std::string> pairs = shared_banks(plan, i);
    if (!pairs.empty())
      fmt::print("{}\n", tr("command {} meets itself: {}", i + 1, fmt::join(pairs, ", ")));
    if (const std::vector<OperandRows> rows = rows_of(plan, i); !rows.empty())
      fmt::print("{}\n", tr("command {}, EU rows of {} bytes: {}", i + 1, plan.memory.align_bytes,
                            rows_text(rows)));
  }
}

Json layer_plan_json(const LayerPlan& plan, std::string_view chip) {
  Json tensors = Json::array(), cuts = Json::array(), commands = Json::array();
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
    const PlanTensor& tensor = plan.tensors[t];
    const NamedLayout made = make_layout(tensor.spec);
    const int at = static_cast<int>(t);
    Json addresses = Json::array(), spans = Json::object(), row;
    for (const LayerPlace& place : plan.places) {
      if (place.tensor != at) continue;
      addresses.push_back(place.offset + tensor.spec.start_npu * plan.memory.npu_bytes);
      row["bytes_per_npu"] = place.bytes;
      row["first_command"] = place.first_command;
      row["last_command"] = place.last_command;
      row["always"] = place.always;
    }
    for (int d = 0; plan.fits && d < made.axes.size(); ++d) {
      const std::optional<int> cut = plan.cut_of(at, made.axes[d]);
      if (!cut) continue;
      Json list = Json::array();
      for (std::int64_t part = 0; part < plan.cuts[static_cast<std::size_t>(*cut)].parts; ++part) {
        const Span span = plan.span(at, made.axes[d], part);
        list.push_back({span.first, span.count});
      }
      spans[axis_name(made.axes[d])] = list;
    }
    row["name"] = tensor.name;
    row["dtype"] = dtype_name(tensor.spec.dtype);
    row["layout"] = made.name();
    row["axes"] = axis_names(made);
    row["shape"] = tensor.spec.shape;
    row["buffers"] = tensor.buffers;
    row["addresses"] = addresses;
    row["spans"] = spans;
    if (plan.fits) row["part_shape"] = plan.part_shape(at);
    tensors.push_back(row);
  }
  for (const LayerCut& cut : plan.cuts) {
    if (plan.fits)
      cuts.push_back({{"axis", std::string(1, axis_letter(cut.axis))},
                      {"extent", cut.extent},
                      {"parts", cut.parts},
                      {"largest", cut.largest()}});
  }
  for (std::size_t i = 0; i < plan.commands.size(); ++i) {
    Json operands = Json::array();
    for (const auto& [name, rows] : plan.fits ? rows_of(plan, i) : std::vector<OperandRows>())
      operands.push_back(
          {{"tensor", name}, {"rows", rows.rows}, {"least", rows.least}, {"twice", rows.twice}});
    commands.push_back({{"output", plan.commands[i].output},
                        {"inputs", plan.commands[i].inputs},
                        {"bank_conflicts", shared_banks(plan, i)},
                        {"eu_rows", operands}});
  }
  return {{"chip", chip},
          {"npus", plan.memory.npus},
          {"npu_bytes", plan.memory.npu_bytes},
          {"bank_bytes", plan.bank_bytes},
          {"fits", plan.fits},
          {"parts", plan.parts()},
          {"cuts", cuts},
          {"channels_outside", plan.channels_first},
          {"loaded_bytes", plan.loaded_bytes},
          {"once_bytes", plan.once_bytes},
          {"own_banks", plan.banks == BankUse::kOwn},
          {"tensors", tensors},
          {"commands", commands}};
}

}  // namespace tensorlane::cli
