import DeviceCore
import Dispatch
import FoundationEssentials
import Glibc
import LifeSignalFeatures
import Observation
import SystemKit
import TerminalScreen

/// Connects the terminal to the store: sends keys and signals as actions, and draws every change of the state.
@MainActor final class ScreenProgram {
  /// The reason for the end of the program.
  enum End {
    case quit
    case signal(Int32)
    /// The terminal was closed.
    case inputGone
  }

  let store: StoreOf<ScreenFeature>
  let display: Display
  let client: LifeSignalClient
  let background: BackgroundProgram
  /// The task that syncs with the server; nil while it does not run.
  var worker: Task<Void, Never>?
  /// Whether the process must stop (SIGTSTP) as soon as it is idle.
  var isSuspending = false
  var end: End?
  private var sources: [any DispatchSourceProtocol] = []
  var signals: SignalSource?
  private var isDrawingPlanned = false
  /// The answers of responders, and the calls of others, that the bell rang for.
  private var rungCount = 0
  /// The one instance, which lives as long as the process.
  private static var running: ScreenProgram?

  private init(
    store: StoreOf<ScreenFeature>, display: Display, client: LifeSignalClient, background: BackgroundProgram
  ) {
    self.store = store
    self.display = display
    self.client = client
    self.background = background
  }

  /// Takes over the terminal and returns; the rest happens on the main queue. Exits if no terminal can show the screen.
  static func start(_ options: ScreenOptions) {
    _ = umask(0o077)
    ignoreSignalsOfWrites()
    CommandName.set(homeUnlessFound: options.home) { name in getenv(name).map { String(cString: $0) } }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      fail(ProgramTexts.needsTerminal, status: 64)
    }
    let client: LifeSignalClient
    do throws(LifeSignalError) {
      client = try LifeSignalClient.open(home: options.home)
    } catch {
      fail(error.message, status: 73)
    }
    let display = Display(hasColor: options.hasColor)
    CrashRestorer.saveSettings()
    guard knowsTerminal, display.open() else {
      let kind = getenv("TERM").map { String(cString: $0) } ?? ""
      fail(ProgramTexts.unknownTerminal(kind), status: 64)
    }
    CapturedErrors.start()
    CrashRestorer.install()
    let background = BackgroundProgram(client)
    let store = Store(initialState: ScreenFeature.State()) {
      ScreenFeature()
    } withDependencies: {
      $0.use(client)
      $0.serverSettings = .live(client)
      $0.backgroundSending = .live(background)
    }
    running = ScreenProgram(store: store, display: display, client: client, background: background)
    running?.begin()
  }

  /// Whether the terminal can move its cursor.
  private static var knowsTerminal: Bool {
    guard let kind = getenv("TERM") else { return false }
    return kind.pointee != 0 && strcmp(kind, "dumb") != 0
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    StandardError.write(ProgramTexts.line(message))
    exit(status)
  }

  private func begin() {
    let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    keys.setEventHandler { [self] in MainActor.assumeIsolated { readKeys() } }
    sources.append(keys)
    signals = SignalSource([SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) { [self] in receive($0) }
    store.send(.resized(display.size))
    store.send(.opened)
    draw()
    keys.activate()
    display.redraw = { [self] in planDrawing() }
    runWorker()
  }

  private func readKeys() {
    // In the background the input belongs to the shell.
    guard display.isOurs else { return }
    let keys = KeyReader.waitingKeys()
    let now = KernelClock.monotonic.milliseconds()
    for key in keys { store.send(.key(key, atMilliseconds: now)) }
    if keys.isEmpty, KeyReader.isInputGone { finish(.inputGone) }
    if store.isQuitting { finish(.quit) }
  }

  /// Starts the sync with the server. The screen shows its failures; the alert key works without it.
  func runWorker() {
    guard worker == nil else { return }
    worker = Task { [store, client] in
      await client.keepSyncing { problem in
        DispatchQueue.main.async { store.send(.workerProblem(problem?.message)) }
      } onStream: { isOpen in
        DispatchQueue.main.async { store.send(.streamTold(lostAt: isOpen ? nil : Date())) }
      }
    }
  }
}

// MARK: - Drawing

extension ScreenProgram {
  /// Draws the state, and redraws after changes: once for all changes in one turn of the main queue.
  private func draw() {
    let model = withObservationTracking {
      ScreenModel(store.state, now: Date())
    } onChange: {
      MainActor.assumeIsolated { Self.running?.planDrawing() }
    }
    if store.ringCount > rungCount { display.ring() }
    rungCount = store.ringCount
    display.show(model)
    if store.isQuitting { finish(.quit) }
    if end != nil { leaveWhenSaved() }
    suspendWhenIdle()
  }

  func planDrawing() {
    guard !isDrawingPlanned else { return }
    isDrawingPlanned = true
    DispatchQueue.main.async { [self] in
      isDrawingPlanned = false
      draw()
    }
  }
}

extension ServerSettings {
  /// Reads whether a server is set. If the settings cannot be read it returns true, because the request for a code then
  /// reports the error.
  fileprivate static func live(_ client: LifeSignalClient) -> Self {
    Self {
      do throws(LifeSignalError) {
        return try await client.settings().endpoint != nil
      } catch {
        return true
      }
    }
  }
}
