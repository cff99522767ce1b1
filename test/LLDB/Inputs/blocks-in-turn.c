// A function that stops in one lexical block after the other.
__attribute__((noinline)) void leaf(int Value) { __asm__ volatile("" ::"r"(Value)); }

__attribute__((noinline)) int caller(int Count) {
  {
    int First = Count + 1;
    leaf(First);
  }
  {
    int Second = Count + 2;
    {
      int First = Count + 3;
      leaf(First + Second);
    }
  }
  return Count;
}

int main(int argc, char **argv) { return caller(argc) - 1; }
