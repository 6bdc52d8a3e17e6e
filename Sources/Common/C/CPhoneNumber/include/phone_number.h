#ifndef LIFESIGNAL_PHONE_NUMBER_H
#define LIFESIGNAL_PHONE_NUMBER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What `lifesignal_phone_parse` and its siblings answer. */
enum {
  LIFESIGNAL_PHONE_OK = 0,
  LIFESIGNAL_PHONE_INVALID = 1,
  LIFESIGNAL_PHONE_UNAVAILABLE = 2 /* the plug-in or libphonenumber cannot be loaded */
};

/** The longest text that any function here writes, with its terminating zero. */
enum { LIFESIGNAL_PHONE_CAPACITY = 64 };

/**
 * Parses `text` as a person in `region` (ISO 3166-1 alpha-2, upper case) would dial it, and writes it as E.164.
 *
 * Only a number that libphonenumber calls valid is accepted. `region_of_number` gets the region that it belongs to.
 * Both outputs hold `LIFESIGNAL_PHONE_CAPACITY` bytes.
 */
int lifesignal_phone_parse(const char *text, const char *region, char *e164, char *region_of_number);

/** Formats what has been typed so far as a person in `region` would write it. */
int lifesignal_phone_format_as_you_type(const char *text, const char *region, char *formatted);

/** Writes an E.164 number in the international form, with spaces. */
int lifesignal_phone_format_international(const char *e164, char *formatted);

/** The calling code of `region`, or 0 where it has none or the library is not there. */
int lifesignal_phone_calling_code(const char *region);

/**
 * Whether `text`, as a person in `region` would dial it, has the length of a number with its area code: `OK` or `INVALID`.
 *
 * Looser than `lifesignal_phone_parse`, which asks the metadata whether such a number was given out.
 */
int lifesignal_phone_is_possible(const char *text, const char *region);

/**
 * The codes of all regions that have telephone numbers, in order, two letters each without anything between them; NULL
 * where the library is not there. Static.
 */
const char *lifesignal_phone_regions(void);

/** Why the plug-in could not be loaded, or NULL. Static. */
const char *lifesignal_phone_load_error(void);

/** The functions of the plug-in, found by name when it is loaded. */
typedef struct {
  int (*parse)(const char *, const char *, char *, char *);
  int (*format_as_you_type)(const char *, const char *, char *);
  int (*format_international)(const char *, char *);
  int (*calling_code)(const char *);
  int (*is_possible)(const char *, const char *);
  const char *(*regions)(void);
} lifesignal_phone_functions;

/** The symbol of the plug-in that gives its table; another one whenever the table changes, so that none is misread. */
#define LIFESIGNAL_PHONE_ENTRY "lifesignal_phone_plugin_functions_2"

#ifdef __cplusplus
}
#endif

#endif
