import Arguments
import Glibc
import Model
import PhoneNumbers
import ServerCore
import ServerHTTP

/// The database of servers that may be running, closed with the value.
final class AdminStore {
  let store: any ServerStore
  let core: ServerCore
  private let close: () -> Void

  /// Throws where there is no database yet: a command that looks makes none.
  /// - Parameters:
  ///   - configuration: of what the command itself sends; nil: nothing.
  ///   - isRead: the command only looks.
  init(
    _ invocation: Invocation, _ configuration: ServerConfiguration? = nil, isRead: Bool = false
  ) throws(ServerFailure) {
    let database = try AdminCommands.database(invocation)
    if case .file(let path) = database { try Self.requireFile(at: path) }
    let opened = try isRead ? database.openToLook() : database.open(for: .command)
    if let notice = opened.notice { writeLine("lifesignal-server: \(notice)", to: STDERR_FILENO) }
    store = opened.store
    close = opened.close
    core = try AdminCommands.storing {
      ServerCore(
        configuration: configuration ?? Self.ofServers,
        keys: try ServerKeys.read(from: opened.store) ?? ServerKeys.load(from: opened.store, at: LiveMoment.read()))
    }
  }

  /// Throws where there is no database at `path` yet, and says how to name the right one.
  static func requireFile(at path: String) throws(ServerFailure) {
    guard access(path, F_OK) != 0 else { return }
    guard errno == ENOENT else {
      throw ServerFailure(.cannotCreate, "the database \(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    throw ServerFailure(
      .cannotCreate,
      "there is no database at \(path): \(NewDatabase.choice); to bring one back, see “\(NewDatabase.restore)”"
        + NewDatabase.leftoversText(beside: path))
  }

  private static var ofServers: ServerConfiguration {
    var configuration = ServerConfiguration(publicURL: "")
    configuration.leavesChannelsToServers = true
    return configuration
  }

  deinit { close() }
}

/// An account that a command is about, by its telephone or its id.
struct AdminAccount {
  let admin: AdminStore
  /// E.164.
  let phone: String

  /// - Parameter isRead: the command only looks.
  init(_ invocation: Invocation, isRead: Bool = false) throws(ServerFailure) {
    let text = invocation.argument(0) ?? ""
    if let id = AccountID(text) {
      admin = try AdminStore(invocation, isRead: isRead)
      phone = try Self.phone(of: id, in: admin.store)
    } else {
      phone = try Self.phone(text)
      admin = try AdminStore(invocation, isRead: isRead)
    }
  }

  private static func phone(_ text: String) throws(ServerFailure) -> String {
    do throws(PhoneNumberError) {
      return try PhoneNumber.parse(text, region: nil).e164
    } catch {
      switch error {
      case .invalid(let invalid): throw ServerFailure(.data, "\(text): \(invalid.message)")
      // Where numbers cannot be checked, one is taken as it is stored.
      case .unavailable: return text
      }
    }
  }

  private static func phone(of id: AccountID, in store: any ServerStore) throws(ServerFailure) -> String {
    guard let record = try AdminCommands.storing({ try store.read { try $0.account(id) } }) else {
      throw ServerFailure(.data, "no account has the ID \(id) here")
    }
    return record.phone
  }

  var store: any ServerStore { admin.store }

  /// Nil if there is none.
  func storedRecord() throws(ServerFailure) -> AccountRecord? {
    try AdminCommands.storing { try store.read { try $0.account(phone: phone) } }
  }

  /// Throws if there is none.
  func record() throws(ServerFailure) -> AccountRecord {
    guard let record = try storedRecord() else { throw hasNone }
    return record
  }

  var hasNone: ServerFailure { ServerFailure(.data, "\(phone) has no account here") }
}
