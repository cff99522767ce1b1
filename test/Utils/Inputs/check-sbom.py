#!/usr/bin/env python3
"""Checks a bill of materials: check-sbom.py FILE LICENSES"""

import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    bill = json.load(file)
packages = {p["SPDXID"]: p for p in bill["packages"]}
assert len(packages) == len(bill["packages"])
named = sorted(p["comment"].split("/")[1].removesuffix(".txt.")
               for p in packages.values() if "comment" in p)
assert named == sorted(n.removesuffix(".txt") for n in os.listdir(sys.argv[2])), named
print("licenses:", *named)
for relation in bill["relationships"]:
    assert relation["relatedSpdxElement"] in packages, relation
related = {r["relatedSpdxElement"] for r in bill["relationships"]}
assert related == set(packages), related
for package in packages.values():
    print(package["name"], package.get("versionInfo", "?"))
