import type { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Tasks } from "../../../src/Task/Tasks.ts"
import { Wire } from "../../support/TaskWorld.ts"

export const alice = "alice@example.net"

/** A task of Alice to which a mail of ours with this Message-ID belongs. */
export const inThread = (id: TaskId) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("insert into task_threads values ('email', '<ours@example.org>', $1)", [id])
    yield* query(
      "insert into users (id, name, email) values ('alice', 'Alice', $1) on conflict (id) do update set email = $1",
      [alice]
    )
    return id
  })

export const answering = { From: `Alice <${alice}>`, "In-Reply-To": "<ours@example.org>" }
export const quoted = "\n\nOn Mon, 2 Nov 2026 at 10:00, Troupe <troupe@example.org> wrote:\n> Which one?\n"

export const statusOf = (id: TaskId) =>
  Effect.flatMap(Tasks, (tasks) => Effect.map(tasks.find(id), ({ status }) => status))

interface InboxBody {
  readonly kind: string
  readonly text: string
  readonly by?: string
  readonly trusted?: boolean
  readonly approves?: boolean
}

export const inboxOf = (id: TaskId) =>
  Effect.flatMap(Wire, ({ query }) => query<{ body: string }>("select body from inbox where task_id = $1", [id])).pipe(
    Effect.map((rows) => rows.map(({ body }) => JSON.parse(body) as InboxBody))
  )
