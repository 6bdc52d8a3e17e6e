// A client app imports this one module: the vocabulary, the clients, the features, their runtime and what
// watches a store come with it.
@_exported public import AlertFeature
@_exported public import AuthFeature
@_exported public import Clients
@_exported public import Composable
@_exported public import Dependencies
@_exported public import Model
@_exported public import Observation
