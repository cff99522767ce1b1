#!/bin/sh
# Makes a manual page from a page of the command guide:
#
#   make-man-page.sh LOWDOWN VERSION DATE GUIDE SECTION PAGE
#
# LOWDOWN is the converter, version 1 or 2.
set -eu
lowdown=$1 version=$2 date=$3 guide=$4 section=$5 page=$6
title=$(basename "$guide" .md | tr '[:lower:]' '[:upper:]')

# The guide's title becomes the section NAME, and its sections become those of a
# manual page. Links to other pages of the guide name the page; other links are
# removed, because their targets are missing.
body=$(sed -E -e 's/^# (.*)/# NAME\n\n\1/' -e 's/^## (.*)/# \U\1/' \
    -e 's/^##(#+) /#\1 /' -e '/^<!--.*-->$/d' "$guide" |
  sed -zE -e 's/\[(llvm-lidia-[a-z]+|lidia-symbolizer)\]\(\1\.md[^)]*\)/**\1**(1)/g' \
    -e 's/\[(lidia-[a-z]+)\]\(\1\.md[^)]*\)/**\1**(7)/g' \
    -e 's/\[([^][]+)\]\((llvm-lidia-[a-z]+|lidia-symbolizer)\.md[^)]*\)/\1 (**\2**(1))/g' \
    -e 's/\[([^][]+)\]\((lidia-[a-z]+)\.md[^)]*\)/\1 (**\2**(7))/g' \
    -e 's/\[([^][]+)\]\(([^):]+)\)/\1/g' |
  "$lowdown" -s -tman --out-no-smarty -M "title=$title" -M "section=$section" \
    -M "date=$date" -M "source=lidia $version" -M "volume=User Commands")

{
  # Makes man run tbl.
  printf '%s\n' "'\\\" t -*- coding: utf-8 -*-"
  # Code is bold, like options and commands in other manual pages, because a terminal
  # has one font. Examples are indented. Version 1 of lowdown writes definitions as
  # paragraphs that begin a line higher, which some readers do not support. A plain
  # minus may become another character, which searches do not find. Lines are not
  # stretched, and paths in tables may be broken, so that they fit.
  printf '%s\n' "$body" |
    sed -zE -e 's/^[^\n]*\n(\.TH [^\n]*)/\1\n.nh\n.ad l/' \
      -e 's/\\f(C|\(CR)/\\fB/g' \
      -e 's/\.(S[HS])\n/.\1 /g' \
      -e 's/(\n\.S[HS] [^\n]*)\n\.[LP]P\n/\1\n/g' \
      -e 's/\n\.EX\n/\n.RS 4n\n.EX\n/g' -e 's/\n\.EE\n/\n.EE\n.RE\n/g' \
      -e 's/\n\.LP\n([^\n]+)\n\.if n \\\n\.sp -1v\n\.if t \\\n\.sp -0\.25v\n\.IP "" 5n\n/\n.TP 8n\n\1\n/g' \
      -e 's/\n\.TP 3\n/\n.TP 8n\n/g' |
    sed "/^[.']/!s/-/\\\\-/g" |
    sed -E '/^\.TS/,/^\.TE/{/^[^.]/{s,([^ ][:.])([^ ]),\1\\:\2,g;s,(/|\\-)([^ \\]),\1\\:\2,g}}'
} >"$page"
