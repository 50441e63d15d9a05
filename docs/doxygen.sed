# Doxygen reads the headers through this: the inline namespace is nothing a reader writes, and the plain
# words that begin the parts of a comment become sections.
s/^namespace neardup::inline v0/namespace neardup/
/^ *\/\/\/[^<]/ {
  s/Precondition: /\\pre /
  s/Returns: /\\return /
  s/Throws: /\\throws /
  s/\(Complexity\|Guarantee\|Memory\|Space\|Source\): /\n\/\/\/ \\par \1\n\/\/\/ /
}
