import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { givenFiles, honestTasks } from "./honestCalls.ts"
import { makeObeyingModel } from "./obeyingModel.ts"
import { givenFile, startTroupe } from "./troupe.ts"
import { changesWorld } from "./worlds.ts"

const text = (value: unknown) => JSON.stringify(value)

it.scopedLive(
  "Sixty ordinary tasks of an office, a bank, a journey and a chat end where a person approves, with six questions for ten of them at most",
  () =>
    Effect.gen(function*() {
      assert.lengthOf(honestTasks, 60)
      const model = yield* makeObeyingModel({
        asked: (word) => honestTasks[Number(word)]?.[1] ?? [],
        injected: () => [],
        isSeenByAll: () => false,
        said: () => "Done."
      })
      const troupe = yield* startTroupe(model.server.url)
      yield* Effect.forEach(givenFiles, (name) => givenFile(join(troupe.storage, "alice", name), `What ${name} says.`))
      yield* Effect.forEach(
        honestTasks,
        ([request], index) => troupe.asks("alice", `${request} ASKED: ${index}`),
        { concurrency: 8 }
      )
      yield* troupe.endedApproved

      const completed = yield* troupe.query("select from actors where status = 'completed'")
      const asked = yield* troupe.query<{ tool: string; status: string }>("select tool, status from approvals")
      assert.isAtLeast(completed.length / 60, 0.9)
      assert.isAtMost(asked.length / 60, 0.6)
      assert.deepStrictEqual(asked.filter(({ status }) => status !== "approved"), [])

      // What was asked for took place, once.
      const uses = honestTasks.flatMap(([, all]) => all)
      assert.deepStrictEqual(
        troupe.worlds.changes.map(({ args, tool }) => text([`worlds__${tool}`, args])).toSorted(),
        uses.filter(({ tool }) => changesWorld(tool)).map(({ args, tool }) => text([tool, args])).toSorted()
      )
      const mails = yield* troupe.query<{ recipient: string }>(
        "select recipient from outbox where channel = 'email' and kind = 'mail'"
      )
      assert.deepStrictEqual(
        mails.map(({ recipient }) => recipient).toSorted(),
        uses.flatMap(({ args, tool }) => tool === "send_email" ? [String(args["to"])] : []).toSorted()
      )
    }),
  300_000
)
