import Glibc

/// One record of what an inotify descriptor gives.
package struct InotifyEvent {
  package let watch: Int32
  package let mask: UInt32
  /// Of a file in a watched folder; else empty.
  package let name: String

  /// Events were lost: anything may have happened.
  package var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

  /// Layout: `{int wd; uint32_t mask, cookie, len; char name[len];}`, the name padded with zeros.
  static func parse(_ bytes: [UInt8]) -> [InotifyEvent] {
    var events: [InotifyEvent] = []
    var rest = bytes[...]
    while rest.count >= 16 {
      let header = rest.prefix(16).withUnsafeBytes { raw in
        (
          raw.loadUnaligned(as: Int32.self), raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
          raw.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        )
      }
      rest = rest.dropFirst(16)
      let name = String(decoding: rest.prefix(Int(header.2)).prefix { $0 != 0 }, as: UTF8.self)
      rest = rest.dropFirst(Int(header.2))
      events.append(InotifyEvent(watch: header.0, mask: header.1, name: name))
    }
    return events
  }
}
