import { Effect } from "effect"
import { type Confinement, describe, probe } from "../Skill/ScriptConfinement.ts"
import { type Check, ok, warning } from "./Check.ts"

const open = "they can read what the service's user can, and reach the network."

const findingOf = (confinement: Confinement, network: boolean) => {
  switch (confinement._tag) {
    case "bubblewrap": {
      const [detail = ""] = describe(confinement, network).split(/(?<=\.) /)
      return confinement.canDisableUserns
        ? ok("bubblewrap", detail)
        : warning(
          "bubblewrap",
          detail,
          "Install bubblewrap 0.8 or later, not setuid, to forbid scripts further namespaces."
        )
    }
    case "limits":
      return warning(
        "bubblewrap",
        `Skill scripts run under limits of time, memory and size only: ${open}`,
        "Install bubblewrap, and allow it to create user namespaces."
      )
    case "none":
      return warning(
        "bubblewrap",
        `Skill scripts run under limits of time and output only: ${open}`,
        "Run the service on Linux with util-linux and bubblewrap."
      )
  }
}

/** What confines the scripts of skills on this machine. */
export const scriptsCheck = ({ network, path }: { readonly path: string; readonly network: boolean }): Check => ({
  name: "bubblewrap",
  run: Effect.map(probe(path), (confinement) => [findingOf(confinement, network)])
})
