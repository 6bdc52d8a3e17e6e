/// A way in which an operation of a disk fails.
package struct DiskFault: Hashable, Sendable {
  package var name: String
  /// The SQLite result code.
  package var code: Int32
  /// All later operations fail too.
  package var forever: Bool
  /// The operation is carried out all the same, as when the error comes after the work.
  package var applies: Bool

  package static let full: Int32 = 13
  package static let writeError: Int32 = 10 | 3 << 8
  package static let syncError: Int32 = 10 | 4 << 8

  /// An operation that is not carried out fails as a whole, except a write, which writes its first half.
  package static let all: [DiskFault] = [
    DiskFault(name: "full once", code: full, forever: false, applies: false),
    DiskFault(name: "full from then on", code: full, forever: true, applies: false),
    DiskFault(name: "error once", code: writeError, forever: false, applies: false),
    DiskFault(name: "error from then on", code: writeError, forever: true, applies: false),
    DiskFault(name: "error once, done all the same", code: syncError, forever: false, applies: true),
    DiskFault(name: "error from then on, done all the same", code: syncError, forever: true, applies: true),
  ]
}
