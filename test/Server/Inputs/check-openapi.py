#!/usr/bin/env python3
"""check-openapi.py OPENAPI SERVICE: checks that the description has the endpoints of
the table in Service.cpp, with their methods, and no others, and that everything to
which it refers exists. Prints the violations."""

import json
import re
import sys



def unique(pairs):
    names = [name for name, value in pairs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        print(f"{name} is in one object twice")
    return dict(pairs)


with open(sys.argv[1], encoding="utf-8") as file:
    api = json.load(file, object_pairs_hook=unique)
with open(sys.argv[2], encoding="utf-8") as file:
    source = file.read()
# Macros for the beginnings of paths.
for name, text in re.findall(r'#define (\w+) "([^"]+)"', source):
    source = source.replace(f'{name} "', f'"{text}')
rows = re.findall(r'\{"\w+",\s*"([A-Z ]+)",\s*"([^"]+)"', source)
table = {pattern.replace("**", "*"): set(methods.lower().split())
         for methods, pattern in rows if pattern != "/**"}
described = {re.sub(r"\{\w+\}", "*", path): set(methods)
             for path, methods in api["paths"].items()}
for path in sorted(table.keys() | described.keys()):
    if table.get(path) != described.get(path):
        print(f"{path}: the server has {table.get(path)}, the file {described.get(path)}")


def references(value):
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references(part)


for reference in set(references(api)):
    place = api
    for part in reference.removeprefix("#/").split("/"):
        place = place.get(part, {})
    if not place:
        print(f"{reference} is not there")
for path, methods in api["paths"].items():
    for method in methods.values():
        named = {p["name"] for p in method.get("parameters", []) if p["in"] == "path"}
        if named != set(re.findall(r"\{(\w+)\}", path)):
            print(f"{path}: its parameters are {named}")
print(len(described), "paths")
