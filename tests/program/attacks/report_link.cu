// expect: the report is a file of its own
// Wants the report, which is written when the program has ended, to land in somebody's file.
#include <cstdio>
#include <unistd.h>
int main(int, char** words) {
  unlink("report.txt");
  symlink(words[1], "report.txt");
  link(words[1], "report.txt");
  rename(words[1], "report.txt");
  puts("the report is a file of its own");
}
