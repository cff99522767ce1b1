#!/usr/bin/env python3
"""Writes a software bill of materials, in SPDX 2.3 as JSON, to standard output.

    write-sbom.py [--build FOLDER]

Lists what our programs, the library for C and the Python module contain: LLVM, and the
libraries whose licenses are in licenses/, with the versions that the build in FOLDER
(build) uses. The same build gives the same bytes.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Name, the file in licenses/, SPDX's name of the license, where it is from, and whether it
# is linked as a shared library rather than contained.
PARTS = [
    ("LLVM", "llvm", "Apache-2.0 WITH LLVM-exception", "https://llvm.org", False),
    ("RapidJSON", "rapidjson", "MIT", "https://github.com/Tencent/rapidjson", False),
    ("protozero", "protozero", "BSD-2-Clause", "https://github.com/mapbox/protozero", False),
    ("nanobind", "nanobind", "BSD-3-Clause", "https://github.com/wjakob/nanobind", False),
    ("ISA-L", "isa-l", "BSD-3-Clause", "https://github.com/intel/isa-l", True),
    ("zstd", "zstd", "BSD-3-Clause", "https://github.com/facebook/zstd", True),
]


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def cached(build, name):
    """A variable of the build."""
    found = re.search(rf"^{name}:\w+=(.*)$", read(os.path.join(build, "CMakeCache.txt")), re.M)
    return found[1] if found else ""


def macros(path, *names):
    """The values of macros, joined by dots; None if one is missing."""
    text = read(path)
    found = [re.search(rf"define {name} +\"?([\d.]+)", text) for name in names]
    return ".".join(match[1] for match in found) if all(found) else None


def package_version(name):
    if not shutil.which("pkg-config"):
        return None
    done = subprocess.run(["pkg-config", "--modversion", name], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip() or None


def nanobind_version(build):
    place = os.path.join(build, "utils", "python-module", "venv")
    for folder, names, _ in os.walk(place):
        for name in names:
            if match := re.fullmatch(r"nanobind-([\d.]+)\.dist-info", name):
                return match[1]
        if folder.endswith("site-packages"):
            names.clear()
    return None


def versions(build):
    llvm = read(os.path.join(cached(build, "LLVM_DIR"), "LLVMConfigVersion.cmake"))
    found = re.search(r'PACKAGE_VERSION "([\d.]+)"', llvm)
    json_folder = cached(build, "RAPIDJSON_INCLUDE_DIR")
    proto_folder = cached(build, "PROTOZERO_INCLUDE_DIR")
    return {
        "LLVM": found[1] if found else None,
        "RapidJSON": macros(f"{json_folder}/rapidjson/rapidjson.h",
                            "RAPIDJSON_MAJOR_VERSION", "RAPIDJSON_MINOR_VERSION",
                            "RAPIDJSON_PATCH_VERSION"),
        "protozero": macros(f"{proto_folder}/protozero/version.hpp",
                            "PROTOZERO_VERSION_STRING"),
        "nanobind": nanobind_version(build),
        "ISA-L": package_version("libisal"),
        "zstd": package_version("libzstd"),
    }


def package(name, version, license_name, place, comment=""):
    result = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name),
        "name": name,
        "downloadLocation": place,
        "filesAnalyzed": False,
        "licenseConcluded": license_name,
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
    }
    if version:
        result["versionInfo"] = version
    if comment:
        result["comment"] = comment
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    build = parser.parse_args().build
    if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
        sys.exit(f"{build}: no build folder")
    version = re.search(r"project\(lidia\s+VERSION ([\d.]+)",
                        read(os.path.join(SOURCE, "CMakeLists.txt")))[1]
    known = versions(build)
    packages = [package("lidia", version, "Apache-2.0 WITH LLVM-exception", "NOASSERTION")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-lidia")]
    for name, file, license_name, place, is_shared in PARTS:
        packages.append(package(name, known[name], license_name, place,
                                f"The license is in licenses/{file}.txt."))
        relations.append(("SPDXRef-lidia", "DYNAMIC_LINK" if is_shared else "CONTAINS",
                          packages[-1]["SPDXID"]))
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"lidia-{version}",
        "documentNamespace": f"urn:lidia:sbom:{version}:{digest}",
        "creationInfo": {"created": "2026-01-01T00:00:00Z",
                         "creators": ["Tool: lidia-write-sbom"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind,
                           "relatedSpdxElement": other} for one, kind, other in relations],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
