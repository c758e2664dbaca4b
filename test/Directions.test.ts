import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { picture, refusal } from "../.config/directions.mjs"

describe("The directions between folders", () => {
  it("are drawn in CONTRIBUTING as the linter's table has them", () => {
    assert.include(readFileSync(".github/CONTRIBUTING.md", "utf8"), picture)
  })

  it("leave each chat platform to its adapter, which only apps choose", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts") && !/^(?:apps|Chat.Slack)\b/.test(file)
    )
    assert.isAbove(files.length, 300)
    const knowing = files.filter((file) => /Chat\/Slack|mrkdwn|thread_ts/i.test(readFileSync(`src/${file}`, "utf8")))
    assert.deepStrictEqual(knowing, [])
  })

  it.each([
    ["src/Task/Row/TaskRow.ts", "src/Task/UseCase/Tasks.ts", /Row may not import UseCase/],
    ["src/Model/Models.ts", "src/Task/Tasks.ts", /Model may not import Task/],
    [
      "packages/console/src/screens/task/TaskScreen.tsx",
      "packages/console/src/app/Router.ts",
      /screens may not import app/
    ],
    ["src/Puppets/Strings.ts", "src/Runtime/Cache.ts", /Puppets has no place in the table/]
  ])("refuse that %s imports %s", (importer, imported, reason) => {
    assert.match(refusal(importer, imported) ?? "", reason)
  })

  it.each([
    ["src/Task/UseCase/Tasks.ts", "src/Task/Row/TaskRow.ts"],
    ["src/Wire/Smtp.ts", "src/Model/Model.ts"],
    ["test/Task/Tasks.test.ts", "src/Task/UseCase/Tasks.ts"]
  ])("allow that %s imports %s", (importer, imported) => {
    assert.isUndefined(refusal(importer, imported))
  })
})
