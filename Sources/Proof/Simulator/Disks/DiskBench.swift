import Glibc
import TestSupport

/// Runs trials of one store: its folder, its disk, and the results of a healthy run of each part of the script.
package final class DiskBench<Subject: DiskSubject> {
  let disk = FaultDisk(keepsUnsynced: true)
  private let home = ScratchFolder()
  private let copy = ScratchFolder()
  private let memory = StepMemory()
  /// The folder before each step, and after the last; the first is empty.
  private var images: [FolderImage] = []
  /// By the first step, then by the steps that ran from there.
  private var texts: [[Int]: String] = [:]
  private var counts: [[Int]: Int] = [:]

  package init() throws {
    let subject = Subject(memory)
    images = [FolderImage()]
    for step in Subject.steps.indices {
      try subject.open(home.path, vfs: nil, checkpointPages: 1000)
      if step == 0 {
        subject.close()
        images[0] = FolderImage(of: home.path)
        try subject.open(home.path, vfs: nil, checkpointPages: 1000)
      }
      do { _ = try subject.perform(step) } catch { throw Unperformed(step: Subject.steps[step], error: error) }
      subject.close()
      images.append(FolderImage(of: home.path))
    }
    memory.isFrozen = true
  }
}

/// A step of the script does nothing on a healthy disk.
struct Unperformed: Error {
  let step: String
  let error: any Error
}

// MARK: Expected results
extension DiskBench {
  /// The contents of the database after these steps, starting from the image before `first`. A step that is impossible there
  /// does nothing.
  func text(from first: Int, steps: [Int]) throws -> String {
    let key = [first] + steps
    if let text = texts[key] { return text }
    restore(first, to: copy)
    let subject = Subject(memory)
    try subject.open(copy.path, vfs: nil, checkpointPages: 1000)
    for step in steps { _ = try? subject.perform(step) }
    subject.close()
    // Takes in what the spool holds.
    try subject.open(copy.path, vfs: nil, checkpointPages: 1000)
    subject.close()
    let text = try readText(copy)
    texts[key] = text
    return text
  }

  /// The number of the part's operations on a healthy disk.
  package func operationCount(_ trial: DiskTrial) throws -> Int {
    let key = [trial.firstStep, trial.stepCount, trial.checkpointPages]
    if let count = counts[key] { return count }
    restore(trial.firstStep, to: home)
    disk.reset()
    let subject = Subject(memory)
    try subject.open(home.path, vfs: disk.name, checkpointPages: trial.checkpointPages)
    for step in trial.steps { _ = try subject.perform(step) }
    subject.close()
    let count = disk.operations
    disk.reset()
    counts[key] = count
    return count
  }

  private func readText(_ folder: ScratchFolder) throws -> String {
    try StoreText.of("\(folder.path)/\(Subject.databaseName)", ignoring: Subject.ignoredKey)
  }

  /// -1 is an empty folder.
  private func restore(_ step: Int, to folder: ScratchFolder) {
    (step < 0 ? FolderImage() : images[step]).restore(to: folder.path)
  }
}

// MARK: One trial
extension DiskBench {
  /// The attempted steps: reported as done, possibly done, or done and kept in the spool.
  private struct History {
    enum Outcome { case done, unknown, setDown }
    var steps: [(step: Int, outcome: Outcome)] = []

    /// The sequences of steps that may have happened.
    var sequences: [[Int]] {
      var sequences: [[Int]] = [[]]
      for (step, outcome) in steps {
        switch outcome {
        case .done: sequences = sequences.map { $0 + [step] }
        case .unknown: sequences += sequences.map { $0 + [step] }
        case .setDown: sequences = sequences.map { $0 + [step] } + sequences.map { $0 + [-1 - step] }
        }
      }
      // What is in the spool is taken in at the next opening, and may be in the database already.
      return sequences.map { $0.filter { $0 >= 0 } + $0.filter { $0 < 0 }.map { -1 - $0 } }
    }

    /// These steps were found. Steps that nobody was told of may still be lost with the power, and steps in the spool may still
    /// be applied after others.
    mutating func settle(_ found: [Int], isDurable: Bool) {
      steps = found.map { step in
        let outcome = steps.first { $0.step == step }?.outcome ?? .unknown
        return (step, outcome == .unknown && isDurable ? .done : outcome)
      }
    }

    /// The possible remainders, longest first.
    var subsets: [[Int]] {
      var subsets: [[Int]] = [[]]
      for (step, _) in steps { subsets += subsets.map { $0 + [step] } }
      return subsets.sorted { $0.count > $1.count }
    }

    var certain: [Int] { steps.filter { $0.outcome != .unknown }.map(\.step) }
  }

  /// Throws `DiskViolation` if a promise was broken.
  package func run(_ trial: DiskTrial) throws {
    restore(trial.firstStep, to: home)
    disk.reset()
    var history = History()
    for (number, hazard) in trial.hazards.enumerated() {
      perform(trial, &history, hazard)
      let isDurable = losePower(trial, hazard, number: number)
      let done = try judge(trial, history, "after \(hazard.description)")
      history.settle(done, isDurable: isDurable)
    }
    try finish(trial, history.steps.map(\.step))
  }

