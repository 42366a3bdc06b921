#!/usr/bin/env python3
"""Makes the fixtures that are HDF5 files, by libraries (python3-netcdf4, python3-h5py), whose bytes may differ from
version to version: they are committed, and the tests need neither library.

make_hdf5_fixtures.py      writes them all"""
import pathlib

import netCDF4

HERE = pathlib.Path(__file__).resolve().parent


def recompress(source, target):
    """A classic file as netCDF-4, its variables compressed in chunks."""
    with netCDF4.Dataset(HERE / source) as old, netCDF4.Dataset(HERE / target, "w") as new:
        old.set_auto_mask(False)
        for name, dimension in old.dimensions.items():
            new.createDimension(name, len(dimension))
        for name, variable in old.variables.items():
            attributes = {key: variable.getncattr(key) for key in variable.ncattrs()}
            made = new.createVariable(name, variable.dtype, variable.dimensions, zlib=variable.ndim > 0,
                                      fill_value=attributes.pop("_FillValue", None))
            made.setncatts(attributes)
            made.set_auto_mask(False)
            made[...] = variable[...]


def main():
    recompress("ugrid/good-flat.nc", "ugrid/good-compressed.nc")
    recompress("exodus/good-solid.exo", "exodus/good-compressed.exo")


if __name__ == "__main__":
    main()
