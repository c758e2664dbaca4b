import { assert } from "@effect/vitest"
import type { Claim } from "../../src/Task/Claim/Claims.ts"
import { beforeScans } from "../../src/Task/Claim/ScanState.ts"
import { Slots } from "../../src/Task/Claim/Slots.ts"

export const addresses = ["10.0.0.1:1", "10.0.0.2:1"] as const
export const shards = [301, 302, 303] as const
export const users = ["ada", "bela", "cleo"] as const

/** Slots of a process, of which one user may have three. */
export const maxActive = 4
export const maxPerUser = 3

/** What a process forgets when it ends. */
export const forgetful = () => ({
  slots: new Slots(maxActive),
  scans: beforeScans,
  /** Steps that were written under a claim. */
  steps: new Map<Claim, number>(),
  after: ""
})

export const assertWithinSlots = ({ slots: { claims, used }, steps }: ReturnType<typeof forgetful>) => {
  assert.isAtMost(used, maxActive)
  for (const user of users) assert.isAtMost(claims.filter(({ creator }) => creator === user).length, maxPerUser)
  const suspects = claims.filter((claim) => claim.deaths > 1 && claim.claimKind !== "recovered" && !steps.has(claim))
  if (suspects.some(({ deaths }) => deaths > 2)) assert.lengthOf(suspects, 1)
}
