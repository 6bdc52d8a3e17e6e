/// A store under test, with a script of calls. Each step is one transaction, uses the same ids and times whenever it runs, and
/// finds its input in the store as the steps before have left it.
package protocol DiskSubject: AnyObject {
  /// As the command line that repeats a trial spells it.
  static var name: String { get }
  /// The description of each step, for a person.
  static var steps: [String] { get }
  static var databaseName: String { get }
  /// Rows with this value in their first column differ from run to run.
  static var ignoredKey: String? { get }

  /// What steps note of their answers for later ones.
  init(_ memory: StepMemory)

  /// - Parameter pages: the log length at which a commit checkpoints it, if the store lets that be set.
  func open(_ folder: String, vfs: String?, checkpointPages: Int) throws

  /// Returns when the store has reported the step as done; throws if it has not.
  func perform(_ step: Int) throws -> StepEnd

  func close()

  /// The names and contents of files beside the database that do not go through SQLite's VFS.
  static func plainFiles(in folder: String) -> [String]
}

package enum StepEnd: Hashable, Sendable {
  case committed
  /// Whether the step was reported as done and is kept outside of the database until the next opening.
  case setDown
}

/// What steps learned, for later steps. It is noted once, in a healthy run of the whole script, since the same step always
/// gives the same answer.
package final class StepMemory {
  private var values: [String: [(step: Int, value: String)]] = [:]
  /// Whether the healthy run is over.
  var isFrozen = false

  func note(_ value: String, as key: String, by step: Int) {
    if !isFrozen { values[key, default: []].append((step, value)) }
  }

  /// The last value noted before this step; empty if there is none.
  func recall(_ key: String, before step: Int) -> String {
    values[key]?.last { $0.step < step }?.value ?? ""
  }
}
