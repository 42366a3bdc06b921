! SPDX-License-Identifier: Apache-2.0
! matvec.f90 - LFRic's matrix-vector product on W0 in Fortran: a function of one layer of a cell, under every strategy of a
! plan, against the serial result and a sum that does not depend on the mesh; and in parts, by ranks of this process
!
! The job is that of meshplan-layers(7); `layers` of its cells is 5, and `cubed-sphere 8` its mesh:
!   meshplan generate cubed-sphere 8 -o sphere.msh
!   meshplan plan matvec.yaml --strategy global-colour,two-step,atomic,owner-gather -o matvec.mplan
!   gfortran meshplan.f90 matvec.f90 $(pkg-config --libs meshplan_exec) -o matvec && ./matvec matvec.mplan
! With `--parts 3 -o matvec.mplans` it is a bundle, which may be the second argument.
module lfric
  use, intrinsic :: iso_c_binding
  implicit none
contains

  ! views: m(8, 8), column c of the matrix in m(:, c); x(1, 8) and lhs(1, 8), four dofs below and four above the cell.
  ! layer: its number, the lowest one of its column, and the one above the highest.
  subroutine matvec(views, layer, user) bind(c)
    type(c_ptr), intent(in) :: views(*)
    integer(c_int32_t), intent(in) :: layer(3)
    type(c_ptr), value :: user
    real(c_double), pointer :: m(:, :), x(:, :), lhs(:, :)
    if (c_associated(user) .or. layer(1) < layer(2)) return ! no parameters; layers are those of the column
    call c_f_pointer(views(1), m, [8, 8])
    call c_f_pointer(views(2), x, [1, 8])
    call c_f_pointer(views(3), lhs, [1, 8])
    lhs(1, :) = matmul(m, x(1, :))
  end subroutine matvec
end module lfric

program main
  use, intrinsic :: iso_c_binding
  use meshplan
  use lfric
  implicit none
  integer, parameter :: layers = 5
  character(256) :: path, parts
  type(c_ptr) :: plan
  type(error) :: err
  real(c_double), allocatable :: m(:, :), x(:, :), serial(:, :), lhs(:, :)
  integer(c_int64_t) :: i, nodes, cells
  integer :: variant, executor, n_run

  call get_command_argument(1, path)
  call must(plan_read(path, plan, err))
  nodes = plan_size(plan, "nodes")
  cells = plan_size(plan, "cells")
  if (nodes < 0 .or. cells < 0) error stop "the plan lacks nodes or cells"
  allocate (m(64, cells*layers), x(1, nodes*(layers + 1)), serial(1, nodes*(layers + 1)), lhs(1, nodes*(layers + 1)))
  do i = 1, cells*layers
    m(:, i) = [(real(mod((64*i + n_run)*7919, 1009_c_int64_t), c_double)/1009, n_run=1, 64)]
  end do
  x = 1 ! so that all of lhs adds up to all of m

  call run(executor_serial, -1, serial)
  if (.not. abs(sum(serial)/sum(m) - 1) < 1e-12_c_double) error stop "the sums differ"
  n_run = 0
  do executor = executor_host, executor_openmp
    do variant = 0, 63
      if (.not. can_bind(variant)) exit
      call run(executor, variant, lhs)
      n_run = n_run + 1
      if (.not. maxval(abs(lhs - serial)) < 1e-12_c_double*maxval(abs(serial))) then
        print "(a,i0,a,i0,a)", "executor ", executor, ", variant ", variant, ": another result"
        error stop 1
      end if
    end do
  end do
  print "(i0,a)", n_run, " runs of matvec agree with the serial one"
  call get_command_argument(2, parts)
  if (parts /= "") call run_parts()
  call plan_free(plan)
  deallocate (m, x, serial, lhs)
  if (n_run == 0) error stop "no strategy was run"

contains

  subroutine must(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) then
      print "(2a)", "matvec: ", text_of(err)
      error stop 1
    end if
  end subroutine must

  ! Whether the loop has such a variant.
  logical function can_bind(variant)
    integer, intent(in) :: variant
    type(c_ptr) :: exec, bound
    call must(exec_open(plan, executor_host, 0, exec, err))
    call must(exec_declare_all(exec, err))
    can_bind = exec_bind_layers(exec, "matvec", variant, matvec, bound, err) == 0
    call exec_close(exec)
  end function can_bind

  subroutine run(executor, variant, out)
    integer(c_int), intent(in) :: executor
    integer, intent(in) :: variant
    real(c_double), intent(out) :: out(:, :)
    type(c_ptr) :: exec
    call must(exec_open(plan, executor, 0, exec, err))
    call launch(exec, variant, out)
  end subroutine run

  ! Once by an executor, of a plan or of parts, which is closed.
  subroutine launch(exec, variant, out)
    type(c_ptr), intent(in) :: exec
    integer, intent(in) :: variant
    real(c_double), intent(out) :: out(:, :)
    type(c_ptr) :: bound
    call must(exec_declare_all(exec, err))
    call must(exec_upload(exec, "m", m, err))
    call must(exec_upload(exec, "x", x, err))
    call must(exec_bind_layers(exec, "matvec", variant, matvec, bound, err))
    call must(exec_launch(exec, bound, c_null_ptr, err))
    call must(exec_download(exec, "lhs", out, err))
    call exec_close(exec)
  end subroutine launch

  ! The default of the bundle's loop, by every number of ranks: bits of one rank, numbers of the serial result.
  subroutine run_parts()
    type(c_ptr) :: bundle, exec
    real(c_double), allocatable :: first(:, :)
    integer :: ranks
    allocate (first(size(lhs, 1), size(lhs, 2)))
    call must(bundle_open(parts, bundle, err))
    do ranks = 1, int(bundle_parts(bundle))
      call must(exec_open_part(bundle, c_null_ptr, ranks, executor_host, 0, exec, err))
      call launch(exec, -1, lhs)
      if (ranks == 1) first = lhs
      if (any(lhs /= first) .or. .not. maxval(abs(lhs - serial)) < 1e-12_c_double*maxval(abs(serial))) &
        error stop "parts have another result"
    end do
    print "(a,i0,a)", "equal bits on 1 to ", bundle_parts(bundle), " ranks"
    call bundle_free(bundle)
  end subroutine run_parts
end program main
