#!/usr/bin/env python3
"""Compares stacks with what random programs say of themselves.

random-stacks.py [options] [--seeds FIRST-LAST]

Makes a random program for each seed, in C, C++, Rust, Go or Fortran, and builds it with
random options. Its functions note their names on a stack of their own when they are entered
and remove them when they return. Some only note that they are entered, so that compilers
can make their last call a tail call. At a random place the program writes what was noted to
a file, and crashes or waits. The stacks that `llvm-lidia stack` then shows, of the core or
of the live process, and those of a recording if perf can record a program that spins, must
have the noted functions in this order. Functions that tail calls replaced may be missing. A
function that was not noted there must be marked as found by a scan, in text, too.

Where noted functions are missing, gdb and llvm-symbolizer are asked: if gdb has the same
addresses, and llvm-symbolizer the same inlined calls at each, then it is the compiler that
has left a call out of the debug information, or has merged two calls and has kept one. Such
functions are counted apart.

Prints each difference with the commands that repeat it, and a line with the totals for
each language. The exit status is 1 if of all functions that the debug information has, or
that are shown, less than --least percent are both.
"""

import argparse
import collections
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

C_RUNTIME = r"""
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
struct notes { volatile int depth; volatile int ids[4096]; long tid; };
static struct notes *all_notes[64];
static volatile int note_count, ready_count;
static __thread struct notes *notes;
#define ENTER(id) struct notes *n = notes; int my = n->depth; n->ids[my] = id; n->depth = my + 1
#define AGAIN(id) n = notes; my = n->depth; n->ids[my] = id; n->depth = my + 1
#define BACK n->depth = my + 1
#define LEAVE n->depth = my
volatile long sink;
static volatile int zero;
static volatile unsigned choice = SEED;
static unsigned pick(unsigned k) { choice = choice * 1103515245u + 12345u; return (choice >> 16) % k; }
static void start_notes(void) {
  notes = (struct notes *)calloc(1, sizeof(struct notes));
  notes->tid = syscall(SYS_gettid);
  all_notes[__sync_fetch_and_add(&note_count, 1)] = notes;
}
static char dump_buffer[1 << 16];
static void dump_notes(void) {
  char *p = dump_buffer;
  for (int i = 0; i != note_count; ++i) {
    p += sprintf(p, "%ld:", all_notes[i]->tid);
    for (int k = 0; k != all_notes[i]->depth; ++k)
      p += sprintf(p, " %d", all_notes[i]->ids[k]);
    *p++ = '\n';
  }
  int f = open("notes.new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(f, dump_buffer, p - dump_buffer) < 0 || rename("notes.new", "notes"))
    _exit(3);
  close(f);
}
static long state_x; static int state_d;
"""

# A task that runs when it is resumed, and one that runs when another awaits it.
COROUTINE_RUNTIME = r"""
#include <coroutine>
#include <exception>
struct Task {
  struct promise_type {
    long value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(long x) { value = x; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
struct Awaited {
  Task task;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) { task.handle.resume(); }
  long await_resume() { return task.handle.promise().value; }
};
"""

# How a program stops, in its innermost function.
C_STOPS = {
    "abort": "dump_notes(); abort();",
    "null": "dump_notes(); *(volatile int *)(long)zero = 1;",
    "trap": "dump_notes(); __builtin_trap();",
    "raise": "dump_notes(); raise(SIGBUS);",
    "pause": "dump_notes(); for (;;) pause();",
    "spin": "dump_notes(); for (;;) sink++;",
}


