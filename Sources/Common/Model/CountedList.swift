/// A list of counts in a sentence, as in "1 alert, 2 contacts and 1 other change". Leaves out what there is none of, and is "nothing"
/// without anything.
///
/// Each name is the singular of a noun whose plural ends in "s".
package func countedList(_ counts: KeyValuePairs<String, Int>) -> String {
  let parts = counts.filter { $0.value > 0 }.map { $0.value == 1 ? "1 \($0.key)" : "\($0.value) \($0.key)s" }
  guard parts.count > 1, let last = parts.last else { return parts.first ?? "nothing" }
  return parts.dropLast().joined(separator: ", ") + " and " + last
}
