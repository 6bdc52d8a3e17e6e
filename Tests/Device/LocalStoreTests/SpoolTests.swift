import Glibc
import LocalStore
import Model
import TestSupport
import Testing

@Suite struct `The spool` {
  let device: Device

  init() throws {
    device = Device()
  }

  private func spool(_ draft: AlertDraft) throws -> Alert {
    try Spool.write(draft, home: device.home, random: device.options.random, at: device.now)
  }

  @Test func `is imported by the next opening, once`() throws {
    let draft = AlertDraft(
      message: "a \"quoted\" \u{1F6A8} line\nand another", location: try Location(latitude: -1.5, longitude: 2.25),
      utcOffsetMinutes: -300)
    let alert = try spool(draft)
    #expect(listFolder(device.home.spoolPath) == ["\(alert.id).json"])
    #expect(permissions(device.home.spoolPath) == 0o700)
    #expect(permissions("\(device.home.spoolPath)/\(alert.id).json") == 0o600)
    let copy = try #require(readFile("\(device.home.spoolPath)/\(alert.id).json"))

    let store = try device.open()
    #expect(store.report.spooledAlerts == [alert.id])
    #expect(try store.status().alert == alert)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated"])
    #expect(listFolder(device.home.spoolPath).isEmpty)

    // A file that was not removed in time is not imported twice.
    writeFile(copy, "\(device.home.spoolPath)/\(alert.id).json")
    let again = try device.open()
    #expect(again.report.spooledAlerts.isEmpty)
    #expect(try again.pendingCount() == 2)
    #expect(listFolder(device.home.spoolPath).isEmpty)
  }

  @Test func `is imported by an open store, before it raises or ends an alert`() throws {
    let store = try device.open()
    let alert = try spool(AlertDraft())
    let activation = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(activation.alreadyActive)
    #expect(activation.alert == alert)
    #expect(try store.deactivateAlerts(at: device.now).map(\.id) == [alert.id])
    let second = try spool(AlertDraft())
    #expect(try store.deactivateAlerts(at: device.now).map(\.id) == [second.id])
    #expect(store.report.spooledAlerts == [alert.id, second.id])
    #expect(listFolder(device.home.spoolPath).isEmpty)
  }

  @Test func `keeps an unreadable file, and reports it`() throws {
    _ = try spool(AlertDraft())
    writeFile(Array("{\"id\":".utf8), device.home.spoolPath + "/broken.json")
    let store = try device.open()
    #expect(store.report.spooledAlerts.count == 1)
    #expect(store.report.unreadableSpoolFiles == 1)
    #expect(listFolder(device.home.spoolPath) == ["broken.json"])
  }

  @Test(arguments: [0o600, 0o000] as [mode_t])
  func `reports a folder in which nothing can be reached, and imports its alerts later`(mode: mode_t) throws {
    let alert = try spool(AlertDraft())
    chmod(device.home.spoolPath, mode)
    let store = try asNobody(device.home.path) {
      let store = try device.open()
      #expect(store.report.spoolError?.contains("read the folder \(device.home.spoolPath)") == true)
      #expect(store.report.spooledAlerts.isEmpty)
      #expect(!store.takeInSpool(at: device.now))
      return store
    }
    chmod(device.home.spoolPath, 0o700)
    #expect(store.takeInSpool(at: device.now))
    #expect(store.report.spoolError == nil && store.report.spooledAlerts == [alert.id])
  }

