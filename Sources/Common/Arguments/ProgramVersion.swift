/// The version of all programs.
package enum ProgramVersion {
  package static let current = "0.1.0"
}
