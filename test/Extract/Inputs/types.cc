struct Pair { int first, second; };
int twice(Pair p) { return (p.first + p.second) * 2; }
