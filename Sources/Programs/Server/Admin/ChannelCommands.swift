import Arguments
import Model
import ServerCore
import ServerHTTP

/// `admin channels`.
enum ChannelCommands {
  /// What the settings say of channels.
  private static let settings: Set<String> = [
    "database", "sms", "voice", "smtp", "public-url", "allow-private-channels",
  ]

  static func test(_ invocation: Invocation) throws(ServerFailure) {
    let text = invocation.argument(0) ?? ""
    let channel: Channel
    do throws(InvalidInput) { channel = try Channel(text) } catch {
      throw ServerFailure(.data, "\(text): \(error.message)")
    }
    let options = try ServerOptions(AdminSettings.read(invocation, only: settings))
    let admin = try AdminStore(invocation, configuration(options))
    let request: ChannelRequest
    do throws(ChannelUnavailable) {
      request = try admin.core.trial(of: channel, at: LiveMoment.read())
    } catch {
      throw ServerFailure(.unavailable, "nothing was sent: \(error.reason)")
    }
    try send(request)
  }

  private static func send(_ request: ChannelRequest) throws(ServerFailure) {
    let result: (isTaken: Bool, description: String)
    do throws(ServerError) { result = try ChannelTrial.send(request) } catch {
      throw ServerFailure(.unavailable, error.message)
    }
    guard result.isTaken else { throw ServerFailure(.unavailable, "FAILED: \(result.description)") }
    AdminCommands.say("accepted (\(result.description)): check that the drill arrived")
  }

  private static func configuration(_ options: ServerOptions) -> ServerConfiguration {
    var configuration = ServerConfiguration(publicURL: options.publicURL ?? "")
    configuration.allowsPrivateChannels = options.allowsPrivateChannels
    configuration.mailServer = options.mailServer
    configuration.voiceGateway = options.voiceGateway
    if case .gateway(let gateway) = options.codes { configuration.smsGateway = gateway }
    return configuration
  }
}
