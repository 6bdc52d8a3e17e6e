import ChildPrograms
import Foundation
package import PostgresKit
import SystemKit
import TestSupport

/// A PostgreSQL server of the tests' own: started once in each test process, in a folder in memory, reached by a socket there alone.
///
/// It ends with the process that started it, however that ends, and its folder goes with it.
package final class PostgresServer: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Where Debian has the server's programs.
  private static let programs = "/usr/lib/postgresql/15/bin"
  private static let started = Lock<PostgresServer?>(nil)

  /// Where its socket is.
  package let folder: String
  private let keeper: ChildProgram
  /// While this end is open, the server runs.
  private let life: FileDescriptor
  private let databases = Lock(0)

  /// The server of this process, started by the first call.
  package static func shared() throws -> PostgresServer {
    try started.withLock { server in
      if let server { return server }
      let new = try PostgresServer()
      server = new
      return new
    }
  }

  private init() throws {
    guard access(Self.programs + "/postgres", X_OK) == 0 else {
      throw Failure(description: "there is no PostgreSQL 15: tools/setup installs it")
    }
    folder = try Self.makeFolder()
    guard let life = DescriptorPipe(), let report = DescriptorPipe() else {
      throw Failure(description: "no descriptor is left")
    }
    keeper = try ChildProgram(
      "/bin/sh", ["-c", Self.script, "sh", Self.programs, folder] + Self.asUser,
      input: .descriptor(life.readEnd.number),
      output: .descriptor(report.writeEnd.number))
    guard let lifeEnd = Self.writeEnd(of: life), let readEnd = Self.readEnd(of: report) else {
      throw Failure(description: "no descriptor is left")
    }
    self.life = lifeEnd
    guard String(decoding: readEnd.read(upTo: 6), as: UTF8.self) == "ready\n" else {
      throw Failure(
        description:
          "PostgreSQL does not start: \((try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "")")
    }
  }

  // Each closes the other end, which is the server's alone.
  private static func writeEnd(of pipe: consuming DescriptorPipe) -> FileDescriptor? { pipe.writeEnd.duplicate() }
  private static func readEnd(of pipe: consuming DescriptorPipe) -> FileDescriptor? { pipe.readEnd.duplicate() }

  /// Makes the cluster, starts the server, says that it is ready, and ends it once nobody holds the other end of the input.
  /// Commits are synced as in earnest; in memory that costs nothing.
  private static let script = """
    programs=$1 folder=$2
    shift 2
    cd "$folder"
    "$@" "$programs/initdb" -D data -U postgres --auth=trust --no-sync -E UTF8 --locale=C >log 2>&1 &&
    "$@" "$programs/pg_ctl" -D data -w -l server.log start -o "-k $folder -c listen_addresses= -c max_connections=200" >>log 2>&1 &&
    echo ready
    exec >&-
    cat >/dev/null
    "$@" "$programs/pg_ctl" -D data -m immediate stop >>log 2>&1
    cd /
    rm -rf "$folder"
    """

  /// PostgreSQL refuses to run as root.
  private static var asUser: [String] {
    geteuid() == 0
      ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : ["/usr/bin/env"]
  }

  /// A folder in memory that the server may use.
  static func makeFolder() throws -> String {
    for place in ScratchFolder.inMemory {
      var template = Array("\(place)/lifesignal-postgres-XXXXXX".utf8CString)
      guard let made = mkdtemp(&template) else { continue }
      let folder = String(cString: made)
      if geteuid() == 0, let user = getpwnam("postgres") {
        chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
      }
      return folder
    }
    throw Failure(description: "there is no folder for PostgreSQL")
  }

  /// What leads to a database of this server, as `--database` takes it.
  package func url(_ database: String, user: String = "postgres") -> String {
    "postgresql:///\(database)?host=\(folder)&user=\(user)"
  }

  /// A new database, a copy of `template`, which nobody may be using. It is dropped with the value.
  package func newDatabase(from template: String = "template0") throws -> TestDatabase {
    let number = databases.withLock { count in
      count += 1
      return count
    }
    let name = "test_\(number)"
    try administer("CREATE DATABASE \(name) TEMPLATE \(template)")
    return TestDatabase(server: self, name: name)
  }

  /// Runs a statement of the administrator, outside of a transaction.
  package func administer(_ statement: String, in database: String = "postgres") throws {
    try connection(to: database).execute(script: statement)
  }

  package func connection(to database: String) throws -> PostgresConnection {
    try PostgresConnection(PostgresSettings(url: url(database), applicationName: "tests"))
  }
}

/// A database that lives as long as the value.
package final class TestDatabase: Sendable {
  package let server: PostgresServer
  package let name: String

  fileprivate init(server: PostgresServer, name: String) {
    self.server = server
    self.name = name
  }

  deinit { try? server.administer("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }

  package var url: String { server.url(name) }

  package func connection() throws -> PostgresConnection { try server.connection(to: name) }
}
