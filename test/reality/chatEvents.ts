import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Service, tasks } from "../Intake/Chat/service.ts"

export const channel = "CGENERAL"

export const direct = { channel: "DADA", user: "UADA" }

export const mention = { channel, user: "UADA", text: "<@UTROUPE> look at this" }

export const onlyTask = Effect.map(tasks, ([task, ...others]) => {
  assert.deepStrictEqual(others, [])
  assert(task !== undefined)
  return task
})

export const received = (task: { readonly creator: string; readonly attachments: ReadonlyArray<string> }) =>
  Effect.flatMap(
    Service,
    ({ files }) =>
      Effect.forEach(
        task.attachments,
        (path) => Effect.promise(() => readFile(join(files, task.creator, path), "utf8"))
      )
  )

export const messagesOf = (id: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ body: string }>("select body from inbox where task_id = $1 order by number", [id]),
      (rows) => rows.map(({ body }) => JSON.parse(body) as { readonly text: string; readonly approves?: boolean })
    ))

export const kept = Effect.flatMap(Service, ({ query }) =>
  Effect.map(
    query<{ content: string }>("select content from channel_messages order by ts"),
    (rows) => rows.map(({ content }) => content)
  ))
