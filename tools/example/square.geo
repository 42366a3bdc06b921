// square.geo - the unit square for patch_flux.c, heat.c and heat.py, by gmsh:
//   gmsh -2 square.geo -o square.msh
// Without gmsh: meshplan generate tri 40x40 --jitter 0.2 --seed 1 -o square.msh
size = 0.03;
Point(1) = {0, 0, 0, size};
Point(2) = {1, 0, 0, size};
Point(3) = {1, 1, 0, size / 2}; // finer in one corner
Point(4) = {0, 1, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("top") = {3};
Physical Curve("left") = {4};
Physical Surface("plate") = {1};
