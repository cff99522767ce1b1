--  Packages, overloading, subprograms within subprograms, generics, operators,
--  and the body of a package, which runs when the program starts.
package body Nested is

   Total : Integer := 0;
   pragma Volatile (Total);

   type Side is new Integer;

   function Twice (N : Side) return Side is (N * 2);

   function "+" (Left : Side; Right : Integer) return Integer is
   begin
      return Integer (Twice (Left)) + Right;
   end "+";

   procedure Count (N : in out Integer) is
      Local : Integer := N;
      pragma Volatile (Local);

      procedure Add (Step : Integer) is
         procedure Deeper is
         begin
            Local := Local + Step;
            N := Local;
         end Deeper;
      begin
         Local := Local * 3;
         Deeper;
      end Add;
   begin
      for I in 1 .. 3 loop
         Add (I);
         Add (Total);
      end loop;
   end Count;

   procedure Count (N : in out Long_Integer) is
   begin
      N := N + Long_Integer (Total);
   end Count;

   procedure Swap (A, B : in out Item) is
      C : constant Item := A;
   begin
      A := B;
      B := C;
   end Swap;

   package Inner is
      procedure Run;
   end Inner;

   package body Inner is
      procedure Swap_Integers is new Swap (Integer);
      procedure Run is
         X : Integer := Side (Total) + 1;
         Y : Integer := 2;
      begin
         Swap_Integers (X, Y);
         Total := X - Y;
      end Run;
   end Inner;

begin
   Inner.Run;
end Nested;
