# not run: no Spack was at hand
# SPDX-License-Identifier: Apache-2.0
#     spack repo add tools/package/spack && spack dev-build meshplan@main       from the root of the sources
from spack.package import *


class Meshplan(CMakePackage, CudaPackage):
    """Plans loops over unstructured meshes for GPUs: orders, thread blocks, colours and tables, made once and offline."""

    homepage = "https://github.com/meshplan/meshplan"
    git = "https://github.com/meshplan/meshplan.git"
    license("Apache-2.0")
    version("main", branch="main")

    variant("metis", default=True, description="METIS as a partitioner")
    variant("scotch", default=True, description="SCOTCH as a partitioner")
    variant("yaml", default=True, description="jobs and lists in YAML")
    variant("hdf5", default=True, description="files in HDF5")
    variant("netcdf", default=True, description="UGRID and Exodus II files")
    variant("cgns", default=True, description="CGNS files")
    variant("shared", default=True, description="shared libraries")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("expat")
    depends_on("xxhash")
    depends_on("xz")
    depends_on("lz4")
    depends_on("metis@5.1:", when="+metis")
    depends_on("scotch@7:~mpi", when="+scotch")
    depends_on("libyaml", when="+yaml")
    depends_on("hdf5~mpi", when="+hdf5")
    depends_on("netcdf-c~mpi", when="+netcdf")
    depends_on("cgns~mpi", when="+cgns")

    def cmake_args(self):
        args = [self.define_from_variant(f"MPLAN_WITH_{name.upper()}", name)
                for name in ("metis", "scotch", "yaml", "hdf5", "netcdf", "cgns", "cuda")]
        return args + [self.define_from_variant("BUILD_SHARED_LIBS", "shared"), self.define("MPLAN_BUILD_TESTS", False),
                       self.define("MPLAN_SLIM_HELPERS", False)]
