# cmake -DNAMES=bm1684,bm1684x -DOUTPUT=all_chips.cc -P all_chips.cmake: the list of all chips, by name.
string(REPLACE "," ";" names "${NAMES}")
set(declarations "")
set(addresses "")
foreach(name IN LISTS names)
  string(APPEND declarations "const Chip& ${name}();\n")
  string(APPEND addresses "&${name}(), ")
endforeach()
file(WRITE ${OUTPUT} "#include \"tensorlane/chip/chip.h\"

namespace tensorlane {

${declarations}
std::span<const Chip* const> all_chips() {
  static const Chip* const chips[] = {${addresses}};
  return chips;
}

}  // namespace tensorlane
")
