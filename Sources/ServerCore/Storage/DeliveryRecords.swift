/// The durable queue of messages to responders, which is also the store of their receipts.
package protocol DeliveryRecords {}
