/// A store under trial, with a script of calls. Each step is one transaction of the store, gives the same ids and times
/// whenever it is performed, and finds what it needs in the store as the steps before have left it.
package protocol DiskSubject: AnyObject {
  /// For the command that repeats a trial.
  static var name: String { get }
  /// Of each step, for a person.
  static var steps: [String] { get }
  static var databaseName: String { get }
  /// Rows with this in their first column differ from run to run.
  static var ignoredKey: String? { get }

  /// What the steps note of their answers for later ones.
  init(_ memory: StepMemory)

  /// - Parameter pages: the log's length at which a commit copies it into the database, where that can be said.
  func open(_ folder: String, vfs: String?, checkpointPages: Int) throws

  /// Returns when the store has said that the step is done. Throws where it has not.
  func perform(_ step: Int) throws -> StepEnd

  func close()

  /// What lies beside the database and does not go through SQLite's VFS, by name.
  static func plainFiles(in folder: String) -> [String]
}

package enum StepEnd: Hashable, Sendable {
  case committed
  /// Said to be done, and kept outside of the database until the store is opened next.
  case setDown
}

/// What steps learnt, for those behind them: it is noted once, in a healthy run of the whole script, since the same step gives the
/// same answer.
package final class StepMemory {
  private var values: [String: [(step: Int, value: String)]] = [:]
  /// Whether the healthy run is over.
  var isFrozen = false

  func note(_ value: String, as key: String, by step: Int) {
    if !isFrozen { values[key, default: []].append((step, value)) }
  }

  /// What was noted last before this step; empty where nothing was.
  func recall(_ key: String, before step: Int) -> String {
    values[key]?.last { $0.step < step }?.value ?? ""
  }
}
