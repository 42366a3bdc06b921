! SPDX-License-Identifier: Apache-2.0
! meshplan.f90 - meshplan for Fortran 2003: plans and bundles of parts are read, dats kept, loops run on the host
!
! A thin module over the C library: names are those of meshplan.h and meshplan_exec.h, whose comments say
! what they do, without mplan_. The kernel of a loop is a subroutine of one element (element_kernel): views(a)
! points to the view of arg a, to be seen by c_f_pointer(views(a), x, [dim, arity]), of a global by [dim].
! Through a ragged map the second extent is that of the longest row; after the views come pointers to the numbers of
! entries (integer(c_int32_t)) of each ragged arg: call c_f_pointer(views(args + 1), n).
! Statuses other than 0 come with a sentence, which text_of gives. res_calc.f90 is an example; diffuse.f90 has globals.
module meshplan
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer(c_int), parameter, public :: executor_serial = 0, executor_host = 1, executor_openmp = 2
  integer(c_int), parameter, public :: type_u8 = 1, type_u16 = 2, type_i32 = 3, type_i64 = 4, &
                                       type_f32 = 5, type_f64 = 6
  integer(c_int), parameter, public :: reduce_sum = 0, reduce_min = 1, reduce_max = 2

  type, bind(c), public :: error
    integer(c_int) :: status = 0
    character(kind=c_char) :: text(1024) = c_null_char
  end type error

  type, bind(c) :: exec_options
    integer(c_size_t) :: struct_size
    integer(c_int) :: executor
    integer(c_int32_t) :: device, threads
    type(c_ptr) :: topology
    integer(c_int32_t) :: n_sets
    type(c_ptr) :: sets
  end type exec_options

  type, bind(c) :: rank_options
    integer(c_size_t) :: struct_size
    integer(c_int32_t) :: ranks
    type(c_ptr) :: first_part
    logical(c_bool) :: overlap, poison ! a byte that is not named would be what happens to be there
  end type rank_options

  abstract interface
    subroutine element_kernel(views, user) bind(c)
      import :: c_ptr
      type(c_ptr), intent(in) :: views(*)
      type(c_ptr), value :: user
    end subroutine element_kernel
  end interface
  public :: element_kernel

  abstract interface
    subroutine layer_kernel(views, layer, user) bind(c)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(in) :: views(*)
      integer(c_int32_t), intent(in) :: layer(3)
      type(c_ptr), value :: user
    end subroutine layer_kernel
  end interface
  public :: layer_kernel

  interface
    integer(c_int) function c_plan_read(path, context, plan, err) bind(c, name="mplan_plan_read")
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: plan
      type(error), intent(inout) :: err
    end function c_plan_read
    subroutine plan_free(plan) bind(c, name="mplan_plan_free")
      import
      type(c_ptr), value :: plan
    end subroutine plan_free
    integer(c_int32_t) function c_plan_find_set(plan, name) bind(c, name="mplan_plan_find_set")
      import
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: name(*)
    end function c_plan_find_set
    type(c_ptr) function c_plan_get_set(plan, i) bind(c, name="mplan_plan_get_set")
      import
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: i
    end function c_plan_get_set
    integer(c_int) function c_exec_open(plan, options, exec, err) bind(c, name="mplan_exec_open")
      import
      type(c_ptr), value :: plan
      type(exec_options), intent(in) :: options
      type(c_ptr), intent(out) :: exec
      type(error), intent(inout) :: err
    end function c_exec_open
    integer(c_int) function c_bundle_open(path, context, bundle, err) bind(c, name="mplan_bundle_open")
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: bundle
      type(error), intent(inout) :: err
    end function c_bundle_open
    subroutine bundle_free(bundle) bind(c, name="mplan_bundle_free")
      import
      type(c_ptr), value :: bundle
    end subroutine bundle_free
    integer(c_int32_t) function bundle_parts(bundle) bind(c, name="mplan_bundle_n_parts")
      import
      type(c_ptr), value :: bundle
    end function bundle_parts
    integer(c_int) function c_exec_open_part(bundle, transport, options, ranks, exec, err) &
        bind(c, name="mplan_exec_open_part")
      import
      type(c_ptr), value :: bundle, transport
      type(exec_options), intent(in) :: options
      type(rank_options), intent(in) :: ranks
      type(c_ptr), intent(out) :: exec
      type(error), intent(inout) :: err
    end function c_exec_open_part
    subroutine exec_close(exec) bind(c, name="mplan_exec_close")
      import
      type(c_ptr), value :: exec
    end subroutine exec_close
    integer(c_int) function exec_declare_all(exec, err) bind(c, name="mplan_exec_declare_all")
      import
      type(c_ptr), value :: exec
      type(error), intent(inout) :: err
    end function exec_declare_all
    integer(c_int) function c_exec_upload(exec, dat, rows, n_rows, dim, type, err) &
        bind(c, name="mplan_exec_upload")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: dat(*)
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: n_rows
      integer(c_int32_t), value :: dim
      integer(c_int), value :: type
      type(error), intent(inout) :: err
    end function c_exec_upload
    integer(c_int) function c_exec_download(exec, dat, rows, n_rows, dim, type, err) &
        bind(c, name="mplan_exec_download")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: dat(*)
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: n_rows
      integer(c_int32_t), value :: dim
      integer(c_int), value :: type
      type(error), intent(inout) :: err
    end function c_exec_download
    integer(c_int) function c_exec_set(exec, dat, values, dim, type, stream, err) bind(c, name="mplan_exec_set")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: dat(*)
      type(c_ptr), value :: values
      integer(c_int32_t), value :: dim
      integer(c_int), value :: type
      type(c_ptr), value :: stream
      type(error), intent(inout) :: err
    end function c_exec_set
    integer(c_int) function c_exec_clear(exec, dat, stream, err) bind(c, name="mplan_exec_clear")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: dat(*)
      type(c_ptr), value :: stream
      type(error), intent(inout) :: err
    end function c_exec_clear
    integer(c_int) function c_exec_bind_function(exec, loop, variant, kernel, bound, err) &
        bind(c, name="mplan_exec_bind_function")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: loop(*)
      integer(c_int32_t), value :: variant
      type(c_funptr), value :: kernel
      type(c_ptr), intent(out) :: bound
      type(error), intent(inout) :: err
    end function c_exec_bind_function
    integer(c_int) function c_exec_bind_layer_function(exec, loop, variant, kernel, bound, err) &
        bind(c, name="mplan_exec_bind_layer_function")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: loop(*)
      integer(c_int32_t), value :: variant
      type(c_funptr), value :: kernel
      type(c_ptr), intent(out) :: bound
      type(error), intent(inout) :: err
    end function c_exec_bind_layer_function
    integer(c_int) function exec_launch(exec, bound, user, err) &
        bind(c, name="mplan_exec_launch_function")
      import
      type(c_ptr), value :: exec, bound, user
      type(error), intent(inout) :: err
    end function exec_launch
    integer(c_int) function c_exec_reduce(exec, dat, component, reduction, value, err) &
        bind(c, name="mplan_exec_reduce")
      import
      type(c_ptr), value :: exec
      character(kind=c_char), intent(in) :: dat(*)
      integer(c_int32_t), value :: component
      integer(c_int), value :: reduction
      real(c_double), intent(out) :: value
      type(error), intent(inout) :: err
    end function c_exec_reduce
  end interface

  ! rows(dim, members) of f64, f32, i32 or i64, in the order of the mesh; of a dat with levels rows(dim, levels * members),
  ! all levels of each; of a global rows(dim, 1).
  interface exec_upload
    module procedure upload_f64, upload_f32, upload_i32, upload_i64
  end interface exec_upload
  interface exec_download
    module procedure download_f64, download_f32, download_i32, download_i64
  end interface exec_download
  ! The values(dim) of a global, for launches that follow.
  interface exec_set
    module procedure set_f64, set_f32, set_i32, set_i64
  end interface exec_set
  public :: plan_read, plan_free, plan_size, bundle_open, bundle_free, bundle_parts, exec_open, exec_open_part, &
            exec_close, exec_declare_all, exec_upload, exec_download, exec_set, exec_clear, exec_bind, &
            exec_bind_layers, exec_launch, exec_reduce, text_of

