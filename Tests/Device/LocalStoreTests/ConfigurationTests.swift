import LocalStore
import Model
import TestSupport
import Testing

@Suite struct `The configuration` {
  let device: Device

  init() throws {
    device = Device()
  }

  @Test func `is empty without a file, and is read as it was saved`() throws {
    #expect(try Configuration.load(device.home) == Configuration())
    var configuration = Configuration()
    configuration.endpoint = "https://alerts.example.org"
    configuration.region = "DE"
    try configuration.save(device.home)
    #expect(permissions(device.home.configurationPath) == 0o600)
    #expect(try Configuration.load(device.home) == configuration)
    configuration.region = nil
    try configuration.save(device.home)
    #expect(try Configuration.load(device.home).region == nil)
  }

  @Test func `keeps comments and unknown keys`() throws {
    writeFile(
      Array("# mine\n endpoint=https://a.example\ncolour = red\nregion =\n".utf8), device.home.configurationPath)
    var configuration = try Configuration.load(device.home)
    #expect(configuration.endpoint == "https://a.example")
    #expect(configuration.region == nil)
    configuration.secondEndpoint = "https://b.example"
    try configuration.save(device.home)
    let text = String(decoding: try #require(readFile(device.home.configurationPath)), as: UTF8.self)
    #expect(text.contains("# mine\n"))
    #expect(text.contains("colour = red\n"))
  }

  @Test func `with other line endings is read, and can be changed`() throws {
    for end in ["\r\n", "\r", "\u{85}", "\u{2028}"] {
      let text = ["endpoint = https://a.example", "region = DE", "colour = red", ""].joined(separator: end)
      writeFile(Array(text.utf8), device.home.configurationPath)
      var configuration = try Configuration.load(device.home)
      #expect(configuration.endpoint == "https://a.example")
      #expect(configuration.region == "DE")
      configuration.region = "US"
      try configuration.save(device.home)
      #expect(try Configuration.load(device.home) == configuration)
    }
  }

  @Test func `refuses a value of two lines`() {
    var configuration = Configuration()
    configuration.certificateAuthorityFile = "a\nendpoint = https://evil.example"
    #expect(throws: LocalStoreError.self) { try configuration.save(device.home) }
  }

  @Test(arguments: [
    ("https://alerts.example.org", "https://alerts.example.org"),
    ("HTTPS://Alerts.Example.org:8443/base/", "https://alerts.example.org:8443/base"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://localhost/", "http://localhost"),
    ("http://[::1]:80", "http://[::1]:80"), ("https://[2001:db8::1]", "https://[2001:db8::1]"),
  ])
  func `accepts a valid endpoint`(given: String, stored: String) throws {
    #expect(try Configuration.validatedEndpoint(given) == stored)
  }

  @Test(arguments: [
    "", "alerts.example.org", "ftp://example.org", "https://", "https://:80", "https://a b", "https://user@example.org",
    "https://example.org?x=1", "https://example.org#x", "https://example.org:0", "https://example.org:65536",
    "https://example.org:+80", "https://example.org:000080", "https://example.org:",
    "http://example.org", "http://127.0.0.1.example.org", "http://127.1", "http://127.0.0.256", "http://localhost.evil",
    "http://0.0.0.0", "http://10.0.0.1", "http://127.0.0.01", "https://a:b:c", "https://exämple.org",
  ])
  func `refuses an invalid endpoint`(given: String) {
    #expect(throws: InvalidInput.self) { try Configuration.validatedEndpoint(given) }
  }
}
