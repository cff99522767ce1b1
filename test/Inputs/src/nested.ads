package Nested is
   procedure Count (N : in out Integer);
   procedure Count (N : in out Long_Integer);

   generic
      type Item is private;
   procedure Swap (A, B : in out Item);
end Nested;
