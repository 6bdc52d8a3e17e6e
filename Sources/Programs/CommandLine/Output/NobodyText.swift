import LocalStore

/// The strongest words that there are: the call goes nowhere.
enum NobodyText {
  static func line(_ nobody: NobodyIsTold, _ console: Console) -> String {
    console.styled(.bad, "NOBODY WILL BE TOLD: \(nobody.reason).") + " Call for help another way now.\n"
      + advice(nobody)
  }

  private static func advice(_ nobody: NobodyIsTold) -> String {
    switch nobody {
    case .noResponders: Advice.addResponder
    case .noChannel, .unreachable:
      "Give one a channel: lifesignal contacts add PHONE --name NAME --responder --channel URL"
    case .refused: "See: lifesignal queue list"
    }
  }
}
