# SPDX-License-Identifier: Apache-2.0
"""Where a C file can be changed by one, and how: guards, and anything else of a function (tools/mutants)."""
import collections, hashlib, pathlib, re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<"}
LIMIT = re.compile(r"(?!MPLAN_)[A-Z][A-Z0-9_]+$|MPLAN_(N_|MAX_|MOST_)\w+$|MPLAN_\w*(NO_LOCAL|NO_ENTRY|NONE16|WINDOW|HEADER|_MAX|_MOST|MOST_\w+)$")
NO_LIMIT = {"NULL", "INT64_MAX", "INT64_MIN", "UINT64_MAX", "INT64_C", "UINT64_C", "UINT32_C", "SIZE_MAX"}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*$")
TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<line>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)|(?P<word>[A-Za-z_]\w*)|(?P<number>0[xX][0-9a-fA-F]+\w*|\d[\w.]*)"""
    r"""|(?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^!=<>~?:;,.(){}\[\]])""",
    re.S | re.M)

Token = collections.namedtuple("Token", "kind text begin end")
# edits: (begin, end, new text) of characters; slot: characters of an expression that holds them all, None
# where there is none that a choice of expressions can replace. place: a name that stays while the line does; id: while the file does.
Mutant = collections.namedtuple("Mutant", "path line function text edits slot place id source")


def tokens_of(source):
    tokens = []
    for found in TOKEN.finditer(source):
        kind = found.lastgroup
        if kind not in ("comment", "text", "line"):
            tokens.append(Token(kind, found.group(), found.start(), found.end()))
    return tokens


def pairs_of(tokens):
    """Index of the other bracket, for each bracket."""
    other, stack = {}, []
    for i, token in enumerate(tokens):
        if token.text in "([{" and token.kind == "op":
            stack.append(i)
        elif token.text in ")]}" and token.kind == "op":
            other[i] = stack.pop()
            other[other[i]] = i
    return other


def functions_of(tokens, other):
    """Name of the function at each token; '' outside."""
    names, depth, name = [], 0, ""
    for i, token in enumerate(tokens):
        if token.text == "{":
            if depth == 0:
                name = ""
                if i and tokens[i - 1].text == ")":
                    name = tokens[other[i - 1] - 1].text
            depth += 1
        names.append(name if depth else "")
        if token.text == "}":
            depth -= 1
    return names


def statements_of(tokens, other, names):
    """Ranges of tokens: conditions of `if`, of `if` and `while`, other statements, headers of `for`."""
    conditions, guards, others, headers, i, begin = [], [], [], [], 0, 0
    while i < len(tokens):
        text = tokens[i].text
        if text in ("if", "while", "for", "switch", "assert") and tokens[i + 1].text == "(":
            end = other[i + 1]
            if text in ("if", "while") and names[i]:
                guards.append((i + 2, end))
            if text == "if" and names[i]:
                conditions.append((i + 2, end))
            if text == "for" and names[i]:
                headers.append((i + 2, end))
            i = begin = end + 1
            continue
        if text in "{};" and tokens[i].kind == "op":
            if names[i] and begin < i:
                others.append((begin, i))
            begin = i + 1
        i += 1
    return conditions, guards, others, headers


def slot_of(tokens, begin, end, k):
    """The part of the statement [begin, end) with token k that is an expression: between `=`, commas and braces that
    no parenthesis holds."""
    depth, first = 0, begin
    if tokens[first].text in ("case", "default"):
        return None
    while tokens[first].text in ("return", "else"):
        first += 1
    i = first
    while i < end:
        token = tokens[i]
        if token.kind == "op":
            depth += (token.text in "([") - (token.text in ")]")
            if depth == 0 and token.text in ("=", ",", "{", "}"):
                if i > k:
                    break
                first = i + 1
        i += 1
    if first >= i or not first <= k < i:
        return None
    return tokens[first].begin, tokens[i - 1].end


def guards_of(tokens, other, names):
    """Pairs of edits and their slot: conditions, and statements that compare."""
    conditions, guards, others, _ = statements_of(tokens, other, names)
    for begin, end in conditions:
        first, last = tokens[begin].begin, tokens[end - 1].end
        yield [(first, first, "0 && ("), (last, last, ")")], (first, last)
    for begin, end in sorted(guards + others):
        inside = tokens[begin:end]
        guard = (begin, end) in guards
        if not guard and not any(t.text in NEIGHBOUR and t.kind == "op" for t in inside):
            continue
        depth = 0
        for k, token in enumerate(inside):
            before = inside[k - 1] if k else None
            depth += (token.text == "[") - (token.text == "]") if token.kind == "op" else 0
            where = token.begin, token.end
            slot = (inside[0].begin, inside[-1].end) if guard else slot_of(tokens, begin, end, begin + k)
            if token.kind == "op" and token.text in NEIGHBOUR:
                yield [(*where, NEIGHBOUR[token.text])], slot
            elif token.kind == "number" and depth == 0 and NUMBER.match(token.text):
                for sign in "+-":
                    yield [(*where, f"({token.text} {sign} 1)")], slot
            elif token.kind == "word" and depth == 0 and LIMIT.match(token.text) and token.text not in NO_LIMIT:
                if k + 1 < len(inside) and inside[k + 1].text == "(" or before and before.text in (".", "->"):
                    continue # a call of a macro; a member
                for sign in "+-":
                    yield [(*where, f"({token.text} {sign} INT64_C(1))")], slot


def constants_of(source):
    """Limits that the file itself names: members of enumerations with a value, and #defines of one number."""
    for found in re.finditer(r"^enum \{([^}]*)\}|^#define \w+ (\(?(?:INT64_C\()?\d+\)?)$", source, re.M):
        group = 1 if found.group(1) else 2
        for number in re.finditer(r"(?<==) *(\d+)\b" if group == 1 else r"(\d+)", found.group(group)):
            begin = found.start(group) + number.start(1)
            for sign in "+-":
                text = number.group(1)
                yield [(begin, begin + len(text), str(int(text) + (1 if sign == "+" else -1)))], None


