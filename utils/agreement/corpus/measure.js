// Work for mujs in compare-lldb.py: objects, strings, expressions, numbers and errors.
function Shape(name, sides) { this.name = name; this.sides = sides; }
Shape.prototype.toString = function () { return this.name + ":" + this.sides.toFixed(2); };
var shapes = [];
for (var i = 0; i < 40; ++i)
  shapes.push(new Shape("s" + (i * 7919) % 41, Math.sqrt(i) + i / 3));
shapes.sort(function (a, b) { return a.name < b.name ? -1 : 1; });
var text = shapes.join(",");
var counts = {};
text.replace(/s(\d+):(\d+)\.(\d)/g, function (all, a, b) { counts[b] = (counts[b] || 0) + Number(a); return b; });
print(JSON.stringify(counts), text.split(",").length, encodeURIComponent(text.slice(0, 40)));
for (var key in counts)
  if (counts.hasOwnProperty(key) && parseInt(key, 10) % 2) delete counts[key];
try { null.field = 1; } catch (e) { print(e.name, e.message); }
print(new Date(0).toISOString(), [3, 1, 2].map(String).reverse().concat(["x"]).indexOf("x"), eval("1 << 4 | 3"));
