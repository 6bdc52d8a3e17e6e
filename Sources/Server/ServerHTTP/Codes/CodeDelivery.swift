/// How one-time codes reach a telephone.
package enum CodeDelivery: Sendable {
  /// Not at all: nobody can sign in.
  case none
  /// Onto standard output, for development: whoever reads it can sign in as anybody.
  case console
  /// `POST {"to": …, "text": …}` as JSON to this URL, over HTTPS or to this machine.
  case gateway(String)
}
