import { assert, describe, it } from "@effect/vitest"
import { unsupported } from "../../packages/cli/bin/node-version.cjs"

describe("The check of Node", () => {
  it("accepts 20.19 and newer, and answers one sentence to older ones", () => {
    for (const version of ["20.19.0", "20.20.2", "22.0.0", "24.1.0", "100.0.0"]) {
      assert.isNull(unsupported(version))
    }
    for (const version of ["20.18.3", "18.20.0", "9.11.2", "0.12.0"]) {
      assert.strictEqual(unsupported(version), `Troupe needs Node 20.19 or newer; this is Node ${version}.`)
    }
  })
})
