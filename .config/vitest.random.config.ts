// Runs the test files with properties under a random seed, or under PROPERTY_SEED.
import { readdirSync, readFileSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import config from "./vitest.config.ts"

const given = process.env["PROPERTY_SEED"] ?? String(Math.floor(Math.random() * 2 ** 31))
if (!/^-?\d{1,10}$/.test(given)) throw new Error(`PROPERTY_SEED must be a whole number, not ${JSON.stringify(given)}`)
// Other tools load this file too.
if (process.env["VITEST"] !== undefined) {
  process.stdout.write(`Properties run with seed ${given}; to repeat: PROPERTY_SEED=${given} npm run test:random\n`)
}

const tests = fileURLToPath(new URL("../test/", import.meta.url))
const hasProperties = (name: string) =>
  name.endsWith(".test.ts") && /\.prop\(|\bfc\.|\bFastCheck\./.test(readFileSync(tests + name, "utf8"))

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: readdirSync(tests, { encoding: "utf8", recursive: true }).filter(hasProperties).map((name) =>
      `test/${name}`
    ),
    env: { PROPERTY_SEED: given }
  }
})
