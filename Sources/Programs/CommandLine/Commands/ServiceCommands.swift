import DeviceCore
import Glibc
import LocalStore
import SystemKit

/// `service install` and `service remove`: a systemd unit of the user that keeps this device in touch with the server.
enum ServiceCommands {
  static func install(_ context: Context) throws(Failure) -> ExitStatus {
    let place = try ServicePlace(context)
    guard let program = OwnExecutable.path else {
      throw Failure(.notSaved, "unknown_program", ServiceTexts.unknownProgram)
    }
    // Made if it is missing: the unit names it by its absolute path.
    let home = try context.home()
    try context.attempt(notSaved: true) { () throws(LocalStoreError) in try home.create() }
    guard let path = home.absolutePath else { throw Failure(.notSaved, "cannot_open", ServiceTexts.noHome(home.path)) }
    let isChanged = try place.write(ServiceUnit(program: program, home: path))
    let problem = Systemctl.enable(isChanged: isChanged)
    tell(place, "installed", isActive: problem == nil, context)
    context.console.say(ServiceTexts.written(place.path.printable))
    if let problem {
      context.console.note(ServiceTexts.startByHand(problem))
    } else {
      context.console.say(ServiceTexts.running(context.console))
      context.console.say(ServiceTexts.afterLogout)
    }
    return .done
  }

  static func remove(_ context: Context) throws(Failure) -> ExitStatus {
    let place = try ServicePlace(context)
    guard try place.isOurs() else {
      tell(place, "absent", isActive: false, context)
      context.console.say(ServiceTexts.nothingToRemove)
      return .done
    }
    let problem = Systemctl.disable()
    try place.remove()
    Systemctl.reload()
    tell(place, "removed", isActive: false, context)
    context.console.say(ServiceTexts.removed(place.path.printable))
    if let problem { context.console.note(ServiceTexts.stopByHand(problem)) }
    return .done
  }

  private static func tell(_ place: ServicePlace, _ state: String, isActive: Bool, _ context: Context) {
    context.console.json {
      $0.member("unit", place.path)
      $0.member("state", state)
      $0.member("active", isActive)
    }
  }
}

/// Where the user's units are.
private struct ServicePlace {
  private let folder: String
  var path: String { folder + "/" + ServiceUnit.name }

  /// `$XDG_CONFIG_HOME/systemd/user`, or `~/.config/systemd/user`.
  init(_ context: Context) throws(Failure) {
    let environment = context.environment
    if let configuration = environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
      folder = configuration + "/systemd/user"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      folder = home + "/.config/systemd/user"
    } else {
      throw Failure(.notSaved, "no_folder", ServiceTexts.noFolder)
    }
  }

  /// Whether a unit is there that this program wrote. Throws if it cannot be read, and if somebody else wrote it.
  func isOurs() throws(Failure) -> Bool {
    guard let text = try current() else { return false }
    guard text.hasPrefix(ServiceUnit.mark) else {
      throw Failure(.notSaved, "foreign_unit", ServiceTexts.foreign(path.printable))
    }
    return true
  }

  /// Writes it, atomically. False if it is there already, as it is to be.
  func write(_ unit: ServiceUnit) throws(Failure) -> Bool {
    if try isOurs(), try current() == unit.text { return false }
    try change { () throws(SystemError) in
      try makeFolders()
      try WholeFile.replace(
        path, with: Array(unit.text.utf8), through: path + ".new", durability: .contentsAndName)
    }
    return true
  }

  func remove() throws(Failure) {
    try change { () throws(SystemError) in try WholeFile.remove(path) }
  }

  private func current() throws(Failure) -> String? {
    var text: String?
    try change { () throws(SystemError) in
      text = try WholeFile.read(path, maximumBytes: 65_536).map { String(decoding: $0, as: UTF8.self) }
    }
    return text
  }

  private func change(_ body: () throws(SystemError) -> Void) throws(Failure) {
    do throws(SystemError) {
      try body()
    } catch {
      throw Failure(.notSaved, "not_written", ServiceTexts.failed(error.action.printable, error.reason))
    }
  }

  private func makeFolders() throws(SystemError) {
    var missing: [String] = []
    var path = folder
    while access(path, F_OK) != 0, path.count > 1 {
      missing.append(path)
      path = Folder.parent(of: path)
    }
    for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw SystemError(errno, "make \(path)")
    }
  }
}

/// `systemctl --user`.
private enum Systemctl {
  /// Enables and starts the unit. Why that failed, or nil.
  static func enable(isChanged: Bool) -> String? {
    if let problem = run("daemon-reload") ?? run("enable", ServiceUnit.name) { return problem }
    return run(isChanged ? "restart" : "start", ServiceUnit.name)
  }

  static func disable() -> String? { run("disable", "--now", ServiceUnit.name) }

  /// Best effort: a unit whose file is gone is forgotten at the next login in any case.
  static func reload() { _ = run("daemon-reload") }

  /// Why it failed, as a sentence, or nil.
  private static func run(_ words: String...) -> String? {
    let command = ["systemctl", "--user", "--quiet"] + words
    do throws(SystemError) {
      let status = try AttachedProgram.run(command)
      return status == 0 ? nil : ServiceTexts.commandFailed(command.joined(separator: " "), status)
    } catch {
      return ServiceTexts.noSystemctl(error.reason)
    }
  }
}
