// Structs, classes, templates, nested functions, function literals, unit tests,
// functions of other linkages.
module program;

struct Point
{
    int x, y;
    int sum() const { return x + y; }
    static int count(T)(T start) { return cast(int) start + 1; }
}

pragma(inline, true) int twice(int i) { return i * 2; }

T largest(T)(T a, T b) { return a > b ? a : b; }

extern (C) int plain_c(int i)
{
    Point p;
    p.x = i;
    p.y = twice(i);
    return p.sum() + Point.count(3L);
}

extern (C++, "ns") int forCpp(int i) { return largest(i, 3); }

int outer(int n)
{
    int total = n;
    int nested(int k)
    {
        int deeper() { total += k; return total; }
        return deeper() + deeper();
    }
    total = apply(i => i + n, nested(n));
    return total;
}

int apply(scope int delegate(int) f, int i) { return f(i) + f(twice(i)); }

int overloaded(int i) { return i; }
double overloaded(double d) { return largest(d, 2.0); }
