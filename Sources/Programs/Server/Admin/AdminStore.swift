import Arguments
import Glibc
import Model
import PhoneNumbers
import ServerCore

/// The database of servers that may be running.
struct AdminStore {
  let store: any ServerStore
  let core: ServerCore

  /// Throws where there is no database yet: a command that looks makes none.
  /// - Parameter configuration: of what is sent; most commands send nothing.
  init(
    _ invocation: Invocation, _ configuration: ServerConfiguration = ServerConfiguration(publicURL: "")
  ) throws(ServerFailure) {
    let database = try AdminCommands.database(invocation)
    if case .file(let path) = database, access(path, F_OK) != 0 {
      throw ServerFailure(.cannotCreate, "there is no database at \(path)")
    }
    let opened = try database.open(createsFile: false)
    store = opened.store
    core = try AdminCommands.storing {
      ServerCore(configuration: configuration, keys: try ServerKeys.load(from: opened.store, at: LiveMoment.read()))
    }
  }
}

/// An account that a command is about, by its telephone.
struct AdminAccount {
  let admin: AdminStore
  /// E.164.
  let phone: String

  init(_ invocation: Invocation) throws(ServerFailure) {
    let text = invocation.argument(0) ?? ""
    do throws(PhoneNumberError) {
      phone = try PhoneNumber.parse(text, region: nil).e164
    } catch {
      switch error {
      case .invalid(let invalid): throw ServerFailure(.data, "\(text): \(invalid.message)")
      // Where numbers cannot be checked, one is taken as it is stored.
      case .unavailable: phone = text
      }
    }
    admin = try AdminStore(invocation)
  }

  var store: any ServerStore { admin.store }

  /// Throws if there is none.
  func record() throws(ServerFailure) -> AccountRecord {
    let record = try AdminCommands.storing { try store.read { try $0.account(phone: phone) } }
    guard let record else { throw ServerFailure(.data, "\(phone) has no account here") }
    return record
  }
}
