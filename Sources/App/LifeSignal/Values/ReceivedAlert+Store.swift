import AppModel
import FoundationEssentials
import LocalStore
import Model

extension ReceivedAlert {
  /// An alert of the inbox, with what waits on this device.
  init(_ entry: InboxEntry) {
    let alert = entry.alert
    self.init(
      id: alert.id, name: alert.name, phone: alert.phone, startTime: alert.startedAt.date,
      endTime: alert.endedAt?.date, isDrill: alert.isDrill, message: alert.message,
      earlierMessages: alert.earlierMessages.map { EarlierMessage($0.text, time: $0.at.date) },
      hasMoreMessages: alert.hasMoreMessages, place: alert.place.map(Place.init), batteryPercent: alert.batteryPercent,
      noContactSince: alert.noContactSince?.date, askedAgain: alert.askedAgain,
      comers: alert.comers,
      answer: entry.waiting.map { Answer($0) } ?? alert.response.map { Answer($0.answer, time: $0.at.date) },
      isAnswerWaiting: entry.waiting != nil, refusal: entry.refusal, isAskedToConfirm: alert.isAskedToConfirm,
      pageURL: alert.pageURL)
  }
}

extension ReceivedAlert.Place {
  fileprivate init(_ place: InboxAlert.Place) {
    self.init(location: place.location, accuracyMeters: place.accuracyMeters, time: place.at.date)
  }
}

extension ReceivedAlert.Answer {
  fileprivate init(_ answer: InboxAnswer, time: Date? = nil) {
    self.init(answer.answer, text: answer.text, time: time)
  }
}
