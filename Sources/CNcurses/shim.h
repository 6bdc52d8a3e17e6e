#ifndef LIFESIGNAL_CNCURSES_SHIM_H
#define LIFESIGNAL_CNCURSES_SHIM_H

#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <ncursesw/ncurses.h>

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

extern int wcwidth(wchar_t);

/* What Swift cannot see of ncurses: its macros, its global variables, and the standard streams. All of it is for one
   thread, the one that opened the screen. */

/** How a cell stands out; or'ed together. */
enum { LIFESIGNAL_BOLD = 1, LIFESIGNAL_FAINT = 2, LIFESIGNAL_REVERSED = 4 };

/** Colours of a cell; 0 is the terminal's own. */
enum { LIFESIGNAL_GREEN = 1, LIFESIGNAL_YELLOW = 2, LIFESIGNAL_RED = 3 };

/** Takes the terminal over: every key at once, unechoed, the cursor hidden. The characters of the keyboard's signals keep
    their meaning. 0, or -1 where the kind of terminal is not known or cannot do it. */
static inline int lifesignal_screen_open(int with_colors) {
  SCREEN *screen = newterm(NULL, stdout, stdin);
  if (!screen) return -1;
  set_term(screen);
  cbreak();
  noecho();
  nonl();
  intrflush(stdscr, FALSE);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  if (with_colors && has_colors() && start_color() == OK && use_default_colors() == OK) {
    init_pair(LIFESIGNAL_GREEN, COLOR_GREEN, -1);
    init_pair(LIFESIGNAL_YELLOW, COLOR_YELLOW, -1);
    init_pair(LIFESIGNAL_RED, COLOR_RED, -1);
  }
  return 0;
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

/** Takes the terminal again as it was while the screen was open. */
static inline void lifesignal_screen_resume(void) { reset_prog_mode(); }

/** The next key: a character (1), a function key of ncurses (2), or nothing now (0). */
static inline int lifesignal_screen_key(unsigned int *key) {
  wint_t read = 0;
  int kind = get_wch(&read);
  *key = read;
  return kind == OK ? 1 : kind == KEY_CODE_YES ? 2 : 0;
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
