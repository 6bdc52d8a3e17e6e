// An app that uses the features imports this one module: the client, the values, the features, their runtime and what watches
// a store come with it.
@_exported public import AlertFeature
@_exported public import AppModel
@_exported public import AuthFeature
@_exported public import Clients
@_exported public import Composable
@_exported public import Dependencies
@_exported public import LifeSignal
@_exported public import Model
@_exported public import Observation
@_exported public import ResponderFeature
