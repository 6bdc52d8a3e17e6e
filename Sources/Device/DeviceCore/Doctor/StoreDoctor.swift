import Glibc
import LocalStore
import SystemKit

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
      if faults.isEmpty { return Finding("store", .ok, DoctorTexts.storeSound) }
      return Finding(
        "store", .fail, DoctorTexts.storeDamaged(faults[0]), fix: DoctorTexts.copyFolder(home.path))
    } catch {
      return Finding("store", .fail, DoctorTexts.storeUnchecked(error.message), fix: DoctorTexts.checkDisk)
    }
  }

  private func disk() -> Finding {
    guard let free = Folder.freeBytes(at: home.path) else {
      return Finding("disk", .warn, DoctorTexts.freeUnknown(home.path))
    }
    let text = DoctorTexts.free(free >> 20)
    if free < Self.leastFreeBytes { return Finding("disk", .fail, text, fix: DoctorTexts.makeRoom) }
    if free < Self.lowFreeBytes { return Finding("disk", .warn, text, fix: DoctorTexts.makeRoom) }
    return Finding("disk", .ok, text)
  }

  private func permissions() -> Finding {
    var information = stat()
    guard stat(home.path, &information) == 0 else {
      return Finding("permissions", .fail, DoctorTexts.noFolder(home.path), fix: DoctorTexts.makeFolder)
    }
    if information.st_uid != geteuid() {
      return Finding("permissions", .warn, DoctorTexts.foreignFolder, fix: DoctorTexts.changeOwner)
    }
    if information.st_mode & 0o077 != 0 {
      return Finding("permissions", .warn, DoctorTexts.openFolder, fix: DoctorTexts.closeFolder(home.path))
    }
    let open = home.privatePaths.first { path in
      var information = stat()
      return stat(path, &information) == 0 && information.st_mode & 0o077 != 0
    }
    if let open {
      let name = String(open.dropFirst(home.path.count + 1))
      return Finding("permissions", .warn, DoctorTexts.openFile(name), fix: DoctorTexts.closeFile(open))
    }
    return Finding("permissions", .ok, DoctorTexts.privateFolder)
  }
}
