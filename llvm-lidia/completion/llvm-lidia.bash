# Completion of llvm-lidia's command lines in bash. The tool itself computes the
# candidates (llvm-lidia/Complete.h).

_llvm_lidia() {
  local words=() word names last i
  # bash splits words at these characters; the tool does not.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $word == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  last=${words[-1]}

  # The part of the last word that the reply does not replace.
  local kept=
  [[ $COMP_WORDBREAKS != *=* ]] || kept=${last%"${last##*[=:]}"}
  COMPREPLY=()
  {
    read -r names
    while IFS=$'\t' read -r word _; do
      COMPREPLY+=("${word#"$kept"}")
    done
  } < <("${COMP_WORDS[0]/#\~/$HOME}" --complete "${words[@]}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace

  case $names in
  files)
    if ((${#COMPREPLY[@]})); then
      compopt -o filenames
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${last#"$kept"}")
    else
      compopt -o default
    fi
    ;;
  directories) compopt -o dirnames ;;
  esac
}

complete -F _llvm_lidia llvm-lidia lidia-symbolizer
