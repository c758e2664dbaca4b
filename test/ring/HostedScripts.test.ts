import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bubblewrap, here, pathWithout } from "../Skill/scripts.ts"
import { processTest } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { ended, givenTeam, parsed, type Send } from "./members.ts"

const resultOf = (send: Send, path: string) =>
  Effect.gen(function*() {
    const call = { skill_name: "weekly-report-from-csv", script: "weekly.mjs", args: [path] }
    const { task_id } = parsed<{ task_id: string }>(
      yield* send("POST", "/chat", { message: `use run_skill_script ${JSON.stringify(call)}` })
    )
    yield* ended(send, task_id, "completed")
    const messages = parsed<ReadonlyArray<{ role: string; content: string }>>(
      yield* send("GET", `/task/${task_id}/messages?full=true`)
    )
    return messages.find(({ role }) => role === "tool")?.content
  })

const storageOf = (send: Send) =>
  Effect.map(
    send("GET", "/api/health"),
    (answer) => parsed<{ checks: { storage: { status: string; detail: string } } }>(answer).checks.storage
  )

const table = "day,salary\n2025-02-03,5000\n"

/** Bob's table, and one of Ann that he names by its path. */
const givenTables = ({ annId, bobId, deployment }: Effect.Effect.Success<ReturnType<typeof givenTeam>>) =>
  Effect.promise(async () => {
    for (const id of [annId, bobId]) {
      await mkdir(join(deployment.storage, id), { recursive: true })
      await writeFile(join(deployment.storage, id, "salaries.csv"), table)
    }
    return `../${annId}/salaries.csv`
  })

processTest("Without bubblewrap a hosted service runs no script, and says what the operator can do", function*() {
  const path = pathWithout(join(yield* freshFolder, "bin"))
  const team = yield* givenTeam({ PATH: path })
  yield* givenTables(team)
  assert.match((yield* resultOf(team.bob, "salaries.csv")) ?? "", /^Error: .*bubblewrap.*ALLOW_UNCONFINED_SCRIPTS=true/)
  assert.deepInclude(yield* storageOf(team.owner), { status: "ok" })
  assert.include((yield* storageOf(team.owner)).detail, "Skill scripts are refused")
})

processTest(
  "With ALLOW_UNCONFINED_SCRIPTS scripts run, a built-in one reads own files only, and health warns",
  function*() {
    const path = pathWithout(join(yield* freshFolder, "bin"))
    const team = yield* givenTeam({ PATH: path, ALLOW_UNCONFINED_SCRIPTS: "true" })
    const other = yield* givenTables(team)
    assert.include(yield* resultOf(team.bob, "salaries.csv"), "| 2025-W06 | 1 | 5000 |")
    assert.include(yield* resultOf(team.bob, other), "must lie in the working folder")
    assert.strictEqual((yield* storageOf(team.owner)).status, "degraded")
    assert.include((yield* storageOf(team.owner)).detail, "reach the network")
  }
)

it.scopedLive.skipIf(bubblewrap.isMissing)(
  bubblewrap.named("With bubblewrap a hosted service runs scripts, which read own files only"),
  () =>
    Effect.gen(function*() {
      const team = yield* givenTeam({ PATH: here })
      const other = yield* givenTables(team)
      assert.include(yield* resultOf(team.bob, "salaries.csv"), "| 2025-W06 | 1 | 5000 |")
      assert.match((yield* resultOf(team.bob, other)) ?? "", /^Error: /)
      assert.deepInclude(yield* storageOf(team.owner), { status: "ok" })
    }),
  180_000
)
