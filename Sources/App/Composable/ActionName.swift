/// Returns the type and the case of an action, without its payload, which may be personal.
func actionName(_ action: Any) -> String {
  let mirror = Mirror(reflecting: action)
  let name: String
  if mirror.displayStyle == .enum, let label = mirror.children.first?.label {
    name = label
  } else if mirror.displayStyle == .enum {
    name = "\(action)"
  } else {
    name = ""
  }
  return "\(type(of: action)).\(name)"
}
