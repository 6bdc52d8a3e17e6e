/// A question on a terminal that a stray key does not answer.
enum Confirmation {
  /// Says what would be lost and asks for a word. False for any other word and at the end of the input.
  static func ask(_ losses: String, toProceed purpose: String, word: String, _ context: Context) -> Bool {
    context.console.prompt(
      losses + AccountTexts.toProceed(purpose, context.console.styled(.strong, word)))
    guard let answer = readLine() else {
      context.console.prompt("\n")
      return false
    }
    return answer.lowercased().split(separator: " ").joined(separator: " ") == word
  }
}
