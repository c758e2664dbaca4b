import { assert, describe, it } from "@effect/vitest"
import { hasFilter, shownLines, type StepFilter } from "../../packages/console/src/screens/task/StepFilter.ts"
import { type Line, makeTimeline } from "../../packages/console/src/screens/task/Timeline.ts"
import { ada, call, makeStep, makeTask, result } from "./StepSamples.ts"

const loops = Array.from({ length: 200 }, (_, index) => [
  makeStep(index * 2 + 2, { calls: [call(`c${index}`, "write_file")] }),
  makeStep(index * 2 + 3, { kind: "results", results: [result(`c${index}`, "write_file")] })
]).flat()

const steps = [
  makeStep(1, { kind: "woken", title: "Started" }),
  ...loops,
  makeStep(402, { kind: "steered", text: "Hurry", by: ada, title: "Ada sent a message" }),
  makeStep(403, { calls: [call("r", "read_file")], title: "Called read_file" }),
  makeStep(404, { kind: "results", results: [result("r", "read_file", "Error: gone")], title: "read_file: Error" })
]

const { lines } = makeTimeline({
  task: makeTask({ status: "running" }),
  steps: steps.toReversed(),
  subtasks: [],
  unfolded: new Map(),
  now: 0
})

const nameOf = (line: Line) =>
  line._tag === "loop" ? `${line.name}, ${line.count} times` : line._tag === "step" ? line.step.seq : line._tag

const shown = (
  given: { readonly filter?: Partial<StepFilter>; readonly oldest?: boolean; readonly open?: string } = {}
) =>
  shownLines(lines, {
    filter: { words: "", kind: undefined, ...given.filter },
    isGrouped: true,
    isOldestFirst: given.oldest ?? false,
    isOpen: ({ id }) => id === given.open
  }).map(nameOf)

describe("The steps of a task", () => {
  it("have the calls that repeat one tool in one line, which unfolds, in either order", () => {
    assert.deepStrictEqual(shown(), [404, 403, 402, "write_file, 200 times", 1])
    assert.deepStrictEqual(shown({ oldest: true }), [1, "write_file, 200 times", 402, 403, 404])
    assert.deepStrictEqual(shown({ open: "200" }).slice(3, 6), ["write_file, 200 times", 401, 400])
    assert.lengthOf(shown({ open: "200" }), 405)
  })

  it("are found by their words, arguments and results, and by their kind", () => {
    assert.deepStrictEqual(shown({ filter: { words: " GONE" } }), [404])
    assert.deepStrictEqual(shown({ filter: { words: "c7.txt" } }), [16])
    assert.deepStrictEqual(shown({ filter: { kind: "person" } }), [402])
    assert.deepStrictEqual(shown({ filter: { kind: "problem" } }), [404])
    assert.deepStrictEqual(shown({ filter: { kind: "service" } }), [1])
    assert.lengthOf(shown({ filter: { kind: "tool" } }), 201)
    assert.isFalse(hasFilter({ words: " ", kind: undefined }))
  })
})
