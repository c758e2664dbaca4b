import { Effect, Redacted, type Scope } from "effect"
import { ImapFlow } from "imapflow"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, chown, mkdir, writeFile } from "node:fs/promises"
import { userInfo } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ImapSettings } from "../../src/Wire/ImapClient.ts"
import { eventually } from "./Eventually.ts"
import { freshFolder } from "./FreshFolder.ts"
import { isListening } from "./LocalServer.ts"
import { localhost as ca } from "./MailServer.ts"
import { need } from "./Need.ts"
import { freePort } from "./Processes.ts"

const program = ["/usr/sbin/dovecot", "/usr/local/sbin/dovecot"].find((path) => existsSync(path))

export const dovecotNeed = need("Dovecot", program !== undefined)

export interface Dovecot {
  readonly settings: ImapSettings
  readonly append: (source: string) => Effect.Effect<void>
  readonly unread: Effect.Effect<number>
}

const pem = fileURLToPath(new URL("./localhost.pem", import.meta.url))

/** It refuses to read mail as root: then it does so as nobody, with the users of its package for the rest. */
const { gid, uid, username } = userInfo()
const users = uid === 0
  ? { internal: "dovecot", login: "dovenull", uid: 65_534, gid: 65_534 }
  : { internal: username, login: username, uid, gid }

const configuration = (folder: string, port: number) => `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
default_internal_user = ${users.internal}
default_login_user = ${users.login}
default_vsz_limit = 0
ssl = yes
ssl_cert = <${pem}
ssl_key = <${pem}
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail/%u
first_valid_uid = 0
passdb {
  driver = static
  args = password=p4ss
}
userdb {
  driver = static
  args = uid=${users.uid} gid=${users.gid} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`

/** A real IMAP server in a folder of its own, on the loopback address, with the mailbox of the user `troupe`. */
export const makeDovecot: Effect.Effect<Dovecot, never, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* freshFolder
  const port = yield* freePort
  yield* Effect.promise(async () => {
    await chmod(folder, 0o755)
    await mkdir(join(folder, "run"), { mode: 0o755 })
    await mkdir(join(folder, "mail"))
    if (uid === 0) await chown(join(folder, "mail"), users.uid, users.gid)
  })
  yield* Effect.promise(() => writeFile(join(folder, "dovecot.conf"), configuration(folder, port)))
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program ?? "", ["-F", "-c", join(folder, "dovecot.conf")], { stdio: "ignore" })),
    (server) =>
      Effect.async<void>((resume) => {
        server.once("exit", () => resume(Effect.void))
        server.kill("SIGTERM")
      })
  )
  yield* eventually(isListening(port), (isUp) => isUp)

  const settings = {
    host: "localhost",
    port,
    secure: "starttls",
    user: "troupe",
    password: Redacted.make("p4ss"),
    mailbox: "INBOX"
  } as const
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = new ImapFlow({
        host: "localhost",
        port,
        auth: { user: "troupe", pass: "p4ss" },
        logger: false,
        tls: { ca }
      })
      made.on("error", () => {})
      await made.connect()
      return made
    }),
    (open) => Effect.sync(() => open.close())
  )
  return {
    settings,
    append: (source) => Effect.asVoid(Effect.promise(() => client.append("INBOX", Buffer.from(source, "latin1")))),
    unread: Effect.promise(async () => {
      const status = await client.status("INBOX", { unseen: true })
      return status === false ? -1 : status.unseen ?? -1
    })
  }
})
