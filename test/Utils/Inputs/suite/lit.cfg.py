"""A suite in the format of our tests, which run-lit.test copies to a folder with an odd
name. The parameter test_root is the folder of lidia_lit.py."""

import os
import sys

sys.path.insert(0, lit_config.params["test_root"])
import lidia_lit

config.name = "suite"
config.suffixes = [".test"]
config.test_source_root = config.test_exec_root = os.path.dirname(__file__)
config.test_format = lidia_lit.ShellTest(
    {"unicorn": "there are no unicorns"},
    time_limit=int(lit_config.params.get("time_limit", 600)))
