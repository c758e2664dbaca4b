// While the image is built: starts the service once as the user of the image, with an embedded database that is thrown away, so that V8's
// compiled code is in the image. A service without it starts too, only later.
"use strict"
const { spawn } = require("node:child_process")
const { mkdtempSync, readdirSync, rmSync } = require("node:fs")
const { tmpdir } = require("node:os")
const { join } = require("node:path")

/** The command of the image: what V8 compiles depends on its options. */
const [program, ...options] = process.argv.slice(2)
const compiled = join(options[options.length - 1], "../.compiled")
const folder = mkdtempSync(join(tmpdir(), "warm-"))
const service = spawn(program, options, {
  cwd: folder,
  env: { PATH: process.env.PATH, HOST: "127.0.0.1", DATA_DIR: folder },
  stdio: ["ignore", "ignore", "inherit"]
})
const isKept = () => readdirSync(compiled).some((name) => name.endsWith("-all"))
const asking = setInterval(() => {
  if (isKept()) service.kill()
}, 200)
const limit = setTimeout(() => service.kill(), 300_000)
service.on("exit", () => {
  clearInterval(asking)
  clearTimeout(limit)
  rmSync(folder, { recursive: true, force: true })
  if (!isKept()) console.error("The service did not start within the build: the image is without compiled code.")
})
