import { assert } from "@effect/vitest"
import { Chunk, Effect, Schema, Stream } from "effect"
import { audit } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { haveShards, makeDeployment, makePorts, processTest, shortLeases, submitAll } from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start } from "../support/Processes.ts"
import { type Frame, taskClient } from "../support/TaskClient.ts"

const Delta = Schema.Struct({ delta: Schema.String })

const textOf = (frames: ReadonlyArray<Frame>): string =>
  frames.filter(({ event }) => event === "text").map(({ data }) => Schema.decodeUnknownSync(Delta)(data).delta).join("")

const turns = 8

const isNumbered = ({ id }: Frame) => id !== null

processTest(
  "The events of a task miss nothing and repeat nothing over reconnections and the end of its worker",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const allPorts = [yield* makePorts, yield* makePorts] as const
    let isKilled = false
    // The last turn has no answer until its worker has ended.
    const model = yield* makeLineModel({
      label: "both",
      latency: (_, turn) => isKilled ? 100 : turn < turns - 1 ? 400 : 600_000,
      style: { chunk: 3 }
    })
    const settings = { ...deployment.environment, ...shortLeases }
    const [, first, second] = yield* Effect.all([
      start("api", { ...settings, ...apiPorts.environment }),
      start("worker", { ...settings, ...allPorts[0].environment, ...model.environment("responses") }),
      start("worker", { ...settings, ...allPorts[1].environment, ...model.environment("responses") })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, allPorts.map(({ address }) => address))
    const client = taskClient(apiPorts.http)
    const accepted = yield* submitAll(client, [{ name: "watched", turns }])
    const id = accepted[0]?.id ?? ""

    const read = (after: Frame | undefined, enough: (frames: ReadonlyArray<Frame>) => boolean) => {
      const seen: Array<Frame> = []
      return client.events(id, after?.id ?? undefined).pipe(
        Stream.tap((frame) => Effect.sync(() => seen.push(frame))),
        Stream.takeUntil(() => enough(seen)),
        Stream.runCollect,
        Effect.timeout("40 seconds"),
        Effect.map(Chunk.toReadonlyArray)
      )
    }
    const opening = yield* read(
      undefined,
      (frames) => textOf(frames).includes("comes next.") && frames.filter(isNumbered).length > 6
    )
    assert.match(textOf(opening), /Line \d of 8 comes next\./, "the model's words as they came")

    const numbered = opening.filter(isNumbered)
    const middle = (yield* read(numbered.at(-1), (frames) => frames.filter(isNumbered).length >= 3)).filter(
      isNumbered
    )
    const [actor] = yield* query<{ runner: string }>(deployment.url, "select runner from actors")
    const worker = actor?.runner === allPorts[0].address ? first : second
    const ending = yield* Effect.fork(read(middle.at(-1), () => false))
    yield* worker.signal("SIGKILL")
    isKilled = true
    const rest = (yield* ending).filter(isNumbered)

    const whole = (yield* read(undefined, () => false)).filter(isNumbered)
    assert.deepStrictEqual([...numbered, ...middle, ...rest], whole)
    assert.deepStrictEqual(whole.at(-1)?.data, { status: "completed", error: null })
    const task = yield* client.find(id)
    assert.deepStrictEqual(
      whole.filter(({ event }) => event === "log").map(({ data }) => data),
      [...task.logs],
      "the log lines are the task's"
    )
    const { recoveries } = yield* audit({
      ...deployment,
      accepted,
      labels: { [allPorts[0].address]: model.label, [allPorts[1].address]: model.label }
    })
    assert.isAbove(recoveries, 0, "its worker ended in the middle")
  }
)
