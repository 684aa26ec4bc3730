// expect: no end
[[[[[[[[[[[[[[
