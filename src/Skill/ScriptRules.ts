import type { Confinement } from "./ScriptConfinement.ts"

/** What the operator decides about scripts. */
export interface ScriptRules {
  readonly isHosted: boolean
  readonly allowUnconfined: boolean
  readonly network: boolean
}

const limitsOf = ({ _tag }: Confinement) => _tag === "none" ? "time and output" : "time, memory and size"

const remedyOf = ({ _tag }: Confinement) =>
  _tag === "none"
    ? "run the service on Linux with util-linux and bubblewrap"
    : "install bubblewrap, let it create user namespaces, and restart the service"

/** Why scripts are refused, or null: members of a hosted team must not reach each other, or the service, by scripts. */
export const scriptRefusal = (confinement: Confinement, { allowUnconfined, isHosted }: ScriptRules): string | null =>
  confinement._tag === "bubblewrap" || !isHosted || allowUnconfined
    ? null
    : `this service runs scripts only in bubblewrap, which does not work on its machine. The operator can ${
      remedyOf(confinement)
    }, or set ALLOW_UNCONFINED_SCRIPTS=true`

/** How far scripts are kept from the machine, in a few words. */
export const levelOf = (confinement: Confinement, rules: ScriptRules): string => {
  if (confinement._tag === "bubblewrap") return `confined by bubblewrap, ${rules.network ? "with" : "without"} network`
  if (scriptRefusal(confinement, rules) !== null) return "refused, because bubblewrap does not work here"
  const who = confinement.hasOwnAccount
    ? "run as a system user of each user's own"
    : "run as the service's own system user"
  return `not confined, ${who}; npx troupe doctor says how to change that`
}

/** What the confinement means, and what the operator can do about it. */
export interface Judgement {
  readonly detail: string
  readonly fix: string | null
  /** The members of a hosted team can reach each other's files and the service's secrets by scripts. */
  readonly isUnsafe: boolean
}

export const judge = (confinement: Confinement, rules: ScriptRules): Judgement => {
  if (confinement._tag === "bubblewrap") {
    return {
      detail: `Skill scripts run in bubblewrap: they see the system and one user's files, and ${
        rules.network ? "reach the network" : "no network"
      }.`,
      fix: confinement.canDisableUserns
        ? null
        : "Install bubblewrap 0.8 or later, not setuid, to forbid scripts user namespaces of their own, through which they "
          + "reach more of the kernel.",
      isUnsafe: false
    }
  }
  const remedy = remedyOf(confinement)
  const install = `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`
  if (scriptRefusal(confinement, rules) !== null) {
    return {
      detail: "Skill scripts are refused, as bubblewrap does not work here.",
      fix: `${install}; or set ALLOW_UNCONFINED_SCRIPTS=true to run them unconfined.`,
      isUnsafe: false
    }
  }
  // Self-hosted, a request from this machine is the operator's.
  const own = rules.isHosted ? "" : ", and this service too, as its operator: they can approve mails, for example"
  const open = confinement.hasOwnAccount
    ? `they run as system users of their own, can read what every user of this machine can, and reach the network${own}`
    : `they can read what the service's user can, other users' files included, and reach the network${own}`
  return {
    detail: `${rules.isHosted ? "ALLOW_UNCONFINED_SCRIPTS=true: skill" : "Skill"} scripts run under limits of ${
      limitsOf(confinement)
    } only: ${open}.`,
    fix: `${install}, to keep them from other files, from the service and from the network.`,
    isUnsafe: rules.isHosted
  }
}
