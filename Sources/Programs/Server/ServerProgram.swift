import Arguments
import Glibc
import Model
import ServerCore
import ServerHTTP
import SystemKit

/// `lifesignal-server`: options in, a server until a signal comes, an exit status out.
enum ServerProgram {
  static func run(_ arguments: [String]) -> Int32 {
    do throws(ServerFailure) {
      switch try commandLine(arguments) {
      case .help(let path): writeLine(String(Usage.help(path).dropLast()), to: STDOUT_FILENO)
      case .version: writeLine(Usage.version, to: STDOUT_FILENO)
      case .manual(let name): writeLine(try manual(name), to: STDOUT_FILENO)
      case .run(let invocation): try run(invocation)
      }
      return 0
    } catch {
      writeLine("lifesignal-server: \(error.message)", to: STDERR_FILENO)
      return error.status.rawValue
    }
  }

  static func commandLine(_ arguments: [String]) throws(ServerFailure) -> ParsedCommandLine {
    do throws(UsageError) {
      return try ArgumentParser.parse(arguments, root: Usage.specification, globalOptions: Usage.standardOptions)
    } catch {
      throw ServerFailure(.usage, "\(error.message)\n\(error.advice)")
    }
  }

  private static func manual(_ name: String?) throws(ServerFailure) -> String {
    let text = ManualPage.answer(
      name, of: Usage.specification, globalOptions: Usage.standardOptions, section: 8)
    guard let text else { throw ServerFailure(.usage, "there is no such manual page") }
    return String(text.dropLast())
  }

  private static func run(_ invocation: Invocation) throws(ServerFailure) {
    guard invocation.path.count == 1 else { return try AdminCommands.run(invocation) }
    // Before the files are read: one that comes meanwhile has them read again.
    ProcessSetup.holdReloads()
    if invocation.has("check-config") { return try SettingsCheck.run(invocation) }
    let options = try ServerOptions(Settings(invocation))
    if options.onlyMigrates {
      writeLine("lifesignal-server: \(try Database.migrate(options.database))", to: STDOUT_FILENO)
    } else {
      try serve(options, invocation)
    }
  }

  private static func serve(_ options: ServerOptions, _ invocation: Invocation) throws(ServerFailure) {
    let log = ServerLog.standardError(options.logForm, upTo: options.logLevel, now: LiveMoment.now)
    let database =
      if let chosen = options.database { chosen } else {
        Database.file(try DatabaseFolder.defaultFile(makesFolders: true))
      }
    // Opening a database of PostgreSQL may change large tables, and starts no threads: until then a signal ends the process.
    if case .file = database { ProcessSetup.holdEnds() }
    let opened = try database.open(for: .server(createsFile: options.createsStore))
    defer { opened.close() }
    ProcessSetup.holdEnds()
    // Before anything can fail: the next start finds the database as this one leaves it, and says nothing of it.
    if let warning = opened.warning { log(warning, .warning) }
    if let notice = opened.notice { log(notice, .notice) }
    let server = try RunningServer(options, invocation, store: opened.store, log: log)
    server.announce()
    let name = watch(server, .ofThisProcess(), log)
    server.stop()
    log("ended by \(name)")
  }

  /// Does what signals and systemd ask for. Returns the name of the signal that ends the server.
  private static func watch(_ server: RunningServer, _ manager: ServiceManager, _ log: ServerLog) -> String {
    var watchdog = Watchdog(manager)
    manager.tell(.ready)
    while true {
      switch ProcessSetup.waitForSignal(milliseconds: watchdog.intervalMilliseconds) {
      case nil:
        if !watchdog.check(server.progress) { log("requests wait, and none is taken up", .error) }
      case .reload:
        manager.tell(.reloading)
        manager.tell(.status(server.reload().map(RunningServer.refused) ?? ""))
        manager.tell(.ready)
        _ = watchdog.check(server.progress)
      case .end(let name):
        manager.tell(.stopping)
        return name
      }
    }
  }
}
