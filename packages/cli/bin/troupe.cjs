#!/usr/bin/env node
// Written so that any version of Node since 12 can read it.
"use strict"
var fs = require("fs")
var path = require("path")
var unsupported = require("./node-version.cjs").unsupported

// Bundled, which starts in less than half of the time; else as compiled.
var main = ["../../../dist/service/cli/main.js", "../dist/main.js"].map(function(file) {
  return path.join(__dirname, file)
}).find(fs.existsSync)
var stop = function(message) {
  process.stderr.write(message + "\n")
  process.exitCode = 6
}

var wrong = unsupported(process.versions.node)
if (wrong) stop(wrong)
else if (!main) stop("troupe is not built yet. Run this in the repository first: npm run build")
else import(require("url").pathToFileURL(main).href)
