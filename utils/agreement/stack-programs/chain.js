// outer calls middle, and middle calls inner by sort. With SPIN set, inner is busy for a while; else it
// waits for the file "go", and crashes.
const fs = require("fs");

function inner() {
  if (process.env.SPIN) {
    let sum = 0;
    for (const end = Date.now() + 1000; Date.now() < end;)
      for (let i = 0; i < 1000; i++)
        sum += i;
    return sum;
  }
  fs.writeFileSync("ready", "");
  while (!fs.existsSync("go"))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  process.abort();
}

function compare(a, b) {
  inner();
  return a - b;
}

function middle(values) {
  return values.sort(compare);
}

function outer() {
  return middle([2, 1]);
}

outer();
