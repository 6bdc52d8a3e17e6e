#ifndef A
#define A
#endif
