// Spends its time in two methods that the JVM compiles.
public class Busy {
  static long sumOfSquares(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++)
      sum += (long) i * i % 7;
    return sum;
  }

  static long work(int rounds) {
    long total = 0;
    for (int i = 0; i < rounds; i++)
      total += sumOfSquares(2000000);
    return total;
  }

  public static void main(String[] arguments) {
    System.out.println(work(400));
  }
}
