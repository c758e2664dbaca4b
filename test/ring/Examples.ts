import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { troupeHere } from "../support/CommandLine.ts"
import type { Environment } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = ".github/examples"

/** Settings of a service with the examples: its folder is another than the repository's. */
export const withExamples: Environment = {
  PWD: root.replace(/\/$/, ""),
  SKILLS_PATH: `${root}${folder}/skills`,
  WEBHOOK_SECRET_ORDERS: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  WEBHOOK_SCHEME_ORDERS: "standard"
}

const run = (example: string, ...args: ReadonlyArray<string>) =>
  Effect.async<string>((resume) => {
    execFile(process.execPath, [`${folder}/${example}`, ...args], { cwd: root }, (error, stdout, stderr) => {
      resume(error === null ? Effect.succeed(stdout) : Effect.dieMessage(`${example} failed: ${stdout}${stderr}`))
    })
  })

/** Every example of the repository against a service with them. */
export const examples = Effect.fnUntraced(function*(port: number) {
  const url = `http://127.0.0.1:${port}`

  const submitted = yield* run("client.mjs", url)
  assert.match(submitted, /Which colour\? \(Red, Blue\)/)
  assert.match(submitted, /completed: .*Tool calls made: 1/s)

  const delivery = [`${url}/webhook/orders`, "msg_example"]
  const [first, second] = [yield* run("send-webhook.mjs", ...delivery), yield* run("send-webhook.mjs", ...delivery)]
  assert.match(first, /^200 /)
  assert.strictEqual(second, first)

  const servers = yield* Effect.promise(() => readFile(`${root}${folder}/tool-servers.json`, "utf8"))
  const configured = yield* taskClient(port).send("POST", "/api/mcp/configure", JSON.parse(servers))
  assert.strictEqual(configured.status, 200, JSON.stringify(configured.body))
  const counted = yield* troupeHere(port)(["submit", "--watch", "use words__word_count {\"text\": \"one two three\"}"])
  assert.include(counted.stderr, "words__word_count: 3 words")

  const skill = yield* taskClient(port).send("GET", "/api/skills/commit-message")
  assert.deepInclude(skill.body, { name: "commit-message", warnings: [] })
})