class Program:
    """The text of one program in C or C++, and what its functions are."""

    def __init__(self, rng, language, stop, threads):
        self.rng, self.language, self.stop = rng, language, stop
        self.cxx, self.coroutines = language == "C++", False
        self.other_stack = False
        self.count = rng.randint(6, 16)
        self.tail = set()
        # A handler of the signal that ends the program would be called again and again.
        self.signals = ["SIGUSR1", "SIGUSR2"] + ([] if stop == "null" else ["SIGSEGV"])
        self.handlers = []
        self.threads = threads
        self.texts = []
        for number in reversed(range(self.count)):
            self.texts.append(self.function(number))

    # Calls of a later function, as an expression.
    def callee(self, number):
        later = range(number + 1, self.count)
        return self.rng.choice(later) if later else None

    def call(self, number, arguments="x + 1, d - 1"):
        """A call of one of some later functions, the choice of which is made at run time."""
        targets = sorted({self.callee(number) for _ in range(self.rng.randint(1, 3))})
        form = self.rng.choice(["direct", "direct", "pointer"])
        calls = [f"{self.name(t)}({arguments})" for t in targets]
        if form == "pointer" and not self.cxx:
            return f"table[{targets[0]}]({arguments})"
        text = calls[0]
        for call in calls[1:]:
            text = f"(pick(2) ? {text} : {call})"
        return text

    def name(self, number):
        return f"fn_{number}"

    def function(self, number):
        last = number + 1 >= self.count
        kinds = ["plain", "plain", "tail", "tail", "recursive", "qsort", "vla", "many"]
        if self.signals and self.threads == 0:
            kinds.append("signal")
        if self.cxx:
            kinds += ["virtual", "lambda", "catch", "destructor", "template", "sort", "function",
                      "coroutine", "coroutine"]
        kind = "stop" if last else self.rng.choice(kinds)
        attribute = self.rng.choice(["", "__attribute__((noinline)) ", "__attribute__((noinline)) "])
        head = f"{attribute}long {self.name(number)}(long x, int d)"
        stop = f"if (d <= 0) stop_here();"
        body = getattr(self, "kind_" + kind)(number)
        return getattr(self, "around_" + kind, lambda n, h, b: f"{h} {{ ENTER({n}); {b} }}")(
            number, head, body.replace("STOP", stop))

    def kind_stop(self, number):
        # The compiler sees that the call does not return, and may jump.
        self.tail.add(number)
        return "stop_here(); LEAVE; return x;"

    def kind_plain(self, number):
        return f"STOP long r = {self.call(number)}; BACK; r += sink; LEAVE; return r;"

    def kind_tail(self, number):
        self.tail.add(number)
        return f"(void)my; sink += x; STOP return {self.call(number)};"

    def kind_recursive(self, number):
        return (f"STOP long r; if (pick(3)) r = {self.name(number)}(x + 2, d - 1); "
                f"else r = {self.call(number)}; BACK; sink += r; LEAVE; return r;")

    def kind_vla(self, number):
        return (f"STOP volatile char *p = (char *)alloca(x % 100 + 16); p[x % 16] = 1; "
                f"long r = {self.call(number)}; BACK; r += p[3]; LEAVE; return r;")

    def kind_many(self, number):
        return (f"STOP long a = x * 3, b = x * 5, c = x * 7, e = x * 11, f = x ^ 99, g = x + sink; "
                f"long r = {self.call(number)}; BACK; r += a + b * c + e * f - g; LEAVE; return r;")

    def kind_qsort(self, number):
        return ("STOP long v[2] = {1, 2}; state_x = x; state_d = d; "
                f"qsort(v, 2, sizeof(v[0]), compare_{number}); BACK; LEAVE; return v[0];")

    def around_qsort(self, number, head, body):
        return (f"static int compare_{number}(const void *a, const void *b) {{ ENTER({1000 + number}); "
                f"long x = state_x; int d = state_d; long r = {self.call(number)}; BACK; sink += r; LEAVE; "
                f"return *(const long *)a < *(const long *)b; }}\n{head} {{ ENTER({number}); {body} }}")

    def kind_signal(self, number):
        name = self.signals.pop(self.rng.randrange(len(self.signals)))
        self.handlers.append((name, number))
        act = "*(volatile int *)(long)zero = 1;" if name == "SIGSEGV" else f"raise({name});"
        return f"STOP state_x = x; state_d = d; {act} BACK; sink += x; LEAVE; return x;"

    def around_signal(self, number, head, body):
        return (f"static void handler_{number}(int s) {{ ENTER({1000 + number}); long x = state_x + s; "
                f"int d = state_d; long r = {self.call(number)}; BACK; sink += r; LEAVE; }}\n"
                f"{head} {{ ENTER({number}); {body} }}")

    def kind_virtual(self, number):
        return (f"STOP Base{number} *b = pick(2) ? (Base{number} *)&derived_{number} : &other_{number}; "
                f"long r = b->method(x, d); BACK; LEAVE; return r + 1;")

    def around_virtual(self, number, head, body):
        method = (f"long method(long x, int d) override {{ ENTER(ID); "
                  f"long r = {self.call(number)}; BACK; sink += r; LEAVE; return r; }}")
        return (f"struct Base{number} {{ virtual long method(long x, int d) = 0; }};\n"
                f"static struct fn_{1000 + number} : Base{number} {{ {method.replace('ID', str(1000 + number))} }} "
                f"derived_{number};\n"
                f"static struct fn_{2000 + number} : Base{number} {{ {method.replace('ID', str(2000 + number))} }} "
                f"other_{number};\n{head} {{ ENTER({number}); {body} }}")

    def kind_lambda(self, number):
        return (f"STOP auto l = [&](long y) __attribute__((noinline)) {{ ENTER({3000 + number}); "
                f"long r = {self.call(number, 'x + y, d - 1')}; BACK; sink += r; LEAVE; return r; }}; "
                "long r = l(x); BACK; LEAVE; return r;")

    def kind_function(self, number):
        return (f"STOP std::function<long(long)> l = [x, d](long y) {{ ENTER({3000 + number}); "
                f"long r = {self.call(number, 'x + y, d - 1')}; BACK; sink += r; LEAVE; return r; }}; "
                "long r = l(x); BACK; LEAVE; return r;")

    def kind_catch(self, number):
        return (f"STOP long r = 0; try {{ if (d > -5) throw x; }} catch (long y) {{ BACK; "
                f"r = {self.call(number, 'x + y, d - 1')}; BACK; }} LEAVE; return r;")

    def kind_destructor(self, number):
        throws = self.rng.choice([True, False])
        inner = "if (d > -5) throw 1;" if throws else "sink += 2;"
        return f"STOP try {{ fn_{1000 + number} o(x, d); {inner} }} catch (int) {{}} BACK; LEAVE; return x;"

    def around_destructor(self, number, head, body):
        return (f"struct fn_{1000 + number} {{ long x; int d; fn_{1000 + number}(long x, int d) : x(x), d(d) {{}} "
                f"~fn_{1000 + number}() {{ ENTER({1000 + number}); sink += {self.call(number)}; BACK; LEAVE; }} }};\n"
                f"{head} {{ ENTER({number}); {body} }}")

    def kind_coroutine(self, number):
        self.coroutines = True
        return (f"STOP Task t = co_{number}(x, d); while (!t.handle.done()) {{ t.handle.resume(); BACK; }} "
                "long r = t.handle.promise().value; t.handle.destroy(); LEAVE; return r;")

    def around_coroutine(self, number, head, body):
        inner, before = 6000 + number, ""
        wait = self.rng.choice(["", f"LEAVE; co_await std::suspend_always{{}}; AGAIN({inner});"])
        if not wait:
            # Nothing is left to do after the call that waits.
            self.tail.add(inner)
            before = (f"static Task sub_{number}(long x, int d) {{ ENTER({7000 + number}); "
                      f"long r = {self.call(number)}; BACK; sink += r; LEAVE; co_return r; }}\n")
            wait = f"long y = co_await Awaited{{sub_{number}(x, d)}}; AGAIN({inner}); x += y;"
        return (f"{before}static Task co_{number}(long x, int d) {{ ENTER({inner}); sink += x; {wait} "
                f"long r = {self.call(number)}; BACK; sink += r; LEAVE; co_return r; }}\n"
                f"{head} {{ ENTER({number}); {body} }}")

    def kind_template(self, number):
        return f"STOP long r = fn_{1000 + number}<{self.rng.choice(['int', 'long', 'char'])}, 3>(x, d); BACK; LEAVE; return r;"

    def around_template(self, number, head, body):
        return (f"template <class T, int N> static __attribute__((noinline)) long fn_{1000 + number}(T x, int d) "
                f"{{ ENTER({1000 + number}); long r = {self.call(number)} + N; BACK; sink += r; LEAVE; return r; }}\n"
                f"{head} {{ ENTER({number}); {body} }}")

    def kind_sort(self, number):
        return (f"STOP std::vector<long> v = {{3, 2, 1}}; "
                f"std::sort(v.begin(), v.end(), [&](long a, long b) {{ ENTER({3000 + number}); "
                f"sink += {self.call(number)}; BACK; LEAVE; return a < b; }}); BACK; LEAVE; return v[0];")

    def text(self):
        out = [f"#define SEED {self.rng.randint(1, 1 << 30)}u"]
        if self.cxx:
            out.append("#include <algorithm>\n#include <functional>\n#include <vector>")
        if self.coroutines:
            out.append(COROUTINE_RUNTIME)
        out.append(C_RUNTIME)
        linkages = [self.rng.choice(["static ", "", ""]) for _ in range(self.count)]
        for number in range(self.count):
            out.append(f"{linkages[number]}long {self.name(number)}(long, int);")
        out.append(f"static long (*volatile table[{self.count}])(long, int) = "
                   f"{{{', '.join(self.name(n) for n in range(self.count))}}};")
        wait = f"while (ready_count != {self.threads}) usleep(1000);" if self.threads else ""
        out.append("static __thread int is_main;\n"
                   "static __attribute__((noinline)) void stop_here(void) {\n"
                   "  if (!is_main) { __sync_fetch_and_add(&ready_count, 1); for (;;) pause(); }\n"
                   f"  {wait}\n  {C_STOPS[self.stop]}\n}}")
        out += self.texts
        out.append("static void *run_thread(void *p) { start_notes(); sink += "
                   f"fn_{self.rng.randrange(self.count)}(1, {self.rng.randint(1, 12)}); return p; }}")
        main = ["is_main = 1; start_notes();"]
        self.other_stack = bool(self.handlers) and self.rng.choice([True, False])
        if self.other_stack:
            main.append("stack_t s; memset(&s, 0, sizeof(s)); s.ss_sp = malloc(1 << 20); s.ss_size = 1 << 20; "
                        "sigaltstack(&s, 0);")
        for name, number in self.handlers:
            main.append(f"{{ struct sigaction a; memset(&a, 0, sizeof(a)); a.sa_handler = handler_{number}; "
                        f"a.sa_flags = SA_ONSTACK | SA_NODEFER; sigaction({name}, &a, 0); }}")
        for _ in range(self.threads):
            main.append("{ pthread_t t; pthread_create(&t, 0, run_thread, 0); }")
        main.append(f"sink += table[0](zero + 3, {self.rng.randint(3, 30)});")
        main.append("return 7;")
        out.append("int main(void) { " + "\n  ".join(main) + " }")
        return "\n".join(out) + "\n"


