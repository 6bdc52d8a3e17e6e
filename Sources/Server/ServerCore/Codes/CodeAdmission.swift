import Wire

/// Whether a code goes out now.
enum CodeAdmission {
  /// With what counts it.
  case admitted([RateCountStep], forWork: Bool)
  case refused(CodeRefusal)
}

/// Why no code goes out now.
struct CodeRefusal {
  /// Until one goes out without work.
  let waitMilliseconds: Int64
  /// Nil: the device showed none.
  let fault: CodeChallenge.Fault?
  /// Nil: work does not help.
  let challenge: WorkChallenge?

  static func limit(_ waitMilliseconds: Int64, _ challenge: WorkChallenge? = nil) -> Self {
    Self(waitMilliseconds: waitMilliseconds, fault: nil, challenge: challenge)
  }

  static func proof(_ fault: CodeChallenge.Fault, _ waitMilliseconds: Int64, _ challenge: WorkChallenge) -> Self {
    Self(waitMilliseconds: waitMilliseconds, fault: fault, challenge: challenge)
  }

  /// For a person.
  var reason: String {
    switch fault {
    case nil: "Too many codes were asked for."
    case .unknownChallenge: "This proof of work is for another number or another server."
    case .expired: "This proof of work has expired."
    case .spent: "This proof of work is older than the last code."
    case .tooLittle: "A code takes more work now than this proof shows."
    case .wrong: "This proof of work is wrong."
    }
  }

  /// What the operator's figures count.
  var observations: [Observation] {
    (fault == nil ? [] : [.codeWork(.refused)]) + (challenge == nil ? [] : [.codeWork(.challenged)])
  }
}
