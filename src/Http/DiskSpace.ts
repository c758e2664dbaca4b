import { Clock, Effect, Schedule, type Scope } from "effect"
import { statfs } from "node:fs/promises"

export interface DiskSample {
  /** In milliseconds. */
  readonly at: number
  readonly freeBytes: number
  readonly totalBytes: number
}

const gib = 1024 ** 3
const hour = 3_600_000

const gibText = (bytes: number) => `${(bytes / gib).toFixed(1)} GiB`

/** Why the disk will be full: it nearly is, or will be within three days at the pace of the samples. Null: it will not. */
export const shortage = (path: string, samples: ReadonlyArray<DiskSample>): string | null => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return null
  const advice = "Free some space, use a larger disk, or set TASK_RETENTION_DAYS."
  if (last.freeBytes < Math.max(gib, Math.min(10 * gib, last.totalBytes * 0.05))) {
    return `The disk of ${path} has ${gibText(last.freeBytes)} left. ${advice}`
  }
  const [time, used] = [last.at - first.at, first.freeBytes - last.freeBytes]
  const left = used <= 0 || time < 3 * hour ? Infinity : last.freeBytes / used * time
  return left > 72 * hour
    ? null
    : `The disk of ${path} has ${gibText(last.freeBytes)} left, which lasts ${
      Math.max(1, Math.round(left / hour))
    } h at the `
      + `pace of the last ${Math.round(time / hour)} h. ${advice}`
}

/** Looks at the disks of these folders every ten minutes, remembers a day, and logs a shortage when it begins. */
export const makeDiskSpace = (
  paths: ReadonlyArray<string>
): Effect.Effect<Effect.Effect<ReadonlyArray<string>>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const disks = paths.map((path) => ({ path, samples: new Array<DiskSample>(), isShort: false }))
    const sample = (path: string) =>
      Effect.zipWith(
        Effect.promise(() => statfs(path).then((disk) => disk, () => null)),
        Clock.currentTimeMillis,
        (disk, at): ReadonlyArray<DiskSample> =>
          disk === null ? [] : [{ at, freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize }]
      )
    const look = Effect.forEach(disks, (disk) =>
      Effect.flatMap(sample(disk.path), (now) => {
        disk.samples = [...disk.samples, ...now].slice(-144)
        const problem = shortage(disk.path, disk.samples)
        const isNew = problem !== null && !disk.isShort
        disk.isShort = problem !== null
        return isNew ? Effect.logWarning(problem) : Effect.void
      }), { discard: true })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("10 minutes")))
    return Effect.map(
      Effect.forEach(disks, ({ path, samples }) =>
        Effect.map(sample(path), (now) => shortage(path, [...samples, ...now]))),
      (found) =>
        found.filter((problem) => problem !== null)
    )
  })
