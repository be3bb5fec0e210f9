#!/usr/bin/env python3
"""Measures the tests of the core: breaks the product in small ways and looks which are noticed.

Each row of MUTANTS changes one place of one source file. The file is patched where it stands, the
test program of its folder is built and run, and the file is put back. A mutant is killed when the
program fails, crashes or hangs; one that survives is a law no test states.

    mutate_core.py --build BUILD [NAME...]   the mutants whose name or test program contains NAME
    mutate_core.py --check                   only whether each row still fits its file

BUILD is a configured build folder of this tree (ninja); nobody else may build or edit meanwhile.
Mutants whose test program it does not have (no OpenCL, say) are left out.
Ends with status 1 when a mutant survives, or when a text is not found exactly once in its file.
"""
import argparse
import collections
import pathlib
import resource
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "src/tensorlane"
SECONDS = 240  # of a processor; a test program that takes more hangs, as one does that waits six times as long
# What a mutant no longer uses is no reason not to compile.
PREFIX = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in (
    "unused-parameter", "unused-variable", "unused-but-set-variable", "unused-function"))

Mutant = collections.namedtuple("Mutant", "name file before after program")


def rows(file, program, *changes):
    """Mutants of one file: (name, before, after)."""
    return [Mutant(name, file, before, after, program) for name, before, after in changes]


