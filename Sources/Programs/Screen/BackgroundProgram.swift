import DeviceCore
import Dispatch
import Glibc
import LifeSignalFeatures
import SystemKit
import TerminalScreen

/// The command line in the folder of this program, which goes on sending an alert when the screen has ended.
struct BackgroundProgram: Sendable {
  private static let name = "lifesignal"
  private let client: LifeSignalClient
  /// Nil if this program cannot tell where it is installed.
  private let path: String?
  private let setting: String?

  init(_ client: LifeSignalClient) {
    self.client = client
    path = OwnExecutable.path.flatMap { executable in
      executable.lastIndex(of: "/").map { String(executable[...$0]) + Self.name }
    }
    setting = getenv("LIFESIGNAL_BACKGROUND").map { String(cString: $0) }
  }

  /// Starts it if there is none, and waits until it stands by: a few milliseconds, and two seconds if it does not get ready.
  func startNow() -> BackgroundSending.Outcome {
    switch client.startBackgroundSender(program: path, setting: setting) {
    case .running: .standingBy
    case .started: client.isBackgroundSenderReady ? .standingBy : .failed("the background process does not get ready")
    case .switchedOff: .switchedOff
    case .failed(let reason): .failed(reason)
    }
  }
}

extension BackgroundSending {
  /// Starts it on a thread that may wait.
  static func live(_ program: BackgroundProgram) -> Self {
    Self {
      await withCheckedContinuation { continuation in
        DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: program.startNow()) }
      }
    }
  }
}
