import Glibc
import SQLiteKit
import Testing

@Suite struct `An SQLite error` {
  /// The codes are SQLite's, <https://www.sqlite.org/rescode.html>.
  @Test(
    arguments: [
      (.busy, [5, 6, 261]), (.diskFull, [13]), (.readOnly, [8, 776]), (.inputOutput, [10, 3338]), (.damaged, [11, 26]),
      (.cannotOpen, [14]), (.other, [1, 19, 20]),
    ] as [(SQLiteError.Kind, [Int32])])
  func `has the kind of its primary code`(kind: SQLiteError.Kind, codes: [Int32]) {
    for code in codes { #expect(SQLiteError(extendedCode: code, message: "").kind == kind) }
  }

  @Test func `has the kind of the system call's error if that is more specific`() {
    func kind(_ code: Int32, _ number: Int32) -> SQLiteError.Kind {
      SQLiteError(extendedCode: code, message: "", systemErrorNumber: number).kind
    }
    #expect(kind(10, ENOSPC) == .diskFull)
    #expect(kind(14, EDQUOT) == .diskFull)
    #expect(kind(14, EROFS) == .readOnly)
    #expect(kind(14, EACCES) == .readOnly)
    #expect(kind(14, ENOENT) == .cannotOpen)
    #expect(kind(10, EIO) == .inputOutput)
    // SQLite keeps the number of an earlier failure.
    #expect(kind(5, ENOSPC) == .busy)
  }

  @Test func `marks a connection as unreliable if it is a disk error`() {
    for code: Int32 in [8, 10, 11, 13, 14, 26] { #expect(SQLiteError(extendedCode: code, message: "").isOfDisk) }
    for code: Int32 in [1, 5, 6, 19, 20] { #expect(!SQLiteError(extendedCode: code, message: "").isOfDisk) }
    #expect(!SQLiteError.unreadableValue(of: "id").isOfDisk)
  }
}
