import CPhoneNumber

/// The output buffer for one plug-in function, and the check of its status.
struct PhoneNumberBuffer {
  static let capacity = Int(LIFESIGNAL_PHONE_CAPACITY)
  var bytes = [CChar](repeating: 0, count: capacity)

  /// The written text, up to the terminating NUL.
  var text: String {
    String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Throws if `status` is a failure: `unavailable` without the plug-in, otherwise `invalid`.
  static func check(_ status: Int32) throws(PhoneNumberError) {
    guard Int(status) != Int(LIFESIGNAL_PHONE_OK) else { return }
    try checkLoaded()
    throw PhoneNumber.invalid
  }

  /// Throws `unavailable` if the plug-in could not be loaded.
  static func checkLoaded() throws(PhoneNumberError) {
    guard let reason = lifesignal_phone_load_error() else { return }
    throw .unavailable(String(cString: reason))
  }
}
