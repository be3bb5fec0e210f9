# ctest reads it first: tests compare texts in English, whatever the language of who runs them.
set(ENV{LC_ALL} C.UTF-8)
unset(ENV{TENSORLANE_LANG})
