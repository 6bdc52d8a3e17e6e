public import AppModel
public import Model

// The names of the values under the client: an app's own `Alert`, `Contact` or `Account` stay its own.
extension LifeSignalClient {
  /// An alert of the history.
  public typealias Alert = AlertRecord
  /// What raising an alert did.
  public typealias RaisedAlert = AppModel.RaisedAlert
  /// How things stand on this device.
  public typealias Status = AlertSnapshot
  /// An alert of somebody to whom this person is a responder.
  public typealias ReceivedAlert = AppModel.ReceivedAlert
  /// Where a person is.
  public typealias Location = Model.Location

  /// The person who is signed in.
  public typealias Account = User
  /// Where a telephone number is dialed.
  public typealias Region = Model.Region
  /// How this device is set.
  public typealias Settings = DeviceSettings
  /// A code on its way to a phone.
  public typealias SentCode = AppModel.SentCode
  /// What signing out costs.
  public typealias SignOutLosses = AppModel.SignOutLosses
  /// One sign-in of one device.
  public typealias Session = DeviceSession

  /// A person who responds to alerts, or to whose alerts this person responds.
  public typealias Contact = Model.Contact
  /// What is known of a contact.
  public typealias ContactDetails = Model.ContactDetails
  /// A way to reach a contact.
  public typealias Channel = Model.Channel
  /// A contact, and whether the server has heard of it.
  public typealias SavedContact = AppModel.SavedContact
  /// Why a location, a contact or a channel cannot be accepted.
  public typealias InvalidInput = Model.InvalidInput

  /// Something that waits for the server.
  public typealias QueuedItem = AppModel.QueuedItem
}
