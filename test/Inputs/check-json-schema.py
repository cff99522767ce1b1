"""Checks the JSON on standard input against docs/json-schema.json.

Usage: check-json-schema.py SCHEMA [DEFINITION]

The input is a value, or one in each line. DEFINITION is that in "$defs" which all are
checked against (default: the whole schema). Knows the keywords that the schema uses, and
fails for others.
"""

import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int}
NOTES = {"$schema", "$defs", "title", "description"}


def problem(value, schema, root):
    """Why the value does not match, or None."""
    for keyword, wanted in schema.items():
        if keyword in NOTES:
            continue
        why = KEYWORDS[keyword](value, wanted, schema, root)
        if why:
            return why
    return None


def one_of(value, schemas, root, most):
    whys = [problem(value, s, root) for s in schemas]
    if 1 <= whys.count(None) <= most:
        return None
    return f"matches {whys.count(None)} of {len(whys)}: {whys}: {str(value)[:200]}"


def properties(value, wanted, schema, root):
    for name, part in value.items():
        other = schema.get("additionalProperties", True)
        if name not in wanted and other is False:
            return f"unexpected member: {name}"
        why = name in wanted and problem(part, wanted[name], root)
        if why:
            return f"{name}: {why}"
    return None


def additional(value, wanted, schema, root):
    if not isinstance(wanted, dict):
        return None
    others = [v for k, v in value.items() if k not in schema.get("properties", {})]
    return next(filter(None, (problem(v, wanted, root) for v in others)), None)


def told(holds, value, wanted):
    return None if holds else f"{value!r} is not {wanted!r}"


KEYWORDS = {
    "$ref": lambda v, w, s, r: problem(v, r["$defs"][w.rsplit("/", 1)[1]], r),
    "type": lambda v, w, s, r: told(type(v) is TYPES[w], v, w),
    "const": lambda v, w, s, r: told(v is w, v, w),
    "enum": lambda v, w, s, r: told(v in w, v, w),
    "minimum": lambda v, w, s, r: told(v >= w, v, w),
    "minLength": lambda v, w, s, r: told(len(v) >= w, v, w),
    "pattern": lambda v, w, s, r: told(re.search(w, v), v, w),
    "required": lambda v, w, s, r: told(set(w) <= set(v), sorted(v), w),
    "properties": properties,
    "additionalProperties": additional,
    "items": lambda v, w, s, r: next(filter(None, (problem(i, w, r) for i in v)), None),
    "anyOf": lambda v, w, s, r: one_of(v, w, r, len(w)),
    "oneOf": lambda v, w, s, r: one_of(v, w, r, 1),
}

with open(sys.argv[1], encoding="utf-8") as file:
    root = json.load(file)
schema = root["$defs"][sys.argv[2]] if len(sys.argv) > 2 else root
text = sys.stdin.read()
try:
    values = [json.loads(text)]
except json.JSONDecodeError:
    values = [json.loads(line) for line in text.splitlines()]
for value in values:
    why = problem(value, schema, root)
    if why:
        sys.exit(f"{sys.argv[1]}: {why}")
print(f"{len(values)} valid")
