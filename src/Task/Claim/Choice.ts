import type { TaskId } from "@troupe/domain/Ids"

/** A due task that this runner may claim. */
export interface Candidate {
  readonly taskId: TaskId
  readonly creator: string
  readonly epoch: number
  /** A run has it, or had it when its process ended. */
  readonly isHeld: boolean
  /** Its former runner ends a step of it: it may only be queued. */
  readonly isLeased: boolean
  /** `due` and `orphaned` ones are queued to this runner if it has no slot for them; the others stay where they are. */
  readonly source: "due" | "new" | "orphaned" | "queued" | "suspect" | "waiting"
}

/** What a scan may claim. */
export interface Wanted {
  /** How many tasks at most: a scan leaves some of the free slots to new tasks. */
  readonly asked: number
  /** How many tasks one user may have at a time. */
  readonly perUser: number
  /** The running tasks and their users. */
  readonly active: ReadonlyMap<TaskId, string>
}

/**
 * Which of the candidates this runner claims, in their order, and which it queues: one of each user in turn, then a second
 * one of each, until the slots or the users' shares are used up. The candidates are in the order of the users' turns.
 */
export const choose = (
  candidates: ReadonlyArray<Candidate>,
  { active, asked, perUser }: Wanted
): { readonly chosen: ReadonlyArray<Candidate>; readonly queued: ReadonlyArray<Candidate> } => {
  const running = countOfEach(active.values())
  const waiting = new Map<string, Array<Candidate>>()
  for (const candidate of candidates) {
    const { creator, isLeased } = candidate
    if (isLeased) continue
    const tasks = waiting.get(creator) ?? []
    if (tasks.length < perUser - (running.get(creator) ?? 0)) waiting.set(creator, [...tasks, candidate])
  }
  const chosen = new Set<Candidate>()
  for (let round = 0, before = -1; before < chosen.size; round++) {
    before = chosen.size
    for (const tasks of waiting.values()) {
      const next = tasks[round]
      if (next !== undefined && chosen.size < asked) chosen.add(next)
    }
  }
  const isScanned = ({ source }: Candidate) => source === "due" || source === "orphaned"
  return { chosen: [...chosen], queued: candidates.filter((one) => isScanned(one) && !chosen.has(one)) }
}

export const countOfEach = (users: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const user of users) counts.set(user, (counts.get(user) ?? 0) + 1)
  return counts
}
