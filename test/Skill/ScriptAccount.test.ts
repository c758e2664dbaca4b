import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { accountOf, giveTo, isRoot } from "../../src/Skill/ScriptAccount.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { need } from "../support/Need.ts"
import { confinements, makeFixture, nameOf, pathWithout, printed, withWord } from "./scripts.ts"

const root = need("root on Linux", isRoot())

describe.skipIf(root.isMissing)(root.named("A script of a service that is root"), () => {
  it.scopedLive("without bubblewrap reads neither its environment nor files of other users, and can't end it", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({
        "attack.sh": [
          "id -u",
          "attempt() { \"$@\" >/dev/null 2>&1 && echo \"did $1\" || echo no; }",
          "attempt cat /proc/$PPID/environ",
          "attempt cat \"/proc/$1/environ\"",
          "attempt kill -0 \"$1\"",
          "attempt cat ../bob/secret.txt",
          "attempt touch ../../custom/tools/SKILL.md",
          "attempt touch ../../custom/tools/scripts/attack.sh",
          "cat own.txt && echo more >> own.txt && echo made > deep/made.txt"
        ].join("\n")
      })
      fs.chmodSync(join(fixture.folder, "..", "bob"), 0o700)
      fs.mkdirSync(join(fixture.folder, "deep"))
      const lines = printed(yield* fixture.run({}, { args: [String(process.pid)] })).split("\n")
      const uid = String(accountOf(fixture.userId).uid)
      assert.deepStrictEqual(lines, [uid, ...Array.from({ length: 6 }, () => "no"), "alice's"])
      assert.strictEqual(fixture.read("files/alice/deep/made.txt"), "made\n")
    }))

  it.scopedLive("works where only root can enter the folders of the skill, of the user and of the PATH", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({
        "sum.mjs": "import { readFileSync } from 'node:fs'\n"
          + "console.log(readFileSync('own.txt', 'utf8'), readFileSync(process.env.SKILL_DIR + '/SKILL.md', 'utf8').length > 9)"
      })
      fs.chmodSync(fixture.base, 0o700)
      fs.chmodSync(join(fixture.skill.folder, "scripts/sum.mjs"), 0o600)
      for (const confinement of confinements) {
        const path = pathWithout(join(fixture.base, nameOf(confinement)))
        assert.strictEqual(printed(yield* fixture.run({ confinement, path })), "alice's true")
      }
    }))

  it.scopedLive("has in bubblewrap no more processes than it may, however it starts them", () =>
    Effect.gen(function*() {
      const word = randomUUID()
      const fixture = yield* makeFixture({
        "bomb.sh": "while :; do setsid sleep 300 >/dev/null 2>&1 & done; # $1"
      })
      const { uid } = accountOf(fixture.userId)
      let most = 0
      const count = Effect.sync(() => {
        const found = fs.readdirSync("/proc").filter((name) =>
          /^\d+$/.test(name) && fs.statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid === uid
        )
        most = Math.max(most, found.length)
      })
      for (const confinement of confinements.filter((one) => one !== null)) {
        most = 0
        const watching = yield* Effect.fork(Effect.forever(Effect.delay(count, "20 millis")))
        yield* fixture.run({ confinement }, { args: [word], seconds: 1 })
        yield* watching.interruptAsFork(watching.id())
        assert.isAbove(most, 0)
        // With those of bubblewrap beside the script, and some that have ended.
        assert.isAtMost(most, 128 + 4)
        assert.isEmpty(withWord(word))
      }
    }))

  it.scopedLive("gets its user's files, and nothing through a link or a second name", () =>
    Effect.gen(function*() {
      const { uid } = accountOf(UserId.make("alice"))
      const base = yield* freshFolder
      const home = join(base, "alice")
      fs.mkdirSync(join(home, "deep"), { recursive: true })
      for (const path of ["outside.txt", "linked.txt", "alice/deep/a.txt"]) fs.writeFileSync(join(base, path), "")
      fs.symlinkSync(join(base, "outside.txt"), join(home, "link.txt"))
      fs.linkSync(join(base, "linked.txt"), join(home, "second.txt"))
      yield* giveTo({ uid, gid: uid }, home)
      const owners = ["alice", "alice/deep", "alice/deep/a.txt", "outside.txt", "linked.txt"].map((path) =>
        fs.statSync(join(base, path)).uid
      )
      assert.deepStrictEqual(owners, [uid, uid, uid, 0, 0])
      assert.strictEqual(fs.statSync(home).mode & 0o777, 0o700)
    }))
})