  /// Runs `body` as another user for file access (setfsuid(2), which applies to this thread alone), to whom `folder` belongs: root may read
  /// everything.
  private func asNobody<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    typealias SetUser = @convention(c) (UInt32) -> Int32
    guard geteuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return try body() }
    let user: UInt32 = 65534
    for path in [folder] + listFolder(folder).map({ "\(folder)/\($0)" }) {
      try #require(chown(path, user, gid_t.max) == 0)
    }
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    _ = setUser(user)
    defer { _ = setUser(0) }
    return try body()
  }

  @Test func `saves an alert when the store cannot be opened`() throws {
    let other = Device()
    try device.open().close()
    try device.withConnection { try $0.execute("PRAGMA user_version = 99") }
    #expect(throws: LocalStoreError.self) { try device.open() }
    let alert = try spool(AlertDraft(message: "help"))
    rename(device.home.spoolPath, other.home.spoolPath)
    #expect(try other.open().status().alert == alert)
  }

  @Test func `reports a failure to spool`() throws {
    writeFile([], device.home.spoolPath)
    #expect(throws: LocalStoreError.self) { try spool(AlertDraft()) }
  }

  @Test func `without room reports the alert that it already has`() throws {
    let drill = try spool(AlertDraft(isDrill: true))
    #expect(try activateWithoutRoom(AlertDraft(isDrill: true)).alert == drill)
    // An active drill does not count as a real alert.
    #expect(throws: LocalStoreError.self) { try activateWithoutRoom(AlertDraft()) }
    let alert = try spool(AlertDraft(message: "help"))
    for draft in [AlertDraft(), AlertDraft(isDrill: true)] {
      let activation = try activateWithoutRoom(draft)
      #expect(activation.alert == alert && activation.press == alert.id)
      #expect(activation.alreadyActive && activation.isSpooled)
      #expect(!activation.isCallSaved, "this call's message is not saved")
    }
    #expect(try device.open().report.spooledAlerts.count == 2)
  }

  /// The process that syncs imports the spool whenever it is woken. It must not wake itself forever.
  @Test(.enabled(if: FrozenFolder.isPossible, "needs a filesystem with attributes, and root"))
  func `reports an alert only once if its file cannot be removed`() throws {
    let alert = try spool(AlertDraft())
    let frozen = try #require(FrozenFolder(device.home.spoolPath))
    let store = try device.open()
    #expect(store.report.spooledAlerts == [alert.id])
    #expect(store.report.spoolRemovalError != nil)
    #expect(store.report.spoolError == nil, "no alert waits to be imported")
    #expect(unlink(device.home.wakePath) == 0)
    #expect(store.takeInSpool(at: device.now))
    #expect(!device.names.contains("wake"))
    frozen.thaw()
    #expect(store.takeInSpool(at: device.now))
    #expect(store.report.spoolRemovalError == nil)
    #expect(try store.pendingCount() == 2)
    #expect(listFolder(device.home.spoolPath).isEmpty)
  }

  /// The alert was imported and has ended. Only its file could not be removed.
  @Test func `without room does not report an ended alert`() throws {
    let old = try spool(AlertDraft())
    let path = "\(device.home.spoolPath)/\(old.id).json"
    let copy = try #require(readFile(path))
    let random = device.options.random()
    let store = try device.open {
      $0.random = { random }
      $0.lockTimeoutMilliseconds = 0
    }
    _ = try store.deactivateAlerts(at: device.now)
    writeFile(copy, path)
    let lock = Glibc.open(device.home.storeLockPath, O_RDWR)
    #expect(flock(lock, LOCK_EX) == 0)
    #expect(throws: LocalStoreError.self) {
      try withoutRoom(AlertDraft(), random) { try store.activateAlert($0, at: $1) }
    }
    close(lock)
    #expect(try store.status().alert?.isActive == false)
  }

  /// As above, but nobody can check whether it is over. If it were reported, the new call for help would be lost.
  @Test func `without room does not report an alert that a closed store may know as ended`() throws {
    let old = try spool(AlertDraft())
    let copy = try #require(readFile("\(device.home.spoolPath)/\(old.id).json"))
    let random = device.options.random()
    let store = try device.open { $0.random = { random } }
    _ = try store.deactivateAlerts(at: device.now)
    writeFile(copy, "\(device.home.spoolPath)/\(old.id).json")
    store.close()
    #expect(throws: LocalStoreError.self) {
      try withoutRoom(AlertDraft(), random) { try store.activateAlert($0, at: $1) }
    }
  }

  @Test func `without room does not report an alert that ended in a store that cannot be opened`() throws {
    let old = try spool(AlertDraft())
    let copy = try #require(readFile("\(device.home.spoolPath)/\(old.id).json"))
    let store = try device.open()
    _ = try store.deactivateAlerts(at: device.now)
    store.close()
    writeFile(copy, "\(device.home.spoolPath)/\(old.id).json")
    try device.withConnection { try $0.execute("PRAGMA user_version = 99") }
    #expect(throws: LocalStoreError.self) { try activateWithoutRoom(AlertDraft()) }
    writeFile(Array("no database".utf8), device.home.databasePath)
    #expect(throws: LocalStoreError.self, "nobody knows whether it is over") { try activateWithoutRoom(AlertDraft()) }
  }

  private func activateWithoutRoom(_ draft: AlertDraft) throws -> Activation {
    let random = device.options.random()
    return try withoutRoom(draft, random) { draft, moment in
      try Spool.activate(draft, home: device.home, options: StoreOptions(random: { random }), at: moment)
    }
  }

  /// Puts a folder at the path of the new file, so that the file cannot be created.
  private func withoutRoom(
    _ draft: AlertDraft, _ random: (UInt64, UInt64), _ activate: (AlertDraft, Moment) throws -> Activation
  ) throws -> Activation {
    let moment = device.now
    let alert = try Spool.activate(draft, home: Device().home, options: StoreOptions(random: { random }), at: moment)
      .alert
    let place = "\(device.home.spoolPath)/\(alert.id).json.\(getpid()).partial"
    mkdir(place, 0o700)
    defer { rmdir(place) }
    return try activate(draft, moment)
  }
}
