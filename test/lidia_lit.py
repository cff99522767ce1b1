"""The format of our tests for lit: shell scripts, in folders of any name, which
say in plain words what they lack where they cannot run."""

import os
import shlex

import lit.formats
import lit.Test
import lit.TestRunner


class ShellTest(lit.formats.ShTest):
    """lit's ShTest, with two differences.

    What stands for a path (%s, %S, %t, %T, %p) is quoted for the shell where
    the path has a space or another character that means something there. So
    "rm -rf %t" removes what it says. A path within a string stands in double
    quotes, and is then quoted for what reads the string: sh, gdb or LLDB.

    A test that is not run has as its output the reasons, from MISSING: a
    dictionary from a feature that is not available to the reason.

    In a module and not in lit.cfg.py, as lit hands it to other processes.
    """

    def __init__(self, missing, unsupported=None):
        """UNSUPPORTED: the reason why no test of the suite can run, if so."""
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
    """lit's own substitutions for paths, quoted. They come before lit's, and
    must not match the beginning of a longer name."""
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
    """The reason that a test is not run for lack of a program."""
    return f"{tool} is missing (Debian has it in {package})"
