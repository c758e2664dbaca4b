import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { sections, settingsExample } from "../../src/Runtime/Settings/SettingsCatalogue.ts"
import { dotEnv, read, start } from "./settings.ts"

const catalogue = sections.flatMap(({ settings }) => settings)

describe("the report of what is in effect", () => {
  it.effect("has every setting, and of a secret only whether it is set", () =>
    Effect.gen(function*() {
      const { stored } = yield* read({
        PORT: "9000",
        OPENAI_API_KEY: "sk-of-the-test",
        WEBHOOK_SECRET_SHOP: "shop-secret-of-the-test",
        LOCAL_MODEL_URL: "http://ada:password-of-the-test@models.example.org/v1"
      })
      const report = yield* stored.inEffect
      const settings = report.flatMap(({ settings }) => settings)
      const valueOf = (name: string) => {
        const found = settings.find((setting) => setting.name === name)
        return [found?.is_set, found?.is_secret, found?.value]
      }
      assert.deepStrictEqual(valueOf("PORT"), [true, false, "9000"])
      assert.deepStrictEqual(valueOf("HOST"), [false, false, "127.0.0.1"])
      assert.deepStrictEqual(valueOf("LOCAL_STORAGE_PATH"), [false, false, null])
      assert.deepStrictEqual(valueOf("OPENAI_API_KEY"), [true, true, null])
      assert.deepStrictEqual(valueOf("SMTP_PASSWORD"), [false, true, null])
      assert.deepStrictEqual(valueOf("WEBHOOK_SECRET_SHOP"), [true, true, null])
      assert.isFalse(settings.some(({ name }) => name === "WEBHOOK_SECRET_<TYPE>"))
      assert.notInclude(JSON.stringify(report), "of-the-test")
      assert.isTrue(catalogue.every(({ name }) => name.endsWith(">") || settings.some((one) => one.name === name)))
    }))
})

describe("the catalogue", () => {
  it("names each setting once and describes it", () => {
    assert.strictEqual(new Set(catalogue.map(({ name }) => name)).size, catalogue.length)
    for (const { description, name } of catalogue) {
      assert.match(name, /^[A-Z][A-Z0-9_]*(?:<[A-Z]+>)?$/)
      assert.match(description, /^\S.{10,}\.$/, `The description of ${name} is a sentence that ends with a full stop`)
    }
  })

  it("is what .env.example says", () => {
    const written = readFileSync(new URL("../../.env.example", import.meta.url), "utf8")
    assert.strictEqual(
      written,
      settingsExample(),
      ".env.example is not current: npm run generate"
    )
  })

  it.effect("gives defaults that change nothing when they are written out", () =>
    Effect.gen(function*() {
      const written = settingsExample().replaceAll(/^# ([A-Z_]+=)/gm, "$1")
      const settings = yield* start({}, dotEnv(written))
      const defaults = yield* read({})
      assert.deepStrictEqual(settings, defaults)
      const values = ({ stored }: typeof defaults) =>
        Effect.map(stored.inEffect, (report) => report.flatMap(({ settings }) => settings.map(({ value }) => value)))
      assert.deepStrictEqual(yield* values(settings), yield* values(defaults))
    }))
})
