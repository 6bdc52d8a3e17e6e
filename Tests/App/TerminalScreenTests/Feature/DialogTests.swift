import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `A dialog` {
  @Test func `is not dismissed unread by repeated Enter`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isBroken: true))
    for _ in 0..<40 {
      await screen.press(.enter)
      await screen.wait(milliseconds: 150)
    }
    #expect(screen.text.contains("│ NOT SAVED"))
    #expect(screen.text.contains("The alert was NOT saved. Call for help another way now."))
    #expect(!screen.text.contains("is saved here"))
    #expect(!screen.text.contains("Enter press"))
    await screen.wait(milliseconds: 300)
    #expect(screen.text.contains("Enter press"))
    await screen.press(.enter)
    #expect(!screen.text.contains("│ NOT SAVED"))
  }

  @Test func `waits a moment even without an earlier key`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true))
    await screen.send(.opened)
    await screen.press(.character("e"))
    await screen.wait(milliseconds: 699)
    await screen.press(.escape)
    #expect(screen.text.contains("[▸ Cancel ◂]"))
    await screen.wait(milliseconds: 1)
    await screen.press(.escape)
    #expect(!screen.text.contains("[▸ Cancel ◂]"))
  }

  @Test func `"not saved" stays visible after it was read, until the next tap`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isBroken: true))
    await screen.press(.space, .space, .space, .space)
    await screen.wait(milliseconds: 700)
    await screen.press(.escape)
    #expect(!screen.text.contains("│ NOT SAVED"))
    #expect(screen.text.contains("Call for help another way now."))
    #expect(!screen.text.contains("is saved here"))
    #expect(screen.text.contains("ALERT NOT SAVED"))
    #expect(screen.text.contains("NOT saved"))
    await screen.press(.space)
    #expect(!screen.text.contains("NOT"))
    #expect(screen.text.contains("1 of 4"))
  }

  @Test func `an alert that was sent and not saved is not shown as a failure to send`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isBroken: true, isSentUnsaved: true))
    await screen.press(.space, .space, .space, .space)
    #expect(screen.text.contains("│ HELP WAS CALLED, NOT SAVED HERE"))
    #expect(!screen.text.contains("Call for help another way"))
    await screen.wait(milliseconds: 700)
    await screen.press(.escape)
    #expect(screen.text.contains("Help was called. The alert is NOT saved on this device."))
    #expect(!screen.text.contains("Call for help another way"))
  }

  @Test func `says that another alert is active after an end`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true))
    await screen.send(.opened)
    await screen.send(.alert(.alertsStayedActive(1)))
    #expect(screen.text.contains("│ NOT EVERYTHING HAS ENDED"))
    #expect(screen.text.contains("What was shown has ended"))
    await screen.wait(milliseconds: 700)
    await screen.press(.escape)
    #expect(!screen.text.contains("NOT EVERYTHING HAS ENDED"))
  }

  @Test func `shows an error once: no line repeats it`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isBroken: true))
    await screen.press(.space, .space, .space, .space)
    #expect(screen.text.split(separator: "The alert was NOT saved").count == 2)
    await screen.wait(milliseconds: 700)
    await screen.press(.escape)
    #expect(screen.text.split(separator: "The alert was NOT saved").count == 2)
  }

  @Test func `"not saved" disappears, read or not, when another process raises an alert`() async {
    for isRead in [false, true] {
      let screen = ScreenUnderTest(DeviceUnderTest(isBroken: true))
      await screen.press(.space, .space, .space, .space)
      await screen.wait(milliseconds: 700)
      if isRead { await screen.press(.escape) }
      #expect(screen.text.contains("NOT SAVED"))
      await screen.send(.alert(.alertSnapshotChanged(AlertSnapshot(isActive: true, startTime: DeviceUnderTest.noon))))
      #expect(screen.text.contains("ALERT ACTIVE since"))
      #expect(!screen.text.contains("NOT SAVED"))
      #expect(!screen.text.contains("NOT saved"))
    }
  }

  @Test func `it shows that nothing can be saved before anybody tries, until that ends`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isUnreadable: true))
    await screen.send(.opened)
    #expect(screen.text.contains("AN ALERT CANNOT BE SAVED HERE"))
    await screen.wait(milliseconds: 700)
    await screen.press(.escape)
    #expect(!screen.text.contains("AN ALERT CANNOT BE SAVED HERE"))
    #expect(screen.text.contains("cannot be saved on this device: call for help another way"))
    #expect(screen.text.contains("An alert cannot be saved on this device: The folder is read-only."))
    #expect(!screen.text.contains("ot signed in"))
    #expect(!screen.text.contains("is saved here"))
    #expect(!screen.text.contains("No alert is active"))
    await screen.press(.space)
    #expect(screen.text.contains("1 of 4"))
    await screen.send(.alert(.alertSnapshotChanged(AlertSnapshot())))
    #expect(!screen.text.contains("cannot be saved"))
  }

  @Test func `a failed sign-out says that nothing was discarded`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isSignedIn: true, keepsSession: true))
    await screen.send(.opened)
    await screen.press(.character("s"), .left)
    await screen.wait(milliseconds: 700)
    await screen.press(.enter)
    #expect(screen.text.contains("Not signed out"))
    #expect(screen.text.contains("You are still signed in, and nothing was lost."))
    #expect(screen.text.contains("read-only."))
    await screen.wait(milliseconds: 700)
    await screen.press(.escape)
    #expect(!screen.text.contains("Not signed out"))
  }

  @Test func `is dismissed by q, which leaves at the next press`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isBroken: true))
    await screen.press(.space, .space, .space, .space, .character("q"))
    #expect(screen.text.contains("│ NOT SAVED"))
    await screen.wait(milliseconds: 700)
    await screen.press(.character("q"))
    #expect(!screen.text.contains("│ NOT SAVED"))
    #expect(!screen.state.isQuitting)
    await screen.press(.character("q"))
    #expect(screen.state.isQuitting)
  }

  @Test func `arrows stop at its last button, and do not wrap around to the destructive one`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true))
    await screen.send(.opened)
    await screen.press(.character("e"), .right, .down)
    #expect(screen.text.contains("[▸ Cancel ◂]"))
    await screen.press(.left, .left)
    #expect(screen.text.contains("[▸ End it ◂]"))
    await screen.press(.tab)
    #expect(screen.text.contains("[▸ Cancel ◂]"))
  }

  @Test(arguments: [(40, 12), (120, 40), (80, 24)]) func `fits every size`(columns: Int, rows: Int) async {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true))
    await screen.send(.opened)
    await screen.press(.character("e"))
    await screen.send(.resized(ScreenSize(columns: columns, rows: rows)))
    let text = Sample.text(ScreenModel(screen.state, now: DeviceUnderTest.noon), columns: columns, rows: rows)
    #expect(text.contains("End the alert?"))
    #expect(text.contains("[▸ Cancel ◂]"))
  }
}

