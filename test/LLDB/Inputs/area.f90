program area
  integer :: total
  total = rectangle(3, 4)
  print *, total
contains
  integer function rectangle(width, height)
    integer, intent(in) :: width, height
    integer :: product
    product = width * height
    rectangle = product
  end function
end program
