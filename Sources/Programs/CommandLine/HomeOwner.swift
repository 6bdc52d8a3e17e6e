import Glibc
import LocalStore
import SystemKit

/// Handles root in another user's home, as with `sudo`: the owner could not read the files that root creates there, and the owner's next
/// alert would find a store that it cannot open.
enum HomeOwner {
  /// The home where root had to stay root: its files are given to the owner at the end.
  private static let workedInAsRoot = Lock<HomeDirectory?>(nil)

  /// Continues as the owner of the home, and gives them files that root left there before. If the owner cannot access the home, root
  /// continues as root: an alert is not refused for that.
  static func become(_ home: HomeDirectory) {
    guard geteuid() == 0, let owner = owner(of: home.path), owner.user != 0 else { return }
    giveBackAll(home, to: owner)
    var groups = [owner.group]
    guard setgroups(1, &groups) == 0, setegid(owner.group) == 0, seteuid(owner.user) == 0 else { return }
    guard canWork(in: home.path) else {
      _ = seteuid(0)
      _ = setegid(0)
      workedInAsRoot.withLock { $0 = home }
      return
    }
  }

  /// Gives up root for good, after `become`: a process that stays keeps no way back to it. If that fails, it continues as before.
  static func remainOwner() {
    let (user, group) = (geteuid(), getegid())
    // Only root may set all ids, and the real ones are still root's.
    guard user != 0, getuid() == 0, seteuid(0) == 0 else { return }
    guard setgid(group) == 0, setuid(user) == 0 else {
      _ = seteuid(user)
      return
    }
  }

  /// Gives the files to the owner. Call at the end of the program.
  static func giveBack() {
    guard let home = workedInAsRoot.withLock({ $0 }), let owner = owner(of: home.path) else { return }
    giveBackAll(home, to: owner)
  }

  private static func giveBackAll(_ home: HomeDirectory, to owner: Owner) {
    for folder in [home.path, home.spoolPath] + home.setAsideStores { giveBack(folder, to: owner) }
  }

  private typealias Owner = (user: uid_t, group: gid_t)

  /// The owner of the home, or of the folder in which it would be created.
  private static func owner(of path: String) -> Owner? {
    var path = path
    while !path.isEmpty {
      var status = stat()
      if stat(path, &status) == 0 { return (status.st_uid, status.st_gid) }
      path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
    return nil
  }

  /// Never follows a symbolic link, which the owner may have set to anything.
  private static func giveBack(_ folder: String, to owner: Owner) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_uid == 0 { _ = fchown(descriptor, owner.user, owner.group) }
    guard let entries = fdopendir(descriptor) else {
      close(descriptor)
      return
    }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      giveBack(dirfd(entries), name, to: owner)
    }
  }

  /// Skips a file with a second name: it may be root's own, linked here by the owner.
  private static func giveBack(_ folder: Int32, _ name: String, to owner: Owner) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_uid == 0,
      status.st_mode & S_IFMT == S_IFDIR || status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    else { return }
    _ = fchownat(folder, name, owner.user, owner.group, AT_SYMLINK_NOFOLLOW)
  }

  /// Whether the owner can work in the folder, or in the one in which it would be created.
  private static func canWork(in path: String) -> Bool {
    var path = path
    while !path.isEmpty {
      if faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 { return true }
      guard errno == ENOENT else { return false }
      path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
    return false
  }
}
