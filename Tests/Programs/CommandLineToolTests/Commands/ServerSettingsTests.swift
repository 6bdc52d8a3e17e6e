import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

@testable import ServerTool

/// The file of `lifesignal-server --config`, and SIGHUP.
@Suite(.blocking, .timeLimit(.minutes(10))) struct `The server's settings` {
  private let device: TestDevice
  private var folder: TemporaryFolder { device.folder }
  private var file: String { folder.path("server.conf") }

  init() throws { device = try TestDevice() }

  private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }

  private func check(_ text: String, _ more: [String] = [], environment: [String: String] = [:]) throws -> Outcome {
    try write(text)
    return try device.run(
      program: Programs.server, ["--config", file, "--check-config"] + more, environment: environment)
  }

  @Test func `are read from a file, and the command line counts more`() throws {
    let told = try check(
      "# ours\n\n listen = 127.0.0.1:1\npublic-url=\"https://a.example\"\nallow-private-channels = yes\n",
      ["--listen", "127.0.0.1:2"])
    #expect(told.status == 0)
    #expect(
      told.output == """
        listen = 127.0.0.1:2
        public-url = https://a.example
        allow-private-channels = yes
        lifesignal-server: of an alert that has ended, places are kept for 30 days, and everything else as long as its account
        lifesignal-server: these settings can be used

        """)
  }

  @Test(arguments: [
    ("lisen = 127.0.0.1:1", "line 1: there is no setting “lisen”. Did you mean “listen”?"),
    ("\nlisten", "line 2: a setting is written as “name = value”"),
    ("listen =", "line 1: “listen” has no value"),
    ("database = server.sqlite  # main", "line 1: a comment has a line of its own; "),
    ("database = postgresql://db/a?connect_timeout=0", "connect_timeout has to be a number of seconds from 2 on"),
    ("allow-private-channels = true", "line 1: “allow-private-channels” is yes or no"),
    ("listen = 127.0.0.1:1\nlisten = 127.0.0.1:2", "line 2: “listen” is set a second time"),
    ("create = yes", "line 1: there is no setting “create”"),
    ("smtp = $CREDENTIALS_DIRECTORY/mail.json", "line 1: CREDENTIALS_DIRECTORY is not set: "),
    ("listen = here", "--listen: an address to listen on is like 127.0.0.1:8080, [::1]:8080 or unix:/"),
    ("trusted-proxy = ::1,proxy.example", "--trusted-proxy: “proxy.example” is no address, no range like"),
    ("operator = 0.0.0.0:8081", "--operator: only this machine may reach it, such as 127.0.0.1:8081 or unix:/"),
    ("operator = 127.0.0.1:8080", "--operator and --listen need different addresses"),
    ("listen = unix:server.sock", "--listen: the path after unix: must begin with /"),
    ("listen = unix:/run/server.sock", "--listen unix:… needs --public-url: the address that devices"),
    ("log = xml", "--log must be one of plain, json, journal"),
    ("max-bodies = 1", "--max-bodies must be a number from 4 to 100000"),
    ("keep-places = 29", "--keep-places must be a number from 30 to 36500"),
    ("keep-alerts = 7", "--keep-alerts must be a number from 30 to 36500"),
    (
      "tls-certificate = /nowhere/a.pem\ntls-key = /nowhere/b.pem",
      "--tls-certificate /nowhere/a.pem: cannot read the file: No such file or directory"
    ),
    (
      "tls-certificate = /dev/null\ntls-key = /nowhere/b.pem",
      "--tls-key /nowhere/b.pem: cannot read the file: No such file or directory"
    ),
    ("sms = /nowhere/sms.json", "--sms /nowhere/sms.json: /nowhere/sms.json cannot be read: No such file or directory"),
    ("smtp = /nowhere/smtp.json", "--smtp /nowhere/smtp.json: /nowhere/smtp.json cannot be read: No such file"),
  ]) func `that are wrong are told with their line`(text: String, words: String) throws {
    let told = try check(text)
    #expect(told.status == 65)
    #expect(told.error.contains(words), "\(told)")
  }

  @Test func `are checked to their end: one fault hides no other`() throws {
    let told = try check(
      "lisen = 127.0.0.1:1\nmax-bodies = 1\nlog = xml\ndatabase = /nowhere/server.sqlite\npublic-url = here\n"
        + "smtp = smtp://mail.example\ntls-key = /dev/null\noperator = 0.0.0.0:1\n")
    #expect(told.status == 65 && told.output.isEmpty, "\(told)")
    for words in [
      "line 1: there is no setting “lisen”", "--max-bodies must be", "--log must be", "--public-url must be like",
      "--database: its folder /nowhere cannot be used: No such file or directory", "go together",
      "--operator: only this machine", "7 faults: these settings cannot be used",
    ] { #expect(told.error.contains(words), "\(words): \(told.error)") }
  }

  @Test func `are checked for a database that cannot be kept, and nothing is made`() throws {
    for (path, words) in [
      (folder.path("none/server.sqlite"), "its folder \(folder.path("none")) cannot be used: No such file"),
      (folder.path(""), "is not a file"), ("/dev/null/server.sqlite", "/dev/null is not a folder"),
    ] {
      let told = try check("database = \(path)\nsms = console\n")
      #expect(told.status == 65 && told.error.hasPrefix("lifesignal-server: --database: "), "\(told)")
      #expect(told.error.contains(words), "\(told)")
    }
    let told = try check("database = \(folder.path("server.sqlite"))\nsms = console\n")
    #expect(told.status == 0 && told.error.isEmpty, "\(told)")
    #expect(!folder.names().contains("server.sqlite"))
  }

  @Test func `without a way for codes can be used, with a warning`() throws {
    let told = try check("listen = 127.0.0.1:8080\n")
    #expect(told.status == 0)
    #expect(
      told.error == "lifesignal-server: warning: no --sms: codes cannot be sent, so nobody can sign in\n", "\(told)")
  }

  private func checkCertificate(
    _ name: String, key: String? = nil, publicURL: String = "https://server.example:8443/here"
  ) throws -> Outcome {
    try check(
      "tls-certificate = \(folder.path("\(name).pem"))\ntls-key = \(folder.path("\(key ?? name)-key.pem"))\n"
        + "public-url = \(publicURL)\nsms = console\n")
  }

  @Test func `are checked for a certificate that devices would refuse`() throws {
    for (name, days) in [("right", 90), ("late", 3), ("over", -1)] {
      try folder.makeCertificate(name, for: "DNS:server.example,IP:192.0.2.7", days: days)
    }
    let right = try checkCertificate("right")
    #expect(right.status == 0 && right.error.isEmpty, "\(right)")
    #expect(right.output.contains("lifesignal-server: the certificate is valid until 20"), "\(right)")
    for url in ["https://192.0.2.7", "https://SERVER.example"] {
      #expect(try checkCertificate("right", publicURL: url).error.isEmpty)
    }
    for url in ["https://other.example", "https://192.0.2.8", "https://[2001:db8::1]:443"] {
      let told = try checkCertificate("right", publicURL: url)
      #expect(told.status == 0 && told.error.contains("it is not for "), "\(told)")
    }
    #expect(try checkCertificate("late").error.contains("late.pem: expires soon, at 20"))
    let over = try checkCertificate("over")
    #expect(
      over.status == 0 && over.error.contains("warning: --tls-certificate") && over.error.contains("expired at 20"),
      "\(over)")
    let other = try checkCertificate("right", key: "late")
    #expect(other.status == 65 && other.error.contains("they do not belong together"), "\(other)")
    try Data("no PEM".utf8).write(to: URL(fileURLWithPath: folder.path("text-key.pem")))
    #expect(try checkCertificate("right", key: "text").error.contains("key cannot be used: it is not PEM, or"))
    try FileManager.default.copyItem(atPath: folder.path("text-key.pem"), toPath: folder.path("text.pem"))
    #expect(try checkCertificate("text").error.contains("the certificate cannot be used: it is not PEM"))
  }

  @Test func `are checked for a port that this user may not have`() {
    func may(_ port: UInt16, _ rights: String, first: String = "1024\n") -> Bool {
      ProcessSetup.mayListen(on: port, status: "Name:\tx\nCapEff:\t\(rights)\n", firstFreePort: first)
    }
    #expect(!may(443, "0000000000000000") && !may(1023, "000001fffffffbff"))
    #expect(may(443, "0000000000000400") && may(1024, "0000000000000000") && may(0, "0000000000000000"))
    #expect(may(443, "0000000000000000", first: "0\n") && !may(443, "0000000000000000", first: ""))
    #expect(ProcessSetup.mayListen(on: 443, status: "", firstFreePort: ""))
  }

  @Test func `warn where others on the way could read`() throws {
    let warning = "warning: --listen 0.0.0.0:8080: without --tls-certificate only a proxy with TLS should reach it"
    #expect(try check("listen = 0.0.0.0:8080\nsms = console\n").error.contains(warning))
    #expect(
      try check("public-url = http://server.example\nsms = console\n").error.contains("without https:// others on"))
    for text in ["public-url = http://localhost:8080", "listen = [::1]:8080", "public-url = https://server.example"] {
      let told = try check(text + "\nsms = console\n")
      #expect(told.status == 0 && told.error.isEmpty, "\(told)")
    }
    let same = try check("listen = 127.0.0.2:8080\noperator = 127.0.0.1:8080\nsms = console\n")
    #expect(same.status == 0 && same.error.contains("warning: --operator and --listen have the same port"), "\(same)")
  }

  @Test func `tell root that the server may read less, where the package's user is there`() {
    #expect(SettingsCheck.warning(ofUser: 0, serverUser: 997)?.contains("runuser -u lifesignal-server -- ") == true)
    #expect(SettingsCheck.warning(ofUser: 997, serverUser: 997) == nil)
    #expect(SettingsCheck.warning(ofUser: 1000, serverUser: 997) == nil)
    #expect(SettingsCheck.warning(ofUser: 0, serverUser: nil) == nil)
  }

  @Test func `are checked for the password that PostgreSQL would not read`() throws {
    let file = folder.path("pgpass")
    let text = "database = postgresql://a@db.example/a?passfile=\(file)&sslmode=require\nsms = console\n"
    let missing = try check(text)
    #expect(
      missing.status == 65 && missing.error.contains("passfile \(file) cannot be read: No such file"), "\(missing)")
    try Data("*:*:*:a:b\n".utf8).write(to: URL(fileURLWithPath: file))
    chmod(file, 0o644)
    #expect(try check(text).error.contains("passfile \(file): only its user may read it: chmod 0600"))
    chmod(file, 0o600)
    #expect(try check(text).status == 0)
  }

  @Test func `are refused for a misspelled member of a gateway's file`() throws {
    func refusal(_ setting: String, _ json: String) throws -> String {
      try Data(json.utf8).write(to: URL(fileURLWithPath: folder.path("gateway.json")))
      let told = try check("\(setting) = \(folder.path("gateway.json"))\n")
      #expect(told.status == 65, "\(told)")
      return told.error
    }
    let start = #"{"url": "https://sms.example/?to={to}&text={text}", "#
    #expect(try refusal("sms", start + #""sucess": "ok"}"#).contains("there is no “sucess”, but answers, body,"))
    #expect(try refusal("voice", start + #""metod": "GET"}"#).contains("there is no “metod”, but"))
    let answers = #""answers": {"secret": "0123456789abcdef0123", "fron": "sender"}}"#
    #expect(try refusal("sms", start + answers).contains("there is no “fron” in “answers”, but from, reply, secret"))
    let mail = #"{"url": "smtp://mail.example", "from": "a@b.example", "pasword": "x"}"#
    let twice = start + #""url": "https://other.example/?to={to}&text={text}"}"#
    #expect(try refusal("sms", twice).contains("“url” stands twice"))
    #expect(try refusal("smtp", mail).contains("there is no “pasword”, but ca, from, password"))
    #expect(
      try check("smtp = mail.example:587\n").error.contains("No such file or directory; a URL begins with smtp://"))
  }

  @Test func `a certificate that devices will refuse is in the log and in the figures`() throws {
    try folder.makeCertificate("late", for: "DNS:server.example", days: 3)
    try write(
      "listen = 127.0.0.1:0\noperator = 127.0.0.1:0\npublic-url = https://server.example\nsms = console\n"
        + "database = \(folder.path("server.sqlite"))\n"
        + "tls-certificate = \(folder.path("late.pem"))\ntls-key = \(folder.path("late-key.pem"))\n")
    let server = try RunningProgram(Programs.server, ["--config", file])
    try server.line(containing: "late.pem: expires soon, at 20")
    let pages = try server.line(containing: "the operator's pages are at http://127.0.0.1:")
    let port = try #require(pages.split(separator: ":").last).prefix { $0.isNumber }
    let script =
      "exec 3<>/dev/tcp/127.0.0.1/$0; printf 'GET /metrics HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3; cat <&3"
    let client = try RunningProgram("/bin/bash", ["-c", script, String(port)])
    let figure = try client.line(containing: "lifesignal_certificate_end_seconds 1")
    let end = try #require(figure.split(separator: " ").last.flatMap { Int($0) })
    let daysLeft = Double(end - Int(Date().timeIntervalSince1970)) / 86_400
    #expect(daysLeft > 2 && daysLeft <= 3, "\(figure)")
    client.end(by: SIGKILL)
    server.send(SIGHUP)
    try server.line(containing: "settings were read again")
    try server.line(containing: "late.pem: expires soon, at 20")
    #expect(server.end(by: SIGTERM) == 0)
  }

  @Test func `are told without the keys in a gateway's URL`() throws {
    let told = try check("sms = https://sms.example/send?key=key\nvoice = \"https://voice.example/#a\"\n")
    #expect(told.output.hasPrefix("sms = https://sms.example/…\nvoice = https://voice.example/…\n"), "\(told)")
  }

  @Test func `have no password in a gateway's URL`() throws {
    for option in ["sms", "voice"] {
      let told = try check("\(option) = https://user:key@gateway.example/send\n")
      #expect(told.status == 64 && told.error.contains("--\(option): others can see a password in a URL"), "\(told)")
      #expect(!(told.output + told.error).contains("key@"))
    }
  }

  @Test func `a file that is not there is told`() throws {
    let told = try device.run(program: Programs.server, ["--config", file])
    #expect(told.status == 65)
    #expect(told.error == "lifesignal-server: \(file): there is no such file\n")
  }

  @Test func `may name systemd's credentials`() throws {
    try Data("secret\n".utf8).write(to: URL(fileURLWithPath: folder.path("token")))
    let gateway =
      #"{"url": "https://sms.example", "body": "to={to}&text={text}", "headers": ["Authorization: Bearer {file:$CREDENTIALS_DIRECTORY/token}"]}"#
    try Data(gateway.utf8).write(to: URL(fileURLWithPath: folder.path("sms.json")))
    let told = try check(
      "sms = $CREDENTIALS_DIRECTORY/sms.json", environment: ["CREDENTIALS_DIRECTORY": folder.path("")])
    #expect(told.status == 0, "\(told)")
    #expect(!told.output.contains("secret"))
  }

  @Test func `are read again at SIGHUP, and no connection is closed`() throws {
    try write("listen = 127.0.0.1:0\ndatabase = \(folder.path("server.sqlite"))\n")
    let server = try RunningProgram(Programs.server, ["--config", file])
    try server.line(containing: "no --sms")
    let address = try server.line(containing: "listening on")
    let client = try RunningProgram(
      "/bin/bash", ["-c", Self.askAgainAndAgain, try #require(address.split(separator: ":").last).description])
    try client.type("\n")
    try client.line(containing: "200 OK")

    try write("listen = 127.0.0.1:1\nsms = console\n")
    server.send(SIGHUP)
    try server.line(containing: "not used yet: listen, database. To use them: restart the server")
    try server.line(containing: "settings were read again")
    try server.line(containing: "--sms console")
    try client.type("\n")
    try client.line(containing: "200 OK")

    try write("sms = console\nvoice = ftp://nowhere\n")
    server.send(SIGHUP)
    let refused = try server.line(containing: "settings refused: --voice must be the https:// URL of a gateway")
    #expect(refused.contains(" error: ") && refused.hasSuffix("; the former ones stay"), "\(refused)")
    try client.type("\n")
    try client.line(containing: "200 OK")
    client.end(by: SIGKILL)
    #expect(server.end(by: SIGTERM) == 0)
  }

  /// A request on one connection for each line of its input.
  private static let askAgainAndAgain = """
    exec 3<>/dev/tcp/127.0.0.1/$0
    while read -r; do
      printf 'GET /health HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3
      while read -r line <&3; do
        echo "$line"
        [ "$line" = $'\\r' ] && break
      done
    done
    """
}
