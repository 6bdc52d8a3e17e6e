#ifndef B
#define B
#endif
