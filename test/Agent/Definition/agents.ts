import { Context, Effect, Layer } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Agents } from "../../../src/Agent/Definition/Agents.ts"
import { ScheduledJobs } from "../../../src/Runtime/Cluster/ScheduledJobs.ts"
import { freshFolder } from "../../support/FreshFolder.ts"

/** Two folders of agents that are gone after the test, `builtin` and `own`. */
export const makePlace = Effect.map(freshFolder, (base) => {
  const [builtIn, folder] = [join(base, "builtin"), join(base, "own")]
  const layer = Layer.provide(
    Agents.layer({ builtIn, folder, refreshInterval: "1 minute" }),
    ScheduledJobs.layerMemory
  )
  return {
    base,
    builtIn,
    folder,
    put: (path: string, content: string | Uint8Array) => {
      fs.mkdirSync(dirname(join(base, path)), { recursive: true })
      fs.writeFileSync(join(base, path), content)
    },
    read: (path: string) => fs.readFileSync(join(base, path), "utf8"),
    names: (path: string) => fs.readdirSync(join(base, path)).sort(),
    agents: Effect.map(Layer.build(layer), Context.get(Agents))
  }
})

export const agentText = (description: string, fields = "", body = "Do it well.") =>
  `---\ndescription: ${description}\n${fields}---\n\n${body}\n`
