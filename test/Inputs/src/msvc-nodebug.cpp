namespace plain {
int withoutLines(int Value) { return Value / 3; }
} // namespace plain
