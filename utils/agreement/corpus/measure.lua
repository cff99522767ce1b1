-- What the corpus' lua is run on: a little of each library.
local Point = {}
Point.__index = Point
Point.__add = function(a, b) return setmetatable({x = a.x + b.x}, Point) end
Point.__tostring = function(p) return "(" .. p.x .. ")" end
Point.__lt = function(a, b) return a.x < b.x end
local function point(x) return setmetatable({x = x}, Point) end

local list = {}
for i = 1, 40 do list[i] = (i * 7919) % 101 end
table.sort(list)
table.sort(list, function(a, b) return a > b end)
table.insert(list, 3, 42)
table.remove(list, 5)
print(table.concat(list, ","), #list, select("#", table.unpack(list)))

local words = {}
for word, number in ("one=1 two=22 three=333"):gmatch("(%a+)=(%d+)") do
  words[word] = tonumber(number)
end
for key, value in pairs(words) do words[key] = value // 2 end
print(("%5.2f|%-8s|%x|%q"):format(3.14159, "left", 255, "a\nb"))
print(("hello world"):gsub("o", {o = "0"}), ("x"):rep(20, "-"), ("abc"):byte(1, -1))
print(string.pack("<i4z", 7, "text"):len(), utf8.char(228, 8364), utf8.len("äö"))
print(math.floor(2.7), math.max(3, 9, 4), math.tointeger(8.0), 7 % -3, 2 ^ 10, 5 // 0.3)
print(tostring(point(1) + point(2)), point(1) < point(2), 1 << 5 | 3 ~ 2)

local co = coroutine.wrap(function(n)
  for i = 1, n do coroutine.yield(i * i) end
  error({code = 7})
end)
print(co(2), co(), pcall(co))
print(pcall(error, "message"), pcall(function() return nil + 1 end))
print(load("return 1 + ...")(41), load("syntax error here"))
print(xpcall(function() local t = nil; return t.x end, debug.traceback))
goto done
print("not reached")
::done::
collectgarbage()
local weak = setmetatable({}, {__mode = "k"})
weak[{}] = 1
collectgarbage("step")
print(os.time({year = 2020, month = 1, day = 1}) > 0, io.type(io.stdout))
for line in io.lines("measure.lua") do
  if line:find("^goto") then print(line) end
end