MUTANTS = [
    *rows(
        "tpukernel/ops_processor.cc", "tpukernel_test",
        ("memory checks: ranges end a byte late",
         "record.begin + record.bytes <= other.begin + other.bytes)",
         "record.begin + record.bytes <= other.begin + other.bytes + 1)"),
        ("memory checks: ranges that touch overlap", "record.begin < other.begin + other.bytes &&",
         "record.begin <= other.begin + other.bytes &&"),
        ("memory checks: L2 is checked too",
         "if (begin <= address && address < begin + static_cast<std::int64_t>(l2.bytes)) return 0;",
         ""),
        ("memory checks: records outlive a failure", "    records_.clear();\n", ""),
        ("dumps: the last extent is left out", "count *= shape[k];\n", "count *= k < 1 ? shape[k] : 1;\n"),
    ),
    *rows(
        "tpukernel/ops_tables.cc", "tpukernel_test",
        ("lookups: as fast as copies", "spec.cycles = per_element();", "spec.cycles = per_step(1);"),
    ),
    *rows(
        "tpukernel/ops_window.cc", "tpukernel_test",
        ("means: of the elements of one row", "1.0 / static_cast<double>(count)",
         "1.0 / static_cast<double>(columns)"),
        ("means: even and odd rows are one sum", "sum = sums[k % 2];", "sum = sums[0];"),
    ),
    *rows(
        "tensor/convert.cc", "tensor_test",
        ("casts: a NaN is the smallest integer", "options.nan_is_zero = true;", ""),
        ("casts: denormal numbers are zeros", "options.flush_operands = dtype_info(dst).is_float;",
         "options.flush_operands = true;"),
    ),
    *rows(
        "compute/special/formats.h", "special_test",
        ("angles: a term that shows is left out of bf16",
         "static constexpr int kExpTerms = 7, kLogTerms = 8, kTurnTable = 16, kTurnTerms = 8;\n  static constexpr float kSmallest = 0x1p-126F;",
         "static constexpr int kExpTerms = 7, kLogTerms = 8, kTurnTable = 16, kTurnTerms = 6;\n  static constexpr float kSmallest = 0x1p-126F;"),
    ),
    *rows(
        "device/backlog.cc", "device_test",
        ("cores: engines of a region wait for each other",
         "  if (one.region >= 0 && one.region == other.region) return false;\n", ""),
        ("cores: messages of two engines wait for each other",
         "return earlier.command || later.command;", "return true;"),
        ("cores: an engine overtakes itself", "if (joins || one.engine == other.engine) return true;",
         "if (joins) return true;"),
    ),
    *rows(
        "device/message_slots.h", "device_test",
        ("messages: a wait ends with more sends than it counts", "slot(number).sent == sends", "slot(number).sent >= sends"),
        ("messages: a slot is never free again", "if (--slot.remaining <= 0) slot = {};", "--slot.remaining;"),
    ),
    *rows(
        "device/core_launch.cc", "device_test",
        ("deadlocks: sends that stand behind a wait are none", "      sends = true;\n", ""),
    ),
    *rows(
        "trail/live_tensors.cc", "trail_test",
        ("cores: a tensor of another memory is a victim", "writers_at_.find(place_of(later.place, bytes))",
         "writers_at_.find(place_of({.memory = 1, .core = 1}, bytes))"),
        ("cores: what two of them write is a tensor in another's way", "later.place.core != earlier.place.core || ", ""),
        ("cores: a pointer reads what others wrote", ".place.core == core) states_", ".place.core >= core) states_"),
    ),
    *rows(
        "trail/history.cc", "trail_test",
        ("cores: behind an event the memory is that of the next one", "  rewind(event + 1);\n  memory_.select_core(core_of(event));\n",
         "  rewind(event + 1);\n"),
    ),
    *rows(
        "observe/check/report.cc", "check_test",
        ("cores: the one that came first tells", "now.cores < origin.cores", "false"),
        ("cores: the last one tells", "now.cores < origin.cores", "origin.cores < now.cores"),
    ),
    *rows(
        "observe/check/core_clocks.cc", "check_test",
        ("races of cores: a wait knows nothing of the sends", "waits ? &sends : nullptr", "nullptr"),
        ("races of cores: a free slot remembers its sends", "std::ranges::fill(sends, Time{0});", "{}"),
        ("races of cores: engines of a region know each other",
         "const bool beside = region >= 0 && each.region == region;", "const bool beside = false;"),
        ("races of cores: a message comes after messages of other engines",
         "                             : each.of_commands);", "                             : each.now);"),
        ("races of cores: one core is enough to be behind all", "least_[k] = std::min(least_[k], next[k])",
         "least_[k] = next[k]"),
    ),
    *rows(
        "device/allocator.cc", "device_test",
        ("allocator: sizes are rounded down", "(bytes + Allocator::kGranule - 1)", "(bytes)"),
        ("allocator: a block is freed as one granule", "free_.give_back(first, first + size + gap)",
         "free_.give_back(first, first + 1)"),
        ("allocator: freed blocks are remembered after half is given away",
         "while (block != freed_.end() && block->first < end)",
         "while (block != freed_.end() && block->first + kGranule < end)"),
        ("allocator: an address past a block is inside it",
         "address - block->first >= std::max", "address - block->first > std::max"),
    ),
    *rows(
        "device/free_runs.cc", "device_test",
        ("free runs: not the lowest",
         "if (left.longest >= length) {", "if (left.longest >= length && right.longest < length) {"),
        ("free runs: none spans two halves",
         "left.last + right.first >= length", "left.last >= length"),
        ("free runs: the first run ends at the middle",
         "? left.first + right.first : left.first", "? left.first : left.first"),
    ),
    *rows(
        "device/session.cc", "device_test",
        ("session: parallel_end does not run the region",
         "void Session::parallel_end(const void* call_site) {\n  run_region();",
         "void Session::parallel_end(const void* call_site) {"),
        ("session: poll inside a region is accepted",
         "announce(SyncEvent::kPoll, -1, call_site);\n  if (in_parallel_region) {",
         "announce(SyncEvent::kPoll, -1, call_site);\n  if (false) {"),
        ("session: regions nest",
         "announce(SyncEvent::kParallelStart, begun, call_site);\n  if (in_parallel_region) {",
         "announce(SyncEvent::kParallelStart, begun, call_site);\n  if (false) {"),
        ("session: a region may end twice", "  in_parallel_region = false;\n}\n\nvoid Session::check_inside",
         "}\n\nvoid Session::check_inside"),
        ("session: initialize leaves the region open",
         "announce(SyncEvent::kInitialize, -1, call_site);\n  in_parallel_region = false;",
         "announce(SyncEvent::kInitialize, -1, call_site);"),
        ("session: commands get the number of the next region",
         "command.region = in_parallel_region ? open_region : -1;",
         "command.region = in_parallel_region ? open_region + 1 : -1;"),
        ("session: commands are counted twice",
         "  command.sequence = (group", "  ++commands;\n  command.sequence = (group"),
        ("session: serial commands wait like those of a region",
         "if (in_parallel_region && region != nullptr) {", "if (region != nullptr) {"),
        ("session: a tensor outside its memory is told as a broken limit",
         "error.about_memory() ? Refusal::Kind::kMemory", "false ? Refusal::Kind::kMemory"),
        ("session: the host's float environment", "  const ChipFloatScope chip_float;\n", ""),
        ("session: the reference runs first",
         "if (fastest ? run_first(", "if (!fastest ? run_first("),
        ("session: pointers one past the end", "if (offset < memory.bytes(space)) return;",
         "if (offset <= memory.bytes(space)) return;"),
        ("session: the HAU is not waited for", "region->wait(Engine::kHau,",
         "region->wait(Engine::kGdma,"),
    ),
    *rows(
        "device/region_queue.cc", "device_test",
        ("region queue: early copies wait",
         "(order_.kind == Kind::kEarly && gdma)", "(order_.kind == Kind::kEarly && !gdma)"),
        ("region queue: waits for one command only", "  while (std::any_of(commands.begin()",
         "  if (std::any_of(commands.begin()"),
    ),
    *rows(
        "device/call.cc", "device_test",
        ("call: limits of host functions do not hold", "if (!violations.empty())", "if (false)"),
        ("call: functions of later chips run", "if (op.spec().absence != Absence::kNone)",
         "if (false)"),
        ("call: functions left out by the chip run", "if (!here.has_function(op.name()))",
         "if (false)"),
        ("call: refusals are kept from the observers", "  if (session != nullptr)\n    session->refuse(",
         "  if (session == nullptr)\n    session->refuse("),
        ("call: a failed assertion has no place", "set_failure(std::move(message), call_site);",
         "set_failure(std::move(message), nullptr);"),
    ),
    *rows(
        "device/kernel_runner.cc", "device_test",
        ("kernel runner: the last failure counts", "  if (current->failure) return;\n", ""),
        ("kernel runner: the session outlives the launch", "  current = nullptr;\n  if (way", "  if (way"),
        ("kernel runner: the host's rounding", "    std::fesetenv(FE_DFL_ENV);\n", ""),
        ("kernel runner: the kernel's rounding stays",
         "~KernelFloatScope() { std::fesetenv(&saved_); }", "~KernelFloatScope() {}"),
    ),
    *rows(
        "device/device.cc", "device_test",
        ("device: launches end in the order they began",
         "observer_list_.rbegin(); observer != observer_list_.rend()",
         "observer_list_.begin(); observer != observer_list_.end()"),
        ("device: a forked child ends the parent's launches",
         "if (on_own_thread() || process_ != getpid()) return;", "if (on_own_thread()) return;"),
    ),
    *rows(
        "device/device_queue.cc", "device_test",
        ("device: wait counts failures from before", "return failed > after && failed <= ticket;",
         "return failed >= after && failed <= ticket;"),
    ),
    *rows(
        "device/device_thread.cc", "device_test",
        ("device: a failure has no kernel", "  failure->kernel = job.name;\n", ""),
        ("device: an open region is dropped", "  session.finish();\n", ""),
        ("device: exit() in a kernel loses the reports", "    if (device == nullptr) return;",
         "    if (device != nullptr) return;"),
    ),
    *rows(
        "device/device_host.cc", "device_test",
        ("device: a free does not wait",
         "  drain();  // a queued launch may still use it\n", ""),
        ("device: a host access does not wait", "  drain();\n  check_host_access(address,",
         "  check_host_access(address,"),
        ("device: the host may copy past an allocation",
         "room = block->end() - address;", "room = place->bytes_left;"),
        ("device: freed memory is the host's", "    if (block->freed) {", "    if (false) {"),
        ("device: offsets wrap around", "if (offset <= room && bytes <= room - offset) return;",
         "if (offset + bytes <= room) return;"),
    ),
    *rows(
        "device/memory.cc", "device_test",
        ("memory: ranges may leave their memory", "bytes > place->bytes_left", "bytes > place->bytes_left + 1"),
        ("memory: static memory starts empty", "if (!chip.static_contents.empty()) {", "if (false) {"),
    ),
    *rows(
        "device/kernel_registry.cc", "device_test",
        ("registry: the first kernel of a name stays", "    found->second = kernel;\n", ""),
    ),
    *rows(
        "layout/layout.cc", "layout_test",
        ("layout: same_addresses ignores the base", "rank_ != other.rank_ || base_ != other.base_",
         "rank_ != other.rank_"),
        ("layout: same_addresses ignores the offset of a dimension",
         "if (offset(d) != other.offset(d) ||", "if ("),
        ("layout: a slice keeps the first index", "result.dims_[dim].offset += first;", ""),
        ("layout: bounds forget negative strides", "(last < 0 ? low : high) += last;",
         "high += last;"),
        ("layout: what lies between the digits is nested", "if (digits[k].stride < reach) return false;",
         "if (digits[k].stride < 0) return false;"),
        ("layout: same_addresses ignores the width of an element",
         "element_units_ != other.element_units_ ||", "false ||"),
        ("layout: permuted keeps the order", "dims_[order[static_cast<std::size_t>(d)]];", "dims_[d];"),
        ("layout: loose bounds inside an NPU count the NPU",
         "inside_npu && at == npu_digit_ ? 0 : digit.stride;", "digit.stride;"),
        ("layout: bounds inside an NPU count the NPU", "  offsets.digits_[npu_digit_].stride = 0;\n", ""),
        ("layout: byte runs go on in the next NPU", "std::min(end, (npu + 1) * npu_bytes);", "end;"),
        ("layout: byte runs that touch stay apart", "stretches[i].begin <= end; ++i", "stretches[i].begin < end; ++i"),
        ("layout: byte runs have no limit", "if (limit != 0 && runs.size() == limit) return runs;", ""),
        ("layout: NPUs of another size keep their distance", "  digits_[npu_digit_].stride = npu_units();\n", ""),
        ("layout: the dealt dimension is the next one", "digit < dims_[d].digit_count) return d;",
         "digit < dims_[d].digit_count) return d + 1;"),
    ),
    *rows(
        "layout/fold.cc", "layout_test",
        ("fold: loops merge by the first operand only", "for (int k = 0; fuses && k < operands; ++k)",
         "for (int k = 0; fuses && k < 1; ++k)"),
        ("fold: operands carry together", "if (phase >= 0 && own != phase) return false;", ""),
        ("fold: blocks begin at the first operand's start",
         "for (int k = 0; k < operands_; ++k) out[i].base[k] += inner_base[k];",
         "for (int k = 0; k < 0; ++k) out[i].base[k] += inner_base[k];"),
    ),
    *rows(
        "layout/convert.cc", "layout_test",
        ("convert: prescribed padding is not zeroed", "if (to.padding == PaddingFill::kZero && !fully_used(to)) {",
         "if (false) {"),
        ("convert: an axis order is that of the source", "source.permuted(to.axes.places_in(from.axes))",
         "source.permuted(from.axes.places_in(to.axes))"),
        ("convert: no columns repeat", "if (to.info->echoes) write_echoes", "if (false) write_echoes"),
        ("convert: the same axes are never reshaped", "same_axes = !options.reshape ||", "same_axes = true ||"),
        ("convert: memory begins before the tensor", "  layout.set_base(0);\n", ""),
        ("convert: filters stay as they are", "if (same_axes && to.transforms(source)) {", "if (false) {"),
    ),
    *rows(
        "layout/local.cc", "layout_test",
        ("local layouts: groups are not rounded up", "ceil_div(shape.c, group) * group_stride",
         "shape.c / group * group_stride"),
        ("local layouts: a matrix starts at its NPU's first column", "start_npu * cols_per_channel);",
         "start_npu);"),
        ("local layouts: weights of 32 bits stand in groups of 32",
         "ic_group(dtype_bits(dtype));", "ic_group(dtype_bits(dtype) == 32 ? 16 : dtype_bits(dtype));"),
    ),
    *rows(
        "layout/named.cc", "layout_test",
        ("named layouts: any layout takes strides",
         "if (!spec.strides.empty() && !out.info->takes_strides) {", "if (false) {"),
        ("named layouts: strides may overlap", "if (!spec.strides.empty()) check_overlap(out);", ""),
        ("named layouts: a tensor may end a byte past its NPU", "if (end > memory.npu_bytes) {",
         "if (end > memory.npu_bytes + 1) {"),
        ("named layouts: any element type is taken", "if (info.takes(dtype)) return;", "return;"),
        ("named layouts: a word is an element", "      return 32;\n", "      return element;\n"),
        ("named layouts: one rule for either memory",
         "info->either_memory() && !is_local() ? info->system_rule : info->rule", "info->rule"),
    ),
    *rows(
        "layout/named_shared.cc", "layout_test",
        ("named layouts: system memory has NPUs", "if (out.spec.start_npu == 0) return;", "return;"),
        ("named layouts: smaller ranks have the axes of the largest",
         "if (axes.size() == rank) out.axes = axes;", "if (axes.size() == rank) out.axes = out.info->axes;"),
    ),
    *rows(
        "layout/named_mace.cc", "layout_test",
        ("named layouts: an image holds any multiplier", "!out.info->drops_multipliers || ", "true || "),
    ),
    *rows(
        "layout/axes.cc", "layout_test",
        ("axes: another rank will do", "return sorted(*this) == sorted(other);",
         "return sorted(*this).back() == sorted(other).back();"),
        ("axes: an axis may stand twice", "if (letters.find(letter) != std::string::npos) {", "if (false) {"),
    ),
    *rows(
        "clock/command_time.cc", "clock_test",
        ("time: writes are timed as reads", "? parameters.write_gbps :", "? parameters.read_gbps :"),
        ("time: a move inside system memory pays one side",
         "side(parameters.read_gbps) + side(parameters.write_gbps)", "side(parameters.read_gbps)"),
        ("time: a copy has no start", "time.duration_high_us = time.start_us + stream;", "time.duration_high_us = stream;"),
        ("time: small copies start as large ones do", "std::min(1.0, bytes / kSmallTransfer)", "1.0"),
        ("time: runs of local memory are its planes", "if (dense_w && dense_h) return planes;",
         "if (dense_w || dense_h) return planes;"),
        ("time: runs of system memory never merge",
         "if (layout.extent(d) != 1 && layout.digits(d)[0].stride != length) break;", "break;"),
        ("time: matrices are never misaligned", "if (piece % kBurst != 0) return true;",
         "if (piece % kBurst < 0) return true;"),
        ("time: the issue of a matrix product costs as any", "if (command.op->spec().work == Work::kMatrix) return parameters.issue_matmul_us;", ""),
        ("time: hosts wake up in time", "parameters.completion_us * (1 -", "parameters.completion_us * (0 *"),
    ),
    *rows(
        "observe/time/clock.cc", "time_test",
        ("clock: lanes used ignore the start NPU", "align_up(start + channels, npus)",
         "align_up(channels, npus)"),
        ("clock: planes fill every group", "share(plane, at_a_time)", "share(at_a_time, at_a_time)"),
        ("clock: a poll does not hold the processor", "return schedule.poll();", "return;"),
        ("clock: regions are serial", "return schedule.region_begin();", "return;"),
        ("clock: a launch goes on where the last one ended", "  cores_ = high_ = CoreSchedules(",
         "  if (cores_.total() == 0) cores_ = high_ = CoreSchedules("),
        ("clock: system memory is local memory", "if (operand.space != Space::kLocal || operand.layout.space() != AddressSpace::kLocal) continue;", ""),
        ("clock: waiting for the issue is never lost", "result.issue_wait_us = std::max(",
         "result.issue_wait_us = std::min("),
    ),
    *rows(
        "inspect/statistics.cc", "inspect_test",
        ("statistics: infinities count as the largest", "} else if (std::isinf(value)) {", "} else if (false) {"),
        ("statistics: the mean is over all elements", "static_cast<double>(finite)",
         "static_cast<double>(result.elements)"),
    ),
    *rows(
        "command_log/counterparts.cc", "command_log_test",
        ("diff: tiles need not have as many elements", "if (a.elements == b.elements) {", "if (true) {"),
        ("diff: tiles of a loop meet in order", "0, b_.size(), strong_key)", "0, b_.size(), weak_key)"),
    ),
    *rows(
        "command_log/difference.cc", "command_log_test",
        ("diff: types do not count", "const bool same_type = left->dtype == right->dtype;", "const bool same_type = true;"),
        ("diff: other shapes are compared by element", " && a.front()->shape == b.front()->shape;", ";"),
    ),
    *rows(
        "observe/watch_bytes.cc", "observe_test",
        ("watch: every command that ends near the bytes counts", "if (!written.empty())", "if (true)"),
        ("watch: the host's reads are writes", "if (access == HostAccess::kWrite)", "if (true)"),
    ),
    *rows(
        "observe/time/clock.cc", "recording_test",
        ("clock of a recording: lanes used ignore the start NPU", "align_up(start + channels, npus)",
         "align_up(channels, npus)"),
    ),
    *rows(
        "clock/command_time.cc", "recording_test",
        ("time of a recording: writes are timed as reads", "? parameters.write_gbps :",
         "? parameters.read_gbps :"),
    ),
    *rows(
        "device/processor_watch.cc", "device_test",
        ("watch: a page stays open after its step", "      protect(*step.view, step.page, 1, PROT_NONE);\n", ""),
        ("watch: the rest of an access counts as a whole one", "on_next_page_ > 0) bytes = on_next_page_;",
         "on_next_page_ > 0) bytes += 0;"),
        ("watch: launches begin with open pages", "  for (View& view : views_) close(view);\n", ""),
        ("watch: writes beside the fault are lost", "    tell_changes(step, observers);\n", ""),
    ),
    *rows(
        "device/access_size.cc", "device_test",
        ("access size: long vectors are short", "(code[1] & 4) != 0 ? 32 : 16", "(code[1] & 4) != 0 ? 16 : 16"),
        ("access size: REX.W is overlooked", "prefixes.wide = (*code++ & 8) != 0;", "++code;"),
    ),
    *rows(
        "observe/check/race_detector.cc", "check_test",
        ("races: a write after a read is none",
         "if (access.write) compare(group(index(engine, access.memory, false)), access, races);",
         ""),
    ),
    *rows(
        "observe/check/commands_in_flight.cc", "check_test",
        ("commands in flight: what they read may be written", "!(use.writes || writes)", "!use.writes"),
    ),
    *rows(
        "io/zip_reader.cc", "io_test",
        ("zip: a wrong checksum is accepted", "if (crc_ != member_.crc) {", "if (false) {"),
    ),
    *rows(
        "io/safetensors.cc", "io_test",
        ("safetensors: holes are accepted", "if (begin > covered) damaged(", "if (false) damaged("),
    ),
    *rows(
        "opencl/pixel_map.cc", "pixel_map_test",
        ("pixel map: partial digits read past their extent", "real = real && value < digit.extent;", ""),
    ),
    *rows(
        "observe/time/local_map.cc", "time_test",
        ("local map: a block ends with its first reader",
         "block.end_us = std::max(block.end_us, end_us);", "block.end_us = std::min(block.end_us, end_us);"),
        ("local map: a successor does not end a block", "      finish(at->second, slot.start);",
         "      finish(at->second, kNever);"),
        ("local map: the rest of a block is lost", "rest.begin = offset;", "rest.begin = rest.end;"),
    ),
    *rows(
        "observe/time/time_totals.cc", "time_test",
        ("totals: the overlap is what one engine does",
         "std::min(slot.end, other.end) - std::max(slot.start, other.start)", "slot.end - slot.start"),
        ("totals: utilisation counts idle units", "useful_bdc_us += us * command.lanes_used();",
         "useful_bdc_us += us;"),
        ("totals: a line's operations are those of its last command", "line.time.operations += command.operations;",
         "line.time.operations = command.operations;"),
        ("totals: another launch's lines are lost", "    to.time.busy_us += from.time.busy_us;\n", ""),
    ),
    *rows(
        "observe/time/timeline.cc", "time_test",
        ("timeline: what is busy longest bounds the launch", "won ? std::pair(free_us[at], busy[at])", "!won ? std::pair(free_us[at], busy[at])"),
    ),
    *rows(
        "observe/time/reasons.cc", "time_test",
        ("reasons: what bounds the launch is said twice", "if (!said && bound.busy_us > 0) {", "if (bound.busy_us > 0) {"),
        ("reasons: the line named last is the shortest", "*std::ranges::max_element(\n          lines", "*std::ranges::min_element(\n          lines"),
        ("reasons: the entry's cheaper way is not named", "if (won.cause == kCheaper && !way.words.empty())", "if (false)"),
    ),
    *rows(
        "trail/command_dependences.cc", "trail_test",
        ("dependences: what is written over is forgotten before it was read", "if (!operand.reads()) return;", "return;"),
        ("dependences: touching ranges are enough", "if (overlap(use.bytes, bytes)) found_.data", "found_.data"),
        ("dependences: whoever read before the last reader is forgotten", "if (before != next_)", "if (false)"),
        ("dependences: a part covers the whole", "all.begin <= range.begin && range.end <= all.end &&", "all.begin <= range.begin &&"),
    ),
    *rows(
        "observe/time/rerun.cc", "time_test",
        ("rerun: polls go though the processor reads", "processor_reads_ || (without", "(without"),
        ("rerun: commands in a row that need each other are one", "!in_group(after.data) &&", ""),
        ("rerun: every move is claimed", "engine != Engine::kGdma || (computes && claimed[at])", "engine != Engine::kGdma || claimed[at]"),
    ),
    *rows(
        "observe/time/pipeline.cc", "time_test",
        ("pipeline: a move is done in the region of the computation it needs", "at(bdc).region + 1);", "at(bdc).region);"),
        ("pipeline: room counts for nothing", "fits = room || order.more_bytes() <= launch.free_local_bytes();", "fits = true;"),
        ("pipeline: what comes in is computed at once", "      region = std::max(region, at(move).region + 1);\n    }\n    for (",
         "      region = std::max(region, at(move).region);\n    }\n    for ("),
        ("pipeline: two loads of a part are two steps", "if (loaded_for_ == loads_ ||", "if (loaded_for_ == 1 ||"),
    ),
    *rows(
        "observe/time/remedies.cc", "time_test",
        ("remedies: what wins on top is what wins alone", "best->us = (us - least) * scale_;", "best->us = best->alone_us;"),
        ("remedies: the one that wins least comes first", "if (without < least) {", "if (without < least && best == left.end()) {"),
    ),
    *rows(
        "observe/time/profile.cc", "time_test",
        ("profile: a kernel's host time is the last launch's", "kernel.host_us += ", "kernel.host_us = "),
    ),
    *rows(
        "observe/time/trace_file.cc", "time_test",
        ("trace: launches begin together",
         "    origin_us_ += host_time_us(timeline.kernel_us, *timeline.parameters, timeline.launch.cores);", "    ;"),
        ("trace: pieces are launches", "  if (!timeline.more)\n    origin_us_", "  origin_us_"),
        ("trace: bandwidth never falls", "    counter(track, command.core, command.slot.end, 0);\n", ""),
        ("trace: flows end nowhere", ".flow = flow_,", ".flow = 0,"),
        ("trace: a launch ends with its first piece", "if (!timeline.more) events_", "events_"),
        ("trace: the addresses in use shortest are shown", "order.emplace_back(-amount, address);",
         "order.emplace_back(amount, address);"),
    ),
    *rows(
        "observe/time/trace_format.cc", "time_test",
        ("trace: long varints lose a byte", "for (; value >= 0x80; value >>= 7)", "for (; value > 0x80; value >>= 8)"),
    ),
    *rows(
        "observe/time/report_page.cc", "time_test",
        ("page: what ends a script stands in it", 'text.replace(at, 1, "\\\\u003c");', "break;"),
        ("page: the shortest launches are drawn first", "longest_first, std::greater()", "longest_first, std::less()"),
        ("page: the shortest launches have charts", "    if (timeline.kernel_us <= shortest->kernel_us) return;\n",
         "    if (timeline.kernel_us >= shortest->kernel_us) return;\n"),
    ),
    *rows(
        "observe/statistics.cc", "observe_test",
        ("statistics: failures are not counted", "if (outcome == Outcome::kFailed) ++kernel.failed;", "static_cast<void>(outcome);"),
        ("statistics: freed memory counts on", "  allocated_ -= block->second;\n", ""),
    ),
    *rows(
        "ops/decode.cc", "ops_test",
        ("decode: the window of local memory stays in addresses", "    *address -= begin;", "    *address -= 0;"),
        ("decode: limits do not hold", "if (refused) throw", "if (refused && violations_.size() > 1) throw"),
        ("decode: absent operands are there", "value(operand.used_if) == 0) continue;",
         "value(operand.used_if) < 0) continue;"),
        ("decode: results that are read are only written", "? Role::kInOut : spec.role", "? spec.role : spec.role"),
        ("decode: given strides are ignored", "const bool use_given = given != nullptr && !given->is_null;",
         "const bool use_given = given != nullptr && given->is_null;"),
        ("decode: a tensor may end outside its memory", "if (bounds.begin >= 0 && bounds.end <= limit) return;",
         "if (bounds.begin >= 0) return;"),
        ("decode: a tensor may begin before its memory", "if (loose.begin >= 0 && loose.end <= limit) return;",
         "if (loose.end <= limit) return;"),
        ("decode: the start NPU is 0", "const std::int64_t start_npu = base / local.npu_bytes;",
         "const std::int64_t start_npu = base / local.npu_bytes * 0;"),
        ("decode: a shared row is one per channel", "      stride.c = 0;\n", ""),
        ("decode: every violation is about memory", "return std::all_of(violations_.begin()",
         "return std::none_of(violations_.begin()"),
        ("decode: operands of a call that comes again stay as they were",
         "if ((operand.inputs & changed) != 0) lay_out(operand, *own);", ""),
    ),
    *rows(
        "ops/repeated_calls.cc", "ops_test",
        ("repeated calls: another entry makes the same call", "known.command.op == &op && ", ""),
        ("repeated calls: so does another policy", " &&\n           known.policy == policy;", ";"),
        ("repeated calls: regions make no difference",
         "known->in_parallel_region == in_parallel_region &&", "true &&"),
        ("repeated calls: what broke a limit is fine the next time", "known.tolerated = tolerated;", ""),
        ("repeated calls: a call that broke a limit is changed into another",
         "!comparable(known) || !known.tolerated.empty() ||", "!comparable(known) ||"),
        ("repeated calls: the latest is forgotten first",
         "if (known->used < (*oldest)->used)", "if (known->used > (*oldest)->used)"),
    ),
    *rows(
        "device/phase_clock.h", "device_test",
        ("phase clock: what other programs took counts", "passed = own_part(passed);", "own_part(passed);"),
    ),
    *rows(
        "ops/call_text.cc", "ops_test",
        ("call text: whole floats are no floats", "if (text.find_first_of(\".e\") == std::string::npos) text += \".0\";", ""),
        ("call text: NULL is a struct", "return arg.is_null ? \"NULL\" : struct_text(type, arg);", "return struct_text(type, arg);"),
    ),
    *rows(
        "ops/args.cc", "ops_test",
        ("args: a window without strides strides 0", "{\"const dim2*\", ArgKind::kStruct, {\"h\", \"w\"}, 1},",
         "{\"const dim2*\", ArgKind::kStruct, {\"h\", \"w\"}, 0},"),
    ),
    *rows(
        "ops/expression.cc", "ops_test",
        ("expression: division truncates", "if (at.op == Op::kDiv) a = floor_div(a, b);",
         "if (at.op == Op::kDiv) a = a / b;"),
        ("expression: the first link of a chain decides", "    if (!link) return false;\n  }\n  return true;",
         "    return link;\n  }\n  return true;"),
        ("expression: signed types begin at 0", "values[2] != 0 ? -(1 << (bits - 1)) : 0", "0"),
        ("expression: a premise that cannot be judged holds", "if (!premise || !*premise) return false;",
         "if (premise && !*premise) return false;"),
    ),
    # What the differential net is for: a defect in a fast path that the reference does not have. Two went unseen for
    # months before there was a net, the cast from one element and the bands of windows: with "defects of old" they are
    # back.
    *rows(
        "compute/rows/row_loops_inl.h", "differential_test",
        ("fast paths, defects of old: a cast from one element reads a row of them", "if (given.src_step[0] == 0) return repeat",
         "if (false) return repeat"),
        ("fast paths: the last element of a tail of a vector less one is left out",
         "  const std::int64_t rest = count % kLanes;",
         "  const std::int64_t rest =\n"
         "      count % kLanes > 1 && count % kLanes == kLanes - 1 ? kLanes - 2 : count % kLanes;"),
        ("fast paths: constants of blocks are those of the first",
         "constant & (bit(kSource, (next[kSource] | next_block[kSource]) != 0) | ...);",
         "constant & (bit(kSource, next[kSource] != 0) | ...);"),
    ),
    *rows(
        "compute/rows/command_views.h", "differential_test",
        ("fast paths, defects of old: bands of windows run in place", "return simd(decode(invocation)); }},",
         "return simd(decode(invocation)); }, kAnyOperands},"),
    ),
    *rows(
        "compute/rows/elementwise.cc", "differential_test",
        ("fast paths: threads share the begin of a long source",
         "advance(own, {1, row.dst_step, row.src_step}, part * piece);",
         "advance(own, {1, row.dst_step, {}}, part * piece);"),
        ("fast paths: of sources that a result lies over the first is kept",
         "if (may_overlap(dst, *operand)) take_snapshot(source);",
         "if (k == 0 && may_overlap(dst, *operand)) take_snapshot(source);"),
        ("fast paths: sources that were kept once are kept for good",
         "call.lowering() == nullptr && !has_snapshot(sources))", "call.lowering() == nullptr)"),
    ),
    *rows(
        "compute/rows/float_numbers_inl.h", "differential_test",
        ("fast paths: of two NaN the second",
         "  return hn::IfThenElse(hn::IsNaN(a), quiet(a), result);\n#else",
         "  return hn::IfThenElse(hn::IsNaN(b), quiet(b), result);\n#else"),
    ),
    *rows(
        "compute/rows/integer_lanes_inl.h", "differential_test",
        ("fast paths: a shift by 32, of a byte, is none",
         "hn::IfThenZeroElse(hn::Gt(amount, set(31)), raised);",
         "hn::IfThenZeroElse(hn::Gt(amount, set(32)), raised);"),
    ),
    *rows(
        "compute/products/integer_store_rows.cc", "differential_test",
        ("fast paths: the end of a row is stored without its mask",
         "HWY_ATTR { hn::BlendedStore(vector, hn::FirstN(d, some), d, to); });",
         "HWY_ATTR { hn::StoreU(vector, d, to); });"),
    ),
    *rows(
        "compute/bands/padded_rows.cc", "differential_test",
        ("fast paths: zeros behind a row where padding belongs",
         "hn::StoreU(hn::IfThenElse(inside, end, padding), d, to + i);", "hn::StoreU(end, d, to + i);"),
        ("fast paths: all channels have the padding of the first", "hn::Set(d, layouts.padding[k]);",
         "hn::Set(d, layouts.padding[0]);"),
    ),
    *rows(
        "compute/partial_vectors_inl.h", "differential_test",
        ("fast paths: without masks the end of a partial vector is its beginning",
         "std::memcpy(&last, from + second, sizeof last);", "std::memcpy(&last, from, sizeof last);"),
    ),
    *rows(
        "ops/decode.cc", "differential_test",
        ("fast paths: a call with another last argument is the one before",
         "for (std::size_t k = 0; k < args.size(); ++k) {\n    if (!is_same(args[k]",
         "for (std::size_t k = 0; k + 1 < args.size(); ++k) {\n    if (!is_same(args[k]"),
    ),
    # Forty over what computes and what checks: the smallest mistakes that one makes there.
    *rows(
        "compute/moves/indexed_rows.cc", "moves_test",
        ("gathers: what indices of none leave is the first for all", "other + i * step : found", "other : found"),
        ("selections: after a thousand elements they begin again", "std::memcpy(to + total * kSize<Element>, kept.data()",
         "std::memcpy(to, kept.data()"),
    ),
    *rows(
        "compute/moves/indexed_lines.cc", "moves_test",
        ("lines: the end of long ones is not moved", "for (std::int64_t i = 0; i < bytes; i += kStep)",
         "for (std::int64_t i = 0; i + kStep <= bytes; i += kStep)"),
    ),
    *rows(
        "compute/rows/row_parts.cc", "rows_test",
        ("row parts: the last group of words is left out", "(rest - 1) * (sizeof(Word) / sizeof(Group)) + 1)",
         "(rest - 1) * (sizeof(Word) / sizeof(Group)))"),
        ("row parts: one byte behind the vectors is left out", "if (bytes % kLanes != 0)\n    hn::StoreU(",
         "if (bytes % kLanes > 1)\n    hn::StoreU("),
        ("row parts: rows of one element are those of the first block",
         "load_element<T>(from + b * shape.block + r * shape.next)", "load_element<T>(from + r * shape.next)"),
    ),
    *rows(
        "compute/rows/cast_rows.cc", "rows_test",
        ("casts: of a NaN to a byte the least is made",
         "const VInt result = hn::IfThenZeroElse(hn::RebindMask(Ints(), hn::IsNaN(x)), near);", "const VInt result = near;"),
        ("casts: high numbers without sign are negative", "hn::And(hn::ShiftRight<16>(x), number(0xffff))",
         "hn::ShiftRight<16>(x)"),
    ),
    *rows(
        "compute/shift_rounding.h", "rows_test",
        ("integers: halves that go down go up", "case RoundingMode::kHalfDown:\n      return {.half = -1, .one = -1};",
         "case RoundingMode::kHalfDown:\n      return {.half = -1};"),
    ),
    *rows(
        "compute/rows/integer_steps.cc", "rows_test",
        ("integers: rounding needs no room in the lanes", "    bounds.most += shifted_out + 1;\n", ""),
    ),
    *rows(
        "compute/rows/elementwise.cc", "differential_test",
        ("operand forms: elements of any width are of the width in hand",
         "if (bytes != 0 && layouts[k]->element_units() != bytes) return false;", ""),
        ("operand forms: sources may stand anyhow", "if (!(k == 0 ? forms.result : forms.sources).has(along_rows(box, k, *layouts[k])))",
         "if (k == 0 && !forms.result.has(along_rows(box, k, *layouts[k])))"),
        ("operand forms: backwards is side by side", "return along(box.loops[static_cast<std::size_t>(box.rank - 1)].stride[k], layout.element_units());",
         "return along(std::abs(box.loops[static_cast<std::size_t>(box.rank - 1)].stride[k]), layout.element_units());"),
        ("rows on threads: the last piece of a long row is a whole one",
         "own.count = std::min(piece, row.count - part * piece);", "own.count = piece;"),
    ),
    *rows(
        "compute/rows/widened_rows.cc", "differential_test",
        ("widened rows: blocks begin a row after each other", "rows.src_block[0] = part.rows * rows.src_next[0];",
         "rows.src_block[0] = rows.src_next[0];"),
    ),
    *rows(
        "compute/moves/moves.cc", "differential_test",
        ("moves: shapes of other rows are one shape", "if (blocks[k] % blocks[k - 1] != 0) return {};", ""),
    ),
    *rows(
        "ops/dispatch.cc", "ops_test",
        ("overlap: pieces that touch share a byte", "if (one->begin < other->end && other->begin < one->end) return true;",
         "if (one->begin <= other->end && other->begin <= one->end) return true;"),
        ("overlap: two results in one place are one in place", "return other.writes() ? Overlap::kPartly : Overlap::kInPlace;",
         "return Overlap::kInPlace;"),
        ("overlap: elements of a result may share bytes", "if (!written.layout.injective()) return Overlap::kPartly;", ""),
    ),
    *rows(
        "compute/products/quantize.cc", "products_test",
        ("requantisation: a row that ends a channel is in the next row's place",
         "has_dense_channels(args.src, args.w) && has_dense_channels(args.dst, args.w);", "has_dense_channels(args.src, args.w);"),
        ("requantisation: rounding down is towards zero", "whole = std::floor(whole);", "whole = std::trunc(whole);"),
        ("requantisation: shifts to the left lose a bit of their field", "shift > 0 ? shift & 63 : shift",
         "shift > 0 ? shift & 15 : shift"),
    ),
    *rows(
        "compute/products/integer_store_rows.cc", "differential_test",
        ("integer results: without masks the end of a row adds to nothing",
         "if (rows.result_add) std::memcpy(out, line.to + i, bytes);", ""),
    ),
    *rows(
        "compute/windows/region_windows.cc", "differential_test",
        ("regions: their last row is outside", "h <= region.h1 && w <= region.w1;", "h < region.h1 && w <= region.w1;"),
    ),
    *rows(
        "compute/windows/channel_mean.cc", "windows_test",
        ("means: rows of a channel lie as those of a dense one", "args.input.h * args.input.element_bytes",
         "args.w * args.input.element_bytes"),
    ),
    *rows(
        "compute/matrices/digit_matmul.cc", "matrices_test",
        ("matrices: digits pass over zero points", "!(args.zero_points.is_constant && args.zero_points.bits == 0) ||", ""),
    ),
    *rows(
        "compute/bands/phase_planes.cc", "bands_test",
        ("phase planes: the last column of a phase is padding", "std::clamp(last / stride + 1, begin, pitch_)",
         "std::clamp(last / stride, begin, pitch_)"),
        ("phase planes: padding above in rows of another phase", "std::min(rows_, (stride - 1 - top) / stride)",
         "std::min(rows_, -top / stride)"),
    ),
    *rows(
        "compute/bands/band_tiles.cc", "differential_test",
        ("bands: rows that were read begin at the input's first", ".offset = -std::int64_t{begin} * frame_.w",
         ".offset = 0 * frame_.w"),
    ),
    *rows(
        "compute/special/formulas_inl.h", "special_test",
        ("functions: reciprocals lose their sign", "return A::or_sign(A::mul(y, y), x);", "return A::mul(y, y);"),
        ("functions: a correction that overshoots is nearer", "A::larger_size(A::absolute(rest), A::absolute(distance))",
         "A::larger_size(rest, distance)"),
    ),
    *rows(
        "compute/special/vector_arithmetic_inl.h", "special_test",
        ("functions: in vectors ties go up", "hn::Add(odd, int_set((1U << (kDropped - 1)) - 1))",
         "int_set(1U << (kDropped - 1))"),
    ),
    *rows(
        "tpukernel/ops_hau.cc", "tpukernel_test",
        ("sorting: of equal values the larger index first", "ties[i] < ties[j];", "ties[i] > ties[j];"),
        ("line gathers: the last line is missing", "if (wanted >= start && wanted <= end) {",
         "if (wanted >= start && wanted < end) {"),
    ),
    *rows(
        "compute/rows/vector_pairs.cc", "differential_test",
        ("pairs: the last channel is as long as the others", "std::min(per_channel_, cols() - c * per_channel_);", "per_channel_;"),
    ),
    *rows(
        "compute/moves/indexed_access.h", "differential_test",
        ("indexed access: channels begin at NPU 0", "layout_.offset(1) % npu.extent : 0;", "0 : 0;"),
    ),
    *rows(
        "trail/init_shadow.cc", "trail_test",
        ("undefined: an element that ends undefined is half defined",
         "end = (end + from_bytes - 1) / from_bytes * to_bytes;", "end = end / from_bytes * to_bytes;"),
    ),
    *rows(
        "observe/check/aliasing.cc", "check_test",
        ("in place: a batch is read before any of it is written", "for (std::int64_t read = written; read < batches; ++read) {",
         "for (std::int64_t read = written + 1; read < batches; ++read) {"),
    ),
    *rows(
        "observe/check/memory_bounds.cc", "check_test",
        ("bounds: the byte behind an allocation belongs to it", "if (address >= block.bytes.end) return std::nullopt;",
         "if (address > block.bytes.end) return std::nullopt;"),
    ),
    *rows(
        "trail/windows.cc", "trail_test",
        ("windows: a gap of one row is none", "if (dilation == 1 && step <= kernel) {", "if (dilation == 1 && step <= kernel + 1) {"),
    ),
    *rows(
        "trail/live_tensors.cc", "trail_test",
        ("live tensors: who replaces all of a tensor is in its way", "states_[victim - 1];\n    if (!state.read && state.kind == Kind::kPlain && writers_.get(victim).written < later.written &&\n        !contains(bytes, later.bytes)) {",
         "states_[victim - 1];\n    if (!state.read && state.kind == Kind::kPlain && writers_.get(victim).written < later.written) {"),
    ),
    *rows(
        "observe/check/causes.cc", "check_test",
        ("causes: launches before those that are known stay apart", "a.first <= b.last + 1", "a.first <= b.last"),
    ),
    *rows(
        "trail/value_extent.cc", "trail_test",
        ("values: of vectors of NaN alone the largest", "if (lows[k] > highs[k]) continue;  // no element, or NaN alone\n", ""),
    ),

]


