import Foundation
import LifeSignalFeatures

/// An SOS button for a terminal.
///
///     sos-button [--home DIR] [--endpoint URL]
///     sos-button --number TEXT
///
/// Enter taps the button, and four taps raise an alert. `end` and Enter asks whether to end it; `yes` and Enter ends it. The
/// program ends with its input: with 0 if this run raised an alert, which is then durable on this disk, and with 1 otherwise.
///
/// With a number it prints how the sign-in formats it during typing.
@main
struct SOSButton {
  @MainActor
  static func main() async throws {
    if let number = option("--number") { return print(formatted(number)) }
    let client = try LifeSignalClient.open(home: option("--home"))
    if let endpoint = option("--endpoint") { try await client.configure { $0.endpoint = endpoint } }
    let worker = Task {
      await client.keepSyncing { problem in
        print(problem.map { "NOTHING IS SENT NOW: \($0.message)" } ?? "Sending again.")
      }
    }

    let store = Store(initialState: AlertFeature.State()) {
      AlertFeature()
    } withDependencies: {
      $0.use(client)
    }
    store.send(.appBecameActive)
    let view = AlertView(store: store)
    let following = Task { await view.follow() }

    var hasRaised = false
    for await line in inputLines() {
      // To end an earlier run's alert, its status must be known first; raising one needs nothing.
      if line == "end" { await store.send(.loadAlertStatus).finish() }
      store.send(action(for: line))
      let isRaising = store.isActivatingAlert
      await answer(of: store)
      if isRaising, store.isAlertActive { hasRaised = true }
      view.show(store.state)
    }
    following.cancel()
    worker.cancel()
    exit(hasRaised ? 0 : 1)
  }

  @MainActor
  private static func formatted(_ number: String) -> String {
    let store = Store(initialState: AuthFeature.State()) { AuthFeature() }
    store.send(.phoneNumberChanged(number))
    return store.formattedPhoneNumber
  }

  private static func action(for line: String) -> AlertFeature.Action {
    switch line {
    case "end": .alertDeactivationButtonTapped
    case "yes": .confirmationAlert(.presented(.deactivateAlertConfirmed))
    default: .alertButtonTapped
    }
  }

  /// Waits until the request is on the disk, or has failed.
  @MainActor
  private static func answer(of store: StoreOf<AlertFeature>) async {
    for await isWaiting in Observations({ store.isActivatingAlert || store.isDeactivatingAlert }) where !isWaiting {
      return
    }
  }

  private static func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
  }

  /// The lines of standard input, read on a separate thread: the main actor must not wait for a person.
  private static func inputLines() -> AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}
