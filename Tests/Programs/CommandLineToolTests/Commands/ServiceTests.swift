import ChildPrograms
import Foundation
import ProgramTesting
import Testing

/// `service install` and `service remove`, with a `systemctl` that notes what it is asked.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `The service` {
  private let device: TestDevice
  private var unit: String { device.folder.path("my config/systemd/user/lifesignal.service") }

  init() throws { device = try TestDevice() }

  private func environment(systemctl status: Int? = 0) throws -> [String: String] {
    let tools = device.folder.path("tools")
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    if let status {
      let script = "#!/bin/sh\necho \"$*\" >> '\(device.folder.path("asked"))'\nexit \(status)\n"
      try Data(script.utf8).write(to: URL(fileURLWithPath: tools + "/systemctl"))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tools + "/systemctl")
    }
    return ["PATH": tools, "XDG_CONFIG_HOME": device.folder.path("my config")]
  }

  private func asked() throws -> [String] {
    let text = try String(contentsOfFile: device.folder.path("asked"), encoding: .utf8)
    return text.split(separator: "\n").map { String($0) }
  }

  @Test func `is written, enabled and started; again it stays as it is; removed it is gone`() throws {
    let environment = try environment()
    let installed = try device.run("service", "install", environment: environment)
    #expect(installed.status == 0 && installed.output.contains("Running."), "\(installed)")
    let text = try String(contentsOfFile: unit, encoding: .utf8)
    #expect(text.contains("--home \"\(device.home)\" sync --watch"))
    #expect(
      try asked() == [
        "--user --quiet daemon-reload", "--user --quiet enable lifesignal.service",
        "--user --quiet restart lifesignal.service",
      ])
    let again = try device.run("service", "install", "--json", environment: environment)
    #expect(try again.json().string("state") == "installed" && again.json().boolean("active"))
    #expect(try asked().last == "--user --quiet start lifesignal.service")
    #expect(device.folder.names(in: "my config/systemd/user") == ["lifesignal.service"])
    let removed = try device.run("service", "remove", environment: environment)
    #expect(removed.status == 0 && removed.output.contains("Removed:"))
    #expect(try asked().contains("--user --quiet disable --now lifesignal.service"))
    #expect(device.folder.names(in: "my config/systemd/user").isEmpty)
    let nothing = try device.run("service", "remove", environment: environment)
    #expect(nothing.status == 0 && nothing.output.contains("Nothing to remove"))
  }

  @Test(arguments: [nil, 1]) func `without systemd is written, with what to do by hand`(status: Int?) throws {
    let outcome = try device.run("service", "install", environment: try environment(systemctl: status))
    #expect(outcome.status == 0 && FileManager.default.fileExists(atPath: unit))
    #expect(outcome.error.contains("NOT STARTED.") && outcome.error.contains("systemctl --user enable --now"))
    #expect(outcome.longLines(hiding: device.folder.path).isEmpty)
  }

  @Test func `of another home is updated and restarted`() throws {
    let environment = try environment()
    try device.run("service", "install", environment: environment)
    let other = device.folder.path("50 % \"home\"")
    #expect(try device.run("service", "install", "--home", other, environment: environment).status == 0)
    #expect(try String(contentsOfFile: unit, encoding: .utf8).contains(#"/50 %% \"home\"" sync"#))
    #expect(try asked().last == "--user --quiet restart lifesignal.service")
  }

  @Test func `that somebody else wrote is left alone`() throws {
    let environment = try environment()
    let folder = device.folder.path("my config/systemd/user")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("[Unit]\n".utf8).write(to: URL(fileURLWithPath: unit))
    for command in ["install", "remove"] {
      let outcome = try device.run("service", command, "--json", environment: environment)
      #expect(try outcome.status == 73 && outcome.jsonError().string("code") == "foreign_unit")
    }
    #expect(try String(contentsOfFile: unit, encoding: .utf8) == "[Unit]\n")
  }
}