@MainActor @Suite struct `The reason why nothing is sent` {
  @Test func `is shown only while it lasts`() async {
    let screen = ScreenUnderTest()
    await screen.send(.workerProblem("the disk is full"))
    #expect(screen.text.contains("Nothing is sent from this screen at the moment: the disk is full"))
    await screen.send(.workerProblem(nil))
    #expect(!screen.text.contains("the disk is full"))
  }

  @Test func `during an alert a server that is silent for long does not count as connected`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true, isSignedIn: true))
    await screen.send(.opened)
    let noon = DeviceUnderTest.noon
    for isActive in [true, false] {
      let connection = ConnectionStatus(isSignedIn: true, lastSuccessAt: noon)
      await screen.send(
        .alert(.alertSnapshotChanged(AlertSnapshot(isActive: isActive, startTime: noon, connection: connection))))
      func shown(after seconds: Double) -> ScreenModel.Connection {
        ScreenModel(screen.state, now: noon.addingTimeInterval(seconds)).connection
      }
      #expect(shown(after: 35) == .connected)
      let clock = ClockText(now: noon)
      #expect(shown(after: 36) == (isActive ? .quiet(since: clock.time(noon)) : .connected))
      #expect(shown(after: 61) == .quiet(since: isActive ? clock.time(noon) : clock.short(noon)))
    }
  }

  @Test func `an expired session is not shown as signed out`() async {
    let screen = ScreenUnderTest()
    let connection = ConnectionStatus(isSessionExpired: true, pendingCount: 1)
    await screen.send(
      .alert(
        .alertSnapshotChanged(
          AlertSnapshot(isActive: true, startTime: DeviceUnderTest.noon, connection: connection))))
    #expect(screen.text.contains("session expired"))
    #expect(screen.text.contains("Session expired: only alerts are still sent. Press s to sign in again."))
    #expect(!screen.text.contains("NOT SENT"))
    #expect(!screen.text.contains("nobody is signed in"))
  }

  @Test func `an alert that the server has is never shown as not sent`() async {
    let screen = ScreenUnderTest()
    let delivery = AlertDelivery(savedAt: DeviceUnderTest.noon, acceptedAt: DeviceUnderTest.noon)
    await screen.send(
      .alert(.alertSnapshotChanged(AlertSnapshot(isActive: true, startTime: DeviceUnderTest.noon, delivery: delivery))))
    #expect(!screen.text.contains("NOT SENT"))
    #expect(screen.text.contains("the server has the alert"))
  }

  @Test func `stale data is marked as such`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isSignedIn: true))
    await screen.send(.opened)
    #expect(!screen.text.contains("out of date"))
    await screen.send(.alert(.alertSnapshotsEnded))
    #expect(screen.text.contains("This may be out of date"))
  }
}
