import {
  AgentChange,
  AgentDraft,
  AgentInvalid,
  AgentName,
  AgentNameTaken,
  AgentNotFound,
  AgentReadOnly,
  type AgentReload,
  AgentsUnwritable
} from "@troupe/domain/Agent"
import { Context, type Duration, Effect, Either, Layer, Option, Schema } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import type { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { suggestion } from "../../Runtime/NearNames.ts"
import { projectFolder } from "../../Runtime/ProjectFolder.ts"
import { issuesOf } from "../../Skill/Library/Fields.ts"
import { makeLibrary } from "../../Skill/Library/Library.ts"
import { maxFileBytes, sourceOf } from "../../Skill/Library/LibraryFile.ts"
import type { Found } from "../../Skill/Library/LibraryFolder.ts"
import * as Writing from "../../Skill/Library/LibraryWriting.ts"
import type { Agent } from "./Agent.ts"
import { type Claim, claimantOf } from "./AgentClaims.ts"
import { edited, parse, print } from "./AgentFile.ts"
import { scan } from "./AgentFolder.ts"

export interface AgentsOptions {
  /** Agents that come with the service, by default those of the repository; never written. */
  readonly builtIn?: string
  /** Agents of the users; one named as a built-in agent replaces it. Made when first needed. */
  readonly folder: string
  readonly refreshInterval: Duration.DurationInput
}

type Writable = AgentInvalid | AgentNameTaken | AgentsUnwritable

/** The agents on disk, the same for every process within the refresh interval, and for this one at once. */
export class Agents extends Context.Tag("troupe/Agent/Definition/Agents")<Agents, {
  /** By name. Broken files are not among them. */
  readonly list: Effect.Effect<ReadonlyArray<Agent>>
  /** By its name, or else by the name in its file or the file's own, in any case. */
  readonly find: (name: string) => Effect.Effect<Agent, AgentNotFound>
  /** The agent that a channel, type of webhook or mailbox belongs to: the first by name that names it. */
  readonly claimant: (claim: Claim) => Effect.Effect<Option.Option<Agent>>
  readonly create: (draft: AgentDraft) => Effect.Effect<Agent, Writable>
  /** A built-in agent is never changed: the change goes to a copy, which replaces it. */
  readonly update: (name: string, change: AgentChange) => Effect.Effect<Agent, Writable | AgentNotFound>
  /** Removes an agent of the users, even a broken one; a built-in agent that it replaced is found again. */
  readonly remove: (name: string) => Effect.Effect<void, AgentNotFound | AgentReadOnly | AgentsUnwritable>
  readonly reload: Effect.Effect<AgentReload>
}>() {
  static readonly layer = (options: AgentsOptions): Layer.Layer<Agents, never, ScheduledJobs> =>
    Layer.scoped(this, make({ builtIn: ownFolder, ...options }))
}

const ownFolder = fileURLToPath(new URL("src/Agent/BuiltIn", projectFolder))

const make = (options: Required<AgentsOptions>) =>
  Effect.gen(function*() {
    yield* Writing.sweep(options.folder)
    const { exclusively, find, known, refresh } = yield* makeLibrary<Found<Agent>>({
      noun: "agent",
      job: "agents_refresh",
      refreshInterval: options.refreshInterval,
      scan: (known) => Effect.all([scan(options.builtIn, "built-in", known), scan(options.folder, "folder", known)])
    })
    const list = Effect.map(known, ({ list }) => list)

    const current = (given: string) => {
      const name = given.trim()
      return Effect.flatMap(
        Effect.zip(find(name), find(name.toLowerCase())),
        ([exact, lower]) => Option.isSome(exact) ? exact : lower
      ).pipe(
        Effect.catchTag("NoSuchElementException", () =>
          Effect.flatMap(list, (all) =>
            new AgentNotFound({
              name: given,
              hint: suggestion(
                name,
                all.map(({ name }) => name),
                `The agents are: ${all.map(({ name }) => name).slice(0, maxNamed).join(", ") || "none"}.`
              )
            })))
      )
    }

    /** The agent as it is on disk after a write; another process may have changed it since. */
    const written = (name: AgentName) => Effect.zipRight(refresh, Effect.orDie(current(name)))

    const pathOf = (name: AgentName) => join(options.folder, `${name}.md`)

    const create = Effect.fn("Agents.create")(
      function*(draft: AgentDraft) {
        const { name } = draft
        yield* checked(AgentDraft, name, draft)
        const content = yield* readable(name, print(draft))
        yield* refresh
        if ((yield* known).byName.has(name)) return yield* new AgentNameTaken({ name })
        yield* makeFile(pathOf(name), name, content)
        return yield* written(name)
      },
      Effect.uninterruptible,
      exclusively
    )

    const update = Effect.fn("Agents.update")(
      function*(given: string, change: AgentChange) {
        yield* refresh
        const agent = yield* current(given)
        const { name } = agent
        const different = differentIn(change, agent)
        yield* checked(AgentChange, name, different)
        const source = yield* Effect.mapError(sourceOf(agent.path), (reason) => new AgentsUnwritable({ reason }))
        const content = yield* readable(name, edited(source, different))
        yield* agent.source === "folder"
          ? orUnwritable(Writing.replace(agent.path, content))
          : makeFile(pathOf(name), name, content)
        return yield* written(name)
      },
      Effect.uninterruptible,
      exclusively
    )

    const remove = Effect.fn("Agents.remove")(
      function*(given: string) {
        yield* refresh
        const found = yield* Effect.option(current(given))
        const own = Option.filter(found, ({ source }) => source === "folder")
        const name = Option.isSome(found) ? found.value.name : yield* decodeName(given)
        // Of an agent in a folder of its own the folder goes; a broken one has no entry among those found.
        const entries = Option.match(own, {
          onSome: (
            agent
          ) => [agent.path.startsWith(join(options.folder, "/")) ? entryOf(options.folder, agent) : agent.path],
          onNone: () => [pathOf(name), join(options.folder, name)]
        })
        for (const entry of entries) {
          if ((yield* orUnwritable(Writing.present(entry))) === "nothing") continue
          yield* orUnwritable(Writing.remove(entry))
          return void (yield* refresh)
        }
        if (Option.isNone(found)) return yield* new AgentNotFound({ name: given, hint: "" })
        return yield* new AgentReadOnly({ name })
      },
      Effect.uninterruptible,
      exclusively
    )

    return Agents.of({
      list,
      find: current,
      claimant: (claim) => Effect.map(list, (agents) => claimantOf(agents, claim)),
      create,
      update,
      remove,
      reload: Effect.withSpan(exclusively(refresh), "Agents.reload")
    })
  })

const maxNamed = 20

/** The entry of the folder in which an agent is. */
const entryOf = (folder: string, { path }: Agent): string =>
  join(folder, path.slice(folder.length).split(/[/\\]/).find((part) => part !== "") ?? "")

const orUnwritable = <A>(work: Effect.Effect<A, Writing.Unwritable>): Effect.Effect<A, AgentsUnwritable> =>
  Effect.mapError(work, ({ reason }) => new AgentsUnwritable({ reason }))

const makeFile = (path: string, name: AgentName, content: string) =>
  Effect.catchTags(Writing.makeFile(path, content), {
    Occupied: () => new AgentNameTaken({ name }),
    Unwritable: ({ reason }) => new AgentsUnwritable({ reason })
  })

const decodeName = (name: string) =>
  Effect.mapError(Schema.decodeUnknown(AgentName)(name), () => new AgentNotFound({ name, hint: "" }))

/** Without the fields that would stay as they are: the file may write them otherwise than the format says. */
const differentIn = (change: AgentChange, agent: Agent): AgentChange => {
  const known: Readonly<Record<string, unknown>> = { ...agent }
  return Object.fromEntries(
    Object.entries(change).filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, known[field]))
  )
}

/** What is written through the API fits the format, which files from elsewhere need not. */
const checked = <A, I>(schema: Schema.Schema<A, I>, name: string, given: A): Effect.Effect<void, AgentInvalid> =>
  Effect.mapError(
    Schema.validate(schema)(given),
    (error) => new AgentInvalid({ name, reason: issuesOf(error).join("; ") })
  )

/** Fails unless the text would be read as an agent. */
const readable = (name: string, content: string): Effect.Effect<string, AgentInvalid> => {
  const reason = new TextEncoder().encode(content).length > maxFileBytes
    ? `it would be larger than ${maxFileBytes / 1024} KB`
    : Either.match(parse(content, name), { onLeft: (why) => why, onRight: () => null })
  return reason === null ? Effect.succeed(content) : new AgentInvalid({ name, reason })
}
