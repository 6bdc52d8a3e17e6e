import CurlKit

/// Checks the libraries that are loaded on first use.
enum LibraryDoctor {
  static func findings() -> [Finding] { [curl(), phoneNumbers()] }

  private static func curl() -> Finding {
    do throws(CurlError) {
      return Finding("libcurl", .ok, firstWord(try CurlLibrary.version()) + " can be loaded")
    } catch {
      return Finding(
        "libcurl", .fail, "nothing can be sent: \(error.message)", mend: "install it: apt install libcurl4")
    }
  }

  private static func firstWord(_ text: String) -> String { String(text.prefix { $0 != " " }) }

  private static func phoneNumbers() -> Finding {
    guard let reason = PhoneEntry.unavailability() else {
      return Finding("phone_numbers", .ok, "phone numbers can be checked")
    }
    return Finding(
      "phone_numbers", .warn, "this device cannot check phone numbers: \(reason)",
      mend:
        "apt install libphonenumber8, and keep liblifesignal-phone.so beside the program; until then give numbers in "
        + "full, as in +12025550123")
  }
}
