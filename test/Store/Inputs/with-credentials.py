#!/usr/bin/env python3
"""Runs a command that gets its keys for S3 from a replacement of one of Amazon's
servers.

    with-credentials.py [--fault=FAULT] [--lifetime=SECONDS] [--log=FILE] KIND -- COMMAND...

KIND is sts (web identity), assume (STS for the roles of profiles, with signed requests),
container, instance, or none. The command gets the variables
that name the server, and not the keys that with-store.py has set; the server returns
these. FILE gets a line for each request. The keys are valid for SECONDS (default: an
hour). FAULT is the server's behaviour:

    silent     accepts connections and sends nothing
    refuses    answers with status 403 and a text with a secret
    nonsense   answers with a text with a secret
    deep       answers with lists within lists
    expired    returns keys that have expired
    when       returns an invalid time
    no-keys    returns an empty secret
    once       answers with status 500 after the first keys
    no-role    has no role for the instance

URL in COMMAND stands for the server's URL. The server rejects invalid requests for
keys.
"""

import hashlib
import hmac
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

TOKEN = "a/session+token=="
ASK = "a-token"
ROLE = "arn:aws:iam::123456789012:role/a role"


class Handler(http.server.BaseHTTPRequestHandler):
    log, fault, lifetime, given = [], "", 3600, 0
    lock = threading.Lock()

    def log_message(self, *args):
        pass

    def keys(self, token):
        seconds = -1 if self.fault == "expired" else self.lifetime
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        return {"AccessKeyId": KEY, "Code": "Success",
                "SecretAccessKey": "" if self.fault == "no-keys" else SECRET,
                token: TOKEN, "Expiration": "later" if self.fault == "when" else until}

    def answer(self, body, status=200):
        if self.fault == "refuses":
            status, body = 403, "<Error><Code>AccessDenied</Code>a-secret</Error>"
        elif self.fault == "nonsense":
            body = "{a-secret"
        elif self.fault == "deep":
            body = "[" * 60000
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def give(self, token, form=lambda keys: json.dumps(keys)):
        with self.lock:
            Handler.given += 1
            if self.fault == "once" and self.given > 1:
                return self.send_error(500)
        return self.answer(form(self.keys(token)))

    def begin(self):
        with self.lock:
            self.log.append(f"{self.command} {self.path}")
        if self.fault == "silent":
            time.sleep(60)

    def do_PUT(self):
        self.begin()
        if (self.path == "/latest/api/token"
                and self.headers["X-aws-ec2-metadata-token-ttl-seconds"]):
            return self.answer(ASK)
        return self.send_error(400)

    def do_GET(self):
        self.begin()
        folder = "/latest/meta-data/iam/security-credentials/"
        if self.path == "/container":
            if self.headers["Authorization"] != ASK:
                return self.send_error(401)
            return self.give("Token")
        if self.headers["X-aws-ec2-metadata-token"] != ASK:
            return self.send_error(401)
        if self.path == folder and self.fault != "no-role":
            return self.answer("the-role\n")
        if self.path == folder + "the-role":
            return self.give("Token")
        return self.send_error(404)

    def assume(self, form, body):
        """Keys of a role for a signed request; those of the first role may ask for the second."""
        scope = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/sts/aws4_request, *"
                         r"SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$",
                         self.headers["Authorization"] or "")
        if not scope:
            return self.send_error(403)
        key, day, region, names, signature = scope.groups()
        secret, token = {"AKIABASE": ("a-base-secret", None),
                         KEY: (SECRET, TOKEN)}[key]
        headers = "".join(f"{name}:{self.headers[name].strip()}\n" for name in names.split(";"))
        request = "\n".join(["POST", self.path, "", headers, names,
                             hashlib.sha256(body.encode()).hexdigest()])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"],
                          f"{day}/{region}/sts/aws4_request",
                          hashlib.sha256(request.encode()).hexdigest()])
        signing = ("AWS4" + secret).encode()
        for part in (day, region, "sts", "aws4_request", text):
            signing = hmac.new(signing, part.encode(), hashlib.sha256).digest()
        if (signing.hex() != signature or self.headers["x-amz-security-token"] != token
                or form["Version"] != "2011-06-15"):
            return self.send_error(403)
        with self.lock:
            self.log[-1] += " " + " ".join(
                f"{name}={form[name]}" for name in sorted(form) if name != "Version")
        return self.give("SessionToken", self.as_xml)

    @staticmethod
    def as_xml(keys):
        return "<Credentials>" + "".join(f"<{name}>{value}</{name}>"
                                         for name, value in keys.items()) + "</Credentials>"

    def do_POST(self):
        self.begin()
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if form.get("Action") == "AssumeRole":
            return self.assume(form, body)
        if (form.get("Action") != "AssumeRoleWithWebIdentity" or form["RoleArn"] != ROLE
                or form["WebIdentityToken"] != ASK or form["Version"] != "2011-06-15"):
            return self.send_error(400)
        return self.give("SessionToken", self.as_xml)


def main(arguments):
    split = arguments.index("--")
    mine, command = arguments[:split], arguments[split + 1:]
    options = dict(a[2:].split("=", 1) for a in mine if a.startswith("--"))
    kind = [a for a in mine if not a.startswith("--")][0]
    Handler.fault = options.get("fault", "")
    Handler.lifetime = int(options.get("lifetime", "3600"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    # A proxy must not see requests to a local server.
    env = dict(os.environ, http_proxy="http://127.0.0.1:1", no_proxy="127.0.0.1")
    del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
    with tempfile.TemporaryDirectory() as folder:
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="ascii") as file:
            file.write(ASK + "\n")
        if kind == "sts":
            env.update(AWS_WEB_IDENTITY_TOKEN_FILE=token, AWS_ROLE_ARN=ROLE,
                       AWS_ENDPOINT_URL_STS=url)
        elif kind == "assume":
            env.update(AWS_ENDPOINT_URL_STS=url, AWS_REGION="eu-central-1",
                       AWS_CONTAINER_CREDENTIALS_FULL_URI=url + "/container",
                       AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=token)
        elif kind == "container":
            env.update(AWS_CONTAINER_CREDENTIALS_FULL_URI=url + "/container",
                       AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=token)
        elif kind == "instance":
            env.update(AWS_EC2_METADATA_SERVICE_ENDPOINT=url,
                       AWS_EC2_METADATA_DISABLED="false")
        status = subprocess.run(
            [a.replace("URL", url).replace("TOKENFILE", token) for a in command],
            env=env, timeout=120).returncode
    if "log" in options:
        with open(options["log"], "w", encoding="ascii") as log:
            log.writelines(line + "\n" for line in Handler.log)
    return status


if __name__ == "__main__":
    KEY = os.environ["AWS_ACCESS_KEY_ID"]
    SECRET = os.environ["AWS_SECRET_ACCESS_KEY"]
    sys.exit(main(sys.argv[1:]))