  /// Repeats the last step if a repetition has no effect and nobody was told of it yet; then runs the following steps.
  private func perform(_ trial: DiskTrial, _ history: inout History, _ hazard: Hazard) {
    let subject = Subject(memory)
    defer { subject.close() }
    let done = history.steps.map(\.step)
    let repeats = (try? isRepeatable(trial, done)) ?? false
    arm(hazard)
    do { try subject.open(home.path, vfs: disk.name, checkpointPages: trial.checkpointPages) } catch { return }
    if let last = history.steps.last, last.outcome == .unknown, repeats {
      if attempt(last.step, subject) == .committed { history.steps[history.steps.count - 1].outcome = .done }
      guard !isDead else { return }
    }
    for step in trial.steps.dropFirst(trial.countDone(done)) {
      guard let end = attempt(step, subject) else {
        history.steps.append((step, .unknown))
        guard !isDead else { return }
        continue
      }
      history.steps.append((step, end == .committed ? .done : .setDown))
    }
  }

  /// Nil if nobody was told that it is done.
  private func attempt(_ step: Int, _ subject: Subject) -> StepEnd? {
    let before = Subject.plainFiles(in: home.path)
    let end = try? subject.perform(step)
    guard isDead else { return end }
    // Without power nothing else was written either.
    for path in Subject.plainFiles(in: home.path) where !before.contains(path) { unlink(path) }
    return nil
  }

  private var isDead: Bool { disk.isCut || disk.isKilled(0) }

  private func arm(_ hazard: Hazard) {
    switch hazard {
    case .none: disk.heal()
    case .fault(let fault, let operation):
      disk.fail(at: operation, code: fault.code, forever: fault.forever, applies: fault.applies)
    case .cut(let operation, _): disk.cutPower(at: operation)
    case .kill(let operation): disk.kill(0, at: operation)
    }
  }

  /// Whether the power was cut, so that everything that is there now is durable.
  private func losePower(_ trial: DiskTrial, _ hazard: Hazard, number: Int) -> Bool {
    disk.heal()
    switch hazard {
    case .cut(_, let seed): disk.losePower(seed: seed)
    default:
      guard let seed = trial.cutsAfter else {
        disk.setProcess(0)
        disk.spare(0)
        return false
      }
      disk.losePower(seed: seed &+ UInt64(number))
    }
    return true
  }

  /// Opens a copy, so that the original still needs its recovery. Returns the steps that were done.
  private func judge(_ trial: DiskTrial, _ history: History, _ when: String) throws -> [Int] {
    FolderImage(of: home.path).restore(to: copy.path)
    let text = try openAndRead(copy, when)
    let sequences = history.sequences
    for sequence in sequences where try self.text(from: trial.firstStep, steps: sequence) == text { return sequence }
    throw try violation(trial, history, text, when)
  }

  private func openAndRead(_ folder: ScratchFolder, _ when: String) throws -> String {
    let subject = Subject(memory)
    do { try subject.open(folder.path, vfs: nil, checkpointPages: 1000) } catch {
      throw DiskViolation(kind: .unusable, text: "\(when) the store cannot be opened: \(error)")
    }
    subject.close()
    do {
      let text = try readText(folder)
      guard StoreText.isWhole(text) else {
        throw DiskViolation(kind: .damaged, text: when + ":\n" + text.prefix(1000))
      }
      return text
    } catch let error as StoreText.Unreadable {
      throw DiskViolation(kind: .damaged, text: "\(when) the database cannot be read: \(error.code)")
    }
  }

  private func violation(
    _ trial: DiskTrial, _ history: History, _ text: String, _ when: String
  ) throws -> DiskViolation {
    let told = history.steps.map { "\(Subject.steps[$0.step]) (\($0.outcome))" }.joined(separator: ", ")
    for steps in history.subsets where try self.text(from: trial.firstStep, steps: steps) == text {
      let lost = history.certain.filter { !steps.contains($0) }.map { Subject.steps[$0] }.joined(separator: ", ")
      return DiskViolation(kind: .lostCommit, text: "\(when), steps: \(told). Not there: \(lost)")
    }
    let expected = try self.text(from: trial.firstStep, steps: history.sequences.last ?? [])
    return DiskViolation(
      kind: .torn, text: "\(when), steps: \(told)\n" + StoreText.difference(text, from: expected))
  }

  /// On a healthy disk: repeats the last step, then runs the rest.
  private func finish(_ trial: DiskTrial, _ done: [Int]) throws {
    let subject = Subject(memory)
    do { try subject.open(home.path, vfs: disk.name, checkpointPages: trial.checkpointPages) } catch {
      throw DiskViolation(kind: .unusable, text: "at the end the store cannot be opened: \(error)")
    }
    var steps = done
    if let last = done.last, try isRepeatable(trial, done) { _ = try? subject.perform(last) }
    for step in trial.steps.dropFirst(trial.countDone(done)) {
      do { _ = try subject.perform(step) } catch {
        // After a skipped step, the next one may have nothing to do.
        guard steps == Array(trial.steps.lowerBound..<step) else { continue }
        throw DiskViolation(kind: .unusable, text: "at the end \(Subject.steps[step]) fails: \(error)")
      }
      steps.append(step)
    }
    subject.close()
    let text = try openAndRead(home, "at the end")
    let expected = try self.text(from: trial.firstStep, steps: steps)
    guard text != expected else { return }
    throw DiskViolation(kind: .repeated, text: "at the end\n" + StoreText.difference(text, from: expected))
  }

  /// Whether an immediate repetition of the last step has no effect on a healthy disk.
  private func isRepeatable(_ trial: DiskTrial, _ done: [Int]) throws -> Bool {
    try text(from: trial.firstStep, steps: done + done.suffix(1)) == text(from: trial.firstStep, steps: done)
  }
}

extension Hazard: CustomStringConvertible {
  package var description: String {
    switch self {
    case .none: "nothing"
    case .fault(let fault, let operation): "\(fault.name) at operation \(operation)"
    case .cut(let operation, let seed): "a power cut at operation \(operation), seed \(seed)"
    case .kill(let operation): "a kill at operation \(operation)"
    }
  }
}