RUST_RUNTIME = r"""
#![allow(dead_code, unused, static_mut_refs, unconditional_recursion)]
use std::cell::UnsafeCell;
use std::io::Write;
extern "C" { fn abort() -> !; fn pause() -> i32; fn raise(s: i32) -> i32; fn getpid() -> i32; }
static mut DEPTH: usize = 0;
static mut IDS: [u32; 4096] = [0; 4096];
static mut SINK: u64 = 0;
static mut CHOICE: u32 = SEED;
#[inline(always)] fn enter(id: u32) -> usize { unsafe { let my = std::ptr::read_volatile(&raw const DEPTH);
  std::ptr::write_volatile(&raw mut IDS[my], id); std::ptr::write_volatile(&raw mut DEPTH, my + 1); my } }
#[inline(always)] fn set(d: usize) { unsafe { std::ptr::write_volatile(&raw mut DEPTH, d) } }
#[inline(never)] fn pick(k: u32) -> u32 { unsafe { CHOICE = CHOICE.wrapping_mul(1103515245).wrapping_add(12345); (CHOICE >> 16) % k } }
#[inline(always)] fn eat(x: u64) { unsafe { std::ptr::write_volatile(&raw mut SINK, x) } }
fn dump_notes() { unsafe { let mut s = format!("{}:", getpid());
  for i in 0..DEPTH { s += &format!(" {}", IDS[i]); } s += "\n";
  std::fs::write("notes.new", s).unwrap(); std::fs::rename("notes.new", "notes").unwrap(); } }
trait Shape { fn method(&self, x: u64, d: i32) -> u64; }
"""
RUST_STOPS = {
    "abort": "dump_notes(); unsafe { abort() }",
    "null": "dump_notes(); unsafe { std::ptr::write_volatile(std::hint::black_box(8usize) as *mut u32, 1) }",
    "raise": "dump_notes(); unsafe { raise(4); }",
    "panic": "dump_notes(); panic!(\"stop\")",
    "pause": "dump_notes(); loop { unsafe { pause(); } }",
}


class RustProgram:
    def __init__(self, rng, stop):
        self.rng, self.stop = rng, stop
        self.count, self.tail = rng.randint(5, 12), set()

    def call(self, number, arguments="x.wrapping_add(1), d - 1"):
        targets = sorted({self.rng.randrange(number + 1, self.count) for _ in range(self.rng.randint(1, 3))})
        text = f"fn_{targets[0]}({arguments})"
        for t in targets[1:]:
            text = f"(if pick(2) == 0 {{ {text} }} else {{ fn_{t}({arguments}) }})"
        return text

    def function(self, n):
        kind = "stop" if n + 1 == self.count else self.rng.choice(
            ["plain", "tail", "tail", "closure", "dyn", "generic", "recursive", "sort", "catch"])
        inline = self.rng.choice(["", "#[inline(never)] ", "#[inline(never)] "])
        head = f"{inline}fn fn_{n}(x: u64, d: i32) -> u64 {{ let my = enter({n}); if d <= 0 {{ stop_here(); }} "
        after = "set(my + 1); eat(r); set(my); r }"
        if kind == "stop":
            return head + "stop_here(); set(my); x }"
        if kind == "tail":
            self.tail.add(n)
            return head + f"eat(x); {self.call(n)} }}"
        if kind == "closure":
            return head + (f"let c = |y: u64| {{ let my = enter({3000 + n}); let r = {self.call(n, 'x ^ y, d - 1')}; "
                           f"set(my + 1); eat(r); set(my); r }}; let r = std::hint::black_box(&c)(x); ") + after
        if kind == "dyn":
            return (f"struct S{n}; impl Shape for S{n} {{ fn method(&self, x: u64, d: i32) -> u64 {{ "
                    f"let my = enter({4000 + n}); let r = {self.call(n)}; {after} }}\n" + head +
                    f"let s: &dyn Shape = std::hint::black_box(&S{n}); let r = s.method(x, d); " + after)
        if kind == "generic":
            return (f"#[inline(never)] fn fn_{1000 + n}<T: Into<u64>>(x: T, d: i32) -> u64 {{ let x: u64 = x.into(); "
                    f"let my = enter({1000 + n}); let r = {self.call(n)}; {after}\n" + head +
                    f"let r = fn_{1000 + n}::<{self.rng.choice(['u64', 'u32', 'u8'])}>(3, d); " + after)
        if kind == "recursive":
            return head + f"let r = if pick(3) != 0 {{ fn_{n}(x, d - 1) }} else {{ {self.call(n)} }}; " + after
        if kind == "sort":
            return head + (f"let mut v = vec![3u64, 1, 2]; v.sort_by(|a, b| {{ let my = enter({3000 + n}); "
                           f"let r = {self.call(n)}; set(my + 1); eat(r); set(my); a.cmp(b) }}); let r = v[0]; ") + after
        if kind == "catch":
            return head + (f"let r = std::panic::catch_unwind(|| {{ let my = enter({3000 + n}); let r = {self.call(n)}; "
                           f"set(my + 1); eat(r); set(my); r }}).unwrap_or(1); ") + after
        return head + f"let r = {self.call(n)}; " + after

    def text(self):
        out = [RUST_RUNTIME.replace("SEED", str(self.rng.randint(1, 1 << 30)))]
        out.append(f"#[inline(never)] fn stop_here() {{ {RUST_STOPS[self.stop]} }}")
        out += [self.function(n) for n in range(self.count)]
        out.append(f"fn main() {{ eat(fn_0(3, {self.rng.randint(3, 25)})); }}")
        return "\n".join(out)


