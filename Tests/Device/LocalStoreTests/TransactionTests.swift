import Model
import SQLiteKit
import Testing

@testable import LocalStore

@Suite struct `A transaction` {
  let device = Device()

  @Test func `that reads refuses a statement that writes`() throws {
    let store = try device.open()
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let error = #expect(throws: LocalStoreError.self) {
      try store.file.read { try $0.hasRow("DELETE FROM pending_mutations RETURNING 1") }
    }
    #expect(error?.code == .internalError)
    #expect(error?.message.contains("this statement writes") == true)
    #expect(try store.queue().count == 2)
    #expect(try store.status().alert == alert)
  }

  @Test func `that fails changes nothing`() throws {
    let store = try device.open()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(throws: LocalStoreError.self) {
      try store.file.write { transaction in
        try transaction.run("DELETE FROM pending_notifications")
        #expect(transaction.changedRows == 1)
        throw LocalStoreError(.notFound, "stop")
      }
    }
    #expect(try store.queue().count == 2)
  }

  @Test func `names a column that its statement does not have`() throws {
    let store = try device.open()
    let error = #expect(throws: LocalStoreError.self) {
      try store.file.read { try $0.rows("SELECT key FROM sync_state") { row in try row["value", as: String.self] } }
    }
    #expect(error?.code == .internalError)
    #expect(error?.message.contains("0 columns are named value") == true)
  }
}
