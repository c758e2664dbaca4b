import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import process from "node:process"
import { exits } from "./CommandFailed.ts"
import { execute, exitCodeOf } from "./CommandLine.ts"

// A reader that has enough, such as `head`, ends the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : exits.failed.code))
}

NodeRuntime.runMain(execute(process.argv, process), {
  disableErrorReporting: true,
  teardown: (exit, end) => end(exitCodeOf(exit))
})
