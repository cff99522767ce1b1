"""Runs the unit tests (programs built with GoogleTest) under lit.

The file is not called lit.cfg.py, so that lit does not treat this folder as a suite
that needs no build."""

import lit.formats

config.name = "lidia-unit"
# Finds the programs whose names end in "Tests" in the build's test/Unit.
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.suffixes = []
config.test_source_root = config.lidia_unit_dir
config.test_exec_root = config.lidia_unit_dir
