int part(int value) {
  return value;
}
