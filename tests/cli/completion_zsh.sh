# SPDX-License-Identifier: Apache-2.0
# zsh completes commands, options and words, behind "=" and commas, too. Each line is typed on a terminal (zsh/zpty)
# up to a tab; what the tab made of it is printed by the next key.
command -v zsh >/dev/null || skip "no zsh"
zsh -fc 'zmodload zsh/zpty && autoload -Uz compinit && compinit -D' 2>/dev/null || skip "no zsh/zpty"
$MESHPLAN completion zsh >_meshplan
zsh -n _meshplan
touch wing.msh wing.mplan
cat >type.zsh <<'ZSH'
zmodload zsh/zpty
said=
zpty z "zsh -f -i 2>/dev/null"
# READY is not in the line that prints it; ^X prints the line as it is and clears it
zpty -w z 'KEYTIMEOUT=1; PROMPT=">"; unsetopt beep; autoload -Uz compinit; compinit -D; source ./_meshplan; _line() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N _line; bindkey "^X" _line; print RE""ADY'
zpty -r -m z said '*READY*>*'
for line in "$@"; do
    zpty -n -w z "$line"$'\t'$'\x18'
    zpty -r -m z said '*<<*>>*'
    said=${said##*<<}
    print -r -- "$line -> ${said%%>>*}"
done
zpty -d z
ZSH
timeout 300 zsh -f type.zsh 'meshplan ver' 'meshplan plan --keep-o' 'meshplan plan --partitioner sc' 'meshplan plan --partitioner=sc' \
    'meshplan plan --strategy block-colour,at' 'meshplan plan --strategy=atomic,tw' 'meshplan generate na' 'meshplan help comp' \
    'meshplan completion z' 'meshplan verify wing.mplan --mesh wing.ms'
