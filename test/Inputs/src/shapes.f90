! Modules, a submodule, internal procedures, an entry point, a main program.
module shapes
  implicit none
  real :: last = 0
  type square
    real :: side
  contains
    procedure :: area => square_area
  end type
  interface
    module function perimeter(s) result(p)
      type(square), intent(in) :: s
      real :: p
    end function
  end interface
contains
  function square_area(this) result(a)
    class(square), intent(in) :: this
    real :: a
    a = times(this%side)
    last = a
  end function

  pure function times(x) result(r)
    real, intent(in) :: x
    real :: r
    r = x * x
  end function
end module

submodule (shapes) edges
contains
  module function perimeter(s) result(p)
    type(square), intent(in) :: s
    real :: p
    p = 4 * s%side + times(s%side)
  end function
end submodule

subroutine many(n, total)
  use shapes, only: last
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: total
  total = total + n
  call add(2)
  return
entry few(n, total)
  total = total - n
  call add(3)
contains
  subroutine add(factor)
    integer, intent(in) :: factor
    total = total * factor + n
    last = total
  end subroutine
end subroutine

integer function plain(i) bind(C, name="plain_for_c")
  integer, value :: i
  plain = i + 1
end function

program drawing
  use shapes
  implicit none
  type(square) :: s
  integer :: total
  s%side = 2
  total = 7
  call twice(total)
  last = s%area() + perimeter(s) + total
contains
  subroutine twice(n)
    integer, intent(inout) :: n
    call once
    call once
  contains_nothing: block
      integer :: k
      k = n
      n = k + 1
    end block contains_nothing
  end subroutine
  subroutine once
    total = total + 1
  end subroutine
end program
