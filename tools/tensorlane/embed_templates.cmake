# Writes OUTPUT, a C++ file with the text of every file below the folder TEMPLATES: project_templates() of new_project.h.
file(GLOB_RECURSE names RELATIVE ${TEMPLATES} ${TEMPLATES}/*)
set(rows "")
foreach(name IN LISTS names)
  file(READ ${TEMPLATES}/${name} text)
  string(APPEND rows "    {\"${name}\", R\"template(${text})template\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made of the files in ${TEMPLATES}.
#include \"new_project.h\"

namespace tensorlane::cli {
namespace {

constexpr ProjectTemplate kTemplates[] = {
${rows}};

}  // namespace

std::span<const ProjectTemplate> project_templates() {
  return kTemplates;
}

}  // namespace tensorlane::cli
")
