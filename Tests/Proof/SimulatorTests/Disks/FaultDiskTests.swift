import ChildPrograms
import Glibc
import SQLiteKit
import Simulator
import TestSupport
import Testing

/// A table on a fault disk in its own folder.
private final class Table {
  let folder = ScratchFolder()
  let disk = FaultDisk(keepsUnsynced: true)
  private var connection: Connection?

  var path: String { folder.path + "/table.db" }
  var logPath: String { path + "-wal" }

  func open() throws -> Connection {
    var options = ConnectionOptions()
    options.vfs = disk.name
    let connection = try Connection(path: path, options: options)
    self.connection = connection
    try connection.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, filler TEXT)")
    return connection
  }

  func close() {
    connection?.close()
    connection = nil
  }

  func rows() throws -> [Int64] {
    let connection = try open()
    defer { close() }
    #expect(try connection.integrityCheck() == [])
    return try connection.statement("SELECT n FROM t ORDER BY n").rows { row in try row["n"] }
  }

  func losePower(_ seed: UInt64) {
    close()
    disk.losePower(seed: seed)
  }

  deinit { close() }
}

extension Connection {
  fileprivate func add(_ number: Int64) throws {
    try write {
      try statement("INSERT INTO t (n, filler) VALUES (?, hex(zeroblob(3000)))").run(.integer(number))
    }
  }
}

@Suite(.computing) struct `The fault disk` {
  @Test func `keeps synced writes, whatever the seed`() throws {
    for seed in 0..<100 as Range<UInt64> {
      let table = Table()
      let connection = try table.open()
      for number in 1...5 as ClosedRange<Int64> {
        try connection.add(number)
        if number == 3 { try connection.checkpoint() }
      }
      table.losePower(seed)
      #expect(try table.rows() == [1, 2, 3, 4, 5], "seed \(seed)")
    }
  }

  @Test func `loses all, some or none of the unsynced writes`() throws {
    var counts: [Int: Int] = [:]
    for seed in 0..<100 as Range<UInt64> {
      let table = Table()
      let connection = try table.open()
      try connection.add(1)
      try connection.execute("PRAGMA synchronous = NORMAL")
      for number in 2...5 as ClosedRange<Int64> { try connection.add(number) }
      table.losePower(seed)
      let rows = try table.rows()
      // The log is read up to the first hole.
      #expect(rows == Array([1, 2, 3, 4, 5].prefix(rows.count)), "seed \(seed)")
      counts[rows.count, default: 0] += 1
    }
    #expect(counts.keys.sorted() == [1, 2, 3, 4, 5])
  }

  @Test func `tears a write at sectors of 512 bytes`() throws {
    var torn = 0
    for seed in 0..<50 as Range<UInt64> {
      let table = Table()
      let connection = try table.open()
      let synced = try #require(readFile(table.logPath))
      try connection.execute("PRAGMA synchronous = NORMAL")
      try connection.add(1)
      let written = try #require(readFile(table.logPath))
      table.losePower(seed)
      let left = try #require(readFile(table.logPath))
      #expect(left.starts(with: synced), "seed \(seed)")
      for start in stride(from: synced.count, to: left.count, by: 1) where left[start] != 0 {
        #expect(left[start] == written[start], "seed \(seed)")
      }
      let isTorn = left.count > synced.count && left != written
      if isTorn { torn += 1 }
    }
    #expect(torn > 5)
  }

  @Test func `repeats a seed byte for byte`() throws {
    // SQLite draws the salts of a log at random, so this compares which sectors arrived.
    func run(_ seed: UInt64) throws -> [Bool] {
      let table = Table()
      let connection = try table.open()
      try connection.execute("PRAGMA synchronous = NORMAL")
      for number in 1...8 as ClosedRange<Int64> { try connection.add(number) }
      let written = try #require(readFile(table.logPath))
      table.losePower(seed)
      let left = try #require(readFile(table.logPath))
      return stride(from: 0, to: left.count, by: 512).map {
        left[$0..<min($0 + 512, left.count)] == written[$0..<min($0 + 512, left.count)]
      }
    }
    let seeds = 0..<20 as Range<UInt64>
    let first = try seeds.map { try run($0) }
    #expect(try seeds.map { try run($0) } == first)
    #expect(Set(first).count > 10)
  }

  @Test func `ignores a killed process, and works for another`() throws {
    let table = Table()
    let first = try table.open()
    try first.add(1)
    table.disk.kill(0)
    #expect(table.disk.isKilled(0))
    #expect(throws: (any Error).self) { try first.add(2) }
    #expect(throws: SQLiteError.self) { try table.open() }
    table.disk.setProcess(1)
    let second = try table.open()
    try second.add(3)
    table.disk.setProcess(0)
    #expect(!table.disk.isKilled(0))
    #expect(throws: (any Error).self) { try first.add(4) }
    second.close()
    first.close()
    #expect(try table.rows() == [1, 3])
  }

  @Test func `kills a process before the given operation`() throws {
    let table = Table()
    let connection = try table.open()
    try connection.add(1)
    // A growing log: two writes per page, then the sync.
    table.disk.kill(0, at: 1)
    #expect(throws: (any Error).self) { try connection.add(2) }
    #expect(table.disk.isKilled(0))
    table.close()
    table.disk.setProcess(0)
    #expect(try table.rows() == [1])
  }

  @Test func `fails for every process during a power cut, and works again afterwards`() throws {
    let table = Table()
    let connection = try table.open()
    try connection.add(1)
    table.disk.cutPower(at: 2)
    #expect(throws: (any Error).self) { try connection.add(2) }
    #expect(table.disk.isCut)
    table.disk.setProcess(5)
    #expect(throws: SQLiteError.self) { try table.open() }
    connection.close()
    table.losePower(1)
    #expect(!table.disk.isCut)
    #expect(access(table.path + "-shm", F_OK) != 0)
    let again = try table.open()
    try again.add(2)
    table.close()
    #expect(try table.rows() == [1, 2])
  }

  @Test func `remembers unsynced writes when their file is closed and opened again`() throws {
    var lost = 0
    for seed in 0..<20 as Range<UInt64> {
      let table = Table()
      let connection = try table.open()
      try connection.add(1)
      try connection.execute("PRAGMA synchronous = NORMAL")
      try connection.add(2)
      table.close()
      #expect(try table.rows() == [1, 2])
      table.losePower(seed)
      if try table.rows() == [1] { lost += 1 }
    }
    #expect(lost > 2)
  }

  @Test func `counts syncs and lost writes`() throws {
    let table = Table()
    let before = table.disk.counts
    let connection = try table.open()
    try connection.add(1)
    #expect(table.disk.counts.syncs > before.syncs)
    try connection.execute("PRAGMA synchronous = NORMAL")
    for number in 2...9 as ClosedRange<Int64> { try connection.add(number) }
    for seed in 0..<10 as Range<UInt64> {
      table.losePower(seed)
      let again = try table.open()
      try again.execute("PRAGMA synchronous = NORMAL")
      for _ in 0..<4 { try again.add(Int64(table.disk.operations) + 100) }
    }
    #expect(table.disk.counts.lost > before.lost)
    #expect(table.disk.counts.torn > before.torn)
  }
}
