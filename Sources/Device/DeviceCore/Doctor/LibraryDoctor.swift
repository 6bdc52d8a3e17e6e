import CurlKit

/// Checks the libraries that are loaded on first use.
enum LibraryDoctor {
  static func findings() -> [Finding] { [curl(), phoneNumbers()] }

  private static func curl() -> Finding {
    do throws(CurlError) {
      return Finding("libcurl", .ok, DoctorTexts.curlLoads(firstWord(try CurlLibrary.version())))
    } catch {
      return Finding(
        "libcurl", .fail, DoctorTexts.curlMissing(error.message), fix: DoctorTexts.installCurl)
    }
  }

  private static func firstWord(_ text: String) -> String { String(text.prefix { $0 != " " }) }

  private static func phoneNumbers() -> Finding {
    guard let reason = PhoneEntry.unavailability() else {
      return Finding("phone_numbers", .ok, DoctorTexts.numbersWork)
    }
    return Finding(
      "phone_numbers", .warn, DoctorTexts.numbersUnchecked(reason), fix: DoctorTexts.installNumbers)
  }
}