def misfits():
    """Rows whose text is not found exactly once."""
    for mutant in MUTANTS:
        path = SOURCES / mutant.file
        found = path.read_text().count(mutant.before) if path.exists() else 0
        if found != 1:
            yield f"{mutant.name}: its text is found {found} times in {mutant.file}"


def build(folder, program):
    """None, or what the compiler said."""
    result = subprocess.run(["nice", "ninja", "-C", str(folder), "-j1", program],
                            capture_output=True, text=True, check=False)
    return None if result.returncode == 0 else result.stdout


def has(folder, program):
    return subprocess.run(["ninja", "-C", str(folder), "-t", "query", program], check=False,
                          capture_output=True).returncode == 0


def limit_seconds():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def passes(folder, program):
    [path] = [path for path in (folder / "src/tensorlane").glob(f"**/{program}") if path.is_file()]
    try:
        result = subprocess.run([str(path), "--gtest_brief=1", "--gtest_fail_fast"], cwd=path.parent,
                                timeout=6 * SECONDS, preexec_fn=limit_seconds, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0


def verdict(folder, mutant):
    path = SOURCES / mutant.file
    text = path.read_text()
    path.write_text(PREFIX + text.replace(mutant.before, mutant.after))
    try:
        errors = build(folder, mutant.program)
        if errors:
            return f"does not compile\n{errors[-1500:]}"
        return "SURVIVED" if passes(folder, mutant.program) else "killed"
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    wrong = list(misfits())
    for line in wrong:
        print(line)
    if options.check or wrong:
        print(f"{len(MUTANTS)} mutants, {len(wrong)} that do not fit")
        return 1 if wrong else 0
    if options.build is None:
        parser.error("--build is missing")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through the finally above
    folder = options.build.resolve()
    chosen = [mutant for mutant in MUTANTS if not options.names or any(
        name in mutant.name or name == mutant.program for name in options.names)]
    programs = sorted({mutant.program for mutant in chosen})
    for program in [program for program in programs if not has(folder, program)]:
        print(f"left out: the build has no {program}")
        programs.remove(program)
    chosen = [mutant for mutant in chosen if mutant.program in programs]
    for program in programs:
        if build(folder, program) or not passes(folder, program):
            print(f"{program} does not build or pass without a mutant")
            return 1
    killed = 0
    for mutant in chosen:
        result = verdict(folder, mutant)
        killed += result == "killed"
        print(f"{result:8}  {mutant.name} [{mutant.program}]", flush=True)
    for program in programs:
        build(folder, program)
    print(f"{killed} of {len(chosen)} mutants killed")
    return 0 if killed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
