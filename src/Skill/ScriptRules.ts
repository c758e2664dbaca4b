import { isRoot } from "./ScriptAccount.ts"
import type { Confinement } from "./ScriptConfinement.ts"

/** What the operator decides about scripts. */
export interface ScriptRules {
  readonly isHosted: boolean
  readonly allowUnconfined: boolean
  readonly network: boolean
}

const remedy = "run the service on Linux with util-linux and bubblewrap, let it create user namespaces, and restart it"

/** Why scripts are refused, or null: members of a hosted team must not reach each other, or the service, by scripts. */
export const scriptRefusal = (confinement: Confinement, { allowUnconfined, isHosted }: ScriptRules): string | null =>
  confinement !== null || !isHosted || allowUnconfined
    ? null
    : "this service runs scripts only in bubblewrap, which does not work on its machine. The operator can "
      + `${remedy}, or set ALLOW_UNCONFINED_SCRIPTS=true`

/** What the confinement means, and what the operator can do about it. */
export interface Judgement {
  readonly detail: string
  readonly fix: string | null
  /** The members of a hosted team can reach each other's files and the service's secrets by scripts. */
  readonly isUnsafe: boolean
  /** They reach neither the network nor files that are not their user's. */
  readonly isClosed: boolean
}

export const judge = (confinement: Confinement, rules: ScriptRules, hasOwnAccount = isRoot()): Judgement => {
  if (confinement !== null) {
    return {
      detail: `Skill scripts run in bubblewrap: they see the system and one user's files, and ${
        rules.network ? "reach the network" : "no network"
      }.`,
      fix: confinement.canDisableUserns
        ? null
        : "Install bubblewrap 0.8 or later, not setuid, to forbid scripts user namespaces of their own, through which they "
          + "reach more of the kernel.",
      isUnsafe: false,
      isClosed: !rules.network
    }
  }
  const install = `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`
  if (scriptRefusal(confinement, rules) !== null) {
    return {
      detail: "Skill scripts are refused, as bubblewrap does not work here.",
      fix: `${install}; or set ALLOW_UNCONFINED_SCRIPTS=true to run them unconfined.`,
      isUnsafe: false,
      isClosed: true
    }
  }
  // Self-hosted, a request from this machine is the operator's.
  const own = rules.isHosted ? "" : ", and this service too, as its operator: they can approve mails, for example"
  const open = hasOwnAccount
    ? "run as a system user of each user's own and can read what every user of this machine can"
    : "run as the service's own system user and can read what it can, other users' files included"
  return {
    detail: `${
      rules.isHosted ? "ALLOW_UNCONFINED_SCRIPTS=true: skill" : "Skill"
    } scripts are not confined: they ${open}, and they reach the network${own}.`,
    fix: `${install}, to keep them from other files, from the service and from the network.`,
    isUnsafe: rules.isHosted,
    isClosed: false
  }
}
