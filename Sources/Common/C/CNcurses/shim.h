#ifndef LIFESIGNAL_CNCURSES_SHIM_H
#define LIFESIGNAL_CNCURSES_SHIM_H

#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <ncursesw/ncurses.h>

#include <fcntl.h>

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

extern int wcwidth(wchar_t);
extern int memfd_create(const char *, unsigned int);

/* What Swift cannot see of ncurses: its macros, its global variables, and the standard streams. All of it is for one
   thread, the one that opened the screen. */

/** How a cell stands out; or'ed together. */
enum { LIFESIGNAL_BOLD = 1, LIFESIGNAL_FAINT = 2, LIFESIGNAL_REVERSED = 4 };

/** Colours of a cell; 0 is the terminal's own. */
enum { LIFESIGNAL_GREEN = 1, LIFESIGNAL_YELLOW = 2, LIFESIGNAL_RED = 3 };

/** Keys that ncurses does not know: what a terminal puts around what is pasted. */
enum { LIFESIGNAL_PASTE_BEGAN = 0x1001, LIFESIGNAL_PASTE_ENDED = 0x1002 };

/** The terminal's settings while it shows the screen: every key at once, unechoed. The characters of the keyboard's signals
    keep their meaning; those that stop and start the output, or take the next key for themselves, have none. */
static inline void lifesignal_screen_take_settings(void) {
  struct termios settings;
  if (tcgetattr(STDIN_FILENO, &settings) != 0) return;
  settings.c_iflag &= ~(tcflag_t)(IXON | IXOFF | IXANY | ICRNL | INLCR | IGNCR);
  settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | IEXTEN);
  settings.c_lflag |= ISIG;
  settings.c_oflag &= ~(tcflag_t)ONLCR;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &settings);
}

/** Takes the terminal over, the cursor hidden. What ncurses writes goes into a file without a name, which the caller reads
    and empties: so a terminal that takes nothing cannot stop the thread that ncurses is for. That file's descriptor, or -1
    where the kind of terminal is not known or cannot do it. */
static inline int lifesignal_screen_open(int with_colors) {
  SCREEN *screen;
  FILE *output;
  int file;
  /* ncurses asks the descriptor for the terminal's size and speed, and keeps its number. */
  int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0 || !(output = fdopen(descriptor, "w"))) return -1;
  screen = newterm(NULL, output, stdin);
  if (!screen) return -1;
  set_term(screen);
  cbreak();
  noecho();
  nonl();
  intrflush(stdscr, FALSE);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  typeahead(-1);
  set_escdelay(25);
  define_key("\033[200~", LIFESIGNAL_PASTE_BEGAN);
  define_key("\033[201~", LIFESIGNAL_PASTE_ENDED);
  curs_set(0);
  if (with_colors && has_colors() && start_color() == OK && use_default_colors() == OK) {
    init_pair(LIFESIGNAL_GREEN, COLOR_GREEN, -1);
    init_pair(LIFESIGNAL_YELLOW, COLOR_YELLOW, -1);
    init_pair(LIFESIGNAL_RED, COLOR_RED, -1);
  }
  lifesignal_screen_take_settings();
  file = memfd_create("screen", 0);
  if (file < 0 || dup2(file, descriptor) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return -1;
  close(file);
  return descriptor;
}

/** Gives the terminal back until the next refresh. */
static inline void lifesignal_screen_close(void) { endwin(); }

static inline int lifesignal_screen_rows(void) { return getmaxy(stdscr); }
static inline int lifesignal_screen_columns(void) { return getmaxx(stdscr); }

/** Takes in that the terminal has another size. */
static inline void lifesignal_screen_resize(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    resizeterm(size.ws_row, size.ws_col);
  }
}

static inline void lifesignal_screen_erase(void) { erase(); }

/** Puts one character with its marks, ended by 0, into a cell. */
static inline void lifesignal_screen_put(int row, int column, const wchar_t *text, int look, int color) {
  static const wchar_t unknown[] = L"?";
  attr_t attributes = A_NORMAL;
  cchar_t cell;
  if (look & LIFESIGNAL_BOLD) attributes |= A_BOLD;
  if (look & LIFESIGNAL_FAINT) attributes |= A_DIM;
  if (look & LIFESIGNAL_REVERSED) attributes |= A_REVERSE;
  /* What this machine's C library cannot place, it could not move past either. */
  if (wcwidth(text[0]) < 1) text = unknown;
  if (setcchar(&cell, text, attributes, (short)color, NULL) == OK) mvadd_wch(row, column, &cell);
}

/** Brings the terminal up to what was put, with the least output; with `all`, as if nothing of it were known. */
static inline void lifesignal_screen_refresh(int all) {
  if (all) clearok(curscr, TRUE);
  refresh();
}

/** The next key: a byte of a character, a function key of ncurses (256 and up), or -1 for nothing now. */
static inline int lifesignal_screen_key(void) {
  int key = getch();
  return key == ERR ? -1 : key;
}

/** What the terminal's description says of a capability (terminfo(5)), without its delays; nothing where it has none.
    Returns its length, at most `room`. */
static inline size_t lifesignal_capability(const char *name, char *text, size_t room) {
  const char *capability = tigetstr(name);
  size_t length = 0;
  if (!capability || capability == (const char *)-1) return 0;
  while (*capability && length < room) {
    const char *delay_end = capability[0] == '$' && capability[1] == '<' ? strchr(capability, '>') : NULL;
    if (delay_end) {
      capability = delay_end + 1;
    } else {
      text[length++] = *capability++;
    }
  }
  return length;
}

#endif
