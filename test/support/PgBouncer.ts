import { Effect, Redacted, type Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, writeFile } from "node:fs/promises"
import { userInfo } from "node:os"
import { join } from "node:path"
import { eventually } from "./Eventually.ts"
import { freshFolder } from "./FreshFolder.ts"
import { isListening } from "./LocalServer.ts"
import { need } from "./Need.ts"
import { freePort } from "./Processes.ts"

const program = ["/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) => existsSync(path))

export const pgBouncerNeed = need("PgBouncer", program !== undefined)

/** A pooler refuses to run as root: then it does so as nobody. */
const isRoot = userInfo().uid === 0

/** PgBouncer in transaction mode before a server, which it may use with so many connections. */
export const makePgBouncer = (
  server: Redacted.Redacted,
  { connections, settings = "" }: { readonly connections: number; readonly settings?: string }
): Effect.Effect<Redacted.Redacted, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const port = yield* freePort
    const { hostname, password, port: serverPort, username } = new URL(Redacted.value(server))
    const file = join(folder, "pgbouncer.ini")
    yield* Effect.promise(async () => {
      await chmod(folder, 0o755)
      await writeFile(join(folder, "users"), `"${username}" "${decodeURIComponent(password)}"\n`)
      await writeFile(
        file,
        `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users")}
pool_mode = transaction
default_pool_size = ${connections}
${settings}
`
      )
    })
    yield* Effect.acquireRelease(
      Effect.sync(() => spawn(program ?? "", [...(isRoot ? ["-u", "nobody"] : []), file], { stdio: "ignore" })),
      (process) =>
        Effect.async<void>((resume) => {
          process.once("exit", () => resume(Effect.void))
          process.kill("SIGTERM")
        })
    )
    yield* eventually(isListening(port), (isUp) => isUp)
    const url = new URL(Redacted.value(server))
    url.host = `127.0.0.1:${port}`
    return Redacted.make(url.href)
  })
