! SPDX-License-Identifier: Apache-2.0
! res_calc.f90 - the flux loop of the airfoil in Fortran, under every strategy of a plan, against the serial result
!
!   meshplan generate naca0012 240x120 -o naca.su2
!   meshplan plan naca.su2 --read nodes:2,cells:4,cells:1 --inc cells:4 \
!       --strategy block-colour,block-gather,two-step,owner-gather,atomic,global-colour -o naca.mplan
!   gfortran meshplan.f90 res_calc.f90 $(pkg-config --libs meshplan_exec) -o res_calc && ./res_calc naca.mplan
!
! The loop is that of src/apps/airfoil_kernels.h (Giles et al., Comput. J. 55 (2012)). Exit status 1 when a strategy
! gives another result than the serial executor, beyond rounding.
module airfoil
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), parameter :: gm1 = 0.4_c_double, eps = 0.05_c_double
contains

  ! views: x(2, 2) of the nodes, q(4, 2) and adt(1, 2) of the cells, and the increments res(4, 2).
  subroutine res_calc(views, user) bind(c)
    type(c_ptr), intent(in) :: views(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: x(:, :), q(:, :), adt(:, :), res(:, :)
    real(c_double) :: d(2), p(2), vol(2), mu, f(4)
    integer :: k
    if (c_associated(user)) return ! this kernel has no parameters
    call c_f_pointer(views(1), x, [2, 2])
    call c_f_pointer(views(2), q, [4, 2])
    call c_f_pointer(views(3), adt, [1, 2])
    call c_f_pointer(views(4), res, [4, 2])
    d = x(:, 1) - x(:, 2)
    do k = 1, 2
      p(k) = gm1*(q(4, k) - 0.5_c_double*(q(2, k)**2 + q(3, k)**2)/q(1, k))
      vol(k) = (q(2, k)*d(2) - q(3, k)*d(1))/q(1, k)
    end do
    mu = 0.5_c_double*(adt(1, 1) + adt(1, 2))*eps
    f(1) = 0.5_c_double*(vol(1)*q(1, 1) + vol(2)*q(1, 2))
    f(2) = 0.5_c_double*(vol(1)*q(2, 1) + p(1)*d(2) + vol(2)*q(2, 2) + p(2)*d(2))
    f(3) = 0.5_c_double*(vol(1)*q(3, 1) - p(1)*d(1) + vol(2)*q(3, 2) - p(2)*d(1))
    f(4) = 0.5_c_double*(vol(1)*(q(4, 1) + p(1)) + vol(2)*(q(4, 2) + p(2)))
    f = f + mu*(q(:, 1) - q(:, 2))
    res(:, 1) = f
    res(:, 2) = -f
  end subroutine res_calc
end module airfoil

program main
  use, intrinsic :: iso_c_binding
  use meshplan
  use airfoil
  implicit none
  character(256) :: path
  type(c_ptr) :: plan
  type(error) :: err
  real(c_double), allocatable :: x(:, :), q(:, :), adt(:, :), serial(:, :), res(:, :)
  real(c_double) :: worst, largest
  integer(c_int64_t) :: i, nodes, cells
  integer :: variant, executor, n_run

  call get_command_argument(1, path)
  call must(plan_read(path, plan, err))
  nodes = plan_size(plan, "nodes")
  cells = plan_size(plan, "cells")
  if (nodes < 0 .or. cells < 0) error stop "the plan lacks nodes or cells"
  allocate (x(2, nodes), q(4, cells), adt(1, cells), serial(4, cells), res(4, cells))
  do i = 1, nodes
    x(:, i) = [real(mod(i*7919, 1009_c_int64_t), c_double), real(mod(i*104729, 997_c_int64_t), c_double)]/1000
  end do
  do i = 1, cells
    q(:, i) = [1.0_c_double, 0.3_c_double, 0.1_c_double, 2.5_c_double] + &
              real(mod(i*31337, 883_c_int64_t), c_double)/8830
    adt(1, i) = 1 + real(mod(i, 7_c_int64_t), c_double)/7
  end do

  call run(executor_serial, -1, serial)
  largest = maxval(abs(serial))
  if (.not. largest > 0) error stop "nothing was computed"
  n_run = 0
  do executor = executor_host, executor_openmp
    do variant = 0, 63
      if (.not. can_bind(variant)) exit
      call run(executor, variant, res)
      worst = maxval(abs(res - serial))/largest
      n_run = n_run + 1
      if (.not. worst < 1e-12_c_double) then
        print "(a,i0,a,i0,a,es9.2)", "executor ", executor, ", variant ", variant, ": differs by ", worst
        error stop 1
      end if
    end do
  end do
  print "(i0,a)", n_run, " runs of res_calc agree with the serial one"
  call plan_free(plan)
  deallocate (x, q, adt, serial, res)
  if (n_run == 0) error stop "no strategy was run"

contains

  subroutine must(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) then
      print "(2a)", "res_calc: ", text_of(err)
      error stop 1
    end if
  end subroutine must

  ! Whether the loop has such a variant.
  logical function can_bind(variant)
    integer, intent(in) :: variant
    type(c_ptr) :: exec, bound
    call must(exec_open(plan, executor_host, 0, exec, err))
    call must(exec_declare_all(exec, err))
    can_bind = exec_bind(exec, "loop", variant, res_calc, bound, err) == 0
    call exec_close(exec)
  end function can_bind

  subroutine run(executor, variant, out)
    integer(c_int), intent(in) :: executor
    integer, intent(in) :: variant
    real(c_double), intent(out) :: out(:, :)
    type(c_ptr) :: exec, bound
    call must(exec_open(plan, executor, 0, exec, err))
    call must(exec_declare_all(exec, err))
    call must(exec_upload(exec, "read1", x, err))
    call must(exec_upload(exec, "read2", q, err))
    call must(exec_upload(exec, "read3", adt, err))
    call must(exec_bind(exec, "loop", variant, res_calc, bound, err))
    call must(exec_launch(exec, bound, c_null_ptr, err))
    call must(exec_download(exec, "inc1", out, err))
    call exec_close(exec)
  end subroutine run
end program main
