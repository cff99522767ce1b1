// A coroutine, of which compilers make several functions.
#include <coroutine>

struct Numbers {
  struct promise_type {
    int Current = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int V) {
      Current = V;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};

Numbers numbers(int N) {
  for (int I = 0; I < N; ++I)
    co_yield I * 2;
}

int main() {
  Numbers All = numbers(3);
  int Sum = 0;
  for (All.Handle.resume(); !All.Handle.done(); All.Handle.resume())
    Sum += All.Handle.promise().Current;
  All.Handle.destroy();
  return Sum;
}
