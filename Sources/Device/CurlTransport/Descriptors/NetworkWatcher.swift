import CLinux
import Glibc
import SystemKit

/// Sees when the machine's network changed, so that the server may be reachable now (rtnetlink(7)).
final class NetworkWatcher {
  private let descriptor: FileDescriptor
  private var filter = NetworkChangeFilter()

  init() throws(SyncWorkerError) {
    descriptor = try FileDescriptor(lifesignal_network_open(), for: "watching the network")
  }

  var number: Int32 { descriptor.number }

  /// Whether it changed since the last call.
  func drain() -> Bool {
    var hasChanged = false
    while true {
      let bytes = descriptor.read(upTo: 16 << 10)
      guard !bytes.isEmpty else {
        // Messages were lost: something happened, and much of it.
        return hasChanged || errno == ENOBUFS
      }
      if filter.isChange(bytes) { hasChanged = true }
    }
  }
}

/// Tells real changes from what the kernel also reports: lifetimes refreshed by a router, statistics, cloned routes.
struct NetworkChangeFilter {
  private var linkStates: [Int32: UInt32] = [:]
  private var addresses: Set<[UInt8]> = []

  /// `messages` as they came from the socket, one or more `nlmsghdr` with what follows each.
  mutating func isChange(_ messages: [UInt8]) -> Bool {
    var hasChanged = false
    var rest = messages[...]
    while rest.count >= 16 {
      let length = Int(rest.number(at: 0, as: UInt32.self))
      guard length >= 16, length <= rest.count else { break }
      let type = rest.number(at: 4, as: UInt16.self)
      if isChange(type: type, payload: rest.prefix(length).dropFirst(16)) { hasChanged = true }
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return hasChanged
  }

  private mutating func isChange(type: UInt16, payload: ArraySlice<UInt8>) -> Bool {
    switch type {
    case 16, 17: isLinkChange(payload, isNew: type == 16)  // RTM_NEWLINK, RTM_DELLINK
    case 20, 21: isAddressChange(payload, isNew: type == 20)  // RTM_NEWADDR, RTM_DELADDR
    case 24, 25: isDefaultRoute(payload)  // RTM_NEWROUTE, RTM_DELROUTE
    default: false
    }
  }

  /// `struct ifinfomsg`: the interface at 4, its flags at 8. Only whether it works matters.
  private mutating func isLinkChange(_ payload: ArraySlice<UInt8>, isNew: Bool) -> Bool {
    guard payload.count >= 16 else { return false }
    let interface = payload.number(at: 4, as: Int32.self)
    let state = payload.number(at: 8, as: UInt32.self) & 0x1_0041  // IFF_UP, IFF_RUNNING, IFF_LOWER_UP
    let earlier = linkStates.updateValue(state, forKey: interface)
    if !isNew { linkStates[interface] = nil }
    return !isNew || earlier != state
  }

  /// `struct ifaddrmsg` of 8 bytes, then attributes of which 1 (IFA_ADDRESS) and 2 (IFA_LOCAL) name the address.
  private mutating func isAddressChange(_ payload: ArraySlice<UInt8>, isNew: Bool) -> Bool {
    guard payload.count >= 8 else { return false }
    // Family, prefix length and interface; not the flags, which change with lifetimes.
    var identity = Array(payload.prefix(2)) + Array(payload.dropFirst(4).prefix(4))
    var rest = payload.dropFirst(8)
    while rest.count >= 4 {
      let length = Int(rest.number(at: 0, as: UInt16.self))
      guard length >= 4, length <= rest.count else { break }
      let kind = rest.number(at: 2, as: UInt16.self)
      if kind == 1 || kind == 2 { identity += rest.prefix(length).dropFirst(4) }
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return isNew
      ? addresses.insert(identity).inserted
      : {
        addresses.remove(identity); return true
      }()
  }

  /// `struct rtmsg`: destination length at 1, type at 7, flags at 8. A unicast route to everywhere, not a cached clone.
  private func isDefaultRoute(_ payload: ArraySlice<UInt8>) -> Bool {
    guard payload.count >= 12 else { return false }
    let isClone = payload.number(at: 8, as: UInt32.self) & 0x200 != 0  // RTM_F_CLONED
    return payload.number(at: 1, as: UInt8.self) == 0 && payload.number(at: 7, as: UInt8.self) == 1 && !isClone
  }
}

extension ArraySlice<UInt8> {
  /// A number of the machine's byte order; the caller has checked that it is there.
  fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    dropFirst(offset).withUnsafeBytes { $0.loadUnaligned(as: type) }
  }
}
