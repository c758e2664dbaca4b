import type { ChangedCall, PolicyTestReport } from "@troupe/api/PolicyApi"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { callsOf, decidedAgain, type PastCall, type ReadCalls } from "@troupe/domain/PastCalls"
import type { CallRequester } from "@troupe/domain/PolicyDecision"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { TaskSourceKind, TaskType, ToolAccess } from "@troupe/domain/Task"
import { plural } from "@troupe/domain/Text"
import { Clock, DateTime, Duration, Effect, Either, Layer, Option, Schema, Stream } from "effect"
import { PolicyTests } from "../../Policy/PolicyTests.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { idBefore } from "../../Runtime/Database/Page.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import type { Skills } from "../../Skill/Skills.ts"
import type { SkillScripts } from "../../Skill/SkillScripts.ts"
import { makeKnownTools, type RuledTool } from "../../Tool/KnownTools.ts"
import { parseArguments } from "../../Tool/Toolbox.ts"
import type { ToolServerRepo } from "../../ToolServer/ToolServerRepo.ts"
import { openingSeen, requesterOf } from "../Journal/FirstMessage.ts"
import { isOfGuest, requestSchedule, requestSource } from "../Row/RuleColumns.ts"
import type { StepRow } from "../Row/TaskRow.ts"
import { readSteps } from "./StepPieces.ts"
import { idAt } from "./TaskConditions.ts"

/** Maximum number of tasks that a test replays: the newest ones of its days, subtasks included. */
const maxTasks = 5_000
const tasksAtOnce = 100
const maxChanged = 1_000
const maxTime = Duration.seconds(20)

/** Replays the journals of past tasks, with the contexts that their calls had: one test at a time in a process. */
export const PolicyTestsLayer: Layer.Layer<
  PolicyTests,
  never,
  SearchStatements | Skills | SkillScripts | ToolServerRepo
> = Layer.effect(
  PolicyTests,
  Effect.gen(function*() {
    const { execute } = yield* SearchStatements
    const knownTools = yield* makeKnownTools
    const oneByOne = (yield* Effect.makeSemaphore(1)).withPermits(1)

    const pastCalls = (task: PastTask): Stream.Stream<PastCall, SearchUnfinished> => {
      let state: ReadCalls = {
        seen: openingSeen(task),
        open: []
      }
      const calls = (step: typeof StepRow.Type): ReadonlyArray<PastCall> => {
        const [next, found] = callsOf(state, step)
        state = next
        return found
      }
      return Stream.mapConcat(readSteps(execute, task.taskId), calls)
    }

    const testTask = (test: Test, task: PastTask): Effect.Effect<void, SearchUnfinished> =>
      Effect.suspend(() => {
        const requester = requesterOf(task, task.role ?? undefined)
        return Stream.runForEach(pastCalls(task), (call) => Effect.sync(() => test.add(call, requester)))
      })

    return PolicyTests.of({
      run: Effect.fn("PolicyTests.run")(
        function*(policy, days) {
          const tools = new Map((yield* knownTools).map((tool) => [tool.name, tool]))
          const begin = yield* Clock.currentTimeMillis
          const from = idAt(DateTime.formatIso(DateTime.unsafeMake(begin - days * 86_400_000)))
          const test = new Test(policy, tools)
          let before: Option.Option<string> = Option.none()
          let read = 0
          while (true) {
            const page: ReadonlyArray<PastTask> = yield* taskRows(
              execute(tasksBetween({ from, before: idBefore(before), limit: tasksAtOnce }))
            )
            for (const task of page) {
              if (task.hasCalls) yield* testTask(test, task)
              if (task.type === "task") test.tasks += 1
              before = Option.some(task.taskId)
              read += 1
              const isLate = (yield* Clock.currentTimeMillis) - begin > Duration.toMillis(maxTime)
              if (isLate || read >= maxTasks) {
                const why = isLate
                  ? `the test ends after ${Duration.format(maxTime)}`
                  : `the test reads ${maxTasks} tasks`
                return test.report(`Tasks made before ${task.created_at} were left out, because ${why}.`)
              }
            }
            if (page.length < tasksAtOnce) return test.report(null)
          }
        },
        asService,
        oneByOne
      )
    })
  })
)

