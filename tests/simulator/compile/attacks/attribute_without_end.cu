// expect: not terminated
[[[[[[[[[[[[[[
