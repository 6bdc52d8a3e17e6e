import CSpawn
package import Foundation
import Glibc
import SystemKit

/// A program that a test runs. It only has its three standard streams open, blocks no signals, and leads its own process group,
/// so that a terminal can stop it. It is killed when the value is released.
///
/// Foundation's `Process` does not suit tests that run in parallel: it notices an exit when the last copy of an inherited
/// socket is closed, and any program started at the same time may have inherited that socket. A test that waits for such an
/// exit blocks one of the few threads that all tests share.
package final class ChildProgram: Sendable {
  /// The target of a standard stream.
  package enum Stream: Sendable {
    /// `/dev/null`.
    case nothing
    /// An open file, which the caller keeps.
    case descriptor(Int32)

    package static func file(_ file: FileHandle) -> Stream { .descriptor(file.fileDescriptor) }
  }

  /// How it ended.
  package enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)

    /// As a shell reports it: 128 plus the signal's number if a signal ended it.
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

  /// How long a test waits for something that takes no time, on a busy machine.
  package static let timeoutSeconds = 120

  package let id: Int32
  private let life: Life

  /// - Parameter environment: nil for that of the tests.
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
    let ofTests = ProcessInfo.processInfo.environment
    let variables = Self.variables(environment ?? ofTests, ofTests: ofTests).map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in command + variables { free(text) } }
    var id = pid_t()
    let error = posix_spawn(&id, path, &actions, &attributes, command, variables)
    guard error == 0 else {
      throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(error)))")
    }
    self.id = id
    do {
      life = try Life(of: id)
    } catch {
      kill(id, SIGKILL)
      throw error
    }
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

  /// Does nothing once it has ended, since its process id may be in use again.
  package func signal(_ number: Int32) { life.signal(number) }

  /// Waits for its end, and returns its status. Throws if it runs for longer than that.
  package func waitForEnd(seconds: Int = timeoutSeconds) throws -> End {
    guard let end = life.wait(seconds: seconds) else {
      throw Failure(description: "the program \(id) has not ended within \(seconds) s")
    }
    return end
  }

  /// Waits until a signal has stopped it. Throws if none does in time.
  package func waitUntilStopped() throws {
    let stop = DispatchGroup()
    stop.enter()
    try SystemThread.detach { [id] in
      var information = siginfo_t()
      // Fails if the program has ended and was reaped.
      while waitid(P_PID, id_t(id), &information, WSTOPPED | WNOWAIT) < 0, errno == EINTR {}
      stop.leave()
    }
    guard stop.wait(timeout: .now() + .seconds(Self.timeoutSeconds)) == .success, isRunning else {
      throw Failure(description: "the program \(id) was not stopped")
    }
  }

  /// The environment of a program: what the thread sanitizer is told in the tests holds for their programs too. Otherwise it would
  /// write its reports to their standard error.
  static func variables(_ environment: [String: String], ofTests tests: [String: String]) -> [String: String] {
    let name = "TSAN_OPTIONS"
    return environment.merging(tests[name].map { [name: $0] } ?? [:]) { own, _ in own }
  }

  private static func attributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    // A shell that starts the tests in the background has them ignore these.
    var ignored = sigset_t()
    sigemptyset(&ignored)
    for signal in [SIGINT, SIGQUIT, SIGHUP] { sigaddset(&ignored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    return attributes
  }
}

/// One child of this process: a thread waits for its end and reaps it.
private final class Life: Sendable {
  private let id: pid_t
  private let ended = Lock<ChildProgram.End?>(nil)
  private let running = DispatchGroup()

  init(of id: pid_t) throws(SystemError) {
    self.id = id
    running.enter()
    try SystemThread.detach { [self] in
      var information = siginfo_t()
      while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      // From here on its process id may belong to another program.
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
