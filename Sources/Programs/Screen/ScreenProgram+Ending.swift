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
      // A second signal means that the person does not want to wait for the save.
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
  /// Stops the process after the current save and the worker's end: a stopped worker would keep other processes from
  /// sending, and an open transaction would keep them from saving. A second request stops it at once.
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

  /// Restores the terminal, and stops until this process gets SIGCONT. That signal is also delivered through `receive`.
  private func stop() {
    isSuspending = false
    if store.mustBeCarriedOn { store.send(.backgroundStarted(background.startNow())) }
    display.close(saying: store.stopWords.map(ProgramTexts.rawLine) ?? "")
    CrashRestorer.restoreSettings()
    takeDefaultAction(of: SIGTSTP)
    signals?.takeAgain(SIGTSTP)
    resume()
  }

  /// Restarts the worker, and takes over the terminal if this process is in the foreground. Otherwise it waits for the
  /// SIGCONT that the shell sends when it moves the process there.
  private func resume() {
    runWorker()
    store.send(.alert(.appBecameActive))
    guard display.isOurs else { return }
    display.resume()
    takeSize()
  }
}

extension LifeSignalClient {
  /// Waits until the store has handled all earlier requests: it handles them in order, so a later one is answered last.
  fileprivate func finishStoreWork() async {
    do throws(LifeSignalError) { _ = try await status() } catch {
      // A store that cannot be read is not being written.
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

  /// Leaves unless an alert is being saved; `draw` calls this again after the save.
  func leaveWhenSaved() {
    guard let end, !store.isBusy else { return }
    leave(end)
  }

  /// Before anything that the terminal can delay, makes sure that a process in the background goes on with the alert, also if the save ended
  /// a moment ago.
  private func leave(_ end: End) -> Never {
    if store.mustBeCarriedOn { store.send(.backgroundStarted(background.startNow())) }
    // Ends the process even if the terminal accepts no output.
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
  /// Ends the process with the exit status or the signal that fits the reason.
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
