import { assert } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import { AgentName } from "@troupe/domain/Agent"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { defaultUser, type TaskId, UserId } from "@troupe/domain/Ids"
import { noLimits, type SpendingLimits } from "@troupe/domain/Spending"
import { Context, Effect, Layer, Option } from "effect"
import { Agents } from "../../src/Agent/Definition/Agents.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Users } from "../../src/People/User/Users.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Limits } from "../../src/Task/Spending/Limits.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { memberBob } from "../People/alice.ts"
import { eventually } from "../support/Eventually.ts"
import { withinOneDay, withShortSleeps } from "../support/FrozenClock.ts"
import { alice, bob, request } from "../support/GivenTasks.ts"
import { asks, call, costing, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { cast, dispatch, tools } from "./subtasks.ts"

/** A call is reserved with about 3, as its prompt is estimated. */
const prices = { scripted: { input: 1_000, output: 0 } }
const looks: Turn = costing(1_000, asks(call("c1", "look")))

const limitsService = Effect.map(
  Layer.build(Limits.layer({ maxCostPerDay: null })),
  (context) => Context.get(context, Limits)
)
const setLimits = (limits: Partial<SpendingLimits>) =>
  Effect.flatMap(limitsService, ({ change }) => change({ ...noLimits, ...limits }))

const worker = (...turns: ReadonlyArray<Turn>) =>
  withShortSleeps(startWorker({
    scripted: scriptedModel(...turns),
    tools: [tool("look", "read", Effect.succeed("A red door."))],
    prices,
    spending: { maxCostPerDay: null, admin: defaultUser }
  }))

const found = (id: TaskId) => Effect.flatMap(Tasks, (tasks) => tasks.find(id))
const paused = (id: TaskId) => eventually(found(id), ({ waiting_for }) => waiting_for?.reason === "spending")

const told = Effect.flatMap(
  Notifications,
  (notifications) => notifications.list(defaultUser, { unread: true, limit: 50, cursor: Option.none() })
)

const decides = (id: TaskId, response: string) =>
  Effect.flatMap(Tasks, (tasks) => tasks.answer(id, response, Option.some(defaultUser))).pipe(
    Effect.provideService(CurrentUser, selfHostedCaller)
  )

inWorld("A spending limit", (test) => {
  test("pauses all tasks under it with one question, and Go on lets all of them go on", function*() {
    const tasks = yield* Tasks
    yield* Effect.flatMap(Users, (users) => users.ensureExists(defaultUser))
    yield* setLimits({ team: { day: 3.5, month: null } })
    yield* worker(looks)
    const first = yield* tasks.submit(request("Look"))
    const one = yield* paused(first.id)
    assert.deepInclude(one, { status: "waiting_input", choices: ["Go on", "Stop"] })
    assert.match(one.question ?? "", /^The spending limit of the team for \d{4}-\d\d-\d\d is reached: 3\.5\./)
    const second = yield* tasks.submit(request("Look again", { user_id: bob }))
    yield* paused(second.id)
    const reached = yield* eventually(told, (all) => all.some(({ title }) => title.endsWith("is reached")))
    assert.lengthOf(reached.filter(({ title }) => title.endsWith("is reached")), 1)
    const ofTask = yield* Effect.flatMap(
      Notifications,
      (notifications) => notifications.list(alice, { unread: true, limit: 50, cursor: Option.none() })
    )
    assert.lengthOf(ofTask, 0)

    const unclear = yield* Effect.flip(decides(second.id, "Perhaps"))
    assert.strictEqual(unclear._tag, "TaskRequestInvalid")
    yield* ensureRequestRole()
    const byMember = yield* Effect.flip(as(memberBob)(tasks.answer(second.id, "Go on", Option.some(bob))))
    assert.strictEqual(byMember._tag, "NotAllowed")
    yield* decides(second.id, "Go on")
    for (const { id } of [first, second]) {
      assert.deepInclude(yield* eventually(found(id), ({ status }) => status === "completed"), { ended_by: "answer" })
    }
  })

  test("ends the tasks under it with what they have, where Stop was decided", function*() {
    const tasks = yield* Tasks
    yield* Effect.flatMap(
      Users,
      (users) => Effect.zipRight(users.ensureExists(alice), users.change(alice, { name: "Alice Miller" }))
    )
    yield* setLimits({ person: { day: null, month: 3.5 } })
    yield* worker(looks)
    const { id } = yield* tasks.submit(request("Look"))
    yield* paused(id)
    const titles = Effect.map(
      told,
      (all) => all.map(({ title }) => title).filter((title) => title.endsWith("is reached"))
    )
    const [title] = yield* eventually(titles, ({ length }) => length > 0)
    assert.match(title ?? "", /^The spending limit of Alice Miller for \d{4}-\d\d is reached$/)
    const other = yield* tasks.submit(request("Say it", { user_id: bob }))
    assert.strictEqual((yield* eventually(found(other.id), ({ status }) => status === "completed")).ended_by, "answer")
    yield* decides(id, "Stop")
    assert.deepInclude(yield* eventually(found(id), ({ status }) => status === "completed"), {
      ended_by: "budget",
      end_label: "Stopped at its budget"
    })
  })

  test("of which too little is left for a call does not wake its tasks again and again", function*() {
    const tasks = yield* Tasks
    const { sent } = yield* Wire
    yield* setLimits({ person: { day: 3.5, month: null } })
    yield* worker(looks)
    const { id } = yield* tasks.submit(request("Look"))
    yield* paused(id)
    const { spending } = yield* limitsService
    // Each run of the job writes what was spent since the one before.
    for (const user of ["bob", "carol", "dora"]) {
      yield* tasks.submit(request("Say it", { user_id: UserId.make(user) }))
      yield* eventually(spending({ user, from: null, to: null }), ({ length }) => length > 0)
    }
    assert.deepStrictEqual(sent.filter(({ name }) => name === "paused_resume"), [])
    assert.strictEqual((yield* found(id)).waiting_for?.reason, "spending")
  })

  test("of an agent has that one's name, however it is written, and is refused for one that there is not", function*() {
    const { change } = yield* limitsService
    const agents = yield* Agents
    const draft = { name: AgentName.make("sales"), description: "Sells.", instructions: "Sell." }
    yield* Effect.zipRight(Effect.ignore(agents.remove("sales")), agents.create(draft))
    const limit = { day: 2, month: null }
    assert.deepStrictEqual((yield* change({ ...noLimits, agents: { Sales: limit } })).agents, { sales: limit })
    const error = yield* Effect.flip(change({ ...noLimits, agents: { sale: limit } }))
    assert.strictEqual(error.message, "agents.sale: There is no agent \"sale\". Did you mean sales?")
    yield* agents.remove("sales")
    assert.deepStrictEqual((yield* change({ ...noLimits, agents: { sales: limit } })).agents, { sales: limit })
  })

  test("has in its sums what made the request, also for the subtasks of it", function*() {
    const tasks = yield* Tasks
    const scripted = cast({ Look: [asks(dispatch("a", "Part one"))] })
    yield* startWorker({ scripted, tools, prices, spending: { maxCostPerDay: null, admin: defaultUser } })
    const { id } = yield* tasks.submit(request("Look", { source: { kind: "webhook", toolAccess: "all" } }))
    yield* eventually(found(id), ({ status }) => status === "completed")
    const { spending } = yield* limitsService
    const rows = yield* eventually(
      spending({ user: alice, from: null, to: null }),
      (rows) => rows.reduce((sum, { calls }) => sum + calls, 0) >= 3
    )
    assert.deepStrictEqual(rows.map(({ calls, source }) => [calls, source]), [[3, "webhook"]])
  })

  test("is lifted by a higher one", function*() {
    const tasks = yield* Tasks
    yield* setLimits({ team: { day: 3.5, month: null } })
    yield* worker(looks, says("Done."))
    const { id } = yield* tasks.submit(request("Look"))
    yield* paused(id)
    yield* setLimits({ team: { day: 100, month: null } })
    yield* eventually(found(id), ({ status }) => status === "completed")
    const { spending } = yield* limitsService
    const [row] = yield* eventually(spending({ user: alice, from: null, to: null }), ([row]) => (row?.calls ?? 0) === 2)
    const { find } = yield* limitsService
    assert.deepStrictEqual((yield* find).spent, {
      team: { day: 1.01, month: 1.01 },
      people: { [alice]: { day: 1.01, month: 1.01 } },
      agents: {}
    })
    assert.deepInclude(row, {
      user_id: alice,
      agent: null,
      model: "scripted",
      source: null,
      cost: 1.01,
      unpriced_calls: 0
    })
  })

  test("of the setting stays that of the setting where a form sends it back", function*() {
    const withSetting = (maxCostPerDay: number | null) =>
      Effect.map(Layer.build(Limits.layer({ maxCostPerDay })), (context) => Context.get(context, Limits))
    const five = yield* withSetting(5)
    const { person, team } = yield* five.find
    assert.deepStrictEqual(team, { day: 5, month: null })
    yield* five.change({ ...noLimits, team, person: { ...person, day: 2 } })
    assert.deepInclude(yield* (yield* withSetting(7)).find, {
      team: { day: 7, month: null },
      person: { day: 2, month: null }
    })
  })
}, withinOneDay)
