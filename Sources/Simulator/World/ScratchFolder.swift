import Glibc

/// Where runs have their disks: in memory where the system has a place for that, else in the temporary folder.
package enum ScratchFolder {
  /// A new folder, which its maker removes.
  package static func make() -> String {
    for parent in ["/dev/shm", getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"] {
      var template = Array("\(parent)/lifesignal-XXXXXX".utf8CString)
      if let made = mkdtemp(&template) { return String(cString: made) }
    }
    fatalError("there is no folder for temporary files")
  }

  package static func remove(_ folder: String) { MachineDisk.remove(folder) }
}

extension Simulation {
  /// `00:01:02.345`
  package static func clock(_ milliseconds: Int64) -> String { World.clock(milliseconds) }
}
