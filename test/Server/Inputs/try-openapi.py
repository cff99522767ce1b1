"""try-openapi.py SERVER OPENAPI BINARY BUILDID TOKEN [SEED [COUNT]]: asks for whatever the
description allows, and for what it does not.

Each request goes to an endpoint of the description, with parameters, headers and a body that are
right, nearly right or neither. The answer must have a status that the description has, the type
of its content, and JSON that matches the schema. No answer may be 500, and none may be missing.
HEAD has what GET has, without the body. Prints the number of requests by the first digit of the
status, and the endpoints that never succeeded."""

import collections
import http.client
import json
import random
import re
import sys
import urllib.parse

SERVER, OPENAPI, BINARY, BUILD_ID, TOKEN = sys.argv[1:6]
RANDOM = random.Random(int((sys.argv[6:] or ["1"])[0]))
COUNT = int((sys.argv[7:] or ["1500"])[0])
with open(BINARY, "rb") as file:
    BINARY = file.read()
with open(OPENAPI, encoding="utf-8") as file:
    API = json.load(file)
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
NOTES = {"description", "format", "example", "default", "title"}
ODD = ["", "0", "-1", "0x", "0x10", "zz", "../../etc/passwd", "..", "%", "\0", "\n", "é", "\ud7ff",
       "a" * 5000, "18446744073709551616", "0xffffffffffffffff", "null", "[]", "'\"<script>", "*",
       BUILD_ID[:-1], BUILD_ID.upper(), BUILD_ID * 3, "libc.so.6", "http://localhost/", "a/b//c"]
GOOD = {"build_id": BUILD_ID, "address": "0x400197", "first": BUILD_ID[:2], "name": ".text",
        "rest": BUILD_ID[2:] + ".lidia.zst", "debug_id": "5DF4C1EAB4C04A7AA7C7EBB4A4B16E7F1"}


# Schemas.


def resolved(schema):
    while "$ref" in schema:
        schema = API["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def problem(value, schema):
    """Why the value does not match, or None."""
    schema = resolved(schema)
    unknown = set(schema) - NOTES - {"type", "enum", "items", "properties", "required", "oneOf",
                                     "additionalProperties", "pattern"}
    assert not unknown, unknown
    if "oneOf" in schema:
        matches = [problem(value, s) for s in schema["oneOf"]].count(None)
        return None if matches == 1 else f"{matches} schemas match {value!r:.100}"
    wanted = TYPES.get(schema.get("type"), object)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        return f"{value!r:.100} is no {schema['type']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is not in {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{value!r} is not {schema['pattern']}"
    if isinstance(value, list):
        return next(filter(None, (problem(v, schema.get("items", {})) for v in value)), None)
    if not isinstance(value, dict):
        return None
    if missing := set(schema.get("required", [])) - set(value):
        return f"{sorted(missing)} are missing"
    others = schema.get("additionalProperties", {})
    for name, part in value.items():
        its = schema.get("properties", {}).get(name, others)
        if its is False:
            return f"unexpected member {name}"
        if why := problem(part, its if isinstance(its, dict) else {}):
            return f"{name}: {why}"
    return None


def value_for(schema, name=""):
    """A value that matches, or one that nearly does."""
    schema = resolved(schema)
    if RANDOM.random() < 0.05:
        return RANDOM.choice([None, 1, -1, "", [], {}, 1 << 64, True, RANDOM.choice(ODD)])
    if "oneOf" in schema:
        return value_for(RANDOM.choice(schema["oneOf"]), name)
    kind = schema.get("type")
    if "enum" in schema:
        return RANDOM.choice(schema["enum"])
    if kind == "object":
        members = schema.get("properties", {})
        return {n: value_for(s, n) for n, s in members.items()
                if n in schema.get("required", []) or RANDOM.random() < 0.7}
    if kind == "array":
        return [value_for(schema.get("items", {}), name) for _ in range(RANDOM.randrange(4))]
    if kind == "integer":
        return RANDOM.choice([0, 1, 16, 0x400197, 1 << 63])
    if kind == "boolean":
        return RANDOM.random() < 0.5
    return text_for(name)


def text_for(name):
    singular = {"addresses": "address", "cursor": "build_id", "prefix": "first"}.get(name, name)
    if singular in GOOD and RANDOM.random() < 0.85:
        return GOOD[singular]
    return RANDOM.choice(ODD)


# Requests.


def parameter(p):
    schema = resolved(p.get("schema", {}))
    item = schema.get("items", schema)
    value = value_for(item, p["name"]) if "type" in item else text_for(p["name"])
    return value if isinstance(value, str) else json.dumps(value)


def target(path, operation):
    parameters = operation.get("parameters", [])
    query = []
    for p in parameters:
        value = parameter(p)
        if p["in"] == "path":
            path = path.replace("{%s}" % p["name"], urllib.parse.quote(value, safe=""))
        elif p["in"] == "query" and (p.get("required") or RANDOM.random() < 0.6):
            query += [(p["name"], value)] * RANDOM.choice([1, 1, 1, 2])
    if RANDOM.random() < 0.05:
        query.append((RANDOM.choice(ODD), RANDOM.choice(ODD)))
    return path + ("?" + urllib.parse.urlencode(query, errors="replace") if query else "")


def body_for(operation):
    """The content and its type."""
    contents = operation.get("requestBody", {}).get("content")
    if not contents:
        return (b"", None) if RANDOM.random() < 0.9 else (b"{}", "application/json")
    kind, content = RANDOM.choice(sorted(contents.items()))
    if RANDOM.random() < 0.1:
        return RANDOM.choice([b"", b"{", b"\xff\xfe", b"[" * 5000, b"{\"a\":" * 50]), kind
    if kind == "application/json":
        return json.dumps(value_for(content.get("schema", {}))).encode(), kind
    if RANDOM.random() < 0.6:
        return BINARY, kind
    return RANDOM.choice([b"", b"\x7fELF", b"PK\3\4", b"    #0 0x10 (/a.out+0x10)\n",
                          RANDOM.randbytes(200)]), kind


def headers_for(kind):
    headers = {"Content-Type": kind} if kind and RANDOM.random() < 0.95 else {}
    if RANDOM.random() < 0.5:
        headers["Authorization"] = "Bearer " + RANDOM.choice([TOKEN, TOKEN, TOKEN, "wrong", ""])
    if RANDOM.random() < 0.2:
        headers["Accept"] = RANDOM.choice(["*/*", "application/json", "text/html", "text/plain",
                                           "application/vnd.apache.arrow.stream", ","])
    if RANDOM.random() < 0.1:
        headers["Range"] = RANDOM.choice(["bytes=0-10", "bytes=-5", "bytes=99999999-", "x"])
    if RANDOM.random() < 0.1:
        headers["Accept-Encoding"] = RANDOM.choice(["gzip", "zstd", "identity;q=0", "br"])
    return headers


def ask(method, path, headers, body):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(SERVER).netloc, timeout=60)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


