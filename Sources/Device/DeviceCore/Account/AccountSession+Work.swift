package import Model
import Wire

extension AccountSession {
  /// Requests a code, and does the work that the server asks for while many do. Blocks for as long as that takes, up to some minutes.
  /// - Parameters:
  ///   - phone: E.164.
  ///   - tell: called before work of a second or more, with the seconds that it takes.
  ///   - moment: now, evaluated for each request.
  package func requestCode(
    phone: String, region: String?, tell: (_ seconds: Int) -> Void = { _ in }, at moment: @autoclosure () -> Moment
  ) throws(AccountError) -> PendingVerification {
    var rounds = WorkRounds()
    var proof: WorkProof?
    while true {
      do throws(AccountError) {
        return try requestCode(phone: phone, region: region, proof: proof, at: moment())
      } catch {
        guard var search = rounds.search(after: error) else { throw error }
        proof = search.run(tell: tell, isStopped: { false })
      }
    }
  }
}
