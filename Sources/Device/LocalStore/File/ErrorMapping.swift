import Glibc
import SQLiteKit

extension LocalStoreError {
  /// What a failed system call means for the store. `action` reads on after "cannot", as in "make the folder".
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

  init(_ error: SQLiteError) {
    switch error.kind {
    case .damaged: self.init(.damaged, "the store's file is damaged: \(error.message)")
    case .unreadableValue: self.init(.damaged, "a row of the store cannot be read")
    case .diskFull: self.init(.diskFull, "the disk is full")
    case .readOnly: self.init(.readOnly, "the store cannot be written: \(error.message)")
    case .inputOutput: self.init(.inputOutput, "the disk failed: \(error.message)")
    case .cannotOpen: self.init(.cannotOpen, "the store cannot be opened: \(error.message)")
    case .busy: self.init(.busy, "another program keeps the store busy")
    case .other: self.init(.internalError, "the store failed: \(error.message) (SQLite \(error.extendedCode))")
    }
  }

  init(_ error: MigrationError) {
    switch error {
    case .newerSchema(let found, let known):
      self.init(
        .newerSchema, "a newer version of LifeSignal wrote the store (schema \(found), this one knows \(known)): update"
      )
    case .changed(let name):
      self.init(.internalError, "this program's schema step \(name) is not the one that the store was made with")
    case .commit(let error), .sqlite(let error): self.init(error)
    }
  }

  /// Whatever a transaction's body threw.
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
