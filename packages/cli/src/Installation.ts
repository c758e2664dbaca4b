import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Option } from "effect"
import { resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { optional } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"

/** The package that this command belongs to is three folders above this module, built or not. */
const packageFolder = fileURLToPath(new URL("../../../", import.meta.url))

/** A checkout has its settings and data in its own folder. What npm has installed is replaced by an upgrade. */
const isCheckout = !packageFolder.split(sep).includes("node_modules")

export const serviceOption = optional(
  Options.directory("service"),
  "Folder of the service, with its .env; default: this folder, or the repository that this command belongs to"
)

/** How a program of the service runs best. */
export const nodeOptions = ["--max-semi-space-size=32", "--heap-growing-percent=100", "--expose-gc"]

/** Where the settings and the data of the service are. */
export const folderOf = (given: Option.Option<string>) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const folder = resolve(Option.getOrElse(given, () => isCheckout ? packageFolder : "."))
    return (yield* Effect.orElseSucceed(files.exists(folder), () => false))
      ? folder
      : yield* wrongUsage(`The folder ${folder} does not exist.`)
  })

/** A program of the service on this machine, and the folder that it runs in: settings and data are there. */
export const installed = (given: Option.Option<string>, name: string) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* folderOf(given)
    const programs = [folder, packageFolder].map((place) => path.join(place, "dist", "service", name))
    const program = yield* Effect.findFirst(programs, (one) => Effect.orElseSucceed(files.exists(one), () => false))
    return Option.map(program, (program) => ({ folder, program }))
  })

/** As `installed`; fails where there is none. */
export const needed = (given: Option.Option<string>, name: string) =>
  Effect.flatMap(
    installed(given, name),
    Effect.mapError(() =>
      wrongUsage(
        "The service is not built where this command is. Run npm run build there, or name its folder with "
          + "--service."
      )
    )
  )
