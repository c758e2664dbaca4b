import { SqlClient } from "@effect/sql/SqlClient"
import { signInOfCall, signInPrefix, type SignInWait } from "@troupe/domain/SignInWait"
import { TaskStateConflict } from "@troupe/domain/Task"
import { Effect, Either, Layer, Option, Schedule } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import type { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { Authorizations } from "../../ToolServer/Authorizations.ts"
import { isPerUser } from "../../ToolServer/ToolServer.ts"
import { type Configuration, type ServersReport, ToolServerRepo } from "../../ToolServer/ToolServerRepo.ts"
import type { TaskRow } from "../Row/TaskRow.ts"
import type { TaskSignals } from "../Row/TaskSignals.ts"
import { makeEndQuestions } from "./RemovedServers.ts"
import { makeResume } from "./ResumePaused.ts"
import type { TaskCommands } from "./TaskCommands.ts"

/** Also finds tasks that began to wait while somebody signed in. */
const period = "15 seconds"

/**
 * The tasks that wait for a sign-in at a tool server go on as soon as there is one, or none is needed; those that wait for an answer
 * to its question, as soon as it is removed.
 */
export const layer: Layer.Layer<
  never,
  never,
  | Authorizations
  | PreparedStatements
  | ScheduledJobs
  | Signals
  | SqlClient
  | TaskCommands
  | TaskSignals
  | ToolServerRepo
> = Layer.scopedDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient
  const authorizations = yield* Authorizations
  const repo = yield* ToolServerRepo
  const jobs = yield* ScheduledJobs
  const { receive } = yield* Signals
  const resume = yield* makeResume
  const endQuestions = yield* makeEndQuestions
  const waiting = Effect.orDie(sql<{ readonly call: string }>`select distinct last_tool_call_id as call from actors
where status = 'waiting_input' and starts_with(last_tool_call_id, ${signInPrefix})`)
  const isOver = (wait: SignInWait, servers: Servers, connected: ReadonlySet<string>) =>
    needsNobody(wait, servers) ? Effect.succeed(true) : Effect.map(
      authorizations.find(wait),
      Option.match({
        onNone: () => wait.user === null && connected.has(wait.server),
        onSome: ({ isValid, wantsMore }) => isValid && !wantsMore
      })
    )
  yield* jobs.start({
    name: "sign_ins",
    scope: "cluster",
    schedule: Schedule.spaced(period),
    wakeUps: receive("troupe_tool_servers"),
    run: asService(Effect.gen(function*() {
      const { servers } = yield* repo.configuration
      yield* endQuestions(servers)
      const rows = yield* waiting
      if (rows.length === 0) return
      const connected = connectedIn(yield* repo.reports)
      for (const { call } of rows) {
        const wait = signInOfCall(call)
        if (wait !== null && (yield* isOver(wait, servers, connected))) yield* resume(call)
      }
    }))
  })
}))

type Servers = Configuration["servers"]

/**
 * Whether nobody can end the wait by signing in: the server was removed, renamed or disabled, or takes other sign-ins now. The call
 * is then repeated, and fails or waits by the present configuration.
 */
const needsNobody = ({ server, user }: SignInWait, servers: Servers): boolean => {
  const found = servers.find(({ name }) => name === server)
  const present = found === undefined || found.disabled ? null : Either.getOrNull(found.server)
  if (present === null) return found === undefined || found.disabled
  return present.transport === "stdio" || isPerUser(present) !== (user !== null)
}

/** The servers to which every process that reports them is connected. A server that no longer needs a sign-in is among them. */
const connectedIn = (reports: ReadonlyArray<ServersReport>): ReadonlySet<string> => {
  const states = reports.flatMap(({ servers }) => servers)
  const others = new Set(states.flatMap(({ name, status }) => status === "connected" ? [] : [name]))
  return new Set(states.flatMap(({ name }) => others.has(name) ? [] : [name]))
}

/** Refuses an answer to a task that waits for a sign-in: it goes on after the sign-in. */
export const checkNoSignIn = (
  { id, last_tool_call_id, status }: Pick<TaskRow, "id" | "last_tool_call_id" | "status">
): Effect.Effect<void, TaskStateConflict> => {
  const wait = status === "waiting_input" ? signInOfCall(last_tool_call_id) : null
  return wait === null ? Effect.void : new TaskStateConflict({
    id,
    status,
    wanted:
      `it waits for a sign-in at the tool server ${wait.server} and goes on after it: connect that, or cancel the task`
  })
}
