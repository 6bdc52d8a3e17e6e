/// A question on a terminal that a stray key does not answer.
enum Confirmation {
  /// Tells what would be lost, and asks for a word. False for any other, and where the input ends.
  static func ask(_ losses: String, toProceed purpose: String, word: String, _ context: Context) -> Bool {
    context.console.prompt(
      losses + "\nTo \(purpose) all the same, type " + context.console.styled(.strong, word) + " and press Enter: ")
    guard let answer = readLine() else {
      context.console.prompt("\n")
      return false
    }
    return answer.lowercased().split(separator: " ").joined(separator: " ") == word
  }
}
