#include "plugin.h"

#include <phonenumbers/asyoutypeformatter.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>

using i18n::phonenumbers::AsYouTypeFormatter;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

int copy(const std::string &text, char *out) {
  if (text.size() >= LIFESIGNAL_PHONE_CAPACITY) return LIFESIGNAL_PHONE_INVALID;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return LIFESIGNAL_PHONE_OK;
}

int parse(const char *text, const char *region, char *e164, char *region_of_number) {
  const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
  PhoneNumber number;
  if (util.Parse(text, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR) return LIFESIGNAL_PHONE_INVALID;
  if (number.has_extension() || !util.IsValidNumber(number)) return LIFESIGNAL_PHONE_INVALID;
  std::string formatted, home;
  util.Format(number, PhoneNumberUtil::E164, &formatted);
  util.GetRegionCodeForNumber(number, &home);
  int copied = copy(formatted, e164);
  return copied == LIFESIGNAL_PHONE_OK ? copy(home, region_of_number) : copied;
}

int format_as_you_type(const char *text, const char *region, char *formatted) {
  std::unique_ptr<AsYouTypeFormatter> formatter(PhoneNumberUtil::GetInstance()->GetAsYouTypeFormatter(region));
  std::string result;
  for (const char *next = text; *next; ++next) {
    bool digit = (*next >= '0' && *next <= '9') || (*next == '+' && next == text);
    if (digit) formatter->InputDigit(*next, &result);
  }
  return copy(result, formatted);
}

int format_international(const char *e164, char *formatted) {
  const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
  PhoneNumber number;
  if (util.Parse(e164, "ZZ", &number) != PhoneNumberUtil::NO_PARSING_ERROR) return LIFESIGNAL_PHONE_INVALID;
  std::string result;
  util.Format(number, PhoneNumberUtil::INTERNATIONAL, &result);
  return copy(result, formatted);
}

int calling_code(const char *region) { return PhoneNumberUtil::GetInstance()->GetCountryCodeForRegion(region); }

int is_possible(const char *text, const char *region) {
  const PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
  PhoneNumber number;
  if (util.Parse(text, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR) return LIFESIGNAL_PHONE_INVALID;
  // `IsPossibleNumber` would take a number without its area code as well, to which no message can be sent.
  bool possible = util.IsPossibleNumberWithReason(number) == PhoneNumberUtil::IS_POSSIBLE;
  return possible && !number.has_extension() ? LIFESIGNAL_PHONE_OK : LIFESIGNAL_PHONE_INVALID;
}

std::string joined_regions() {
  std::set<std::string> regions;
  PhoneNumberUtil::GetInstance()->GetSupportedRegions(&regions);
  std::string joined;
  for (const std::string &region : regions) {
    if (region.size() == 2) joined += region;
  }
  return joined;
}

const char *regions() {
  static const std::string joined = joined_regions();
  return joined.c_str();
}

const lifesignal_phone_functions table = {
    parse, format_as_you_type, format_international, calling_code, is_possible, regions};

}  // namespace

const lifesignal_phone_functions *lifesignal_phone_plugin_functions_2(void) { return &table; }
