/// Whether the body of a request is read, decided by its head.
///
/// What anyone may send is small. More is read from those whose credential allows the request, so that strangers cannot fill the memory.
package enum BodyAdmission: Sendable {
  /// Up to so many bytes.
  case upTo(Int)
  /// Up to so many bytes if the task's answer is a success; otherwise that is the answer to the request.
  case ifAllowed(ServerTask, upTo: Int)
  case refused(ServerOutcome)
}

extension ServerCore {
  /// - Parameters:
  ///   - head: the request without its body.
  ///   - bodyBytes: the length of the body; nil where it is not known.
  package func admit(
    _ head: ServerRequest, bodyBytes: Int?, at moment: ServerMoment, in table: RouteTable = .main
  ) -> BodyAdmission {
    let isSmall = bodyBytes.map { $0 <= RouteEntry.smallBodyBytes } ?? false
    guard case .entry(let entry, let parameters) = table.match(head) else {
      // Whatever is in it, the answer is the same.
      guard !isSmall, case .answer(let outcome) = begin(head, at: moment, in: table) else {
        return .upTo(RouteEntry.smallBodyBytes)
      }
      return .refused(outcome)
    }
    let maximum = entry.maximumBodyBytes
    do {
      try entry.checkBody(ofBytes: bodyBytes ?? 0)
      guard !isSmall, maximum > RouteEntry.smallBodyBytes, let check = entry.check else { return .upTo(maximum) }
      return .ifAllowed(try ServerTask(head, check, parameters, core: self, at: moment, isHead: true), upTo: maximum)
    } catch {
      return .refused(ServerOutcome(error, entry.errors, of: head))
    }
  }
}

extension RouteEntry {
  /// Answers with success those who may make the request, whatever is in it; nil where anyone may.
  fileprivate var check: RouteEntry? {
    switch access {
    case .session: RouteEntry(method, pattern, .session, errors: errors, .read) { _ in .success }
    case .sessionOrAlertKey:
      RouteEntry(method, pattern, .sessionOrAlertKey, errors: errors, .read, mayCarryAlert: mayCarryAlert) { _ in
        .success
      }
    case .anyone, .page, .gateway: nil
    }
  }
}

extension Rule<Caller> {
  fileprivate static let success = Rule { _, _ in .noContent }
}
