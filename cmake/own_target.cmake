# neardup_own_target(<target>): links neardup::neardup and turns on the warnings. For the programs of
# this repository only; nobody who uses neardup inherits a flag.
function(neardup_own_target target)
  target_link_libraries(${target} PRIVATE neardup::neardup)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(MSVC)
    target_compile_options(
      ${target} PRIVATE /W4 /permissive- /utf-8 /bigobj $<$<BOOL:${NEARDUP_WERROR}>:/WX>
    )
  else()
    target_compile_options(
      ${target}
      PRIVATE -Wall
              -Wextra
              -Wconversion
              -Wshadow
              # g++ 12 takes "t" + std::string for an overlapping copy (GCC bug 105651).
              $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
              $<$<BOOL:${NEARDUP_WERROR}>:-Werror>
    )
  endif()
endfunction()
