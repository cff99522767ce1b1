// main calls outer, outer calls middle, and middle calls inner by a comparison of Arrays.sort. With SPIN
// set, inner is busy for a while; else it waits for the file "go", and crashes.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

public class Chain {
  static volatile long sink;

  static void inner() {
    if (System.getenv("SPIN") != null) {
      while (sink < 100000000)
        sink++;
      return;
    }
    try {
      Files.write(Path.of("ready"), new byte[0]);
      while (!Files.exists(Path.of("go")))
        Thread.sleep(1);
      var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      ((sun.misc.Unsafe)field.get(null)).putInt(8, 1);
    } catch (Exception e) {
      System.exit(1);
    }
  }

  static int compare(Integer a, Integer b) {
    inner();
    return a - b;
  }

  static void middle(Integer[] values) {
    Arrays.sort(values, Chain::compare);
  }

  static void outer() {
    middle(new Integer[] {2, 1});
  }

  public static void main(String[] arguments) {
    outer();
  }
}
