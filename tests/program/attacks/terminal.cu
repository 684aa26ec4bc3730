// expect: nothing got through
#include "attack.cuh"

#include <sys/ioctl.h>
#include <termios.h>

int main() {
  attempt("typing into the terminal", [] { char letter = 'x'; return is_tried(ioctl(0, TIOCSTI, &letter)); });
  attempt("typing by way of stderr", [] { char letter = 'x'; return is_tried(ioctl(2, TIOCSTI, &letter)); });
  attempt("typing, with upper bits", [] { char letter = 'x'; return is_tried(syscall(SYS_ioctl, 0, 0xf00000000 | TIOCSTI, &letter)); });
  attempt("pasting", [] { char what = 3; return is_tried(ioctl(0, TIOCLINUX, &what)); });
  attempt("taking the terminal", [] { return is_tried(ioctl(0, TIOCSCTTY, 1)); });
  attempt("leaving the terminal", [] { return is_tried(ioctl(0, TIOCNOTTY, 0)); });
  attempt("another foreground", [] { pid_t group = getpid(); return is_tried(ioctl(0, TIOCSPGRP, &group)); });
  attempt("another line discipline", [] { int which = 0; return is_tried(ioctl(0, TIOCSETD, &which)); });
  attempt("exclusive use", [] { return is_tried(ioctl(0, TIOCEXCL, 0)); });
  attempt("modes", [] { termios mode{}; return is_tried(ioctl(0, TCSETS, &mode)); });
  attempt("signals from a file", [] { int on = 1; return is_tried(ioctl(0, FIOASYNC, &on)); });
  attempt("hanging up", [] { return is_tried(syscall(SYS_vhangup)); });
  attempt("opening it", [] { return open("/dev/tty", O_RDONLY) >= 0; });
  attempt("opening it to write", [] { return open("/dev/tty", O_WRONLY) >= 0; });
  attempt("writing to what is read", [] { return isatty(0) && write(0, "\033[c", 3) > 0; });
  return end_of_attacks();
}
