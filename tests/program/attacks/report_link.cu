// expect: the report is a file of its own
// Tries to redirect the report, which is written after the program has ended, to another file.
#include <cstdio>
#include <unistd.h>
int main(int, char** words) {
  unlink("report.txt");
  symlink(words[1], "report.txt");
  link(words[1], "report.txt");
  rename(words[1], "report.txt");
  puts("the report is a file of its own");
}
