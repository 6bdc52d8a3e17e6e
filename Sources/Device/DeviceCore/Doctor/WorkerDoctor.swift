import Glibc
import LocalStore

/// Checks that the background worker can read what this program can. systemd may hide a person's files from it.
struct WorkerDoctor {
  let home: HomeDirectory
  let certificateAuthorityFile: String

  func findings() -> [Finding] {
    guard certificateAuthorityFile.hasPrefix("/"), let worker = SenderStamp.read(home)?.processID,
      (try? SenderLease.isHeld(home)) == true,
      Self.canRead(certificateAuthorityFile, by: worker) == false
    else { return [] }
    return [
      Finding(
        "worker", .fail, DoctorTexts.workerCannotRead(certificateAuthorityFile), fix: DoctorTexts.moveCertificates)
    ]
  }

  /// Whether the process sees this file; nil where that cannot be told, as of a process that is gone.
  static func canRead(_ path: String, by process: Int32) -> Bool? {
    let root = "/proc/\(process)/root"
    guard access(root + "/", X_OK) == 0 else { return nil }
    return access(root + path, R_OK) == 0
  }
}
