import ChildPrograms
import Foundation
import Glibc

/// Certificates for one test, made by the `openssl` command in their own folder.
final class CertificateAuthority {
  let folder: URL
  private static let command = "/usr/bin/openssl"

  init() throws {
    guard FileManager.default.isExecutableFile(atPath: Self.command) else {
      throw Missing(reason: "the tests of TLS need the command openssl: install the package openssl")
    }
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifesignal-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try openssl(
      ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=test authority", "-keyout", path("ca.key")]
        + ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path("ca.pem")]
        + ["-addext", "basicConstraints=critical,CA:TRUE"])
  }

  deinit {
    // A leftover in the temporary directory is harmless.
    try? FileManager.default.removeItem(at: folder)
  }

  var certificatePath: String { path("ca.pem") }

  /// Makes a server's certificate and key. With negative `days` it has expired.
  func issue(names: String = "IP:127.0.0.1,DNS:localhost", days: Int = 2) throws -> (certificate: String, key: String) {
    try openssl(
      ["req", "-nodes", "-subj", "/CN=test server", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        + ["-keyout", path("server.key"), "-out", path("server.csr")])
    try "subjectAltName=\(names)\n".write(toFile: path("names"), atomically: false, encoding: .utf8)
    try openssl(
      ["x509", "-req", "-in", path("server.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial"]
        + ["-days", "\(days)", "-extfile", path("names"), "-out", path("server.pem")])
    return (path("server.pem"), path("server.key"))
  }

  /// A self-signed server certificate.
  func issueSelfSigned() throws -> (certificate: String, key: String) {
    try openssl(
      ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=alone", "-newkey", "ec", "-pkeyopt"]
        + ["ec_paramgen_curve:P-256", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path("alone.key")]
        + ["-out", path("alone.pem")])
    return (path("alone.pem"), path("alone.key"))
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func openssl(_ arguments: [String]) throws {
    let end = try ChildProgram.run(Self.command, arguments)
    guard end == .status(0) else { throw Missing(reason: "openssl \(arguments[0]) failed") }
  }

  struct Missing: Error {
    let reason: String
  }
}

/// `openssl s_server`, which answers every request with a page.
final class TLSServer {
  let port: UInt16
  private let program: ChildProgram

  init(_ identity: (certificate: String, key: String), options: [String] = []) throws {
    let output = Pipe()
    program = try ChildProgram(
      "/usr/bin/openssl",
      ["s_server", "-accept", "127.0.0.1:0", "-cert", identity.certificate, "-key", identity.key, "-www"] + options,
      output: .file(output.fileHandleForWriting))
    try output.fileHandleForWriting.close()
    var text = ""
    while true {
      let piece = output.fileHandleForReading.availableData
      text += String(decoding: piece, as: UTF8.self)
      if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }), text.hasSuffix("\n"),
        let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
      {
        self.port = port
        return
      }
      guard !piece.isEmpty else { throw CertificateAuthority.Missing(reason: "openssl s_server ended: \(text)") }
    }
  }
}
