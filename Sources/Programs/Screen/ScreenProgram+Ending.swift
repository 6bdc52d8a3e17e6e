import Dispatch
import Glibc
import LifeSignalFeatures
import SystemKit
import TerminalScreen

extension ScreenProgram {
  func receive(_ number: Int32) {
    switch number {
    case SIGWINCH: takeSize()
    case SIGTSTP: suspend()
    case SIGCONT: resume()
    default:
      // Whoever asks twice does not want to wait.
      if end != nil { leave(.signal(number)) }
      finish(.signal(number))
    }
  }

  private func takeSize() {
    display.takeSize()
    store.send(.resized(display.size))
    planDrawing()
  }
}

// MARK: - Stopping

extension ScreenProgram {
  /// Stops when nothing is being saved and the worker has ended: a stopped one would keep others from sending, and a
  /// transaction would keep them from saving. Whoever asks twice does not want to wait.
  private func suspend() {
    if isSuspending { return stop() }
    isSuspending = true
    store.send(.alert(.appBecameInactive))
    let worker = worker
    worker?.cancel()
    Task {
      await worker?.value
      await client.finishStoreWork()
      self.worker = nil
      if isSuspending { suspendWhenIdle() } else { runWorker() }
    }
  }

  func suspendWhenIdle() {
    guard isSuspending, worker == nil, !store.isBusy, !store.auth.isLoading else { return }
    stop()
  }

  /// Gives the terminal back, and stops until somebody continues this process; then SIGCONT comes too.
  private func stop() {
    isSuspending = false
    display.close(saying: store.stopWords.map(ProgramTexts.rawLine) ?? "")
    CrashRestorer.restoreSettings()
    takeDefaultAction(of: SIGTSTP)
    signals?.takeAgain(SIGTSTP)
    resume()
  }

  /// Sends again, and takes the terminal again, unless that is the shell's: then another SIGCONT comes when the shell gives
  /// it.
  private func resume() {
    runWorker()
    store.send(.alert(.appBecameActive))
    guard display.isOurs else { return }
    display.resume()
    takeSize()
  }
}

extension LifeSignalClient {
  /// Returns when what was asked of the store before is done: it is asked one thing after the other.
  fileprivate func finishStoreWork() async {
    do throws(LifeSignalError) { _ = try await status() } catch {
      // A store that cannot be read is not being written either.
    }
  }
}

// MARK: - The end

extension ScreenProgram {
  func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    leaveWhenSaved()
  }

  /// An alert that is on its way to the disk is waited for: `draw` comes here again when it is there.
  func leaveWhenSaved() {
    guard let end, !store.isBusy else { return }
    leave(end)
  }

  private func leave(_ end: End) -> Never {
    // Also where the terminal takes nothing of what is to be said to it.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(800)) {
      CrashRestorer.restoreSettings()
      end.take()
    }
    if display.isOurs {
      display.close()
      CrashRestorer.restoreSettings()
    }
    CapturedErrors.finish()
    if let words = store.farewell { StandardError.write(ProgramTexts.line(words)) }
    end.take()
  }
}

extension ScreenProgram.End {
  /// Ends the process as whoever asked for it would have it.
  nonisolated fileprivate func take() -> Never {
    switch self {
    case .quit: exit(0)
    case .inputGone: exit(1)
    case .signal(let number):
      takeDefaultAction(of: number)
      exit(128 + number)
    }
  }
}
