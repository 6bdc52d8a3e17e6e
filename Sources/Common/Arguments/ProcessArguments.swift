import CLinux

/// The words that this process was started with.
package enum ProcessArguments {
  /// Without the program's name. Needs no `/proc`, which `CommandLine.arguments` reads.
  package static var all: [String] {
    (1..<max(1, lifesignal_argument_count())).compactMap { index in
      lifesignal_argument(index).map { String(cString: $0) }
    }
  }
}
