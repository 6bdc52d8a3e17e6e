import CSpawn
package import Foundation
import Glibc
import Synchronization

/// A program that a test runs. It has nothing open but the three streams that it is given, blocks no signal, and is the first of a
/// process group of its own, so that a terminal can stop it. It is killed with the value.
///
/// Foundation's `Process` is not for tests that run side by side: it learns of an end when the last copy of a socket is closed
/// that the program inherits, and so may any other that is started at the same time. A test that waits for such an end keeps one
/// of the few threads that all tests share, for ever.
package final class ChildProgram: Sendable {
  /// Where a stream of it leads.
  package enum Stream: Sendable {
    /// `/dev/null`.
    case nothing
    /// To an open file, which stays the caller's.
    case descriptor(Int32)

    package static func file(_ file: FileHandle) -> Stream { .descriptor(file.fileDescriptor) }
  }

  /// How it ended.
  package enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)

    /// As a shell gives it: 128 and the signal's number where that is what ended it.
    package var shellStatus: Int32 {
      switch self {
      case .status(let status): status
      case .signal(let number): 128 + number
      }
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// How long a test waits for what should come at once, on a machine that does much else.
  package static let patienceSeconds = 120

  package let id: Int32
  private let life: Life

  /// - Parameter environment: Nil: that of the tests.
  package init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: Stream = .nothing,
    output: Stream = .nothing, error: Stream = .nothing
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [input, output, error].enumerated() {
      switch stream {
      case .nothing: posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
      }
    }
    lifesignal_close_all_but_standard(&actions)
    var attributes = Self.attributes()
    defer { posix_spawnattr_destroy(&attributes) }
    let command = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in command + variables { free(text) } }
    var id = pid_t()
    let error = posix_spawn(&id, path, &actions, &attributes, command, variables)
    guard error == 0 else {
      throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(error)))")
    }
    self.id = id
    life = Life(of: id)
  }

  deinit {
    signal(SIGKILL)
    life.wait()
  }

  /// Runs it to its end.
  package static func run(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, output: Stream = .nothing
  ) throws -> End {
    try ChildProgram(path, arguments, environment: environment, output: output).waitForEnd()
  }

  package var isRunning: Bool { life.end == nil }

  /// Nothing where it has ended: its number may be another's then.
  package func signal(_ number: Int32) { life.signal(number) }

  /// Waits until it has ended, and gives how. Throws where it goes on for longer than that.
  package func waitForEnd(seconds: Int = patienceSeconds) throws -> End {
    guard let end = life.wait(seconds: seconds) else {
      throw Failure(description: "the program \(id) has not ended within \(seconds) s")
    }
    return end
  }

  /// Waits until a signal has stopped it. Throws where none does within a while.
  package func waitUntilStopped() throws {
    let stop = DispatchGroup()
    stop.enter()
    Thread.detachNewThread { [id] in
      var information = siginfo_t()
      // An end takes the program away, and this fails then.
      while waitid(P_PID, id_t(id), &information, WSTOPPED | WNOWAIT) < 0, errno == EINTR {}
      stop.leave()
    }
    guard stop.wait(timeout: .now() + .seconds(Self.patienceSeconds)) == .success, isRunning else {
      throw Failure(description: "the program \(id) was not stopped")
    }
  }

  private static func attributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    return attributes
  }
}

/// One child of this process: a thread waits for its end, and takes it away.
private final class Life: Sendable {
  private let id: pid_t
  private let ended = Mutex<ChildProgram.End?>(nil)
  private let running = DispatchGroup()

  init(of id: pid_t) {
    self.id = id
    running.enter()
    Thread.detachNewThread { [self] in
      var information = siginfo_t()
      while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      // Only now its number may go to another program.
      ended.withLock { $0 = Self.take(id) }
      running.leave()
    }
  }

  var end: ChildProgram.End? { ended.withLock { $0 } }

  func signal(_ number: Int32) {
    ended.withLock { end in
      if end == nil { kill(id, number) }
    }
  }

  func wait() { running.wait() }

  func wait(seconds: Int) -> ChildProgram.End? {
    _ = running.wait(timeout: .now() + .seconds(seconds))
    return end
  }

  private static func take(_ id: pid_t) -> ChildProgram.End {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }
}
