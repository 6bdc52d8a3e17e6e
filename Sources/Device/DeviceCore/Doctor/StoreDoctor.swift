import Glibc
import LocalStore

/// Checks the store's file, its folder and its disk.
struct StoreDoctor {
  let home: HomeDirectory
  let store: LocalStore?

  /// Below this, an alert still fits but soon may not.
  static let lowFreeBytes: UInt64 = 100 << 20
  /// Below this, a commit may fail at any time.
  static let leastFreeBytes: UInt64 = 4 << 20

  func findings() -> [Finding] {
    (store.map { checked($0) } ?? []) + [disk(), permissions()]
  }

  /// The check repairs what it can, so the store's report is read afterwards.
  private func checked(_ store: LocalStore) -> [Finding] {
    let finding = check(store)
    return store.report.messages.map { Finding("store", .warn, $0) } + [finding]
  }

  private func check(_ store: LocalStore) -> Finding {
    do throws(LocalStoreError) {
      let faults = try store.check()
      if faults.isEmpty { return Finding("store", .ok, "the store is sound") }
      return Finding(
        "store", .fail, "the store is damaged: \(faults[0])",
        mend: "copy \(home.path) to another disk, and use a folder there with --home")
    } catch {
      return Finding("store", .fail, "the store cannot be checked: \(error.message)", mend: "check the disk")
    }
  }

  private func disk() -> Finding {
    guard let free = AnswerObstacle.freeBytes(home) else {
      return Finding("disk", .warn, "the free space of \(home.path) is unknown")
    }
    let text = "\(free >> 20) MiB free"
    if free < Self.leastFreeBytes { return Finding("disk", .fail, text, mend: "make room on this disk") }
    if free < Self.lowFreeBytes { return Finding("disk", .warn, text, mend: "make room on this disk") }
    return Finding("disk", .ok, text)
  }

  private func permissions() -> Finding {
    var information = stat()
    guard stat(home.path, &information) == 0 else {
      return Finding("permissions", .fail, "the folder \(home.path) is not there", mend: "make it, or use --home")
    }
    if information.st_uid != geteuid() {
      return Finding(
        "permissions", .warn, "the folder belongs to another user", mend: "chown it to the user who runs lifesignal")
    }
    if information.st_mode & 0o077 != 0 {
      return Finding("permissions", .warn, "others may read the folder", mend: "chmod 700 \(home.path)")
    }
    let open = ["store.sqlite", "store.sqlite-wal", "config", "verification"].filter { name in
      var information = stat()
      return stat(home.path + "/" + name, &information) == 0 && information.st_mode & 0o077 != 0
    }
    if let name = open.first {
      return Finding("permissions", .warn, "others may read \(name)", mend: "chmod 600 \(home.path)/\(name)")
    }
    return Finding("permissions", .ok, "only you may read the folder")
  }
}
