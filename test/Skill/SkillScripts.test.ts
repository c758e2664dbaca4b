import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either } from "effect"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env } from "node:process"
import { probe } from "../../src/Skill/ScriptConfinement.ts"
import { judge, scriptRefusal } from "../../src/Skill/ScriptRules.ts"
import { listening } from "../support/LocalServer.ts"
import { need } from "../support/Need.ts"
import { makePlace } from "./place.ts"
import { bubblewrap, confinements, here, makeFixture, nameOf, printed, selfHosted } from "./scripts.ts"

describe("The confinement of scripts", () => {
  it.skipIf(bubblewrap.isMissing)(bubblewrap.named("holds with bubblewrap, where the tests below run too"), () => {
    assert.isNotNull(confinements[0])
  })

  it.effect("is the safest one that works on this machine", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* probe(here), confinements[0])
      assert.isNull(yield* probe("/nowhere"))
    }))

  it.scoped("is none where bubblewrap is installed but fails", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("bin/bwrap", "#!/bin/sh\nexit 1\n")
      fs.chmodSync(join(place.base, "bin/bwrap"), 0o755)
      assert.isNull(yield* probe(`${join(place.base, "bin")}:${here}`))
    }))

  it.scopedLive.skipIf(bubblewrap.isMissing)(
    bubblewrap.named("lets a script write temporary files with bubblewrap before 0.8 too"),
    () =>
      Effect.gen(function*() {
        const fixture = yield* makeFixture({ "a.sh": "echo x > \"$TMPDIR/a\" && cat \"$TMPDIR/a\"" })
        const refused = "for word; do case $word in --size|--disable-userns) exit 1 ;; esac; done"
        fixture.put("bin/bwrap", `#!/bin/sh\n${refused}\nPATH='${here}'\nexec bwrap "$@"\n`)
        fs.chmodSync(join(fixture.base, "bin/bwrap"), 0o755)
        const confinement = yield* probe(`${join(fixture.base, "bin")}:${here}`)
        assert.deepInclude(confinement, { canDisableUserns: false })
        assert.strictEqual(printed(yield* fixture.run({ confinement })), "x")
      })
  )

  it("says what it means and what the operator can do", () => {
    const isolated = { bwrap: "", prlimit: "", setpriv: null }
    const hosted = { ...selfHosted, isHosted: true }
    assert.match(
      judge(null, selfHosted, false).detail,
      /as the service's own system user .* other users' files included/
    )
    assert.include(judge(null, selfHosted, true).detail, "a system user of each user's own")
    assert.include(judge(null, selfHosted).detail, "this service too, as its operator")
    assert.include(judge({ ...isolated, canDisableUserns: false }, hosted).fix, "bubblewrap 0.8")
    assert.isNull(judge({ ...isolated, canDisableUserns: true }, hosted).fix)
    assert.isFalse(judge(null, selfHosted).isUnsafe)
    assert.deepInclude(judge(null, hosted), {
      detail: "Skill scripts are refused, as bubblewrap does not work here.",
      isUnsafe: false
    })
    const allowed = judge(null, { ...hosted, allowUnconfined: true })
    assert.isTrue(allowed.isUnsafe)
    assert.match(allowed.detail, /^ALLOW_UNCONFINED_SCRIPTS=true: skill scripts are not confined/)
  })

  it.scopedLive("decides whether the members of a hosted team run scripts", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({ "a.sh": "echo ran" })
      const hosted = { ...selfHosted, isHosted: true }
      for (const confinement of confinements) {
        const ended = yield* Effect.either(fixture.run({ confinement, rules: hosted }))
        if (confinement !== null) assert.strictEqual(Either.getOrThrow(ended).output, "ran\n")
        else assert.match(Either.getOrThrow(Either.flip(ended)), /The operator can .* ALLOW_UNCONFINED_SCRIPTS=true$/)
        const allowed = { ...hosted, allowUnconfined: true }
        assert.strictEqual(printed(yield* fixture.run({ confinement, rules: allowed })), "ran")
        assert.isNull(scriptRefusal(confinement, selfHosted))
      }
    }))
})

