SOL 101
CEND
GRID = ALL
BEGIN BULK
$ a comment
GRID*   10                              0.0             0.0
*       0.0
GRID*   20                              1.0             0.0
*       0.0
GRID*   30                              1.0             1.0
*       0.0
GRID*   40                              0.0             1.0
*       0.0
GRID*   50                              0.0             0.0
*       1.0
GRID*   60                              1.0             0.0
*       1.0
GRID*   70                              1.0             1.0
*       1.0
GRID*   80                              0.0             1.0
*       1.0
GRID*   90                              0.0             0.0
*       2.0
GRID*   100                             1.0             0.0
*       2.0
GRID*   110                             2.0             0.5
*       0.5
GRID*   120                             1.5             0.5
*       2.0
CHEXA*  1               3               10              20
*       30              40              50              60
*       70              80
CPENTA* 7               4               50              80
*       90              60              70              100
CPYRAM* 8               4               20              30
*       70              60              110
CTETRA* 9               3               60              70
*       110             120
CQUAD4* 20              5               10              40
*       30              20
CONM2*  30              10              0               1.5
ENDDATA
GRID,1
