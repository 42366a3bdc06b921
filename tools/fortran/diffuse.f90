! SPDX-License-Identifier: Apache-2.0
! diffuse.f90 - time steps of three loops in Fortran, whose length the cells decide: globals, and whole numbers
!
!   meshplan: 1
!   mesh: square.msh
!   loops:
!     - {name: limit, over: cells, args: [{dat: rate, access: read}, {dat: dt, global: true, access: min}]}
!     - name: flux
!       over: faces
!       args:
!         - {dat: heat, map: faces_cells, access: read, dim: 1, type: f64}
!         - {dat: dt, global: true, access: read}
!         - {dat: change, map: faces_cells, access: inc, dim: 1, type: f64}
!     - name: update
!       over: cells
!       args:
!         - {dat: heat, access: rw}
!         - {dat: change, access: read}
!         - {dat: norm, global: true, access: inc}
!         - {dat: warm, global: true, access: inc, type: i32}
!   output: diffuse.mplan
!
!   meshplan generate tri 20x20 -o square.msh && meshplan plan diffuse.yaml
!   gfortran meshplan.f90 diffuse.f90 $(pkg-config --libs meshplan_exec) -o diffuse && ./diffuse diffuse.mplan
!
! Exit status 1 when heat is lost, or an executor gives another result than the serial one, beyond rounding.
module diffusion
  use, intrinsic :: iso_c_binding
  implicit none
contains

  ! views: the cell's rate, and the longest step that it allows.
  subroutine limit(views, user) bind(c)
    type(c_ptr), intent(in) :: views(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: rate, dt
    if (c_associated(user)) return ! this kernel has no parameters
    call c_f_pointer(views(1), rate)
    call c_f_pointer(views(2), dt)
    dt = 0.2_c_double/rate
  end subroutine limit

  ! views: heat(1, 2) of the two cells, the step, and their increments change(1, 2). user: the conductivity.
  subroutine flux(views, user) bind(c)
    type(c_ptr), intent(in) :: views(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: heat(:, :), dt, change(:, :), conductivity
    call c_f_pointer(user, conductivity)
    call c_f_pointer(views(1), heat, [1, 2])
    call c_f_pointer(views(2), dt)
    call c_f_pointer(views(3), change, [1, 2])
    change(1, 1) = conductivity*dt*(heat(1, 2) - heat(1, 1))
    change(1, 2) = -change(1, 1)
  end subroutine flux

  ! views: the cell's heat and change; its parts of the norm of the change, and of the number of warm cells.
  subroutine update(views, user) bind(c)
    type(c_ptr), intent(in) :: views(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: heat, change, norm
    integer(c_int32_t), pointer :: warm
    if (c_associated(user)) return
    call c_f_pointer(views(1), heat)
    call c_f_pointer(views(2), change)
    call c_f_pointer(views(3), norm)
    call c_f_pointer(views(4), warm)
    heat = heat + change
    norm = change**2
    if (heat > 0.5_c_double) warm = 1
  end subroutine update
end module diffusion

program main
  use, intrinsic :: iso_c_binding
  use meshplan
  use diffusion
  implicit none
  character(256) :: path
  type(c_ptr) :: plan
  type(error) :: err
  real(c_double), allocatable :: heat(:, :), rate(:, :), serial(:, :), now(:, :)
  integer(c_int64_t) :: i, cells
  integer(c_int32_t) :: warm, warm_serial
  integer :: executor

  call get_command_argument(1, path)
  call must(plan_read(path, plan, err))
  cells = plan_size(plan, "cells")
  if (cells < 0) error stop "the plan has no cells"
  allocate (heat(1, cells), rate(1, cells), serial(1, cells), now(1, cells))
  do i = 1, cells
    heat(1, i) = real(mod(i*7919, 1009_c_int64_t), c_double)/1008
    rate(1, i) = 1 + real(mod(i, 5_c_int64_t), c_double)/4
  end do
  call run(executor_serial, serial, warm_serial)
  if (.not. abs(sum(serial) - sum(heat)) < 1e-11_c_double*sum(heat)) error stop "heat is lost"
  do executor = executor_host, executor_openmp
    call run(executor, now, warm)
    if (.not. maxval(abs(now - serial)) < 1e-12_c_double .or. warm /= warm_serial) then
      print "(a,i0,a)", "executor ", executor, ": differs from the serial one"
      error stop 1
    end if
  end do
  print "(i0,a,i0,a)", warm, " of ", cells, " cells are warm after 20 steps"
  call plan_free(plan)
  deallocate (heat, rate, serial, now)

contains

  subroutine must(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) then
      print "(2a)", "diffuse: ", text_of(err)
      error stop 1
    end if
  end subroutine must

  ! 20 steps by an executor; what the cells have then, and how many of them are warm.
  subroutine run(executor, out, warm)
    integer(c_int), intent(in) :: executor
    real(c_double), intent(out) :: out(:, :)
    integer(c_int32_t), intent(out) :: warm
    real(c_double), target :: conductivity
    real(c_double) :: norm(1, 1), before
    integer(c_int32_t) :: counted(1, 1)
    type(c_ptr) :: exec, bound_limit, bound_flux, bound_update
    integer :: step
    conductivity = 0.9_c_double
    call must(exec_open(plan, executor, 0, exec, err))
    call must(exec_declare_all(exec, err))
    call must(exec_upload(exec, "heat", heat, err))
    call must(exec_upload(exec, "rate", rate, err))
    call must(exec_bind(exec, "limit", -1, limit, bound_limit, err))
    call must(exec_bind(exec, "flux", -1, flux, bound_flux, err))
    call must(exec_bind(exec, "update", -1, update, bound_update, err))
    norm = huge(norm)
    do step = 1, 20
      before = norm(1, 1)
      call must(exec_set(exec, "dt", [1.0_c_double], err))
      call must(exec_set(exec, "norm", [0.0_c_double], err))
      call must(exec_set(exec, "warm", [0_c_int32_t], err))
      call must(exec_clear(exec, "change", err))
      call must(exec_launch(exec, bound_limit, c_null_ptr, err))
      call must(exec_launch(exec, bound_flux, c_loc(conductivity), err))
      call must(exec_launch(exec, bound_update, c_null_ptr, err))
      call must(exec_download(exec, "norm", norm, err))
      if (.not. (norm(1, 1) > 0 .and. norm(1, 1) < before)) error stop "the change does not decrease"
    end do
    call must(exec_download(exec, "warm", counted, err))
    call must(exec_download(exec, "heat", out, err))
    warm = counted(1, 1)
    call exec_close(exec)
  end subroutine run
end program main
