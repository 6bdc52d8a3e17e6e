import Glibc

/// What the kernel says of a process.
package enum ProcessState {
  /// Whether it is stopped, by a signal or a debugger. False where that is unknown.
  package static func isStopped(_ process: Int32) -> Bool {
    guard process > 0, let file = FileDescriptor(opening: "/proc/\(process)/stat", O_RDONLY) else { return false }
    let text = String(decoding: file.read(upTo: 512), as: UTF8.self)
    // The name before it may contain anything (proc(5)).
    guard let end = text.lastIndex(of: ")") else { return false }
    let state = text[text.index(after: end)...].first { $0 != " " }
    return state == "T" || state == "t"
  }
}
