import Foundation

/// The build's folder for executables: beside the test bundle.
package enum Programs {
  package static let lifesignal = path("lifesignal")
  package static let server = path("lifesignal-server")

  private static func path(_ name: String) -> String {
    let folders = [
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent(),
      URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent(),
      Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
    ]
    let candidates = folders.map { $0.appendingPathComponent(name).path }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }
}
