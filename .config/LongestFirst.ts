import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import durations from "./durations.json" with { type: "json" }

const longest = Object.entries(durations).toSorted(([, a], [, b]) => b - a).map(([file]) => file)
const startsProcesses = (file: string) => file.startsWith("test/ring/")

const ranks = new Map(
  [longest.filter(startsProcesses), longest.filter((file) => !startsProcesses(file))]
    .flatMap((files) => files.map((file, rank) => [file, rank] as const))
)

/**
 * Starts the longest files first, so that none of them runs alone at the end. Those that start processes alternate with
 * the others: several of them at once would compete for the processors. Durations are in seconds, as `npm test` prints
 * them; a file that is not listed is short.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rankOf = ({ moduleId }: TestSpecification) => ranks.get(relative(this.ctx.config.root, moduleId)) ?? Infinity
    return (await super.sort(files)).toSorted((a, b) => (rankOf(a) === rankOf(b) ? 0 : rankOf(a) - rankOf(b)))
  }
}
