import Glibc
import SQLiteKit
import SystemKit

extension LocalStoreError {
  /// The error of a failed system call. `action` completes "cannot …", such as "create the folder".
  init(errorNumber: Int32, _ action: String) {
    let code: Code =
      switch errorNumber {
      case ENOSPC, EDQUOT: .diskFull
      case EROFS, EACCES, EPERM: .readOnly
      case EIO: .inputOutput
      default: .cannotOpen
      }
    self.init(code, "cannot \(action): \(String(cString: strerror(errorNumber)))")
  }

  init(_ error: SystemError) {
    self.init(errorNumber: error.number, error.action)
  }

  /// Runs `body`, with what it throws as the store's error.
  static func mapping<Result>(_ body: () throws(SystemError) -> Result) throws(LocalStoreError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw LocalStoreError(error)
    }
  }

  init(_ error: SQLiteError) {
    switch error.kind {
    case .damaged: self.init(.damaged, "the saved data is damaged: \(error.message)")
    case .unreadableValue: self.init(.damaged, "an entry of the saved data cannot be read")
    case .diskFull: self.init(.diskFull, "the disk is full")
    case .readOnly: self.init(.readOnly, "the store cannot be written: \(error.message)")
    case .inputOutput: self.init(.inputOutput, "the disk failed: \(error.message)")
    case .cannotOpen: self.init(.cannotOpen, "the store cannot be opened: \(error.message)")
    case .busy: self.init(.busy, "another program is using the saved data")
    case .other: self.init(.internalError, "the store failed: \(error.message) (SQLite \(error.extendedCode))")
    }
  }

  init(_ error: MigrationError) {
    switch error {
    case .newerSchema(let found, let known):
      self.init(
        .newerSchema, "update LifeSignal: a newer version was used here (schema \(found), not \(known))")
    case .changed(let name):
      self.init(.internalError, "the saved data was made with another version of schema step \(name)")
    case .commit(let error), .sqlite(let error): self.init(error)
    }
  }

  /// The error of a transaction, whatever its body threw.
  init(any error: any Error) {
    switch error {
    case let error as LocalStoreError: self = error
    case let error as SQLiteError: self.init(error)
    case let failure as CommitFailure: self.init(failure.error)
    case let error as MigrationError: self.init(error)
    default: self.init(.internalError, "the store failed for an unknown reason")
    }
  }
}