GO_RUNTIME = r"""
package main
import ("fmt"; "os"; "sort"; "syscall"; "time")
var _ = sort.Ints
var _ = time.Now
var _ = syscall.Kill
type state struct { depth int; ids [4096]int }
var sink int
var choice uint32 = SEED
type shape interface { method(s *state, x, d int) int }
//go:noinline
func pick(k uint32) uint32 { choice = choice*1103515245 + 12345; return (choice >> 16) % k }
func (s *state) enter(id int) int { my := s.depth; s.ids[my] = id; s.depth = my + 1; return my }
func dumpNotes(s *state) {
	text := fmt.Sprintf("%d:", os.Getpid())
	for i := 0; i < s.depth; i++ { text += fmt.Sprintf(" %d", s.ids[i]) }
	os.WriteFile("notes.new", []byte(text+"\n"), 0600); os.Rename("notes.new", "notes")
}
"""
GO_STOPS = {
    "null": "dumpNotes(s); var p *int; *p = 1",
    "panic": "dumpNotes(s); panic(\"stop\")",
    "raise": "dumpNotes(s); syscall.Kill(os.Getpid(), syscall.SIGABRT); for { sink++ }",
    "pause": "dumpNotes(s); for { time.Sleep(time.Hour) }",
    "spin": "dumpNotes(s); for { sink++ }",
}


class GoProgram:
    def __init__(self, rng, stop):
        self.rng, self.stop = rng, stop
        self.count, self.tail = rng.randint(5, 12), set()

    def call(self, number, arguments="s, x + 1, d - 1"):
        targets = sorted({self.rng.randrange(number + 1, self.count) for _ in range(self.rng.randint(1, 2))})
        if len(targets) == 1:
            return f"r = fn_{targets[0]}({arguments})"
        return f"if pick(2) == 0 {{ r = fn_{targets[0]}({arguments}) }} else {{ r = fn_{targets[1]}({arguments}) }}"

    def function(self, n):
        kind = "stop" if n + 1 == self.count else self.rng.choice(
            ["plain", "closure", "method", "generic", "recursive", "sort", "defer", "recover"])
        inline = self.rng.choice(["", "//go:noinline\n"])
        head = f"{inline}func fn_{n}(s *state, x, d int) (r int) {{ my := s.enter({n}); if d <= 0 {{ stopHere(s) }}; "
        after = "; s.depth = my + 1; sink += r; s.depth = my; return r }"
        inner = lambda i, c: f"my := s.enter({i}); {c}; s.depth = my + 1; sink += r; s.depth = my"
        if kind == "stop":
            return head + "stopHere(s); s.depth = my; return x }"
        if kind == "closure":
            return head + (f"f := func(y int) (r int) {{ {inner(3000 + n, self.call(n, 's, x ^ y, d - 1'))}; return r }}; "
                           "r = f(x)") + after
        if kind == "method":
            return (f"type t{n} struct{{}}\nfunc (t{n}) method(s *state, x, d int) (r int) {{ "
                    f"{inner(4000 + n, self.call(n))}; return r }}\nvar v{n} shape = t{n}{{}}\n" + head +
                    f"r = v{n}.method(s, x, d)" + after)
        if kind == "generic":
            return (f"func fn_{1000 + n}[T int | int8](s *state, y T, d int) (r int) {{ x := int(y); "
                    f"{inner(1000 + n, self.call(n))}; return r }}\n" + head +
                    f"r = fn_{1000 + n}[{self.rng.choice(['int', 'int8'])}](s, 3, d)" + after)
        if kind == "recursive":
            return head + f"if pick(3) != 0 {{ r = fn_{n}(s, x, d - 1) }} else {{ {self.call(n)} }}" + after
        if kind == "sort":
            return head + (f"v := []int{{3, 1, 2}}; sort.Slice(v, func(i, j int) bool {{ r := 0; "
                           f"{inner(3000 + n, self.call(n))}; return v[i] < v[j] }}); r = v[0]") + after
        if kind == "defer":
            return head + (f"func() {{ my := s.enter({3000 + n}); defer fn_{self.rng.randrange(n + 1, self.count)}(s, x, d - 1); "
                           "sink++; _ = my }()") + after
        if kind == "recover":
            return head + (f"func() {{ my := s.enter({3000 + n}); defer func() {{ recover(); s.depth = my + 1; "
                           f"s.enter({5000 + n}); {self.call(n)} }}(); var p *int; *p = 3 }}()") + after
        return head + self.call(n) + after

    def text(self):
        out = [GO_RUNTIME.replace("SEED", str(self.rng.randint(1, 1 << 30)))]
        out.append(f"//go:noinline\nfunc stopHere(s *state) {{ {GO_STOPS[self.stop]} }}")
        out += [self.function(n) for n in range(self.count)]
        d = self.rng.randint(3, 25)
        if self.rng.choice([True, False]):
            out.append(f"func main() {{ go func() {{ sink += fn_0(&state{{}}, 3, {d}) }}(); select {{}} }}")
        else:
            out.append(f"func main() {{ sink += fn_0(&state{{}}, 3, {d}) }}")
        return "\n".join(out)


