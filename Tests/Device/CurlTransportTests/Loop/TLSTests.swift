import ChildPrograms
import Testing

@testable import CurlKit

/// Each test makes its own authority, so the system's are never used.
@Suite(.blocking) struct `TLS` {
  private func request(
    _ server: TLSServer, trusting authority: CertificateAuthority?, host: String = "127.0.0.1"
  )
    -> CurlRequest
  {
    var request = plainRequest("https://\(host):\(server.port)/")
    request.certificateAuthorityFile = authority?.certificatePath
    return request
  }

  private func status(
    _ server: TLSServer, trusting authority: CertificateAuthority?, host: String = "127.0.0.1"
  )
    throws -> Int
  {
    // Without this, Swift may release the server before the answer.
    try withExtendedLifetime(server) {
      try CurlLoop().perform(request(server, trusting: authority, host: host)).status
    }
  }

  private func failure(
    _ server: TLSServer, trusting authority: CertificateAuthority?, host: String = "127.0.0.1"
  )
    throws -> CurlError.Code
  {
    try withExtendedLifetime(server) {
      try CurlLoop().failure(request(server, trusting: authority, host: host))
    }
  }

  @Test func `a certificate of a trusted authority is accepted`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue())
    #expect(try status(server, trusting: authority) == 200)
    #expect(try status(server, trusting: authority, host: "localhost") == 200)
  }

  /// A device without a battery for its clock starts in 1970, when no certificate was valid.
  @Test func `a clock that is years behind is named instead of the certificate`() {
    let now = CurlError.untrusted("the certificate is refused", at: 1_800_000_000_000)
    #expect(now == CurlError(.tls, "the certificate is refused"))
    let reset = CurlError.untrusted("the certificate is refused", at: 60_000)
    #expect(reset.code == .tls && reset.message.contains("set the clock") && !reset.message.contains("refused"))
  }

  @Test func `an unknown authority is refused`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue())
    #expect(try failure(server, trusting: nil) == .tls)
    #expect(try failure(server, trusting: CertificateAuthority()) == .tls)
  }

  @Test func `a self-signed certificate is refused`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issueSelfSigned())
    #expect(try failure(server, trusting: authority) == .tls)
  }

  @Test func `an expired certificate is refused`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue(days: -1))
    #expect(try failure(server, trusting: authority) == .tls)
  }

  @Test func `a certificate of another host is refused`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue(names: "DNS:example.org,IP:127.0.0.2"))
    #expect(try failure(server, trusting: authority) == .tls)
    #expect(try failure(server, trusting: authority, host: "localhost") == .tls)
  }

  @Test func `TLS older than 1.2 is refused`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue(), options: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    #expect(try failure(server, trusting: authority) == .tls)
  }

  @Test func `TLS 1.2 is enough`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue(), options: ["-tls1_2"])
    #expect(try status(server, trusting: authority) == 200)
  }

  @Test func `plain text where TLS should be is a failure of TLS`() throws {
    let server = try ScriptedServer(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { $0.answer("hello") }
    #expect(try CurlLoop().failure(plainRequest("https://127.0.0.1:\(server.port)/")) == .tls)
    #expect(server.requests.isEmpty)
  }

  @Test func `a server that never answers the handshake times out`() throws {
    // The server finds no request in the first bytes of TLS, and waits for more.
    let server = try ScriptedServer { $0.answer("hello") }
    var request = plainRequest("https://127.0.0.1:\(server.port)/")
    request.connectTimeoutMilliseconds = 100
    #expect(try CurlLoop().failure(request) == .timedOut)
    #expect(server.requests.isEmpty)
  }

  @Test func `a missing authority file has its own error`() throws {
    var request = plainRequest("https://127.0.0.1:1/")
    let server = try ScriptedServer { _ in true }
    request.url = "https://127.0.0.1:\(server.port)/"
    request.certificateAuthorityFile = "/nonexistent/ca.pem"
    #expect(try CurlLoop().failure(request) == .certificateAuthorityFile)
  }

  @Test func `a public-only request does not use an unrestricted one's connection to this machine`() throws {
    let authority = try CertificateAuthority()
    let server = try TLSServer(authority.issue())
    let loop = try CurlLoop()
    var request = request(server, trusting: authority)
    request.addressPolicy = .any
    #expect(try loop.perform(request).status == 200)
    request.addressPolicy = .publicOnly
    #expect(try loop.failure(request) == .addressRefused)
    withExtendedLifetime(server) {}
  }
}
