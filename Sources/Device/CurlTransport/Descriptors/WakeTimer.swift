import CLinux
import SystemKit

/// A due time to wait for. It comes too while the machine sleeps: then at its waking up.
struct WakeTimer: ~Copyable {
  private let descriptor: FileDescriptor

  init() throws(SyncWorkerError) {
    descriptor = try FileDescriptor(lifesignal_timer_open(), for: "waiting for a time")
  }

  var number: Int32 { descriptor.number }

  /// Forgets the time set before. Nil is never; what has passed is now.
  func set(millisecondsFromNow milliseconds: Int64?) throws(SyncWorkerError) {
    _ = try FileDescriptor.check(
      lifesignal_timer_set(number, milliseconds.map { max(0, $0) } ?? -1), for: "waiting for a time")
  }

  func drain() { lifesignal_drain(number) }
}
