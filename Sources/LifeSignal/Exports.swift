// A client app imports this one module: the vocabulary of alerts, contacts and receipts comes with it.
@_exported public import Model
