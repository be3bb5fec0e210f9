# cmake -DFOLDER=page -DOUTPUT=report_page_template.cc -P embed_page.cmake
# Puts style and script into page.html, that and the texts into a C++ file; the C++ code fills in texts in all languages and the data.
file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/texts.json texts)
set(script "")
foreach(name model timeline gestures roofline sections compare main)
  file(READ ${FOLDER}/${name}.js text)
  string(APPEND script "${text}\n")
endforeach()
foreach(part style script)
  string(TOUPPER ${part} mark)
  string(REPLACE "@${mark}@" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUTPUT} "// Made of the files in ${FOLDER}.
#include \"tensorlane/observe/time/report_page.h\"

namespace tensorlane::observe {

const std::string_view kPageTemplate = R\"tl_page(${page})tl_page\";
const std::string_view kPageTexts = R\"tl_page(${texts})tl_page\";

}  // namespace tensorlane::observe
")