# Answers.


def is_described(status, responses, headers):
    if str(status) in responses:
        return True
    # A part of what is described, or nothing new; neither is an answer of its own.
    if status in (206, 304):
        return "200" in responses
    if status == 416:
        return "Range" in headers
    return "default" in responses and 400 <= status < 600 and status not in (500, 502)


def check(operation, answer, content, headers):
    """Why the answer is not as described, or None."""
    responses = operation["responses"]
    status = answer.status
    if not is_described(status, responses, headers):
        return "the status is not described"
    its = responses.get(str(status)) or responses["200" if status in (206, 304) else "default"]
    contents = its.get("content", {})
    kind = (answer.headers["Content-Type"] or "").split(";")[0]
    if status == 304 or not contents:
        return None
    if kind not in contents:
        return f"content of type {kind}, expected {sorted(contents)}"
    if kind != "application/json" or status == 206 or answer.headers["Content-Encoding"]:
        return None
    try:
        value = json.loads(content)
    except ValueError as error:
        return f"no JSON: {error}"
    return problem(value, contents[kind].get("schema", {}))


def check_head(path, headers, answer):
    # Ranges are for GET alone.
    if "Range" in headers:
        return None
    head, content = ask("HEAD", path, headers, None)
    if content:
        return "HEAD has a body"
    same = ("Content-Type", "ETag")
    if head.status != answer.status or any(head.headers[n] != answer.headers[n] for n in same):
        return f"HEAD gives {head.status} {dict(head.headers)}"
    return None


def main():
    operations = [(path, method) for path, methods in sorted(API["paths"].items())
                  for method in sorted(methods) if method not in ("head", "delete")]
    statuses, failures, successful = collections.Counter(), 0, set()
    for number in range(COUNT):
        path, method = operations[number % len(operations)]
        operation = API["paths"][path][method]
        body, kind = body_for(operation) if method != "get" else (b"", None)
        headers = headers_for(kind)
        url = target(path, operation)
        try:
            answer, content = ask(method.upper(), url, headers, body or None)
            why = check(operation, answer, content, headers)
            if not why and method == "get":
                why = check_head(url, headers, answer)
            statuses[answer.status // 100] += 1
            if answer.status < 300:
                successful.add((path, method))
        except (OSError, http.client.HTTPException) as error:
            why, answer, content = f"no answer: {error!r}", None, b""
        if why:
            failures += 1
            print(f"{method.upper()} {url[:300]} {headers} {body[:200]!r}: "
                  f"{answer and answer.status}: {why}: {content[:200]!r}")
    alive = ask("GET", "/healthz", {}, None)[0].status
    print(f"{COUNT} requests, {failures} not as described; /healthz {alive}")
    print(*(f"{digit}xx: {count}" for digit, count in sorted(statuses.items())))
    print("never 2xx:", *sorted(method.upper() + " " + path
                                for path, method in set(operations) - successful))
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