it.scopedLive("A file that is no script of the skill, or a link, is not run", () =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture({ "a.sh": "echo a" })
    for (const script of ["../SKILL.md", "../../../files/bob/secret.txt", "/bin/ls", "none.sh", ""]) {
      assert.include(yield* Effect.flip(fixture.run({}, { script })), "has no script")
    }
    fs.rmSync(join(fixture.skill.folder, "scripts/a.sh"))
    fs.symlinkSync("/bin/ls", join(fixture.skill.folder, "scripts/a.sh"))
    assert.include(yield* Effect.flip(fixture.run({})), "has no script")
  }))

for (const confinement of confinements) {
  const options = { confinement }
  const confined = confinement !== null

  describe(`A script under ${nameOf(confinement)}`, () => {
    it.scopedLive("works in the user's folder, with its arguments as they are", () =>
      Effect.gen(function*() {
        const fixture = yield* makeFixture({
          "sum.py": "import sys\nprint(open('own.txt').read(), sys.argv[1:])\nopen('made.txt', 'w').write('new')"
        })
        const ended = yield* fixture.run(options, { args: ["a b", "$HOME; ls", ""] })
        assert.strictEqual(printed(ended), "alice's ['a b', '$HOME; ls', '']")
        assert.strictEqual(fixture.read("files/alice/made.txt"), "new")
      }))

    it.scopedLive("is run by what its first line says, or else by its extension", () =>
      Effect.gen(function*() {
        const fixture = yield* makeFixture({
          "plain": "#!/bin/sh -e\nfalse\necho not reached",
          "deep/a.mjs": "console.log(import.meta.url.startsWith('file:'), process.env.SKILL_DIR !== undefined)",
          "b.sh": "echo shell",
          "c.js": "#!/usr/bin/env -S node --no-warnings\nconsole.log(process.execArgv[0])",
          "d.txt": "just text"
        })
        assert.strictEqual((yield* fixture.run(options, { script: "plain" })).code, 1)
        assert.strictEqual(printed(yield* fixture.run(options, { script: "deep/a.mjs" })), "true true")
        assert.strictEqual(printed(yield* fixture.run(options, { script: "b.sh" })), "shell")
        assert.strictEqual(printed(yield* fixture.run(options, { script: "c.js" })), "--no-warnings")
        assert.include(yield* Effect.flip(fixture.run(options, { script: "d.txt" })), "no interpreter")
      }))

    it.scopedLive("gets of the environment what its skill requires, and never a setting of the service or of programs", () =>
      Effect.gen(function*() {
        const settings = ["DATABASE_URL", "SECRETS_KEY", "OPENAI_API_KEY", "SMTP_PASSWORD"]
        const ofPrograms = ["NODE_OPTIONS", "LD_PRELOAD", "TROUPE_X", "npm_config_x"]
        const required = [...settings, ...ofPrograms, "WANTED", "PATH", "HOME"]
        const fixture = yield* makeFixture({ "env.sh": "env" }, `requirements:\n  env: [${required.join(", ")}]\n`)
        const environment = ConfigProvider.fromMap(new Map([...required, "OTHER"].map((name) => [name, "t0p"])))
        const lines = (yield* fixture.run({ ...options, environment })).output.trim().split("\n")
        assert.deepStrictEqual(lines.filter((line) => line.includes("t0p")), ["WANTED=t0p"])
        const own = ["HOME", "LANG", "PATH", "SKILL_DIR", "TMPDIR", "TROUPE_PROCESS"]
        const ofShell = ["OLDPWD", "PWD", "SHLVL", "_"]
        const names = lines.map((line) => line.split("=")[0] ?? "")
        assert.isEmpty(names.filter((name) => !["WANTED", ...own, ...ofShell].includes(name)))
        assert.notInclude(lines, `HOME=${env["HOME"]}`)
      }))

    it.scopedLive("leaves no temporary folder behind", () =>
      Effect.gen(function*() {
        const closed = "mkdir $TMPDIR/closed && echo x > $TMPDIR/closed/file && chmod 0 $TMPDIR/closed"
        const fixture = yield* makeFixture({ "temporary.sh": `${closed} && echo $TMPDIR` })
        const folder = printed(yield* fixture.run(options))
        assert.match(folder, confined ? /^\/tmp$/ : /troupe-script-/)
        if (!confined) assert.isFalse(fs.existsSync(folder))
      }))

    if (confinement !== null) {
      const alone = need("a bubblewrap that disables user namespaces", confinement.canDisableUserns)
      it.scopedLive.skipIf(alone.isMissing)(
        alone.named("makes no user namespace of its own"),
        () =>
          Effect.gen(function*() {
            const fixture = yield* makeFixture({
              "nest.sh": "unshare --user true 2>/dev/null && echo nested || echo refused"
            })
            assert.strictEqual(printed(yield* fixture.run(options)), "refused")
            const older = { ...confinement, canDisableUserns: false }
            assert.strictEqual(printed(yield* fixture.run({ confinement: older })), "nested")
          })
      )
    }

    if (confined) {
      it.scopedLive("writes no file larger than it may", () =>
        Effect.gen(function*() {
          const fixture = yield* makeFixture({ "big.sh": "dd if=/dev/zero of=big bs=1000 count=5000 2>/dev/null" })
          yield* fixture.run(options, { fileBytes: 100_000 })
          assert.isAtMost(fs.statSync(join(fixture.folder, "big")).size, 100_000)
        }))

      it.scopedLive("writes to no folder in memory", () =>
        Effect.gen(function*() {
          const fixture = yield* makeFixture({
            "memory.py": [
              "import multiprocessing",
              "bound = ['/work', '/tmp', '/dev/shm']",
              "multiprocessing.Lock()",
              "try: open('/dev/large', 'w')",
              "except OSError: print('no')",
              "open('/dev/null', 'w').write('x')",
              "mounts = [line.split() for line in open('/proc/self/mounts')]",
              "print([at for _, at, kind, options, *_ in mounts if kind == 'tmpfs' and 'ro' not in options.split(',') and at not in bound])"
            ].join("\n")
          })
          assert.strictEqual(printed(yield* fixture.run(options)), "no\n[]")
        }))

      it.scopedLive("reads and writes nothing outside, sees no process and no network", () =>
        Effect.gen(function*() {
          const fixture = yield* makeFixture({
            "out.py": [
              "import os, socket, sys",
              "base = sys.argv[1]",
              "def attempt(what):",
              "    try: what(); print('did it')",
              "    except OSError as error: print('no')",
              "attempt(lambda: open('../bob/secret.txt'))",
              "attempt(lambda: open(base + '/files/bob/secret.txt'))",
              "attempt(lambda: open('/etc/passwd'))",
              "attempt(lambda: os.listdir(base))",
              "attempt(lambda: open(base + '/outside', 'w'))",
              "attempt(lambda: open('/usr/outside', 'w'))",
              "attempt(lambda: open('/skill/SKILL.md', 'a'))",
              "attempt(lambda: open('/outside', 'w'))",
              "attempt(lambda: os.kill(int(sys.argv[2]), 0))",
              "attempt(lambda: socket.create_connection(('127.0.0.1', int(sys.argv[3])), 2))",
              "os.symlink('/etc', 'way')",
              "attempt(lambda: open('way/passwd'))",
              "print(len([name for name in os.listdir('/proc') if name.isdigit()]) < 6)",
              "open('/tmp/mine', 'w').write('x')"
            ].join("\n")
          })
          const port = yield* listening(createServer())
          const args = [fixture.base, String(process.pid), String(port)]
          const lines = printed(yield* fixture.run(options, { args })).split("\n")
          assert.deepStrictEqual(lines, [...Array.from({ length: 11 }, () => "no"), "True"])
          assert.isFalse(fs.existsSync(join(tmpdir(), "mine")))
          assert.isFalse(fs.existsSync(join(fixture.base, "outside")))
        }))

      it.scopedLive("reaches the network where the operator allows it", () =>
        Effect.gen(function*() {
          const fixture = yield* makeFixture({
            "net.py":
              "import socket, sys\nsocket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)\nprint('connected')"
          })
          const port = yield* listening(createServer())
          const ended = yield* fixture.run({ ...options, rules: { ...selfHosted, network: true } }, {
            args: [String(port)]
          })
          assert.strictEqual(printed(ended), "connected")
        }))
    }
  })
}
