import ChildPrograms
import ServerCore
import ServerStoreSQLite
import Simulator
import TestSupport
import Testing

@Suite(.computing) struct `A server that is killed before its commit was synced` {
  /// The request is repeated, and its answer depends on what the next server finds in the store.
  @Test func `does not let the next one answer from data that a power cut would lose`() throws {
    var found = 0
    for operation in 0..<8 {
      for seed in 0..<6 as Range<UInt64> {
        let folder = ScratchFolder()
        let disk = FaultDisk(keepsUnsynced: true)
        let path = folder.path + "/server.sqlite"
        let first = try SQLiteServerStore.open(path: path, vfs: disk.name)
        try first.write { try $0.setServerState("before", to: [1]) }
        disk.kill(0, at: operation)
        try? first.write { try $0.setServerState("request", to: [1]) }
        guard disk.isKilled(0) else { continue }
        first.close()
        disk.setProcess(0)
        let second = try SQLiteServerStore.open(path: path, vfs: disk.name)
        let answer = try second.write { try $0.serverState("request") }
        if answer != nil { found += 1 }
        second.close()
        disk.losePower(seed: seed)
        let third = try SQLiteServerStore.open(path: path)
        let left = try third.read { try $0.serverState("request") }
        #expect(answer == nil || left == answer, "operation \(operation), seed \(seed)")
        third.close()
      }
    }
    #expect(found > 0)
  }
}
