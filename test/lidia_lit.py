"""The format of our tests for lit: shell scripts, in folders of any name, which report
missing requirements in plain words if they cannot run."""

import os
import shlex

import lit.formats
import lit.Test
import lit.TestRunner


class ShellTest(lit.formats.ShTest):
    """lit's ShTest, with two differences.

    Substitutions for paths (%s, %S, %t, %T, %p) are quoted for the shell if the path
    has a space or another special character. So "rm -rf %t" removes exactly that path.
    A path within a string must be in double quotes, and is quoted for the reader of the
    string: sh, gdb or LLDB.

    A test that is not run has the reasons as its output. MISSING is a dictionary that
    maps each unavailable feature to the reason.

    The class is in a module and not in lit.cfg.py, because lit passes it to other
    processes.
    """

    def __init__(self, missing, unsupported=None):
        """UNSUPPORTED is the reason why no test of the suite can run, if there is one."""
        super().__init__(execute_external=False)
        self.missing = missing
        self.unsupported = unsupported

    def execute(self, test, litConfig):
        if self.unsupported:
            return lit.Test.Result(lit.Test.UNSUPPORTED, self.unsupported)
        result = lit.TestRunner.executeShTest(
            test, litConfig, self.execute_external, quoted_paths(test)
        )
        if result.code is lit.Test.UNSUPPORTED:
            result.output = self.reason(test)
        return result

    def reason(self, test):
        reasons = [
            self.missing.get(feature, feature + " is missing")
            for feature in test.getMissingRequiredFeatures()
        ]
        reasons += ["not for " + f for f in test.getUnsupportedFeatures()]
        return "; ".join(reasons)


def quoted_paths(test):
    """lit's own substitutions for paths, quoted. They precede lit's, and must not match
    the beginning of a longer name."""
    _, base = lit.TestRunner.getTempPaths(test)
    source = test.getSourcePath()
    paths = {
        "s": source,
        "S": os.path.dirname(source),
        "p": os.path.dirname(source),
        "t": base + ".tmp",
        "T": os.path.dirname(base),
    }
    return [
        ("%" + letter + r"(?!\w)", shlex.quote(path))
        for letter, path in paths.items()
    ]


def missing_tool(tool, package):
    """The reason why a test is not run if a program is missing."""
    return f"{tool} is missing (Debian has it in {package})"
