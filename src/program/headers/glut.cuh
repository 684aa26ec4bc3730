// For: include_glut_h include_freeglut_h
// GLUT and OpenGL, as far as programs use them to show pixels, but without a window. The main loop calls the program's
// functions for display, idle, display again and the key Escape. Then it ends the program, like a closed window.
enum { GLUT_RGB = 0, GLUT_RGBA = 0, GLUT_SINGLE = 0, GLUT_DOUBLE = 2, GLUT_DEPTH = 16, GLUT_LEFT_BUTTON = 0, GLUT_MIDDLE_BUTTON = 1, GLUT_RIGHT_BUTTON = 2, GLUT_DOWN = 0, GLUT_UP = 1 };
enum { GL_UNSIGNED_BYTE = 0x1401, GL_FLOAT = 0x1406, GL_RGB = 0x1907, GL_RGBA = 0x1908, GL_COLOR_BUFFER_BIT = 0x4000 };
inline struct gpulab_window_calls {
  void (*display)();
  void (*idle)();
  void (*keyboard)(unsigned char, int, int);
} gpulab_window;
inline void glutInit(int*, char**) {}
inline void glutInitDisplayMode(unsigned) {}
inline void glutInitWindowSize(int, int) {}
inline void glutInitWindowPosition(int, int) {}
inline int glutCreateWindow(const char*) { return 1; }
inline void glutDisplayFunc(void (*display)()) { gpulab_window.display = display; }
inline void glutIdleFunc(void (*idle)()) { gpulab_window.idle = idle; }
inline void glutKeyboardFunc(void (*keyboard)(unsigned char, int, int)) { gpulab_window.keyboard = keyboard; }
inline void glutMouseFunc(void (*)(int, int, int, int)) {}
inline void glutMotionFunc(void (*)(int, int)) {}
inline void glutReshapeFunc(void (*)(int, int)) {}
inline void glutPostRedisplay() {}
inline void glutSwapBuffers() {}
inline void glutMainLoop() {
  if (gpulab_window.display) gpulab_window.display();
  if (gpulab_window.idle) {
    gpulab_window.idle();
    if (gpulab_window.display) gpulab_window.display();
  }
  if (gpulab_window.keyboard) gpulab_window.keyboard(27, 0, 0);
  exit(0);
}
inline void glClearColor(float, float, float, float) {}
inline void glClear(unsigned) {}
inline void glDrawPixels(int, int, unsigned, unsigned, const void*) {}
inline void glFlush() {}
