import { SqlClient } from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import type { Caller } from "@troupe/domain/Caller"
import { Effect, Option, Redacted } from "effect"
import { Authorizations } from "../../src/ToolServer/Authorizations.ts"
import { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { ann, ben, calls, connects, failureOf, forgets, owner, team, world } from "./signInTeam.ts"

const headerOf = ({ id }: Caller) =>
  Effect.flatMap(Authorizations, ({ find }) =>
    Effect.map(
      find({ server: "srv", user: id }),
      Option.match({ onNone: () => "none", onSome: (one) => `Bearer ${Redacted.value(one.accessToken)}` })
    ))

layer(team, { excludeTestServices: true, timeout: 60_000 })("A tool server at which each person signs in", (it) => {
  it.scoped("is called with the token of the person for whom it is called, and of nobody else", () =>
    Effect.gen(function*() {
      const { tools } = yield* world()
      const { signIns } = yield* ToolServers
      yield* connects(ann)
      assert.strictEqual(yield* failureOf(ann), "made")
      assert.strictEqual(tools.headers()["authorization"], yield* headerOf(ann))

      assert.isTrue(yield* signIns.areMissing("srv", ben.id))
      assert.strictEqual(yield* failureOf(ben), "unauthorized")
      assert.strictEqual(yield* failureOf(), "refused", "for nobody")
      assert.lengthOf(tools.called(), 1)

      yield* connects(ben)
      assert.isFalse(yield* signIns.areMissing("srv", ben.id))
      assert.strictEqual(yield* failureOf(ben), "made")
      assert.strictEqual(tools.headers()["authorization"], yield* headerOf(ben))
      assert.notStrictEqual(yield* headerOf(ben), yield* headerOf(ann))
    }))

  it.scoped("is called by the subagents of a person with the same token", () =>
    Effect.gen(function*() {
      const { tools } = yield* world()
      const { openSession } = yield* ToolServers
      yield* Effect.all([connects(ann), connects(ben)])
      yield* calls(ann)
      const servers = yield* ToolServers
      const [tool] = servers.tools()
      assert(tool !== undefined)
      for (const person of [ben, ann]) {
        const session = yield* openSession(person.id)
        yield* session.call(tool, {})
        assert.strictEqual(tools.headers()["authorization"], yield* headerOf(person))
      }
      const session = yield* openSession(owner.id)
      assert.strictEqual((yield* Effect.flip(session.call(tool, {}))).what, "unauthorized")
      assert.lengthOf(tools.called(), 3)
    }))

  it.scoped("is connected and forgotten by each member alone", () =>
    Effect.gen(function*() {
      const { tools } = yield* world()
      yield* Effect.all([connects(ann), connects(ben), connects(owner)])
      assert.strictEqual(yield* failureOf(ann), "made")
      yield* forgets(owner)
      yield* forgets(ann)
      assert.strictEqual(yield* failureOf(ann), "unauthorized")
      assert.strictEqual(yield* failureOf(ben), "made")
      assert.lengthOf(tools.called(), 2)
      const { connections } = yield* Authorizations
      assert.lengthOf(yield* connections(ann.id), 0)
      assert.deepStrictEqual((yield* connections(ben.id)).map(({ key }) => key.user), [ben.id])
    }))

  it.scoped("tells the person alone that a sign-in has ended", () =>
    Effect.gen(function*() {
      const { authority, tools } = yield* world()
      yield* Effect.all([connects(ann), connects(ben)])
      yield* calls(ann)
      authority.revoke()
      yield* connects(ann)
      assert.strictEqual(yield* failureOf(ben), "unauthorized")
      assert.strictEqual(yield* failureOf(ann), "made")
      assert.lengthOf(tools.called(), 2)
      const sql = yield* SqlClient
      const told = yield* sql`select user_id from notifications where title = 'srv needs a sign-in'`
      assert.deepStrictEqual(told, [{ user_id: ben.id }])
    }))
})
