/* SPDX-License-Identifier: Apache-2.0 */
/* sphere.h - longitude and latitude as points of the unit sphere */
#ifndef MPLAN_SPHERE_H
#define MPLAN_SPHERE_H

#include <stdbool.h>

/* Sine and cosine of an angle in degrees, |degrees| <= 1e9, by additions and multiplications only, so
 * that they are the same on every machine. Error at most 2^-52. */
void mplan_sine_degrees(double degrees, double *sine, double *cosine);

/* Whether these are a longitude and a latitude in degrees; NaN is none. A little beyond a pole is accepted, as reals of 32 bits
 * round so. */
bool mplan_sphere_has(double longitude, double latitude);
/* The point of the unit sphere at a longitude and latitude in degrees. */
void mplan_sphere_point(double longitude, double latitude, double xyz[3]);

#endif
