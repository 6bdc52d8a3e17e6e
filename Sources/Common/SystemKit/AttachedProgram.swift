import Glibc

/// Programs that this one runs and waits for.
package enum AttachedProgram {
  /// Runs the program that is the first word, found on `PATH`, with the other words, `/dev/null` as its input and output, and this
  /// program's standard error. Returns its exit status; 128 and more if a signal ended it.
  package static func run(_ command: [String]) throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    let words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let error = posix_spawnp(&id, command.first ?? "", &actions, nil, words, environ)
    guard error == 0 else { throw SystemError(error, "start \(command.first ?? "")") }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { throw SystemError(errno, "wait for \(command.first ?? "")") }
    }
    // As wait(2) codes it.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
