import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { query } from "../support/Database.ts"
import { haveShards, makeDeployment, makePorts, processTest, shortLeases } from "../support/Deployment.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/**
 * While they wait, the runs of schedules are uncommitted: the kill hits the scheduler in the middle of its work. Those of
 * the odd numbers wait until the gate is open, so that they are not all made before the kill.
 */
const slowDown = `create table gate as select 1 as closed;
create function slow_down() returns trigger language plpgsql as $$ begin
  while new.description ~ '[13579]$' and exists (select from gate) loop perform pg_sleep(0.01); end loop;
  perform pg_sleep(0.1);
  return new;
end $$;
create trigger slow_down after insert on tasks for each row execute function slow_down()`

processTest("Schedules that are due when the process that runs them is killed make one task each", function*() {
  const deployment = yield* makeDeployment()
  const [one, two] = yield* Effect.all([makePorts, makePorts])
  const processes = yield* Effect.all(
    [
      start("all", { ...deployment.environment, ...shortLeases, ...one.environment }),
      start("worker", { ...deployment.environment, ...shortLeases, ...two.environment })
    ],
    { concurrency: "unbounded" }
  )
  yield* haveShards(deployment.url, [one.address, two.address])
  const holder = Effect.map(
    query<{ process: string }>(deployment.url, "select process from scheduled_jobs where name = 'scheduler'"),
    ([job]) => [one.address, two.address].indexOf(job?.process ?? "")
  )
  yield* until("a process runs the schedules", Effect.map(holder, (index) => index >= 0))
  yield* query(deployment.url, slowDown)

  const { send } = taskClient(one.http)
  const create = (message: string, when: object) =>
    Effect.map(
      send("POST", "/api/schedules", { message, ...when }),
      ({ status }) => assert.strictEqual(status, 201, message)
    )
  yield* create("Yearly", { every: "0 0 1 1 *" })
  yield* Effect.forEach(
    Array.from({ length: 10 }, (_, index) => `Once ${index}`),
    (message) => create(message, { at: "in 1 hour" }),
    { concurrency: 5 }
  )
  yield* query(deployment.url, "update schedules set next_run_at = clock_timestamp()")
  yield* query(deployment.url, "select pg_notify('troupe_schedules', '')")

  const made = query<{ description: string }>(deployment.url, "select description from tasks order by description")
  yield* until("the first task is made", Effect.map(made, ({ length }) => length > 0))
  const killedProcess = processes[yield* holder]
  assert.isDefined(killedProcess)
  yield* killedProcess?.signal("SIGKILL") ?? Effect.void
  const { length: madeBefore } = yield* made
  assert.isBelow(madeBefore, 11, "the kill hit the scheduler at work")
  yield* query(deployment.url, "delete from gate")

  yield* until("the other process has run the rest", Effect.map(made, ({ length }) => length >= 11))
  const due = query(deployment.url, "select from schedules where next_run_at <= now() or last_task_id is null")
  yield* until("no schedule is due", Effect.map(due, ({ length }) => length === 0))
  assert.deepStrictEqual((yield* made).map(({ description }) => description), [
    ...Array.from({ length: 10 }, (_, index) => `Once ${index}`),
    "Yearly"
  ])
  const states = yield* query<{ status: string }>(deployment.url, "select status from schedules order by status")
  assert.deepStrictEqual(states.map(({ status }) => status), [
    "active",
    ...Array.from({ length: 10 }, () => "done")
  ])
})
