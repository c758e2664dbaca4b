import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { UserRepo } from "../../../src/People/UserRepo.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { check, mailText, taskRows } from "./inbox.ts"

inWorld("A mail", (test) => {
  test(
    "of an unknown sender makes a task without effects outside, until somebody enters the address",
    Effect.gen(function*() {
      const { query } = yield* Wire
      yield* query("delete from users where id = 'ada@example.net'")
      const server = yield* makeImapServer
      const send = (text: string) => Effect.suspend(() => (server.deliver(mailText(text)), check(server.settings())))
      yield* send("First")
      yield* send("Second")
      const { override } = yield* Effect.provide(UserRepo, UserRepo.layer)
      yield* override(UserId.make("ada@example.net"), { email: "ada@example.net" })
      yield* send("Third")
      const access = yield* query<{ tool_access: string }>("select tool_access from tasks order by id")
      assert.deepStrictEqual(access.map(({ tool_access }) => tool_access), ["own", "own", "all"])
      const told = (yield* taskRows).map(({ context }) => /Its sender is not known here/.test(context ?? ""))
      assert.deepStrictEqual(told, [true, true, false])
    })
  )
})