FORTRAN_HEAD = r"""
module m
  use iso_c_binding
  implicit none
  integer(c_long), volatile :: sink = 0
  integer(c_long) :: state_x
  integer(c_int) :: state_d
  interface
    integer(c_int) function enter(id) bind(c)
      import; integer(c_int), value :: id
    end function
    subroutine set(d) bind(c)
      import; integer(c_int), value :: d
    end subroutine
    integer(c_int) function choose(k) bind(c)
      import; integer(c_int), value :: k
    end function
    subroutine stop_here() bind(c)
    end subroutine
    subroutine qsort(v, n, s, f) bind(c)
      import; integer(c_long) :: v(*); integer(c_size_t), value :: n, s; type(c_funptr), value :: f
    end subroutine
  end interface
  abstract interface
    recursive integer(c_long) function unary(y)
      import; integer(c_long), value :: y
    end function
  end interface
  type, abstract :: base
  contains
    procedure(method), deferred :: run
  end type
  abstract interface
    recursive integer(c_long) function method(this, x, d)
      import; class(base), intent(in) :: this; integer(c_long), value :: x; integer(c_int), value :: d
    end function
  end interface
"""

# Its notes and its end are those of programs in C.
FORTRAN_RUNTIME = r"""
int enter(int id) { ENTER(id); return my; }
void set(int depth) { notes->depth = depth; }
int choose(int k) { return pick(k); }
void start(void) { start_notes(); }
void stop_here(void) { STOP }
"""


class FortranProgram:
    def __init__(self, rng, stop):
        self.rng, self.stop = rng, stop
        self.count, self.tail = rng.randint(5, 12), set()
        self.types, self.texts = [], []
        for number in range(self.count):
            self.function(number)

    def call(self, number, x="x + 1_c_long"):
        targets = sorted({self.rng.randrange(number + 1, self.count) for _ in range(self.rng.randint(1, 2))})
        first = f"r = fn_{targets[0]}({x}, d - 1_c_int)"
        if len(targets) == 1:
            return first
        return (f"if (choose(2_c_int) == 0) then\n {first}\n else\n"
                f" r = fn_{targets[1]}({x}, d - 1_c_int)\n end if")

    @staticmethod
    def procedure(name, arguments, variables, body, inner="", suffix=""):
        return (f"recursive function {name}({arguments}) result(r) {suffix}\n integer(c_long) :: r\n"
                f" {variables}\n integer(c_int) :: my\n {body}\n"
                + (f"contains\n{inner}" if inner else "") + f"end function {name}\n")

    def function(self, n):
        kind = "stop" if n + 1 == self.count else self.rng.choice(
            ["plain", "tail", "tail", "recursive", "internal", "qsort", "method", "array"])
        usual = "integer(c_long), value :: x\n integer(c_int), value :: d"
        noted = lambda i, text: f"my = enter({i}_c_int)\n {text}\n call set(my + 1)\n sink = sink + r\n call set(my)"
        stop = "if (d <= 0) call stop_here()\n "
        inner, variables = "", usual
        if kind == "stop":
            body = noted(n, "call stop_here()\n r = x")
            self.tail.add(n)
        elif kind == "tail":
            self.tail.add(n)
            body = f"my = enter({n}_c_int)\n {stop}sink = x\n {self.call(n)}"
        elif kind == "recursive":
            body = noted(n, f"{stop}if (choose(3_c_int) /= 0) then\n r = fn_{n}(x, d - 1_c_int)\n else\n {self.call(n)}\n end if")
        elif kind == "internal":
            # The procedure uses variables of the one around it: its address is that of a trampoline.
            inner = self.procedure(f"inner_{n}", "y", "integer(c_long), value :: y",
                                   noted(1000 + n, self.call(n, "x + y")))
            body = noted(n, f"{stop}r = apply(inner_{n}, x)")
        elif kind == "qsort":
            self.texts.append(self.procedure(
                f"compare_{n}", "a, b", "integer(c_long), intent(in) :: a, b\n integer(c_long) :: x\n integer(c_int) :: d",
                noted(1000 + n, f"x = state_x\n d = state_d\n {self.call(n)}") + "\n r = a - b", suffix="bind(c)")
                .replace("integer(c_long) :: r", "integer(c_int) :: q\n integer(c_long) :: r").replace("result(r)", "result(q)")
                .replace("r = a - b", "q = int(a - b, c_int)"))
            variables += "\n integer(c_long) :: v(2)"
            body = noted(n, f"{stop}state_x = x\n state_d = d\n v = [2_c_long, 1_c_long]\n"
                            f" call qsort(v, 2_c_size_t, 8_c_size_t, c_funloc(compare_{n}))\n r = v(1)")
        elif kind == "method":
            self.types.append(f"type, extends(base) :: t{n}\ncontains\n procedure :: run => method_{n}\nend type\n")
            self.texts.append(self.procedure(f"method_{n}", "this, x, d", f"class(t{n}), intent(in) :: this\n {usual}",
                                             noted(4000 + n, self.call(n))))
            variables += "\n class(base), allocatable :: b"
            body = noted(n, f"{stop}allocate(t{n} :: b)\n r = b%run(x, d)")
        elif kind == "array":
            variables += "\n integer(c_long), allocatable :: v(:)\n integer(c_long) :: w(x + 1)"
            body = noted(n, f"{stop}allocate(v(x + 3))\n v = x\n w = 2\n {self.call(n, 'v(1) + w(1)')}\n r = r + sum(v) + w(1)")
        else:
            body = noted(n, stop + self.call(n))
        self.texts.append(self.procedure(f"fn_{n}", "x, d", variables, body, inner))

    def c_text(self):
        return (f"#define SEED {self.rng.randint(1, 1 << 30)}u\n" + C_RUNTIME +
                FORTRAN_RUNTIME.replace("STOP", C_STOPS[self.stop]))

    def text(self):
        return (FORTRAN_HEAD + "".join(self.types) + "contains\n"
                "recursive integer(c_long) function apply(f, x) result(r)\n procedure(unary) :: f\n"
                " integer(c_long), value :: x\n r = f(x)\n sink = sink + r\nend function\n" + "".join(self.texts) +
                "end module\nprogram p\n use m\n interface\n subroutine start() bind(c)\n end subroutine\n"
                f" end interface\n call start()\n sink = fn_0(3_c_long, {self.rng.randint(3, 25)}_c_int)\nend program\n")