contains

  ! The plan of a file; plan_free releases it, after the executors of it.
  integer(c_int) function plan_read(path, plan, err)
    character(*), intent(in) :: path
    type(c_ptr), intent(out) :: plan
    type(error), intent(inout) :: err
    plan_read = c_plan_read(trim(path)//c_null_char, c_null_ptr, plan, err)
  end function plan_read

  ! Members of a set of the plan, as the mesh has them; -1 where there is no such set.
  integer(c_int64_t) function plan_size(plan, set)
    type(c_ptr), intent(in) :: plan
    character(*), intent(in) :: set
    integer(c_int32_t) :: i
    type(c_ptr) :: record
    type, bind(c) :: set_record
      type(c_ptr) :: name
      integer(c_int64_t) :: size
    end type set_record
    type(set_record), pointer :: found
    plan_size = -1
    i = c_plan_find_set(plan, trim(set)//c_null_char)
    if (i < 0) return
    record = c_plan_get_set(plan, i)
    call c_f_pointer(record, found)
    plan_size = found%size
  end function plan_size

  ! The bundle of a file, which holds plans of the parts of a mesh; bundle_free releases it.
  integer(c_int) function bundle_open(path, bundle, err)
    character(*), intent(in) :: path
    type(c_ptr), intent(out) :: bundle
    type(error), intent(inout) :: err
    bundle_open = c_bundle_open(trim(path)//c_null_char, c_null_ptr, bundle, err)
  end function bundle_open

  ! An executor of the parts that the caller's rank owns, used as one of a plan; rows are those of the whole mesh. transport:
  ! a mplan_transport in C, which says how many ranks there are; c_null_ptr: `ranks` ranks, all of them in this process.
  integer(c_int) function exec_open_part(bundle, transport, ranks, executor, threads, exec, err)
    type(c_ptr), intent(in) :: bundle, transport
    integer, intent(in) :: ranks, threads
    integer(c_int), intent(in) :: executor
    type(c_ptr), intent(out) :: exec
    type(error), intent(inout) :: err
    type(rank_options) :: how
    how = rank_options(c_sizeof(how), int(ranks, c_int32_t), c_null_ptr, .true._c_bool, .false._c_bool)
    exec_open_part = c_exec_open_part(bundle, transport, options_of(executor, threads), how, exec, err)
  end function exec_open_part

  ! threads: of executor_openmp; 0: as many as there are.
  integer(c_int) function exec_open(plan, executor, threads, exec, err)
    type(c_ptr), intent(in) :: plan
    integer(c_int), intent(in) :: executor
    integer, intent(in) :: threads
    type(c_ptr), intent(out) :: exec
    type(error), intent(inout) :: err
    exec_open = c_exec_open(plan, options_of(executor, threads), exec, err)
  end function exec_open

  ! Options of which the others have their defaults.
  type(exec_options) function options_of(executor, threads)
    integer(c_int), intent(in) :: executor
    integer, intent(in) :: threads
    options_of = exec_options(c_sizeof(options_of), executor, 0_c_int32_t, int(threads, c_int32_t), &
                              c_null_ptr, 0_c_int32_t, c_null_ptr)
  end function options_of

  integer(c_int) function upload_f64(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    real(c_double), contiguous, target, intent(in) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_upload(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                           size(rows, 1, c_int32_t), type_f64, err)
  end function upload_f64

  integer(c_int) function upload_f32(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    real(c_float), contiguous, target, intent(in) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_upload(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                           size(rows, 1, c_int32_t), type_f32, err)
  end function upload_f32

  integer(c_int) function upload_i32(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer(c_int32_t), contiguous, target, intent(in) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_upload(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                           size(rows, 1, c_int32_t), type_i32, err)
  end function upload_i32

  integer(c_int) function upload_i64(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer(c_int64_t), contiguous, target, intent(in) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_upload(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                           size(rows, 1, c_int32_t), type_i64, err)
  end function upload_i64

  integer(c_int) function download_f64(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    real(c_double), contiguous, target, intent(inout) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_download(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                             size(rows, 1, c_int32_t), type_f64, err)
  end function download_f64

  integer(c_int) function download_f32(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    real(c_float), contiguous, target, intent(inout) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_download(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                             size(rows, 1, c_int32_t), type_f32, err)
  end function download_f32

  integer(c_int) function download_i32(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer(c_int32_t), contiguous, target, intent(inout) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_download(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                             size(rows, 1, c_int32_t), type_i32, err)
  end function download_i32

  integer(c_int) function download_i64(exec, dat, rows, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer(c_int64_t), contiguous, target, intent(inout) :: rows(:, :)
    type(error), intent(inout) :: err
    status = c_exec_download(exec, trim(dat)//c_null_char, c_loc(rows), size(rows, 2, c_int64_t), &
                             size(rows, 1, c_int32_t), type_i64, err)
  end function download_i64

  integer(c_int) function set_f64(exec, dat, values, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    real(c_double), contiguous, target, intent(in) :: values(:)
    type(error), intent(inout) :: err
    status = c_exec_set(exec, trim(dat)//c_null_char, c_loc(values), size(values, 1, c_int32_t), type_f64, &
                        c_null_ptr, err)
  end function set_f64

  integer(c_int) function set_f32(exec, dat, values, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    real(c_float), contiguous, target, intent(in) :: values(:)
    type(error), intent(inout) :: err
    status = c_exec_set(exec, trim(dat)//c_null_char, c_loc(values), size(values, 1, c_int32_t), type_f32, &
                        c_null_ptr, err)
  end function set_f32

  integer(c_int) function set_i32(exec, dat, values, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer(c_int32_t), contiguous, target, intent(in) :: values(:)
    type(error), intent(inout) :: err
    status = c_exec_set(exec, trim(dat)//c_null_char, c_loc(values), size(values, 1, c_int32_t), type_i32, &
                        c_null_ptr, err)
  end function set_i32

  integer(c_int) function set_i64(exec, dat, values, err) result(status)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer(c_int64_t), contiguous, target, intent(in) :: values(:)
    type(error), intent(inout) :: err
    status = c_exec_set(exec, trim(dat)//c_null_char, c_loc(values), size(values, 1, c_int32_t), type_i64, &
                        c_null_ptr, err)
  end function set_i64

  ! Zero for a dat that launches increment next.
  integer(c_int) function exec_clear(exec, dat, err)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    type(error), intent(inout) :: err
    exec_clear = c_exec_clear(exec, trim(dat)//c_null_char, c_null_ptr, err)
  end function exec_clear

  ! variant: from 0; -1 the default.
  integer(c_int) function exec_bind(exec, loop, variant, kernel, bound, err)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: loop
    integer, intent(in) :: variant
    procedure(element_kernel) :: kernel
    type(c_ptr), intent(out) :: bound
    type(error), intent(inout) :: err
    exec_bind = c_exec_bind_function(exec, trim(loop)//c_null_char, int(variant, c_int32_t), &
                                     c_funloc(kernel), bound, err)
  end function exec_bind

  ! A loop with layers (meshplan-layers(7)): the kernel gets one layer of an element, or a whole column where the loop says
  ! so. Views are view(dim, slots), of columns view(dim, levels) or, through a map, view(dim, levels, slots). layer: its
  ! number from 0, the lowest one of the column, and the one above its highest.
  integer(c_int) function exec_bind_layers(exec, loop, variant, kernel, bound, err)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: loop
    integer, intent(in) :: variant
    procedure(layer_kernel) :: kernel
    type(c_ptr), intent(out) :: bound
    type(error), intent(inout) :: err
    exec_bind_layers = c_exec_bind_layer_function(exec, trim(loop)//c_null_char, &
                                                  int(variant, c_int32_t), c_funloc(kernel), bound, err)
  end function exec_bind_layers

  ! component: from 0, as in C.
  integer(c_int) function exec_reduce(exec, dat, component, reduction, value, err)
    type(c_ptr), intent(in) :: exec
    character(*), intent(in) :: dat
    integer, intent(in) :: component
    integer(c_int), intent(in) :: reduction
    real(c_double), intent(out) :: value
    type(error), intent(inout) :: err
    exec_reduce = c_exec_reduce(exec, trim(dat)//c_null_char, int(component, c_int32_t), reduction, &
                                value, err)
  end function exec_reduce

  ! The sentence of an error.
  function text_of(err) result(text)
    type(error), intent(in) :: err
    character(:), allocatable :: text
    integer :: i, n
    n = findloc(err%text, c_null_char, dim=1) - 1
    if (n < 0) n = size(err%text)
    allocate (character(n) :: text)
    do i = 1, n
      text(i:i) = err%text(i)
    end do
  end function text_of
end module meshplan
