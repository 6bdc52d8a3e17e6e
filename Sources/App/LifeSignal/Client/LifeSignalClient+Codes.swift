import AppModel
import DeviceCore
import Dispatch
import LocalStore
import Model
import SystemKit
import Wire

/// What is asked of the server for a code, again after each round of work.
struct CodeRequest: Sendable {
  let phone: String
  let region: String?
  var rounds = WorkRounds()
  var proof: WorkProof?
}

/// What came of it.
enum CodeAnswer: Sendable {
  case sent(SentCode)
  /// The server sends none without work; the refusal stands if it is not done.
  case work(WorkSearch, WorkRounds, AccountError)
}

extension LifeSignalClient {
  /// Asks the server once, on the network's queue.
  func answer(to request: CodeRequest) async throws(LifeSignalError) -> CodeAnswer {
    try await withAccount { account throws(AccountError) in
      let number = try Self.normalized(request)
      try account.checkMaySignIn(as: number, at: DeviceClock.now())
      return try self.answer(to: request, number, account)
    }
  }

  /// Does the work on a queue of its own, so that nothing waits for it. Nil if the task is cancelled.
  func proof(by search: WorkSearch, onWork: @escaping @Sendable (Int) -> Void) async -> WorkProof? {
    let isStopped = Lock(false)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        workQueue.async {
          var search = search
          continuation.resume(returning: search.run(tell: onWork, isStopped: { isStopped.withLock { $0 } }))
        }
      }
    } onCancel: {
      isStopped.withLock { $0 = true }
    }
  }

  private static func normalized(_ request: CodeRequest) throws(AccountError) -> String {
    do throws(InvalidInput) {
      return try PhoneEntry.normalized(request.phone, region: request.region)
    } catch {
      throw .invalid(error)
    }
  }

  private func answer(
    to request: CodeRequest, _ phone: String, _ account: AccountSession
  ) throws(AccountError) -> CodeAnswer {
    do throws(AccountError) {
      let sent = SentCode(
        try account.requestCode(
          phone: phone, region: request.region, proof: request.proof, at: DeviceClock.now()))
      sentCodes.add(sent, at: DeviceClock.monotonicMilliseconds())
      return .sent(sent)
    } catch {
      guard case .refused(let problem) = error, problem.kind == .rateLimited else { throw error }
      if let sent = sentCodes.underWay(to: phone, at: DeviceClock.monotonicMilliseconds()) { return .sent(sent) }
      var rounds = request.rounds
      guard let search = rounds.search(after: error) else { throw error }
      return .work(search, rounds, error)
    }
  }
}