# ===--------------------------------------------------------------------===
# Building and running
# ===--------------------------------------------------------------------===


def c_options(rng, cxx, available, coroutines):
    compiler = rng.choice([c for c in ("gcc", "clang-19") if c in available])
    command = [{"gcc": "g++" if cxx else "gcc", "clang-19": "clang++-19" if cxx else "clang-19"}[compiler]]
    command += ["-w", "-g", rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os", "-Og"]), "-pthread"]
    if cxx:
        command.append("-std=c++20" if coroutines else "-std=c++17")
    for option, chance in (("-fomit-frame-pointer", 2), ("-fno-omit-frame-pointer", 4), ("-gsplit-dwarf", 6),
                           ("-ffunction-sections", 4), ("-gdwarf-4", 5), ("-fno-plt", 5), ("-flto", 7),
                           ("-fno-asynchronous-unwind-tables", 12), ("-fcf-protection=full", 6)):
        if rng.randrange(chance) == 0 and not (option == "-flto" and "-gsplit-dwarf" in command):
            command.append(option)
    if "-flto" in command and compiler == "clang-19" or "ld.lld" in available and rng.randrange(4) == 0:
        if not ("-flto" in command and compiler == "gcc"):
            command += ["-B/usr/lib/llvm-19/bin", "-fuse-ld=lld"]
            if "-ffunction-sections" in command:
                command.append("-Wl,--icf=all")
    if rng.randrange(5) == 0:
        command.append("-static")
    elif rng.randrange(4) == 0:
        command.append("-no-pie")
    return command


def fortran_options(rng):
    command = ["gfortran", "-w", "-g", rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os", "-Og"])]
    for option, chance in (("-fomit-frame-pointer", 2), ("-gsplit-dwarf", 6), ("-gdwarf-4", 5), ("-flto", 7),
                           ("-fcheck=all", 6), ("-static", 5), ("-no-pie", 5)):
        if rng.randrange(chance) == 0 and not (option == "-flto" and "-gsplit-dwarf" in command):
            command.append(option)
    return command + ["-Wno-lto-type-mismatch", "p.f90", "runtime.c", "-o", "p"]


class Run:
    """One program, from its seed."""

    def __init__(self, seed, args, available):
        self.args, self.seed = args, seed
        rng = random.Random(seed)
        languages = [l for l in args.languages if l in available["languages"]]
        self.language = rng.choice(languages)
        self.environment = dict(os.environ, GOTRACEBACK="crash", RUST_BACKTRACE="0")
        stops = {"Rust": RUST_STOPS, "Go": GO_STOPS}.get(self.language, C_STOPS)
        self.perf = available.get("perf")
        stops = [s for s in stops if s != "spin" or self.language == "Go" or self.perf]
        self.stop = rng.choice(stops) if available["cores"] else "pause"
        if self.language in ("C", "C++"):
            threads = rng.choice([0, 0, 2, 3])
            self.program = Program(rng, self.language, self.stop, threads)
            self.source = "p.cpp" if self.language == "C++" else "p.c"
            self.build = c_options(rng, self.language == "C++", available, self.program.coroutines) + [self.source, "-o", "p"]
        elif self.language == "Rust":
            self.program, self.source = RustProgram(rng, self.stop), "p.rs"
            self.build = ["rustc", "-g", "-C", f"opt-level={rng.choice('0123s')}", "p.rs", "-o", "p"]
            if self.stop == "panic" or rng.randrange(3) == 0:
                self.build[1:1] = ["-C", "panic=abort"]
        elif self.language == "Fortran":
            self.program, self.source = FortranProgram(rng, self.stop), "p.f90"
            self.build = fortran_options(rng)
        else:
            self.program, self.source = GoProgram(rng, self.stop), "p.go"
            self.build = ["go", "build", "-o", "p"]
            self.build += rng.choice([[], [], ["-gcflags=-N -l"], ["-gcflags=-l"]])
            self.build += rng.choice([[], [], ["-ldflags=-s -w"], ["-buildmode=pie"]]) + ["p.go"]
        self.text = self.program.text()
        strips = self.language != "Go" and "-gsplit-dwarf" not in self.build
        self.strip = strips and rng.randrange(3) == 0
        self.options = ["--goroutines"] if self.language == "Go" else []
        self.options += ["--scan"] if rng.randrange(3) == 0 else []
        self.options += ["--store=store"] if self.strip else []
        self.shown = self.noted = self.extra = self.lacking = self.misled = 0
        self.lacked = {}
        self.wrong = []

    def compile(self):
        with open(self.source, "w") as file:
            file.write(self.text)
        if self.language == "Fortran":
            with open("runtime.c", "w") as file:
                file.write(self.program.c_text())
        result = subprocess.run(self.build, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"seed {self.seed}: {' '.join(self.build)}: {result.stderr[:3000]}")
        if self.strip:
            subprocess.run([self.args.llvm_lidia, "store", "add", "-q", "store", "p"], check=True)
            shutil.copy("p", "p.full")
            subprocess.run(["strip", "p"], check=True)

    def lidia(self, command, *arguments):
        result = subprocess.run([self.args.llvm_lidia, command, "--no-cache", *arguments],
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            self.wrong.append(f"{command} failed: " + result.stderr)
            return ""
        return result.stdout

    def stacks(self, target):
        return json.loads(self.lidia("stack", "--format=llvm-json", *self.options, target) or "[]")

    def check_marks(self, stacks, target):
        """Text must mark what may be a guess, too."""
        lines = sum(max(len(frame["Symbol"]), 1) for stack in stacks for frame in stack["Frames"]
                    if frame["Trust"] == "scan")
        if lines and self.lidia("stack", "--trust", *self.options, target).count("[scan]\n") != lines:
            self.wrong.append(f"{target}: text does not mark {lines} guesses")

    def record(self, pid):
        """Compares the stack that a recording has most often."""
        command = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "199", "--call-graph", "dwarf,65528",
                   "-o", "perf.data", "-p", str(pid), "--", "sleep", "0.08"]
        subprocess.run(command, check=True, capture_output=True)
        # A busy machine may leave the process no time.
        if subprocess.run(["perf", "script", "-F", "ip", "-i", "perf.data"], capture_output=True, check=False).stdout.strip():
            text = self.lidia("profile", "--sysroot=/", "--format=folded",
                              *(["--store=store"] if self.strip else []), "perf.data")
        else:
            text = ""
        os.remove("perf.data")
        weights = {}
        for line in text.splitlines():
            stack, _, weight = line.rpartition(" ")
            if any(number_of(name) is not None for name in stack.split(";")):
                weights[stack] = int(weight)
        names = max(weights, key=weights.get).split(";")[::-1] if weights else []
        numbers = [number for name in names if "(*t" not in name and ".deferwrap" not in name
                   and ".gowrap" not in name and (number := number_of(name)) is not None]
        frames = [(number, False, int(number == before)) for before, number in zip([None] + numbers, numbers)]
        if not text:
            print(f"seed {self.seed}: nothing was recorded")
            return
        notes = self.read_notes()
        ids = notes.get(pid) or next(iter(notes.values()))
        # perf copies one stack: what is below a handler on another stack is not in the recording.
        if getattr(self.program, "other_stack", False):
            handlers = {1000 + number for _, number in self.program.handlers}
            first = min((i for i, n in enumerate(ids) if n in handlers), default=0)
            # The signal's frame still says which function was interrupted.
            ids = ids[first - (first > 0 and numbers[-1:] == [ids[first - 1]]):]
        self.compare("recording", pid, ids[::-1], merged(frames), [{"End": names}], None)

    def run(self):
        self.compile()
        if self.stop in ("pause", "spin"):
            process = subprocess.Popen(["./p"], env=self.environment)
            deadline = time.time() + 20
            while not os.path.exists("notes") and time.time() < deadline and process.poll() is None:
                time.sleep(0.02)
            time.sleep(0.05)
            try:
                if process.poll() is None:
                    self.check("live", self.stacks(f"--pid={process.pid}"), f"--pid={process.pid}")
                    if self.stop == "spin" and self.perf and not self.wrong:
                        self.record(process.pid)
            finally:
                process.kill()
                process.wait()
            return
        process = subprocess.Popen(["sh", "-c", "ulimit -c unlimited; exec ./p"], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.wait()
        cores = [f for f in os.listdir(".") if f.startswith("core")]
        if not cores and os.path.exists("notes"):
            sys.exit("no core is written to the working folder: see /proc/sys/kernel/core_pattern")
        if cores:
            stacks = self.stacks(f"--core={cores[0]}")
            self.check("core", stacks, f"--core={cores[0]}")
            self.check_marks(stacks, f"--core={cores[0]}")
            os.remove(cores[0])

    @staticmethod
    def read_notes():
        with open("notes") as file:
            return {int(line.split(":")[0]): list(map(int, line.split(":")[1].split())) for line in file}

    def check(self, kind, stacks, target):
        if not os.path.exists("notes"):
            print(f"seed {self.seed}: the program ended early")
            return
        noted = self.read_notes()
        for thread, ids in noted.items():
            if self.language == "Go":
                found = [s for s in stacks if any(self.ids_of(s))]
                frames = self.ids_of(found[0]) if found else []
            else:
                found = [s for s in stacks if any(t["ID"] == thread for t in s["Threads"])]
                frames = self.ids_of(found[0]) if found else []
            self.compare(kind, thread, ids[::-1], frames, found, target)

    def ids_of(self, stack):
        """The numbers of the noted functions in STACK, innermost first, each with whether it
        is a guess, and whether it may be a second part of the one before: GCC splits functions,
        and inlines one of the parts (-fpartial-inlining): 1 within a frame, 2 beyond it."""
        result = []
        last = None
        for frame in stack["Frames"]:
            if frame.get("SignalFrame"):
                last = None
                continue
            for position, symbol in enumerate(frame["Symbol"]):
                # Go's compiler makes wrappers of methods and of deferred calls.
                name = symbol["FunctionName"]
                if "<autogenerated>" in symbol["FileName"] or ".deferwrap" in name or ".gowrap" in name:
                    continue
                before, last = last, number_of(name)
                if last is not None:
                    part = 0 if last != before else 2 if position == 0 else 1
                    result.append((last, frame["Trust"] == "scan", part))
        return merged(result)

    def matches(self, noted, frames):
        """The noted functions that FRAMES lack, those that are not noted, and the number of
        those that are in both."""
        at, missing, extra, shown = 0, [], [], 0
        for number, guessed, part in frames:
            if part and (at == len(noted) or not same(noted[at], number)):
                continue
            # Functions before this one that may be absent.
            k = at
            while k < len(noted) and not same(noted[k], number):
                k += 1
            if k == len(noted):
                if not guessed:
                    extra.append(number)
                continue
            missing += [n for n in noted[at:k] if n not in self.program.tail]
            shown += 1 + sum(n in self.program.tail for n in noted[at:k])
            at = k + 1
        missing += [n for n in noted[at:] if n not in self.program.tail]
        return missing, extra, shown + sum(n in self.program.tail for n in noted[at:])

    def compare(self, kind, thread, noted, frames, found, target):
        missing, extra, shown = min(
            (self.matches(noted, [f for f in frames if f[2] not in left_out]) for left_out in ((), (1,), (2,), (1, 2))),
            key=lambda m: len(m[0]) + len(m[1]))
        self.noted += len(noted)
        self.shown += shown
        if (missing or extra) and self.is_compilers(thread, (missing, extra), found, target):
            self.lacking += len(missing)
            self.misled += len(extra)
            return
        self.extra += len(extra)
        if missing or extra:
            end = found[0].get("End") if found else "no stack"
            self.wrong.append(f"{kind}, thread {thread}: missing {missing}, not noted {extra}; noted {noted}, "
                              f"shown {[f[0] for f in frames]}, end {end}")


    def is_compilers(self, thread, difference, found, target):
        """Whether the debug information has the difference: gdb has the same frames, and
        llvm-symbolizer the same inlined calls of each."""
        if target is None:
            return self.lacked.get(thread) == difference
        if not found or self.language == "Go" or not self.args.symbolizer or not shutil.which("gdb"):
            return False
        kind, _, value = target[2:].partition("=")
        frames = [f for f in found[0]["Frames"] if not f.get("TailCall")]
        theirs = [f for f in COMPARE_STACKS.gdb(argparse.Namespace(program="./p"), (kind, value)).get(thread, [])
                  if f[1] == "frame"]
        same_frames = [f[0] for f in theirs] == [int(f["Address"], 16) for f in frames[:len(theirs)]]
        if not same_frames or not theirs or not all(self.has_same_calls(*f) for f in zip([None] + frames, frames)):
            return False
        self.lacked[thread] = difference
        return True

    def has_same_calls(self, inner, frame):
        if not frame["ModuleName"].endswith("/p") or frame.get("SignalFrame"):
            return True
        address = int(frame["ModuleAddress"], 16) - (inner is not None and not inner.get("SignalFrame"))
        program = "p.full" if self.strip else "p"
        text = subprocess.run([self.args.symbolizer, "--output-style=JSON", f"--obj={program}", hex(address)],
                              capture_output=True, text=True, check=True).stdout
        theirs = [f["FunctionName"] for f in json.loads(text)[0]["Symbol"]]
        return list(map(number_of, theirs)) == [number_of(s["FunctionName"]) for s in frame["Symbol"]]


def merged(frames):
    """Compilers split coroutines into functions that call each other."""
    return [f for i, f in enumerate(frames) if i == 0 or f[0] < 6000 or f[0] != frames[i - 1][0]]


def number_of(name):
    """The number of a noted function; None for another function. Lambdas and closures count
    from 3000."""
    for pattern, base in ((r"\bcompare_(\d+)", 1000), (r"\binner_(\d+)", 1000), (r"(?:\b|_MOD_)method_(\d+)", 4000),
                          (r"^co_(\d+)", 6000), (r"^sub_(\d+)", 7000), (r"\bhandler_(\d+)", 1000), (r"\bt(\d+)[.)]+method", 4000),
                          (r"\bS(\d+)\b.*method", 4000)):
        if found := re.search(pattern, name):
            return base + int(found[1])
    found = re.search(r"(?:\b|_MOD_)fn_(\d+)", name)
    # The standard library's templates have lambdas as arguments.
    if not found or re.search(r"std::|<", name[:found.start()]):
        return None
    number = int(found[1])
    if re.search(r"lambda|closure|\$_\d|\.func\d|operator\(\)|\{\{", name):
        return 3000 + number % 1000 if number < 1000 else number
    return number


def same(noted, shown):
    # Go numbers the functions in one another; a function literal in a deferred one counts as it.
    return noted == shown or (noted >= 5000 and shown == noted - 2000)


def load_compare_stacks():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare-stacks.py")
    spec = importlib.util.spec_from_file_location("compare_stacks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMPARE_STACKS = load_compare_stacks()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--seeds", default="1-40", metavar="FIRST-LAST")
    parser.add_argument("--languages", default="C,C++,Rust,Go,Fortran", type=lambda t: t.split(","))
    parser.add_argument("--least", type=float, default=99.9, metavar="PERCENT")
    parser.add_argument("--keep", action="store_true", help="keep the folder of each program with a difference")
    parser.add_argument("--no-perf", action="store_true")
    args = parser.parse_args()
    args.llvm_lidia = shutil.which(args.llvm_lidia) or args.llvm_lidia
    available = {t: shutil.which(t) for t in ("gcc", "clang-19", "ld.lld", "ld.lld-19", "rustc", "go", "gfortran",
                                            "perf") if shutil.which(t)}
    if "ld.lld" not in available and "ld.lld-19" in available:
        available["ld.lld"] = available["ld.lld-19"]
    available["languages"] = (["C", "C++"] if "gcc" in available or "clang-19" in available else []) + \
        [l for l, tool in (("Rust", "rustc"), ("Go", "go"), ("Fortran", "gfortran")) if tool in available]
    args.symbolizer = next((s for s in ("llvm-symbolizer-19", "llvm-symbolizer") if shutil.which(s)), None)
    if args.no_perf or "perf" in available and subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "true"],
            capture_output=True, check=False).returncode:
        del available["perf"]
    # Without cores in the working folder, all programs wait.
    with open("/proc/sys/kernel/core_pattern") as pattern:
        available["cores"] = (pattern.read()[0] not in "|/" and
                              resource.getrlimit(resource.RLIMIT_CORE)[1] == resource.RLIM_INFINITY)
    first, _, last = args.seeds.partition("-")
    totals = collections.defaultdict(lambda: [0] * 7)
    start = os.getcwd()
    args.llvm_lidia = os.path.abspath(args.llvm_lidia)
    for seed in range(int(first), int(last or first) + 1):
        folder = tempfile.mkdtemp(prefix=f"stacks-{seed}-")
        os.chdir(folder)
        run = Run(seed, args, available)
        run.run()
        os.chdir(start)
        total = totals[run.language]
        total[0] += 1
        total[1] += run.noted
        total[2] += run.shown
        total[3] += run.extra
        total[4] += len(run.wrong)
        total[5] += run.lacking
        total[6] += run.misled
        for wrong in run.wrong:
            print(f"seed {seed}, {run.language}, {run.stop}, {'stripped, ' if run.strip else ''}{' '.join(run.build)}: {wrong[:2000]}", flush=True)
        if not (args.keep and run.wrong):
            shutil.rmtree(folder)
        else:
            print("    in " + folder)
    good = True
    for language, (programs, noted, shown, extra, wrong, lacking, misled) in sorted(totals.items()):
        share = 100 * shown / (noted + extra - lacking) if noted else 0
        print(f"{language}: {programs} programs, {noted} noted, {lacking} not in the debug information, "
              f"{shown} shown ({share:.2f} %), {extra} others, {misled} others in the debug information, "
              f"{wrong} stacks differ")
        good &= share >= args.least
    return 0 if good else 1


sys.exit(main())
