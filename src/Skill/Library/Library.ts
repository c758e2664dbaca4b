import { type Duration, Effect, Option, Ref, Schedule, type Scope } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import type { Fault, Found, Scan } from "./LibraryFolder.ts"

/** What the last scan of the folders found. */
export interface Known<F extends Found> {
  readonly byName: ReadonlyMap<string, F>
  /** By name; the same array until the next scan. */
  readonly list: ReadonlyArray<F["item"]>
  readonly aliases: ReadonlyMap<string, F>
  /** By their entries, replaced ones too. */
  readonly byPath: ReadonlyMap<string, F>
  readonly faults: ReadonlyArray<Fault>
}

/** What a scan changed, by names. */
export interface Differences<Name> {
  readonly count: number
  readonly added: ReadonlyArray<Name>
  readonly updated: ReadonlyArray<Name>
  readonly removed: ReadonlyArray<Name>
  readonly errors: ReadonlyArray<Fault>
}

export interface LibraryOptions<F extends Found> {
  /** What an item is called: a skill. */
  readonly noun: string
  /** The name of the job that scans again. */
  readonly job: string
  readonly refreshInterval: Duration.DurationInput
  /** The built-in items, then those of the users, of which one replaces the built-in one of its name. */
  readonly scan: (known: ReadonlyMap<string, F>) => Effect.Effect<ReadonlyArray<Scan<F>>>
}

export interface Library<F extends Found> {
  readonly known: Effect.Effect<Known<F>>
  /** By its name, or else by another name of it. */
  readonly find: (name: string) => Effect.Effect<Option.Option<F["item"]>>
  readonly refresh: Effect.Effect<Differences<F["item"]["name"]>>
  /** One scan or write at a time. */
  readonly exclusively: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * The definitions in two folders, the same for every process within the refresh interval. A broken file or a warning is logged
 * once.
 */
export const makeLibrary = <F extends Found>(
  { job, noun, refreshInterval, scan }: LibraryOptions<F>
): Effect.Effect<Library<F>, never, ScheduledJobs | Scope.Scope> =>
  Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const known = yield* Ref.make<Known<F>>({
      byName: new Map(),
      list: [],
      aliases: new Map(),
      byPath: new Map(),
      faults: []
    })
    const exclusively = (yield* Effect.makeSemaphore(1)).withPermits(1)

    const refresh = Effect.gen(function*() {
      const before = yield* Ref.get(known)
      const after = knownOf(yield* scan(before.byPath))
      yield* Ref.set(known, after)
      const isNew = ({ message, path }: Fault) =>
        before.faults.every((one) => one.path !== path || one.message !== message)
      yield* Effect.forEach(
        after.faults.filter(isNew),
        ({ message, path }) =>
          Effect.logWarning(`Skipped ${withArticle(noun)}: ${message}`).pipe(Effect.annotateLogs({ path }))
      )
      yield* Effect.forEach(after.byName.values(), ({ item: { warnings }, path }) =>
        warnings.length === 0 || warnings.join("\n") === before.byPath.get(path)?.item.warnings.join("\n")
          ? Effect.void
          : Effect.logWarning(`Loaded ${withArticle(noun)} that is not as the format says: ${warnings.join("; ")}`)
            .pipe(
              Effect.annotateLogs({ path })
            ))
      return differences(before, after)
    })

    yield* refresh
    yield* jobs.start({
      name: job,
      scope: "process",
      schedule: Schedule.spaced(refreshInterval),
      run: exclusively(refresh)
    })
    return {
      known: Ref.get(known),
      find: (name) =>
        Effect.map(
          Ref.get(known),
          ({ aliases, byName }) =>
            Option.fromNullable((byName.get(name) ?? aliases.get(name))?.item)
        ),
      refresh,
      exclusively
    }
  })

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`

/** Items of a later scan replace those of the same name. */
const knownOf = <F extends Found>(scans: ReadonlyArray<Scan<F>>): Known<F> => {
  const all = scans.flatMap(({ found }) => found)
  const byName = new Map(all.map((found) => [found.item.name, found]))
  return {
    byName,
    list: [...byName.values()].map(({ item }) => item).toSorted((one, other) => one.name < other.name ? -1 : 1),
    aliases: new Map(
      [...byName.values()].flatMap((found) => found.item.aliases.map((alias) => [alias, found] as const))
    ),
    byPath: new Map(all.map((found) => [found.path, found])),
    faults: scans.flatMap(({ faults }) => faults)
  }
}

const differences = <F extends Found>(before: Known<F>, after: Known<F>): Differences<F["item"]["name"]> => {
  const names = after.list.map(({ name }): F["item"]["name"] => name)
  const isChanged = (name: string) => {
    const [one, other] = [before.byName.get(name), after.byName.get(name)]
    return one !== undefined && other !== undefined && versionOf(one) !== versionOf(other)
  }
  return {
    count: names.length,
    added: names.filter((name) => !before.byName.has(name)),
    updated: names.filter(isChanged),
    removed: before.list.map(({ name }): F["item"]["name"] => name).filter((name) => !after.byName.has(name)),
    errors: after.faults
  }
}

const versionOf = ({ path, version }: Found) => `${path}\n${version}`
