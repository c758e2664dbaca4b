import { Array as Arrays, Effect } from "effect"
import { type Accepted, audit, steps } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { haveShards, lineTasks, makeDeployment, makePorts, submitAll } from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const forever = 600_000

/** Tells the models what has happened so far. */
type Phase = "frozen" | "rejoined" | "starting" | "stopped"

/** An API and three workers, with the default settings of leases. Each worker has its own model, which labels its steps. */
export const givenWorkers = Effect.gen(function*() {
  const phase: { current: Phase } = { current: "starting" }
  const deployment = yield* makeDeployment()
  // A step that hangs is interrupted when its shard moves.
  const environment = {
    ...deployment.environment,
    AGENTS_REFRESH_INTERVAL: 1,
    SKILLS_REFRESH_INTERVAL: 1,
    STEP_HANDOVER_SECONDS: 1
  }
  const models = {
    // However long the tasks take to be submitted, it works on its own when it is killed.
    killed: yield* makeLineModel({ label: "killed", latency: (_, turn) => turn < 3 ? 300 : forever }),
    // Its later calls last beyond the freeze: they are answered meanwhile.
    frozen: yield* makeLineModel({
      label: "frozen",
      latency: (_, turn) => phase.current !== "starting" ? 0 : turn < 2 ? 300 : 3_000
    }),
    remaining: yield* makeLineModel({
      label: "remaining",
      // A shutdown waits for a call of 3 s, and not for one that hangs.
      latency: ({ name }, turn) =>
        name.startsWith("moved") ? 100 : name.startsWith("called") ? 3_000 : turn === 0 ? 0 : forever
    })
  }
  const apiPorts = yield* makePorts
  const worker = (model: typeof models.killed, dialect: "chat" | "responses") =>
    Effect.gen(function*() {
      const { address, environment: ports } = yield* makePorts
      const process = yield* start("worker", { ...environment, ...ports, ...model.environment(dialect) })
      return { address, process }
    })
  const [api, killed, frozen, remaining] = yield* Effect.all([
    start("api", { ...environment, ...apiPorts.environment }),
    worker(models.killed, "responses"),
    worker(models.frozen, "chat"),
    worker(models.remaining, "responses")
  ], { concurrency: "unbounded" })
  yield* haveShards(deployment.url, [killed.address, frozen.address, remaining.address])
  const labels = { [killed.address]: "killed", [frozen.address]: "frozen", [remaining.address]: "remaining" }
  const { url } = deployment
  return {
    api,
    apiPort: apiPorts.http,
    audited: (accepted: ReadonlyArray<Accepted>) => audit({ ...deployment, accepted, labels }),
    deployment,
    frozen,
    heldBy: (address: string) =>
      query<{ id: string }>(
        url,
        "select task_id as id from actors where runner = $1 and status = 'running' and wake_at is not null",
        [address]
      ),
    journal: Effect.map(steps(url), Arrays.groupBy(({ task_id }) => task_id)),
    killed,
    now: Effect.map(query<{ at: Date }>(url, "select clock_timestamp() as at"), ([row]) => row?.at.getTime() ?? 0),
    phase,
    remaining,
    remainingModel: models.remaining.server,
    submit: (prefix: string, count: number, turns: number) =>
      submitAll(taskClient(apiPorts.http), lineTasks(prefix, count, turns)),
    url
  }
})

export type Given = Effect.Effect.Success<typeof givenWorkers>
