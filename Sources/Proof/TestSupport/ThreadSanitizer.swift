/// The build of `tools/torture races`, in which all code takes several times as long.
package enum ThreadSanitizer {
  #if LIFESIGNAL_PTHREAD_LOCKS
    package static let isOn = true
  #else
    package static let isOn = false
  #endif

  /// All cases of a test; in this build the first alone, for tests that run everything on one thread: the sanitizer has nothing to
  /// find in the others, and each takes it many seconds.
  package static func cases<Case>(_ all: [Case]) -> [Case] {
    isOn ? Array(all.prefix(1)) : all
  }
}
