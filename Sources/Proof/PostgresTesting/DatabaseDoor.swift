import Foundation
import SystemKit
import TestSupport

/// A way to a test's PostgreSQL server that can be shut: behind a shut door connections are taken, and nobody answers.
package final class DatabaseDoor: Sendable {
  private static let name = ".s.PGSQL.5432"

  private let folder: String
  private let server: PostgresServer
  private let silence: FileDescriptor

  /// Open at first.
  package init(to server: PostgresServer) throws {
    self.server = server
    folder = try PostgresServer.makeFolder()
    guard let silence = Self.listener(at: folder + "/silent") else {
      throw PostgresServer.Failure(description: "no socket can be made in \(folder)")
    }
    self.silence = silence
    try open()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// What leads through it, as `--database` takes it.
  ///
  /// - Parameter second: the folder of the socket that is tried next.
  package func url(_ database: String, otherwise second: String? = nil) -> String {
    "postgresql:///\(database)?host=\(([folder] + [second].compactMap(\.self)).joined(separator: ","))&user=postgres"
  }

  package func open() throws { try lead(to: server.folder + "/" + Self.name) }
  package func shut() throws { try lead(to: folder + "/silent") }

  private func lead(to socket: String) throws {
    let (link, new) = (folder + "/" + Self.name, folder + "/new")
    guard symlink(socket, new) == 0, rename(new, link) == 0 else {
      throw PostgresServer.Failure(description: "the link \(link) cannot be made")
    }
  }

  private static func listener(at path: String) -> FileDescriptor? {
    guard let socket = FileDescriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)) else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard path.utf8.count < bytes.count else { return false }
      bytes.copyBytes(from: path.utf8)
      return true
    }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket.number, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isShort, isBound, listen(socket.number, 64) == 0 else { return nil }
    return socket
  }
}
