# Completion for bash: verbs, options, and the values that an option's help lists. It asks the program, so it fits
# the installed version.
_neardup() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  local help verbs verb=() line value
  COMPREPLY=()
  help=$("$program" --help-all 2>/dev/null) || return
  verbs=$(sed -n '/^Verbs/,/^$/s/^  \([a-z][a-z-]*\)  .*/\1/p' <<<"$help")
  if ((COMP_CWORD > 1)) && grep -qxF -- "${COMP_WORDS[1]}" <<<"$verbs"; then
    verb=("${COMP_WORDS[1]}")
    help=$("$program" "${verb[@]}" --help-all 2>/dev/null) || return
  fi

  help=$(sed '/^Rules:/,$d' <<<"$help")

  # The kind of value that the previous option takes, as the help names it, if any.
  if [[ $previous == -* ]]; then
    line=$(grep -m 1 -e "^  \(-[^ ]*,\)\?$previous " <<<"$help")
    value=$(sed -n 's/^  -[^ ]* \([^ ][^ ]*\)  .*/\1/p' <<<"$line")
    case $value in
      '') ;;
      FILE* | PATH*) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
      FOLDER*) mapfile -t COMPREPLY < <(compgen -d -- "$current") && return ;;
      *) return ;;
    esac
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(-[-a-z0-9,]*\).*/\1/p' <<<"$help" | tr ',' ' ')" -- "$current")
  else
    ((COMP_CWORD > 1)) || mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$current")
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _neardup neardup
