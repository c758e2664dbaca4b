import { Effect, type Scope } from "effect"
import type { Child } from "./Child.ts"
import type { Options } from "./Options.ts"
import { onDatabase, type Postgres } from "./Postgres.ts"
import { instructions } from "./Work.ts"

/** What all measurements share. */
export interface Bench {
  readonly options: Options
  readonly postgres: Postgres
  readonly model: Child & { readonly url: string }
}

export type Dialect = "chat" | "responses"

export type Environment = Readonly<Record<string, string>>

let made = 0

/** Settings of a service on a fresh database that uses the scripted model `name`. */
export const freshEnvironment = (
  { model, postgres }: Bench,
  name: string,
  folder: string,
  dialect: Dialect = "chat"
): Effect.Effect<{ readonly database: string; readonly environment: Environment }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const database = `troupe_bench_${++made}`
    yield* postgres.freshDatabase(database)
    return {
      database,
      environment: {
        AGENT_MAX_SKILLS: "0",
        DATABASE_URL: onDatabase(postgres.url, database),
        DATA_DIR: folder,
        LOG_LEVEL: "warning",
        LOG_FORMAT: "json",
        ADDITIONAL_INSTRUCTIONS: instructions,
        // The peers have no memory; `memory` measures it.
        MEMORY_AUTO_SAVE: "false",
        // Allows forty rounds.
        AGENT_SOFT_ITERATIONS: "290",
        AGENT_HARD_ITERATIONS: "300",
        AGENT_RECURSION_LIMIT: "700",
        COMPACTION_THRESHOLD: "1000",
        MODEL_CONTEXT_TOKENS: "1000000",
        ...(dialect === "responses"
          ? { OPENAI_BASE_URL: model.url, OPENAI_MODEL: name }
          : { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: model.url, LOCAL_MODEL: name })
      }
    }
  })
