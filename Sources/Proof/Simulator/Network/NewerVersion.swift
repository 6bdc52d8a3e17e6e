import Model
import ServerCore
import Wire

/// Puts words of a future version into what devices and server send each other.
///
/// In some runs the server is newer than the devices, in some the devices are newer than the server. The oracle sees what
/// today's code wrote: additions must make no difference, and what was replaced must be sent again.
final class NewerVersion {
  private let world: World
  private var random: SimulatedRandom
  private let isServerNewer: Bool
  /// People also add contacts with kinds of channels that today's server does not know.
  let areDevicesNewer: Bool

  init(world: World) {
    self.world = world
    random = world.random("versions")
    isServerNewer = random.chance(0.3)
    areDevicesNewer = random.chance(0.3)
  }

  /// A request of a newer device: with members and an item that the server does not know.
  func request(_ request: ServerRequest) -> ServerRequest {
    guard areDevicesNewer, request.method == "POST", request.path == Route.sync, request.body.count < 60_000 else {
      return request
    }
    var newer = request
    var text = String(decoding: request.body, as: UTF8.self)
    text.replaceFirst(#"{"device_id":"#, with: #"{"mood":{"words":[1,null,"é"]},"device_id":"#)
    if random.chance(0.5) {
      let item = #"{"id":"\#(id())","kind":"place.put","place":{"floor":3}}"#
      text.addFirst(item, to: #""mutations":["#)
    }
    newer.body = Array(text.utf8)
    return newer
  }

  /// An answer of a newer server.
  func answer(_ body: [UInt8], to request: ServerRequest) -> [UInt8] {
    guard isServerNewer, request.method == "POST", request.path == Route.sync else { return body }
    var text = String(decoding: body, as: UTF8.self)
    guard text.hasPrefix(#"{"results":["#) else { return body }
    let strange = [
      #"{"entity":"place","id":"\#(id())","place":{"floor":3}}"#, #"{"entity":"receipt","id":7,"receipt":[]}"#,
      #"{"entity":"contact","id":"\#(id())","contact":{"name":{"first":"Ana"}}}"#, "null",
    ]
    text.addFirst(random.one(of: strange), to: #""changes":["#)
    text.replaceFirst(#"{"results":["#, with: #"{"mood":[],"results":["#)
    text.replaceFirst(#""channel":"webhook""#, with: #""channel":"pigeon","feathers":2"#)
    text.replaceFirst(#""state":"queued""#, with: #""state":"queued_twice""#)
    guard !world.isHealed else { return Array(text.utf8) }
    // The device cannot know what became of the item, so it has to ask again.
    if random.chance(0.3) { text.replaceFirst(#""status":"applied""#, with: #""status":"merged""#) }
    if random.chance(0.1) { text.replaceFirst(#""status":"duplicate""#, with: #""status":["done","long ago"]"#) }
    return Array(text.utf8)
  }

  private func id() -> MutationID { Identifier(versionSevenAt: world.trueTime, random: (random.next(), random.next())) }
}

extension String {
  fileprivate mutating func replaceFirst(_ old: String, with new: String) {
    if let range = firstRange(of: old) { replaceSubrange(range, with: new) }
  }

  /// Inserts an element before those of the array that begins with `opening`.
  fileprivate mutating func addFirst(_ element: String, to opening: String) {
    guard let range = firstRange(of: opening) else { return }
    let isEmpty = self[range.upperBound...].hasPrefix("]")
    insert(contentsOf: isEmpty ? element : element + ",", at: range.upperBound)
  }
}
