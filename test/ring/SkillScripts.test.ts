import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isRoot } from "../../src/Skill/ScriptAccount.ts"
import { confinements, here, pathWithout, withWord } from "../Skill/scripts.ts"
import { makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { linux } from "../support/Need.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** Its children: one in its group, and one in a session of its own. Both have the word in their command line. */
const script = `stay="trap '' TERM; while :; do sleep 0.5; done # $1"
sh -c "$stay" &
setsid sh -c "$stay" &
echo x > "$TMPDIR/left"
printf %s "$TMPDIR" > "$1"
while :; do sleep 0.5; done
`

it.scopedLive.skipIf(linux.isMissing)(
  linux.named("A killed service leaves no process of a script behind, nor its temporary files"),
  () =>
    Effect.gen(function*() {
      const deployment = yield* makeDeployment()
      const ports = yield* makePorts
      const folder = yield* freshFolder
      const temporary = join(folder, "temporary")
      const skill = join(folder, "skills", "staying")
      yield* Effect.promise(async () => {
        await mkdir(temporary)
        await mkdir(join(skill, "scripts"), { recursive: true })
        await writeFile(join(skill, "SKILL.md"), "---\nname: staying\ndescription: Stays.\n---\n\nRun stay.sh.\n")
        // Where the service is root, its scripts' system users need a copy.
        await writeFile(join(skill, "scripts", "stay.sh"), script, { mode: 0o600 })
      })
      const isWalled = confinements.some(({ _tag }) => _tag === "bubblewrap")
      const paths = [["without", pathWithout(join(folder, "bin"))], ...(isWalled ? [["within", here]] : [])]
      for (const [name = "", path = ""] of paths) {
        const service = yield* start("all", {
          ...deployment.environment,
          ...ports.environment,
          ...shortLeases,
          PATH: path,
          TMPDIR: temporary,
          SKILLS_PATH: join(folder, "skills")
        })
        const word = `${name}-${service.pid}`
        const call = { skill_name: "staying", script: "stay.sh", args: [word] }
        yield* taskClient(ports.http).submit(word, { message: `use run_skill_script ${JSON.stringify(call)}` })
        const begun = join(deployment.storage, "default", word)
        yield* until("the script has begun", Effect.sync(() => existsSync(begun) && withWord(word).length >= 3))
        const used = yield* Effect.promise(() => readFile(begun, "utf8"))
        assert.strictEqual(used === "/tmp", name === "within")
        const left = Effect.map(Effect.promise(() => readdir(temporary)), (names) =>
          names.some((one) => /script/.test(one)))
        assert.strictEqual(yield* left, name === "without" || isRoot())
        yield* service.signal("SIGKILL")
        yield* service.ended
        yield* until(
          "no process of the script is left",
          Effect.sync(() =>
            withWord(word).length === 0
          )
        )
        yield* until("no temporary file is left", Effect.map(left, (isLeft) => !isLeft))
      }
    }),
  180_000
)
