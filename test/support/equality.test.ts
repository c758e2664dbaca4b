import { assert, it } from "@effect/vitest"
import { Option, Redacted } from "effect"

it("Assertions tell something from nothing, and one secret from another", () => {
  const some: Option.Option<object> = Option.some({ a: 1 })
  const none: Option.Option<object> = Option.none()
  assert.deepStrictEqual(some, Option.some({ a: 1 }))
  assert.deepStrictEqual(Redacted.make("a"), Redacted.make("a"))
  assert.notDeepEqual(some, none)
  assert.notDeepEqual({ deep: [some] }, { deep: [none] })
  assert.notDeepEqual(Redacted.make("a"), Redacted.make("b"))
  assert.throws(() => assert.deepInclude({ some }, { some: none }))
})
