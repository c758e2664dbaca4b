import { assert } from "@effect/vitest"
import { defaultUser, type TaskId, UserId } from "@troupe/domain/Ids"
import { noLimits, type SpendingLimits } from "@troupe/domain/Spending"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { SpendingLimit } from "../../src/Agent/Spending.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Users } from "../../src/People/User/Users.ts"
import { Limits } from "../../src/Task/Spending/Limits.ts"
import * as SpendingJob from "../../src/Task/Spending/SpendingJob.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { withinOneDay, withShortSleeps } from "../support/FrozenClock.ts"
import { alice, bob, request } from "../support/GivenTasks.ts"
import { asks, call, costing, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

const own = { maxCostPerDay: null, admin: defaultUser }

const limitsService = Effect.map(
  Layer.build(Limits.layer({ maxCostPerDay: null })),
  (context) => Context.get(context, Limits)
)
const setLimits = (limits: Partial<SpendingLimits>) =>
  Effect.flatMap(limitsService, ({ change }) => change({ ...noLimits, ...limits }))

/** What a process of its own knows of the limits, until the scope ends. */
const startProcess = (options: SpendingJob.SpendingOptions = own) =>
  withShortSleeps(
    Effect.map(Layer.build(Layer.fresh(SpendingJob.layer(options))), (context) => Context.get(context, SpendingLimit))
  )

const spender = { creator: alice, agent: null }
const modelCall = { ...spender, model: "m", source: null }

const titlesFor = (user: UserId) =>
  Effect.flatMap(
    Notifications,
    (notifications) => notifications.list(user, { unread: true, limit: 50, cursor: Option.none() })
  ).pipe(Effect.map((all) => all.map(({ title }) => title)))

const ends = (end: string) => (titles: ReadonlyArray<string>) => titles.filter((title) => title.endsWith(end))

/** A call is reserved with about 3, as its prompt is estimated. */
const prices = { scripted: { input: 1_000, output: 0 } }
const looks: Turn = costing(1_000, asks(call("c1", "look")))

const worker = (...turns: ReadonlyArray<Turn>) =>
  withShortSleeps(startWorker({
    scripted: scriptedModel(...turns),
    tools: [tool("look", "read", Effect.succeed("A red door."))],
    prices,
    spending: own
  }))

const found = (id: TaskId) => Effect.flatMap(Tasks, (tasks) => tasks.find(id))
const paused = (id: TaskId) => eventually(found(id), ({ waiting_for }) => waiting_for?.reason === "spending")
const completed = (id: TaskId) => eventually(found(id), ({ status }) => status === "completed")

/** As on the day before. */
const yesterday = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.clockWith((now) => {
    const millis = () => now.unsafeCurrentTimeMillis() - Duration.toMillis("1 day")
    return Effect.withClock(work, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanos: now.currentTimeNanos,
      unsafeCurrentTimeMillis: millis,
      unsafeCurrentTimeNanos: () => now.unsafeCurrentTimeNanos(),
      sleep: (duration) => now.sleep(duration)
    })
  })

inWorld("A spending limit of several processes", (test) => {
  test("counts what each of them spends", function*() {
    yield* setLimits({ team: { day: 10, month: null } })
    const [one, other] = yield* Effect.all([startProcess(), startProcess()])
    one.spent(modelCall, 6)
    other.spent({ ...modelCall, creator: bob }, 3)
    for (const process of [one, other]) {
      yield* eventually(
        Effect.sync(() => {
          const permission = process.reserve(spender, () => 2)
          if (permission._tag === "Granted") permission.reservation?.release()
          return permission._tag
        }),
        (tag) => tag === "Paused"
      )
      assert.strictEqual(process.reserve(spender, () => 1)._tag, "Granted")
    }
  })

  test("warns owner and admins alone, once, from 80 % of it, and asks them once", function*() {
    const [owner, admin] = [UserId.make("owner"), UserId.make("admin")]
    const users = yield* Users
    const { query } = yield* Wire
    for (const user of [owner, admin, alice]) yield* users.ensureExists(user)
    for (const user of [owner, admin]) yield* query("update users set role = $1 where id = $1", [user])
    yield* setLimits({ team: { day: 10, month: null } })
    const hosted = { maxCostPerDay: null, admin: null }
    const [one, other] = yield* Effect.all([startProcess(hosted), startProcess(hosted)])
    one.spent(modelCall, 7)
    const { spending } = yield* limitsService
    const costs = Effect.map(
      spending({ user: null, from: null, to: null }),
      (all) => all.reduce((sum, { cost }) => sum + cost, 0)
    )
    yield* eventually(costs, (sum) => sum === 7)
    assert.deepStrictEqual(yield* titlesFor(owner), [])
    other.spent(modelCall, 1)
    yield* eventually(titlesFor(owner), (titles) => ends("is near")(titles).length > 0)
    one.spent(modelCall, 1)
    yield* eventually(costs, (sum) => sum === 9)
    for (const process of [one, other]) assert.strictEqual(process.reserve(spender, () => 4)._tag, "Paused")
    yield* eventually(titlesFor(owner), (titles) => ends("is reached")(titles).length > 0)
    for (const user of [owner, admin]) {
      const titles = yield* titlesFor(user)
      assert.deepStrictEqual([ends("is near")(titles).length, ends("is reached")(titles).length], [1, 1])
    }
    assert.deepStrictEqual(yield* titlesFor(alice), [])
  })

  test("stays reached over a restart, and the tasks under it wait until it is lifted", function*() {
    yield* setLimits({ team: { day: 3.5, month: null } })
    const tasks = yield* Tasks
    const before = yield* worker(looks)
    const { id } = yield* tasks.submit(request("Look"))
    yield* paused(id)
    yield* before.stop
    yield* worker(says("Seen."))
    const other = yield* tasks.submit(request("Look again"))
    yield* paused(other.id)
    // The new process does not know what is left too little for, and has tried it once.
    yield* paused(id)
    yield* setLimits({ team: { day: 100, month: null } })
    assert.strictEqual((yield* completed(id)).ended_by, "answer")
    assert.strictEqual((yield* completed(other.id)).ended_by, "answer")
  })

  test("lets the tasks that it paused go on with the next period", function*() {
    yield* setLimits({ team: { day: 3.5, month: null } })
    const tasks = yield* Tasks
    const before = yield* yesterday(worker(looks))
    const { id } = yield* tasks.submit(request("Look"))
    const { question } = yield* paused(id)
    yield* before.stop
    yield* worker(says("Seen."))
    const done = yield* completed(id)
    assert.strictEqual(done.ended_by, "answer")
    const [{ date = "" } = {}] = (yield* Effect.flatMap(
      limitsService,
      ({ spending }) => spending({ user: alice, from: null, to: null })
    )).toReversed()
    assert.include(question ?? "", `of the team for ${date} is reached`)
  })
}, withinOneDay)
