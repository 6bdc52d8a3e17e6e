import Glibc
import SystemKit

/// The right to be the one background sender of a home: a lock on `background.lock`, held for the life of this value.
///
/// A background sender waits for the sender's lease as any worker does. This lock only keeps a second one from being started. Others see it
/// by its mark, without acquiring anything.
///
/// There is a second lock, for a sender beside one that stands still.
package final class BackgroundLease: Sendable {
  package enum Place: Sendable, CaseIterable {
    case first
    /// Beside one that stands still.
    case second
  }

  private let file: FileDescriptor

  private init(_ file: consuming FileDescriptor) {
    self.file = file
  }

  /// Acquires it, and writes this process's id into the file. Nil if another process has it.
  package static func acquire(
    _ home: HomeDirectory, _ place: Place = .first
  ) throws(LocalStoreError) -> BackgroundLease? {
    let file = try FileDescriptor(openingLock: home.path(of: place))
    guard try LocalStoreError.mapping({ () throws(SystemError) in try file.tryLock() }) else { return nil }
    file.mark()
    // Best effort: on a full disk, nobody learns the id.
    _ = file.overwrite(with: Array("\(getpid())\n".utf8))
    return BackgroundLease(file)
  }

  /// The process that has it; 0 if it is unknown which one; nil if none has it.
  package static func holder(_ home: HomeDirectory, _ place: Place = .first) throws(LocalStoreError) -> Int32? {
    let path = home.path(of: place)
    guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { return nil }
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    guard try LocalStoreError.mapping({ () throws(SystemError) in try file.isMarkedByAnother() }) else { return nil }
    return Int32(String(decoding: file.read(upTo: 16), as: UTF8.self).prefix { $0.isNumber }) ?? 0
  }
}

extension HomeDirectory {
  fileprivate func path(of place: BackgroundLease.Place) -> String {
    switch place {
    case .first: backgroundLockPath
    case .second: secondBackgroundLockPath
    }
  }
}
