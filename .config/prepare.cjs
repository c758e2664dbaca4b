// Runs before `npm start`: checks Node, then builds what changed. Written so that any version of Node can read it.
"use strict"
var fs = require("fs")
var path = require("path")
var spawnSync = require("child_process").spawnSync
var unsupported = require("../packages/cli/bin/node-version.cjs").unsupported

var root = path.join(__dirname, "..")
var has = function(file) {
  return fs.existsSync(path.join(root, file))
}
var stop = function(message) {
  process.stderr.write(message + "\n")
  process.exit(1)
}

var wrong = unsupported(process.versions.node)
if (wrong) stop(wrong)
if (!has("node_modules/effect")) stop("Troupe's packages are not installed. Run: npm ci")
var isBuilt = has("dist/service/main.js")
if (!has("node_modules/@effect/tsgo")) {
  // An installation without development packages runs what was built before.
  if (!isBuilt) stop("Troupe is not built, and its compiler is not installed. Run: npm ci && npm run build")
  process.exit(0)
}
if (!isBuilt) process.stdout.write("Building (once) ...\n")
var run = function(script) {
  return spawnSync("npm run --silent " + script, { cwd: root, shell: true, stdio: "inherit" }).status
}
var status = run("build:service")
if (status !== 0) process.exit(status === null ? 1 : status)
if (run("build:console") !== 0) {
  process.stderr.write(
    "The web console could not be built; the service starts without changes to it. Run: npm run build:console\n"
  )
}
