"""What a header declares in a namespace: a reader of as much C++ as the headers of this project use.

    for declaration in declarations(text): ...

It knows no types and expands no macros. It walks the statements of each namespace, and of the public part of each
class, and gives of each what kind it is, its name, the tokens of its signature and whether it is documented.
"""

import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<doc>///[^\n]*)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<preprocessor>^[ \t]*\#(?:[^\\\n]|\\.|\\\n)*)
      | (?P<raw>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)")
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?\d(?:['\w.]|(?<=[eEpP])[+-])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<symbol>::|->|\[\[|\]\]|&&|\|\||\.\.\.|[^\s])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
CLOSING = {"(": ")", "[": "]", "{": "}", "[[": "]]"}
SPECIFIERS = {"inline", "constexpr", "static", "extern", "consteval", "constinit", "explicit", "friend", "virtual"}
MACRO = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")


@dataclasses.dataclass
class Declaration:
    kind: str  # class, enum, alias, concept, function, variable; specialisations are "other"
    name: str
    line: int
    scope: str  # "neardup", "neardup::detail", "neardup::simhash", …
    documented: bool
    defined: bool  # False: `class x;`
    namespace_scope: bool
    result: list  # of a function: the tokens of its return type
    parameters: list  # of a function: the tokens of its parameters, without default arguments
    constraints: list  # the tokens of template <…>, without default arguments, and of requires …

    @property
    def in_detail(self):
        return "detail" in self.scope.split("::")


def tokenise(text):
    """[(kind, token, line)], without comments and preprocessor lines; a documentation line is one token of kind 'doc'."""
    result = []
    line, at = 1, 0
    for found in TOKEN.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        kind = found.lastgroup if found.lastgroup != "delimiter" else "raw"
        if kind in ("comment", "preprocessor"):
            continue
        if kind == "doc" and found.group().startswith("///<"):
            continue
        if kind == "name" and MACRO.fullmatch(found.group()):
            kind = "macro"
        result.append((kind, found.group(), line))
    return result


def is_empty(text):
    """Whether a file contains only comments and preprocessor lines."""
    return all(kind == "doc" for kind, _, _ in tokenise(text))


class Reader:
    def __init__(self, text):
        self.tokens = tokenise(text)
        self.found = []

    def closing(self, at):
        """The index of the bracket that closes the one at `at`."""
        todo = []
        while at < len(self.tokens):
            token = self.tokens[at][1]
            if self.tokens[at][0] == "symbol":
                if token in CLOSING:
                    todo.append(CLOSING[token])
                elif todo and token == todo[-1]:
                    todo.pop()
                elif token == "]]" and todo[-2:] == ["]", "]"]:  # a[b[i]]
                    del todo[-2:]
                if not todo:
                    return at
            at += 1
        return len(self.tokens)

    def closing_angle(self, at):
        """The index of the > that closes the < at `at`."""
        depth = 0
        while at < len(self.tokens):
            token = self.tokens[at][1]
            if token == "<":
                depth += 1
            elif token == ">":
                depth -= 1
                if depth == 0:
                    return at
            elif token in CLOSING:
                at = self.closing(at)
            at += 1
        return len(self.tokens)

    def token(self, at):
        return self.tokens[at][1] if at < len(self.tokens) else ""

    # A constraint: primaries joined by && and ||.
    def after_constraint(self, at):
        while True:
            if self.token(at) == "!":
                at += 1
            if self.token(at) == "(":
                at = self.closing(at) + 1
            elif self.token(at) == "requires":
                at += 1
                if self.token(at) == "(":
                    at = self.closing(at) + 1
                at = self.closing(at) + 1
            else:
                at += self.token(at) == "::"
                at += 1
                while self.token(at) in ("<", "::"):
                    at = self.closing_angle(at) + 1 if self.token(at) == "<" else at + 2
            if self.token(at) not in ("&&", "||"):
                return at
            at += 1

    def read(self, at, end, scope, kind):
        """Reads the statements between two indices, which belong to a namespace or a class."""
        documented = False
        public = kind != "class"
        while at < end:
            token_kind, token, line = self.tokens[at]
            if token_kind == "doc":
                documented = True
                at += 1
                continue
            if kind != "namespace" and token in ("public", "private", "protected") and self.token(at + 1) == ":":
                public = token == "public"
                at += 2
                continue
            if token in (";", "}"):
                at += 1
                continue
            if token == "namespace" or (token == "inline" and self.token(at + 1) == "namespace"):
                at = self.namespace(at, scope)
            else:
                at = self.statement(at, scope, kind, public, documented, line)
            documented = False

    def namespace(self, at, scope):
        parts = []
        while self.token(at) not in ("{", ";", "="):
            if self.tokens[at][0] == "name" and self.token(at) not in ("inline", "namespace", "v0"):
                parts.append(self.token(at))
            at += 1
        if self.token(at) != "{":
            while self.token(at) != ";":
                at += 1
            return at + 1
        end = self.closing(at)
        self.read(at + 1, end, "::".join(filter(None, [scope, *parts])), "namespace")
        return end + 1

    def statement(self, at, scope, kind, public, documented, line):
        constraints = []

        def take_constraint(end):
            constraints.extend(without_defaults([word for _, word, _ in self.tokens[at:end]]))
            return end

        # template <…> requires …
        while self.token(at) in ("template", "requires", "[["):
            if self.token(at) == "[[":
                at = self.closing(at) + 1
            elif self.token(at) == "requires":
                at = take_constraint(self.after_constraint(at + 1))
            elif self.token(at + 1) == "<":
                at = take_constraint(self.closing_angle(at + 1) + 1)
            else:
                at += 1  # an explicit instantiation
        # The signature reaches to the body, the initial value or the end.
        signature = []
        body = None
        while at < len(self.tokens):
            token_kind, token, _ = self.tokens[at]
            if token_kind == "doc":
                at += 1
            elif token_kind == "macro":
                at += 1
                if self.token(at) == "(":
                    at = self.closing(at) + 1
            elif token == "[[":
                at = self.closing(at) + 1
            elif token in ("__attribute__", "alignas"):
                at = self.closing(at + 1) + 1
            elif token == "requires":
                at = take_constraint(self.after_constraint(at + 1))
            elif token == "(" or (token == "[" and signature):
                end = self.closing(at)
                signature += self.tokens[at : end + 1]
                at = end + 1
            elif token == "<" and signature and signature[-1][0] == "name" and signature[-1][1] != "operator":
                end = self.closing_angle(at)
                signature += self.tokens[at : end + 1]
                at = end + 1
            elif token == ":" and "(" in (t for _, t, _ in signature):  # a constructor's initialisers
                while self.token(at) not in ("{", ";"):
                    at = self.closing(at) + 1 if self.token(at) == "(" else at + 1
                    # an initialiser with braces is followed by a comma or by the body
                    while self.token(at) == "{" and self.token(self.closing(at) + 1) in (",", "{"):
                        at = self.closing(at) + 1
                body = at
                break
            elif token in ("{", ";", "="):
                if token == "=" and signature and signature[-1][1] == "operator":
                    signature.append(self.tokens[at])
                    at += 1
                    continue
                body = at
                break
            else:
                signature.append(self.tokens[at])
                at += 1
        words = [token for _, token, _ in signature]
        declared, name = self.named(words, kind, signature)
        has_body = self.token(at) == "{"
        if declared and public:
            self.found.append(
                Declaration(
                    declared,
                    name,
                    line,
                    scope,
                    documented,
                    has_body or declared not in ("class", "enum"),
                    kind == "namespace",
                    *(parts_of_function(signature, name) if declared == "function" else ([], [])),
                    constraints,
                )
            )
        # Skip to the end of the declaration.
        if declared == "class" and has_body and public:
            inside = "class" if "class" in words else "struct"
            self.read(at + 1, self.closing(at), f"{scope}::{name}", inside)
        if has_body:
            at = self.closing(at) + 1
            # Functions end here; types and variables end with a semicolon.
            if declared == "function":
                return at
        while at < len(self.tokens) and self.token(at) != ";":
            if self.token(at) in CLOSING:
                at = self.closing(at)
            at += 1
        return at + 1

    def named(self, words, kind, signature):
        """(kind, name) of a declaration; (None, "") if it declares no name."""
        start = 0
        if "friend" in words[:2] or words[:1] == ["static_assert"]:
            return (None, "") if "(" not in words or words[0] == "static_assert" else ("function", "")
        while start < len(words) and words[start] in SPECIFIERS:
            start += 1
        rest = words[start:]
        if not rest:
            return None, ""
        if rest[0] in ("class", "struct", "union"):
            if len(rest) > 2 and rest[2] in ("<", "::"):
                return "other", ""  # a specialisation, maybe of a name in another namespace
            if len(rest) > 1:
                return "class", rest[1]
        if rest[0] == "enum":
            return "enum", rest[2] if rest[1] in ("class", "struct") else rest[1]
        if rest[0] == "concept":
            return "concept", rest[1]
        if rest[0] == "using":
            if rest[1] == "namespace":
                return None, ""
            return "alias", rest[1] if len(rest) == 2 else rest[-1]
        # A function: a name before a parenthesis that is outside of any <…>.
        angle = 0
        for index, (token_kind, token, _) in enumerate(signature[start:]):
            if token == "<":
                angle += 1
            elif token == ">" and angle:
                angle -= 1
            elif token == "operator":
                return "function", ""
            elif token == "(" and angle == 0 and index > 0 and rest[index - 1] not in ("decltype", "noexcept"):
                before = rest[index - 1]
                if kind == "namespace" and index == 1 and "->" in rest:
                    return "function", ""  # a deduction guide
                if kind == "namespace" and index > 1 and rest[index - 2] == "::":
                    return "function", ""  # the definition of a member outside of its class
                return "function", before if re.fullmatch(r"\w+", before) else ""
        if rest[-1] == ">":
            return "other", ""  # a specialisation of a variable
        names = [t for k, t, _ in signature[start:] if k == "name"]
        if "[" in rest:
            names = [t for k, t, _ in signature[start : start + rest.index("[")] if k == "name"]
        return ("variable", names[-1]) if len(names) > 1 or "auto" in rest else (None, "")


def parts_of_function(signature, name):
    """(result, parameters) of a function, as tokens."""
    words = [token for _, token, _ in signature]
    angle, at = 0, 0
    for at, word in enumerate(words):
        angle += (word == "<") - (word == ">" and angle > 0)
        if word == "(" and angle == 0 and at and (words[at - 1] == name or "operator" in words[:at]):
            if not (words[at - 1] == "operator"):  # for operator()(…), the second parenthesis
                break
    depth, end, parameters, skipping = 0, at, [], False
    for end in range(at, len(words)):
        word = words[end]
        depth += (word in "([{<") - (word in ")]}>")
        if depth == 0:
            break
        if word == "=" and depth == 1:
            skipping = True
        elif word == "," and depth == 1:
            skipping = False
        if not skipping:
            parameters.append(word)
    rest = words[end + 1 :]
    return words[:at] + (rest[rest.index("->") :] if "->" in rest else []), parameters


def without_defaults(words):
    """The tokens of template <…> without default arguments; those of a requires-clause unchanged."""
    if words[:1] != ["template"]:
        return words
    depth, result, skipping = 0, [], False
    for word in words:
        depth += (word in "([{<") - (word in ")]}>")
        if depth == 1 and word in ("=", ","):
            skipping = word == "="
        if not skipping:
            result.append(word)
    return result


def declarations(text):
    reader = Reader(text)
    reader.read(0, len(reader.tokens), "", "namespace")
    return reader.found


def is_public_name(declaration):
    """Whether the declaration is directly in namespace neardup and declares a name."""
    d = declaration
    return d.namespace_scope and d.scope == "neardup" and bool(d.name) and d.kind != "other"


def public_names(text):
    """The declarations in namespace neardup itself that have a name."""
    return [d for d in declarations(text) if is_public_name(d)]
