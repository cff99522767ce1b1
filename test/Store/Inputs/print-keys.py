"""Prints keys like a credential_process, and its arguments on standard error."""

import json
import sys

print(sys.argv[1:], file=sys.stderr)
print(json.dumps({"Version": 1, "AccessKeyId": "AKIAIOSFODNN7EXAMPLE",
                  "SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                  "SessionToken": "a/session+token==",
                  "Expiration": "2099-11-24T18:00:00.5+00:00"}))
