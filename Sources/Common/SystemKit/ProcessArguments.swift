import CLinux

/// What the program was started with, also where `/proc` is not mounted: Swift's own list is read from there.
package enum ProcessArguments {
  /// Without the program's name. Bytes that are no UTF-8 are repaired.
  package static var all: [String] {
    (1..<max(1, lifesignal_argument_count())).compactMap { index in
      lifesignal_argument(index).map { String(cString: $0) }
    }
  }
}
