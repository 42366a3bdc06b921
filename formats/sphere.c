/* SPDX-License-Identifier: Apache-2.0 */
/* sphere.c - longitude and latitude as points of the unit sphere
 *
 * Not by libm, whose last bits differ between machines and would reach orders by coordinates. */
#include "formats/sphere.h"

/* Taylor series; |x| <= pi / 4, where the terms left out are below 2^-55. */
static double sine_series(double x)
{
    double y = x * x, sum = 1;
    for (int k = 8; k >= 1; k--)
        sum = 1 - y / (double)(2 * k * (2 * k + 1)) * sum;
    return x * sum;
}

/* Up to x^16, for |x| <= pi / 4: exact to the last bit or two, and the same on
 * every machine, which libm is not. */
static double cosine_series(double x)
{
    double y = x * x, sum = 1;
    for (int k = 8; k >= 1; k--)
        sum = 1 - y / (double)((2 * k - 1) * 2 * k) * sum;
    return sum;
}

/* Reduced to a quarter turn in degrees, where that is exact. */
void mplan_sine_degrees(double degrees, double *sine, double *cosine)
{
    long long quarter = (long long)(degrees / 90 + (degrees < 0 ? -0.5 : 0.5));
    /* exact: a multiple of the last bit of degrees, and smaller */
    double x = (degrees - 90 * (double)quarter) * (3.14159265358979323846 / 180);
    double s = sine_series(x), c = cosine_series(x);
    switch (quarter & 3) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default: *sine = -c; *cosine = s;
    }
}

/* On the unit sphere; degrees. mplan_sine_degrees gives equal bits on every machine, unlike
 * libm. */
void mplan_sphere_point(double longitude, double latitude, double xyz[3])
{
    double s, c, z, r;
    mplan_sine_degrees(longitude, &s, &c);
    mplan_sine_degrees(latitude, &z, &r);
    xyz[0] = r * c;
    xyz[1] = r * s;
    xyz[2] = z;
}

bool mplan_sphere_has(double longitude, double latitude)
{
    return longitude >= -1e6 && longitude <= 1e6 && latitude >= -90.001 && latitude <= 90.001;
}
