import { assert, describe, it } from "@effect/vitest"
import { settingOf, spellingOf, usualSchemeOf } from "@troupe/domain/WebhookScheme"

describe("The scheme of a type whose settings name none", () => {
  it("is the one of its name, in any spelling, where the sender has one", () => {
    for (const type of ["payments", "Payments", "PAYMENTS"]) assert.strictEqual(usualSchemeOf(type), "payments", type)
    assert.strictEqual(usualSchemeOf("sms"), "sms")
  })

  it("is that of code hosts for all other types", () => {
    for (const type of ["code-host", "Code.Host", "orders", "standard", "constructor", ""]) {
      assert.strictEqual(usualSchemeOf(type), "code-host", type)
    }
  })
})

describe("The settings of a type", () => {
  it("are the same for all of its spellings", () => {
    for (const type of ["Code.Host", "code_host", "code-host", "code..host", " code host "]) {
      assert.strictEqual(settingOf(type), "CODE_HOST", type)
      assert.strictEqual(spellingOf(settingOf(type)), "code-host", type)
    }
  })
})
