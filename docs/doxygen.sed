# Doxygen reads the headers through this: the inline namespace is nothing a reader writes, and the plain
# words that begin the parts of a comment become sections.
s/^namespace neardup::inline v0/namespace neardup/
/^ *\/\/\/[^<]/ {
  s/Precondition: /\\pre /
  s/Returns: /\\return /
  s/Throws: /\\throws /
  s/\(Complexity\|Thread safety\|Guarantee\|Memory\|Space\|Source\): /\n\/\/\/ \\par \1\n\/\/\/ /
}
# Doxygen leaves out a base class that has an excluded symbol among its arguments, and with it what is inherited.
s/detail::\([a-z]*_engine<\)/\1/
s/detail::words_for(Bits)/Words/
