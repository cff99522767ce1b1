#!/usr/bin/env python3
"""Makes the pictures of pages in docs, from programs that it compiles and runs.

    make-screenshots.py --build BUILD-FOLDER [--output FOLDER]

Needs clang++, gdb, perf (and the right to record), chromium and pngquant. Each picture is
to be looked at before it is committed. The files are at most a few tens of kilobytes:
they have 64 colours.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
USE_PAGE = os.path.join(ROOT, "test", "Server", "Inputs", "use-page.py")

# Counts the words of generated texts, in two threads.
SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

using Counts = std::map<std::string, int>;

static std::string randomWord(std::mt19937 &Random) {
  std::string Word;
  for (unsigned I = 0, Size = 2 + Random() % 5; I != Size; ++I)
    Word += char('a' + Random() % 16);
  return Word;
}

static std::string makeText(unsigned Seed, unsigned Words) {
  std::mt19937 Random(Seed);
  std::string Text;
  for (unsigned I = 0; I != Words; ++I)
    Text += randomWord(Random) + ' ';
  return Text;
}

static std::vector<std::string> splitWords(const std::string &Text) {
  std::vector<std::string> Words;
  size_t Begin = 0;
  while (size_t End = Text.find(' ', Begin) + 1) {
    Words.push_back(Text.substr(Begin, End - Begin - 1));
    Begin = End;
  }
  return Words;
}

static void countWords(const std::string &Text, Counts &To) {
  for (const std::string &Word : splitWords(Text))
    ++To[Word];
}

static void report(const Counts &Of, int Least) {
  std::vector<const char *> Frequent;
  for (const auto &[Word, Count] : Of)
    if (Count >= Least)
      Frequent.push_back(Word.c_str());
  // Without a word there is no first one.
  std::printf("%s\n", *(&Frequent.front() + (Least > 1000 ? 1 << 20 : 0)));
}

int main(int ArgCount, char **) {
  Counts First, Second;
  auto Work = [](unsigned Seed, Counts &To) {
    for (unsigned I = 0; I != 60; ++I)
      countWords(makeText(Seed + I, 20000), To);
  };
  std::thread Other(Work, 100, std::ref(Second));
  Work(200, First);
  Other.join();
  report(First, ArgCount > 1 ? 2000 : 2);
}
"""


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          **options).stdout


def make_inputs(lidia):
    """A program, the archives of it, a recording, a report of ASan and a core."""
    with open("words.cpp", "w", encoding="utf-8") as file:
        file.write(SOURCE.lstrip())
    flags = ["-g", "-gembed-source", "-O2", "-fno-omit-frame-pointer", "-Wl,--build-id",
             "words.cpp", "-pthread", f"-ffile-prefix-map={os.getcwd()}=/src"]
    for name, more in (("words", []), ("words-asan", ["-fsanitize=address"])):
        run("clang++", *flags, *more, "-o", name)
        run(lidia, "store", "add", "-q", "store", name)
        run("strip", name)
    run("perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-g", "-o", "perf.data", "./words",
        stderr=subprocess.DEVNULL)
    ended = subprocess.run(["./words-asan", "crash"], stderr=subprocess.PIPE, text=True,
                           env={**os.environ, "ASAN_OPTIONS": "symbolize=0"}, check=False)
    with open("asan.log", "w", encoding="utf-8") as file:
        file.write(ended.stderr)
    run("gdb", "-batch", "-ex", "run crash", "-ex", "generate-core-file core", "./words",
        stderr=subprocess.DEVNULL)
    run(lidia, "report", "-q", "--store=store", "core", "-o", "report.html")


def picture(page, path):
    page.settle()
    page.screenshot(path)
    run("pngquant", "--force", "--speed", "1", "--strip", "--output", path, "64", path)
    print(path, os.path.getsize(path), "bytes")


def take(page, url, build_id, output):
    def to(name):
        return os.path.join(output, name)

    page.resize(1500, 900)
    page.go(url)
    page.drop("asan.log")
    picture(page, to("page-asan.png"))
    page.go(url)
    page.drop("perf.data")
    page.wait_for("document.querySelector('iframe')")
    # The frame is a process of its own, and draws when it has its size.
    page.run("new Promise((done) => setTimeout(done, 1500))")
    picture(page, to("page.png"))
    page.go(url, f"#archive={build_id}&find=main")
    page.wait_for("document.querySelector('#archives td a')")
    page.click_on("#archives td a")
    page.wait_for("document.querySelector('#archives .source')")
    picture(page, to("page-store.png"))
    page.resize(1500, 380)
    page.go("report.html")
    picture(page, to("page-report.png"))
    page.resize(420, 900)
    page.go(url)
    page.drop("asan.log")
    picture(page, to("page-phone.png"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--output", default=os.path.join(ROOT, "docs"))
    options = parser.parse_args()
    output = os.path.abspath(options.output)
    lidia = os.path.join(os.path.abspath(options.build), "bin", "llvm-lidia")
    spec = importlib.util.spec_from_file_location("use_page", USE_PAGE)
    use_page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(use_page)
    with tempfile.TemporaryDirectory() as folder, use_page.Page() as page:
        os.chdir(folder)
        make_inputs(lidia)
        build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", "words"))[1]
        with subprocess.Popen([lidia, "serve", "--store=store", "--listen=127.0.0.1:0"],
                              stderr=subprocess.PIPE, text=True) as server:
            url = re.search(r"at (http\S+)", server.stderr.readline())[1] + "/"
            take(page, url, build_id, output)
            server.terminate()


main()
