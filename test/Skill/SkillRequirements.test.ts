import { assert, describe, it } from "@effect/vitest"
import { noRequirements, type SkillRequirements as Needs } from "@troupe/domain/Skill"
import { ConfigProvider, Effect, TestClock } from "effect"
import * as fs from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { freshFolder } from "../support/FreshFolder.ts"

const others = ["linux", "darwin", "win32"].filter((one) => one !== process.platform)

/** A machine whose programs are Node's and those in a folder of its own. */
const makeMachine = (variables: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const program = (name: string, text: string, mode = 0o755) => fs.writeFileSync(join(folder, name), text, { mode })
    const PATH = [folder, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter)
    const { missing } = yield* Effect.provide(SkillRequirements, SkillRequirements.layer).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ PATH, ...variables }))))
    )
    const lacks = (needs: Partial<Needs>) => missing({ folder, requirements: { ...noRequirements, ...needs } })
    return { folder, program, lacks }
  })

describe("SkillRequirements", () => {
  it.scoped("look for programs on the PATH, and only by name", () =>
    Effect.gen(function*() {
      const { folder, lacks, program } = yield* makeMachine()
      program("plain.txt", "not a program", 0o644)
      fs.mkdirSync(join(folder, "a-folder"))
      const wanted = ["node", "plain.txt", "a-folder", "no-such-program", "/bin/sh", "../sh", "a b"]
      assert.deepStrictEqual((yield* lacks({ bins: wanted })).bins, wanted.slice(1))
    }))

  it.scoped("look for variables that say something and are not the service's own", () =>
    Effect.gen(function*() {
      const own = ["DATABASE_URL", "SECRETS_KEY", "openai_api_key", "NODE_OPTIONS", "LD_PRELOAD", "TROUPE_X"]
      const { lacks } = yield* makeMachine({
        ...Object.fromEntries([...own, "SET_KEY"].map((name) => [name, "x"])),
        BLANK_KEY: " "
      })
      const wanted = [...own, "BLANK_KEY", "UNSET_KEY"]
      assert.deepStrictEqual(yield* lacks({ env: [...wanted, "SET_KEY"] }), { ...noRequirements, env: wanted })
    }))

  it.scoped("are met by one of the platforms, under any of its names", () =>
    Effect.gen(function*() {
      const { lacks } = yield* makeMachine()
      assert.isEmpty((yield* lacks({ platform: [...others, process.platform] })).platform)
      assert.isEmpty((yield* lacks({ platform: ["any"] })).platform)
      assert.deepStrictEqual((yield* lacks({ platform: others })).platform, others)
      const alias = process.platform === "darwin" ? "macOS" : process.platform === "win32" ? "Windows" : "Linux"
      assert.isEmpty((yield* lacks({ platform: [alias] })).platform)
    }))

  it.scoped("look for Node packages from the skill's folder upwards", () =>
    Effect.gen(function*() {
      const { folder, lacks } = yield* makeMachine()
      fs.mkdirSync(join(folder, "node_modules/@scope/one"), { recursive: true })
      fs.writeFileSync(join(folder, "node_modules/@scope/one/package.json"), "{}")
      const wanted = ["fs", "node:path", "@scope/one", "@scope/one@^2", "no-such-package", "../escape"]
      assert.deepStrictEqual((yield* lacks({ node: wanted })).node, ["no-such-package", "../escape"])
    }))

  it.scoped("ask Python for packages, with a version or not, and never run the package", () =>
    Effect.gen(function*() {
      const { lacks, program } = yield* makeMachine()
      // Stands for Python: it knows one package, and is told the name as an argument of its own.
      program("python3", "#!/bin/sh\n[ \"$1\" = -c ] && [ \"$3\" = pandas ]\n")
      program("python", "#!/bin/sh\nexit 1\n")
      const wanted = ["pandas", "pandas>=2.0", "no-such-package", "; rm -rf /"]
      assert.deepStrictEqual((yield* lacks({ python: wanted })).python, wanted.slice(2))
    }))

  it.scoped("keep an answer for a minute", () =>
    Effect.gen(function*() {
      const { lacks, program } = yield* makeMachine()
      assert.deepStrictEqual((yield* lacks({ bins: ["later"] })).bins, ["later"])
      program("later", "#!/bin/sh\n")
      assert.deepStrictEqual((yield* lacks({ bins: ["later"] })).bins, ["later"])
      yield* TestClock.adjust("61 seconds")
      assert.isEmpty((yield* lacks({ bins: ["later"] })).bins)
    }))
})
