import CPhoneNumber

/// Room for what one function of the plug-in writes, and the reading of what it returned.
struct PhoneNumberBuffer {
  static let capacity = Int(LIFESIGNAL_PHONE_CAPACITY)
  var bytes = [CChar](repeating: 0, count: capacity)

  /// What was written, up to the terminating zero.
  var text: String {
    String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Throws where `status` is not success: `unavailable` without the plug-in, else `invalid`.
  static func check(_ status: Int32) throws(PhoneNumberError) {
    guard Int(status) != Int(LIFESIGNAL_PHONE_OK) else { return }
    try checkLoaded()
    throw PhoneNumber.invalid
  }

  /// Throws `unavailable` where the plug-in could not be loaded.
  static func checkLoaded() throws(PhoneNumberError) {
    guard let reason = lifesignal_phone_load_error() else { return }
    throw .unavailable(String(cString: reason))
  }
}