def is_statement(source, tokens):
    """Whether a statement can be left out: a call or an assignment that does not only release memory."""
    first, texts = tokens[0], [t.text for t in tokens]
    if first.kind != "word" and first.text != "*" or first.text in (
            "return", "goto", "break", "continue", "case", "default", "else", "do", "static", "const", "typedef", "enum", "free"):
        return False
    if len(tokens) > 1 and (tokens[1].kind == "word" or tokens[1].text == "*" and source[tokens[1].end] != " ") and first.text != "*":
        return False # a declaration
    return not re.search(r"(_free|_close|release\w*)$", first.text) and any(t in ("=", "(", "++", "--") for t in texts)


# What precedes the length of an array that a statement declares.
DECLARED = re.compile(r"(?!return\b|else\b|case\b|goto\b)(?:(?:static|const|struct|unsigned) )*[a-z]\w* [^=;(]*\w\[[^\]=;(]*$")


def changes_of(source, tokens, other, names):
    """Edits of anything in functions: an operator, a comparison, a number by one, a statement left out."""
    _, guards, others, headers = statements_of(tokens, other, names)
    for begin, end in sorted(guards + others + headers):
        inside = tokens[begin:end]
        if (begin, end) in others and is_statement(source, inside):
            yield [(inside[0].begin, inside[-1].end, "")], None
        for token in inside:
            where = token.begin, token.end
            binary = source[token.begin - 1] == " " and source[token.end] in " \n"
            if token.kind == "op" and token.text in NEIGHBOUR:
                yield [(*where, NEIGHBOUR[token.text])], None
            elif token.kind == "op" and token.text in ARITHMETIC and (binary or source[token.end] == "="):
                yield [(*where, ARITHMETIC[token.text])], None
            elif token.kind == "number" and NUMBER.match(token.text):
                allocates = any(t.text.startswith(("mplan_alloc", "mplan_realloc")) and t.end <= token.begin for t in inside)
                allocates = allocates or DECLARED.match(source[inside[0].begin:token.begin])
                for sign in "-" if allocates else "+-": # nobody sees that more is allocated than is needed
                    yield [(*where, f"({token.text} {sign} 1)")], None


def apply(source, edits):
    for begin, end, text in sorted(edits, reverse=True):
        source = source[:begin] + text + source[end:]
    return source


def mutants_of(path, general=False):
    source = (ROOT / path).read_text()
    tokens = tokens_of(source)
    other = pairs_of(tokens)
    names = functions_of(tokens, other)
    begins = [token.begin for token in tokens]
    seen = collections.Counter()
    found = changes_of(source, tokens, other, names) if general else [*guards_of(tokens, other, names), *constants_of(source)]
    for edits, slot in found:
        first, last = min(e[0] for e in edits), max(e[1] for e in edits)
        begin, end = source.rfind("\n", 0, first) + 1, source.find("\n", last)
        line = source.count("\n", 0, first) + 1
        changed = apply(source, edits)
        text = " ".join(changed[begin:end + len(changed) - len(source)].split())
        at = next((i for i, b in enumerate(begins) if b >= first), 0)
        key = (pathlib.Path(path).name, names[at], text)
        seen[key] += 1
        place = f"{key}{seen[key]}"
        digest = hashlib.sha256(place.encode() + source.encode()).hexdigest()[:20]
        yield Mutant(path, line, names[at] or "-", text, edits, slot, place, digest, source)


# --- one file with all its mutants -------------------------------------------------------------------

HEAD = "extern int mplan_mutant_chosen;\n"


def as_line(text):
    """C without comments and line breaks."""
    text = TOKEN.sub(lambda found: " " if found.lastgroup == "comment" else found.group(), text)
    return text.replace("\\\n", " ").replace("\n", " ")


def switched(source, mutants, left_out):
    """The file with all mutants that have a slot: number i (from 1) is seen where mplan_mutant_chosen is i.
    Returns it, and the slot at each line. Slots of `left_out` stay as they are."""
    by_slot = collections.defaultdict(list)
    for i, mutant in enumerate(mutants, 1):
        if mutant.slot and mutant.slot not in left_out and "#" not in source[slice(*mutant.slot)]:
            by_slot[mutant.slot].append((i, mutant))
    made, at, lines = HEAD, 0, {}
    for slot in sorted(by_slot):
        begin, end = slot
        if begin < at:
            left_out.add(slot) # inside another
            continue
        made += source[at:begin]
        lines[made.count("\n") + 1] = slot
        text = as_line(source[begin:end])
        chain = "".join(f"mplan_mutant_chosen == {i} ? ("
                        f"{as_line(apply(source[begin:end], [(b - begin, e - begin, t) for b, e, t in mutant.edits]))}) : "
                        for i, mutant in by_slot[slot])
        made += f"({chain}({text}))"
        at = end
    return made + source[at:], lines
