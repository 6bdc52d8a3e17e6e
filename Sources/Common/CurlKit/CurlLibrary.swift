import CCurl

/// The libcurl library, loaded on first use.
package enum CurlLibrary {
  /// Loads libcurl once. Throws `unavailable`, with what to install.
  package static func load() throws(CurlError) {
    guard lifesignal_curl_load() == 0 else {
      throw CurlError(.unavailable, string(lifesignal_curl_load_error()) ?? "libcurl cannot be loaded")
    }
  }

  /// The versions of libcurl and its libraries. Loads libcurl.
  package static func version() throws(CurlError) -> String {
    try load()
    return string(lifesignal_curl_version()) ?? "unknown"
  }

  static func check(_ code: CURLcode) throws(CurlError) {
    guard code == CURLE_OK else { throw internalError(string(lifesignal_curl_easy_strerror(code))) }
  }

  static func check(_ code: CURLMcode) throws(CurlError) {
    guard code == CURLM_OK else { throw internalError(string(lifesignal_curl_multi_strerror(code))) }
  }

  private static func internalError(_ reason: String?) -> CurlError {
    CurlError(.internalError, "libcurl refused a call: \(reason ?? "no reason given")")
  }

  private static func string(_ pointer: UnsafePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }
}
