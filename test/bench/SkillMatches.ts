import { Context, Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Embeddings } from "../../dist/Model/Embeddings.js"
import { vectorOf } from "../../dist/Model/OfflineEmbeddings.js"
import { ScheduledJobs } from "../../dist/Runtime/Cluster/ScheduledJobs.js"
import { SkillMatching } from "../../dist/Skill/SkillMatching.js"
import { SkillRequirements } from "../../dist/Skill/SkillRequirements.js"
import { Skills } from "../../dist/Skill/Skills.js"
import type { Bench } from "./Bench.ts"
import { ascending, print, quantile, round } from "./Line.ts"

const count = 500
const words = "report invoice train recipe garden contract ticket survey budget lesson release audit meeting".split(" ")
const wordAt = (index: number) => words[index % words.length] ?? ""

const textOf = (index: number) =>
  `---\nname: skill-${index}\ndescription: Write a ${wordAt(index)} about ${wordAt(index * 7)} ${index}.\n`
  + `tags: [${wordAt(index * 3)} ${index}]\n---\n\nDo it.\n`

/** A vector as long as those of common models. */
const wide = (text: string): Float32Array => {
  const short = vectorOf(text)
  return Float32Array.from({ length: 1536 }, (_, index) => short[index % short.length] ?? 0)
}

const skillsFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "bench-skills-"))
    for (let index = 0; index < count; index++) {
      mkdirSync(join(folder, `skill-${index}`))
      writeFileSync(join(folder, `skill-${index}`, "SKILL.md"), textOf(index))
    }
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const [cpu, start] = [process.cpuUsage(), performance.now()]
    const value = yield* work
    const { system, user } = process.cpuUsage(cpu)
    return { value, millis: performance.now() - start, cpu: (system + user) / 1000 }
  })

/** Cost of matching a request with 500 skills whose vectors are cached; embedding the request is not counted. */
export const skills = ({ options: { quick } }: Bench) =>
  Effect.gen(function*() {
    const builtIn = yield* skillsFolder
    let embedded = 0
    const known = new Map<string, Float32Array>()
    const embeddings = Layer.succeed(Embeddings, {
      model: "bench",
      embed: (texts) =>
        Effect.sync(() => {
          embedded += texts.length
          return texts.map((text) => known.get(text) ?? wide(text))
        })
    })
    const { millis: scanMillis, value: context } = yield* timed(Layer.build(
      SkillMatching.layer({ threshold: 0.35, maxSkills: 3 }).pipe(
        Layer.provideMerge(Skills.layer({ builtIn, custom: join(builtIn, "none"), refreshInterval: "1 hour" })),
        Layer.provide([SkillRequirements.layer, ScheduledJobs.layerMemory, embeddings])
      )
    ))
    const matching = Context.get(context, SkillMatching)
    const { reload } = Context.get(context, Skills)
    const first = yield* timed(matching.match("Write a report about trains"))
    const requests = Array.from(
      { length: quick ? 50 : 500 },
      (_, index) => `Please write a ${wordAt(index)} of ${index}`
    )
    for (const request of requests) known.set(request, wide(request))
    const before = embedded
    const runs = yield* Effect.forEach(requests, (request) => timed(matching.match(request)))
    const millis = ascending(runs.map((run) => run.millis))
    const rescan = yield* timed(reload)
    print("skills", {
      skills: count,
      requests: requests.length,
      dimensions: 1536,
      scan_ms: round(scanMillis),
      rescan_ms: round(rescan.millis),
      first_match_ms: round(first.millis),
      match_p50_ms: round(quantile(millis, 0.5), 3),
      match_p99_ms: round(quantile(millis, 0.99), 3),
      cpu_ms_per_match: round(runs.reduce((sum, run) => sum + run.cpu, 0) / runs.length, 3),
      texts_embedded_per_match: round((embedded - before) / runs.length)
    })
  }).pipe(Effect.scoped)
