# SPDX-License-Identifier: Apache-2.0
# mandoc has nothing to say about the pages, and every word of a rendered page that begins
# with a dash is an option that some page describes, or one of `other`.
command -v mandoc >/dev/null || skip "no mandoc"
for page in "$SOURCE"/man/*; do
    mandoc -Tlint -W warning "$page" | sed "s|$SOURCE/||"
done
other='-n --fmad --cflags --libs --static -lm -lmeshplan -m --option'
{
    cat "$SOURCE"/man/* | grep '^\.It Fl' | grep -oE 'Fl -?[a-z][a-z-]*' | sed -E 's/^Fl /-/'
    printf '%s\n' $other
} | sort -u >known
for page in "$SOURCE"/man/*; do
    mandoc -Tascii -O width=1000 "$page" | sed 's/.\x08//g' | grep -oE '(^|[[ (|])--?[a-z][a-z0-9-]*' |
        grep -oE -- '-.*' | sort -u | grep -vxFf known | sed "s|^|${page##*/}: not an option: |"
done
