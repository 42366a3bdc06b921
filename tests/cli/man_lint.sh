command -v mandoc >/dev/null || skip "no mandoc"
for page in "$SOURCE"/man/*; do
    mandoc -Tlint -W warning "$page" | sed "s|$SOURCE/||"
done
