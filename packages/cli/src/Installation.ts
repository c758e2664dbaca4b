import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Option } from "effect"
import { fileURLToPath } from "node:url"
import { optional } from "./Arguments.ts"
import { CommandFailed } from "./CommandFailed.ts"

/** In the repository the service is three folders above this module, built or not. */
const repository = fileURLToPath(new URL("../../../", import.meta.url))

export const serviceOption = optional(
  Options.directory("service"),
  "Folder of the service; default: the one that this command is installed with"
)

/** A program of the service on this machine: in the given folder, else in the one that this command belongs to. */
export const installed = (given: Option.Option<string>, name: string) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = Option.getOrElse(given, () => repository)
    const program = path.join(folder, "dist", "service", name)
    const isThere = yield* Effect.orElseSucceed(files.exists(program), () => false)
    if (!isThere && Option.isSome(given)) {
      return yield* new CommandFailed({
        reason: "usage",
        message: `${program} does not exist. --service is the folder of the service, built by npm run build.`
      })
    }
    return isThere ? Option.some({ folder, program }) : Option.none()
  })
