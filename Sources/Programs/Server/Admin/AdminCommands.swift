import Arguments
import Glibc
import Model
import ServerCore
import ServerHTTP

/// What `lifesignal-server admin` does.
enum AdminCommands {
  static func run(_ invocation: Invocation) throws(ServerFailure) {
    switch invocation.commandName {
    case "admin backup": try BackupCommands.back(up: invocation)
    case "admin restore": try BackupCommands.restore(invocation)
    case "admin move": try MoveCommand.run(invocation)
    case "admin accounts find": try AccountCommands.find(AdminAccount(invocation, isRead: true))
    case "admin accounts block": try AccountCommands.block(AdminAccount(invocation))
    case "admin accounts unblock": try AccountCommands.unblock(AdminAccount(invocation))
    case "admin accounts export": try AccountCommands.export(AdminAccount(invocation, isRead: true))
    case "admin accounts remove": try AccountCommands.remove(AdminAccount(invocation), isSure: invocation.has("yes"))
    case "admin alerts end": try AlertCommands.end(AdminAccount(invocation), isSure: invocation.has("yes"))
    case "admin sessions list": try SessionCommands.list(AdminAccount(invocation, isRead: true))
    case "admin sessions end": try SessionCommands.end(AdminAccount(invocation), invocation)
    case "admin codes allow": try CodeCommands.allow(AdminAccount(invocation))
    case "admin deliveries list": try DeliveryCommands.list(AdminStore(invocation, isRead: true), invocation)
    case "admin deliveries replay": try DeliveryCommands.replay(AdminStore(invocation), invocation.arguments)
    case "admin channels test": try ChannelCommands.test(invocation)
    default: throw ServerFailure(.usage, "there is no such command")
    }
  }

  /// As the command line, the settings, or the usual place say.
  static func database(_ invocation: Invocation) throws(ServerFailure) -> Database {
    let settings = try AdminSettings.read(invocation, only: ["database"])
    guard let value = settings.value("database") else {
      return .file(try DatabaseFolder.defaultFile(makesFolders: false))
    }
    return try Database(value)
  }

  /// Gives errors of the store an exit status.
  static func storing<Result>(_ body: () throws -> Result) throws(ServerFailure) -> Result {
    do {
      return try body()
    } catch let error as ServerFailure {
      throw error
    } catch {
      let known = StorageError(wrapping: error)
      throw ServerFailure(status(of: known), known.message)
    }
  }

  private static func status(of error: StorageError) -> ServerFailure.Status {
    switch error.code {
    case .busy, .unreachable: .unavailable
    case .damaged, .newerSchema: .data
    default: .cannotCreate
    }
  }

  static func say(_ line: String) { writeLine("lifesignal-server: \(line)", to: STDOUT_FILENO) }
}

/// “1 alert”, “2 alerts”.
func counted(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }
