import { assert, it } from "@effect/vitest"
import { noRequirements } from "@troupe/domain/Skill"
import { Effect, Layer } from "effect"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { makePlace } from "./place.ts"

it.scoped("The folders of skills are read again after each refresh interval, as a listed job", () =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    for (const [refreshInterval, next] of [["60 seconds", "00:01:00"], ["90 seconds", "00:01:30"]] as const) {
      const jobs = yield* Effect.flatMap(ScheduledJobs, ({ report }) => report).pipe(
        Effect.provide(
          Skills.layer({ custom: place.custom, refreshInterval }).pipe(
            Layer.provideMerge(ScheduledJobs.layerMemory),
            Layer.provide([
              Layer.succeed(SkillRequirements, { missing: () => Effect.succeed(noRequirements) })
            ])
          )
        )
      )
      assert.deepStrictEqual(jobs, [
        {
          name: "skills_refresh",
          scope: "process",
          last_run_at: null,
          next_run_at: `1970-01-01T${next}.000Z`,
          last_error: null
        }
      ])
    }
  }))
