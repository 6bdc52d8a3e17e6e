import ChildPrograms
import Foundation
import Testing

extension TemporaryFolder {
  /// Makes NAME.pem and NAME-key.pem, in the way of an operator: signed by itself, and valid for so many days, with fewer than none expired.
  package func makeCertificate(_ name: String, for names: String, days: Int = 2) throws {
    let (key, request, alternatives) = (path("\(name)-key.pem"), path("\(name).csr"), path("\(name).names"))
    try Data("subjectAltName=\(names)\n".utf8).write(to: URL(fileURLWithPath: alternatives))
    for arguments in [
      ["req", "-nodes", "-subj", "/CN=x", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key]
        + ["-out", request],
      ["x509", "-req", "-in", request, "-signkey", key, "-days", "\(days)", "-extfile", alternatives]
        + ["-out", path("\(name).pem")],
    ] { try #require(try ChildProgram.run("/usr/bin/env", ["openssl"] + arguments) == .status(0)) }
  }
}
