// Written so that any version of Node can read it.
"use strict"

/** A sentence for people whose Node can't run Troupe; null where it can. */
exports.unsupported = function(version) {
  var parts = version.split(".").map(Number)
  var isSupported = parts[0] > 20 || parts[0] === 20 && parts[1] >= 19
  return isSupported ? null : "Troupe needs Node 20.19 or newer; this is Node " + version + "."
}
