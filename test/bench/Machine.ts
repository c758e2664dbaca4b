import { readdirSync, readFileSync } from "node:fs"

/** Read from /proc; null except on Linux, as are the fields derived from these. */

const text = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}

const tickMillis = 10

interface Times {
  readonly parent: number
  readonly own: number
  readonly ofEndedChildren: number
}

const timesOf = (pid: number | string): Times | null => {
  const stat = text(`/proc/${pid}/stat`)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number)
  const at = (index: number) => fields[index] ?? 0
  return {
    parent: at(1),
    own: (at(11) + at(12)) * tickMillis,
    ofEndedChildren: (at(13) + at(14)) * tickMillis
  }
}

export const cpuOf = (pid: number): number | null => timesOf(pid)?.own ?? null

/** CPU of a process and its children, such as PostgreSQL's postmaster. */
export const cpuOfFamily = (pid: number | null): number | null => {
  const head = pid === null ? null : timesOf(pid)
  if (head === null) return null
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => timesOf(name) ?? [])
  return children.reduce(
    (sum, { own, parent }) => (parent === pid ? sum + own : sum),
    head.own + head.ofEndedChildren
  )
}

export const residentMegabytes = (pid: number): number | null => {
  const pages = text(`/proc/${pid}/statm`)?.split(" ")[1]
  return pages === undefined ? null : Number(pages) * 4096 / 1048576
}

/** Milliseconds of all processors: busy, stolen by the host, and in total. */
export const processors = (): { readonly busy: number; readonly stolen: number; readonly all: number } | null => {
  const line = text("/proc/stat")?.split("\n")[0]
  if (line === undefined) return null
  const times = line.split(/\s+/).slice(1, 9).map((ticks) => Number(ticks) * tickMillis)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = times
  return {
    busy: user + nice + system + irq + softirq + stolen,
    stolen,
    all: times.reduce((sum, time) => sum + time, 0)
  }
}

/** Duration of a fixed computation: speeds of runs with different values can't be compared. */
export const calibrate = (): number => {
  const start = performance.now()
  let hash = 0
  for (let index = 0; index < 3e7; index++) hash = (Math.imul(hash, 31) + index) | 0
  return hash === 0 ? 0 : performance.now() - start
}

/** Milliseconds of a clock that all processes of the machine share. */
export const sharedClock = (): number => Number(process.hrtime.bigint()) / 1e6
