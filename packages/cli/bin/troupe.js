#!/usr/bin/env node
import { existsSync } from "node:fs"
import process from "node:process"

const main = new URL("../dist/main.js", import.meta.url)

if (existsSync(main)) {
  await import(main.href)
} else {
  process.stderr.write("troupe is not built yet. Run this in the repository first: npm run build\n")
  process.exitCode = 6
}