/** What a test has found so far. */
class Test {
  readonly #policy: Parameters<typeof decidedAgain>[0]
  readonly #tools: ReadonlyMap<string, RuledTool>
  readonly #count = { allow: 0, ask: 0, deny: 0 }
  readonly #changed: Array<ChangedCall> = []
  #unlisted = 0
  tasks = 0

  constructor(policy: Parameters<typeof decidedAgain>[0], tools: ReadonlyMap<string, RuledTool>) {
    this.#policy = policy
    this.#tools = tools
  }

  add(call: PastCall, requester: CallRequester): void {
    const args = Either.getOrUndefined(parseArguments(call.arguments))
    const after = decidedAgain(this.#policy, call, args, this.#tools.get(call.tool), requester)
    if (after === undefined) return
    this.#count[after.effect] += 1
    if (after.effect === call.before) return
    if (this.#changed.length >= maxChanged) return void (this.#unlisted += 1)
    this.#changed.push({
      task_id: TaskId.make(requester.task),
      tool_call_id: ToolCallId.make(call.id),
      tool: call.tool,
      before: call.before,
      after: after.effect,
      rule: after.rule
    })
  }

  report(unread: string | null): PolicyTestReport {
    const { allow, ask, deny } = this.#count
    const unlisted = this.#unlisted === 0
      ? []
      : [`${plural(this.#unlisted, "more changed call")} ${this.#unlisted === 1 ? "is" : "are"} not listed.`]
    return {
      tasks: this.tasks,
      calls: allow + ask + deny,
      allowed: allow,
      asked: ask,
      denied: deny,
      changed: this.#changed,
      left_out: [...unread === null ? [] : [unread], ...unlisted].join(" ") || null
    }
  }
}

const PastTask = Schema.Struct({
  taskId: TaskId,
  created_at: Schema.String,
  creator: UserId,
  /** That the creator has now. */
  role: Schema.NullOr(Schema.String),
  type: TaskType,
  toolAccess: ToolAccess,
  isOfGuest: Schema.Boolean,
  source: Schema.NullOr(TaskSourceKind),
  isContinuation: Schema.Boolean,
  title: Schema.NullOr(Schema.String),
  input: Schema.String,
  attachments: Schema.Array(Schema.String),
  shown: Schema.NullOr(Schema.String),
  agent: Schema.NullOr(Schema.String),
  projectId: Schema.NullOr(Schema.String),
  scheduleId: Schema.NullOr(Schema.String),
  hasCalls: Schema.Boolean
}).annotations({ identifier: "PastTask" })
type PastTask = typeof PastTask.Type

const taskRows = rowsOf(PastTask)

/** By the order of ids, which is that of time. Of tasks without calls, the request is not read. */
const tasksBetween = prepared(
  "policy_test_tasks",
  ["from", "before", "limit"],
  `select "taskId", creator, role, type, "toolAccess", "isOfGuest", source, "isContinuation", title, agent, "projectId", "scheduleId", "hasCalls", created_at,
  case when "hasCalls" then input else '' end as input, case when "hasCalls" then attachments else '{}' end as attachments,
  case when "hasCalls" then shown end as shown
from (
  select t.id::text as "taskId", t.creator, (select u.role from users u where u.id = t.creator) as role, t.task_type as type,
    t.tool_access as "toolAccess", ${isOfGuest("t")} as "isOfGuest", ${
    requestSource("t")
  } as source, t.continued_from is not null as "isContinuation", t.title, t.description as input,
    t.attachments, t.shown, t.agent, t.project_id as "projectId", ${requestSchedule("t")} as "scheduleId", ${
    timestamp("t.created_at", "created_at")
  },
    a.tool_calls > 0 or a.has_approvals or a.asks_approval as "hasCalls"
  from tasks t join actors a on a.task_id = t.id
  where t.id < $before::uuid and t.id >= $from::uuid order by t.id desc limit $limit::integer
) p`
)
