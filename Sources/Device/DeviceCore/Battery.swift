import Glibc
import SystemKit

/// The battery of this machine, as the kernel describes it (Documentation/ABI/testing/sysfs-class-power).
package enum Battery {
  package static let systemPath = "/sys/class/power_supply"
  /// The environment variable that names a folder to read in its place.
  package static let variable = "LIFESIGNAL_POWER_SUPPLY"

  /// Where its level is read.
  package static var folder: String { getenv(variable).map { String(cString: $0) } ?? systemPath }

  /// Whether there is anything whose level could be asked. Asks no hardware.
  package static func mayBe(in folder: String) -> Bool { (try? Folder.names(in: folder).isEmpty) == false }

  /// The level in percent, the mean where there are several; nil where there is none, or none that can be read. The batteries of mice and
  /// the like do not count. Asking the hardware may take a while.
  package static func percent(in folder: String = folder) -> Int? {
    guard let names = try? Folder.names(in: folder) else { return nil }
    let levels = names.prefix(64).compactMap { level(in: "\(folder)/\($0)") }
    return levels.isEmpty ? nil : levels.reduce(0, +) / levels.count
  }

  private static func level(in supply: String) -> Int? {
    guard text("\(supply)/type") == "Battery", text("\(supply)/scope") != "Device",
      let level = text("\(supply)/capacity").flatMap({ Int($0) }), (0...100).contains(level)
    else { return nil }
    return level
  }

  /// The file's only line; nil if it is missing or cannot be read.
  private static func text(_ path: String) -> String? {
    guard let bytes = try? WholeFile.read(path, maximumBytes: 4096) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
