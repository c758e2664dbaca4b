import { DateTime, Effect, Redacted, type Scope } from "effect"
import { createServer, type Socket } from "node:net"
import type { ImapSettings } from "../../src/Wire/ImapClient.ts"
import { listening } from "./LocalServer.ts"

export interface StoredMail {
  readonly uid: number
  readonly source: string
  /** When the server has received it. */
  readonly arrived: DateTime.Utc
  seen: boolean
  /** How often its source was sent. */
  fetched: number
}

/** How the server fails; a test changes it at any time. */
export interface ImapFaults {
  idle: boolean
  /** Drops the connection when the source of this mail is asked for. */
  dropFetchOf: number | null
  /** Answers STORE with NO. */
  refuseStore: boolean
  /** Sends nothing. */
  isSilent: boolean
  refuseLogin: boolean
}

export interface ImapServer {
  readonly port: number
  readonly mails: Array<StoredMail>
  readonly faults: ImapFaults
  readonly deliver: (source: string, arrived?: DateTime.Utc) => number
  /** All mails get new UIDs. */
  readonly renumber: () => void
  readonly logins: () => number
  readonly idling: () => number
  /** Settings that lead to this server. */
  readonly settings: (overrides?: Partial<ImapSettings>) => ImapSettings
}

const day = 24 * 60 * 60 * 1_000

/** Whether it is unread, and arrived on a day of the search. */
const isFound = ({ arrived, seen }: StoredMail, criteria: string): boolean => {
  const dayOf = (name: string, otherwise: number) =>
    Date.parse(`${new RegExp(`${name} "?([\\w-]+)`).exec(criteria)?.[1] ?? ""} UTC`) || otherwise
  const arrivedOn = Math.floor(arrived.epochMillis / day) * day
  return !(seen && criteria.includes("UNSEEN")) && arrivedOn >= dayOf("SINCE", 0) &&
    arrivedOn < dayOf("BEFORE", Infinity)
}

/** Such as `28-Nov-2026 06:00:00 +0000`. */
const dateText = (at: DateTime.Utc): string => {
  const [, dayOfMonth, month, year, time] = DateTime.toDateUtc(at).toUTCString().split(" ")
  return `${dayOfMonth}-${month}-${year} ${time} +0000`
}

/** A mailbox on a real socket, with the commands that a reader of mail needs. A test can make it fail. */
export const makeImapServer: Effect.Effect<ImapServer, never, Scope.Scope> = Effect.gen(function*() {
  const mails: Array<StoredMail> = []
  const faults: ImapFaults = {
    idle: true,
    dropFetchOf: null,
    refuseStore: false,
    isSilent: false,
    refuseLogin: false
  }
  const idlers = new Map<Socket, string>()
  let uidValidity = 1
  let nextUid = 1
  let logins = 0

  const send = (socket: Socket, ...lines: ReadonlyArray<string>) => {
    socket.write(Buffer.from(lines.map((line) => `${line}\r\n`).join(""), "latin1"))
  }

  const fetch = (socket: Socket, uid: number, items: string): unknown => {
    const index = mails.findIndex((mail) => mail.uid === uid)
    const mail = mails[index]
    if (mail === undefined) return undefined
    if (faults.dropFetchOf === uid) {
      socket.write(`* ${index + 1} FETCH (UID ${uid} BODY[]<0> {5000}\r\nFrom: half`)
      return socket.destroy()
    }
    mail.fetched++
    const [, start = "0", length = "0"] = /BODY\.PEEK\[\]<(\d+)\.(\d+)>/.exec(items) ?? []
    const part = mail.source.slice(Number(start), Number(start) + Number(length))
    send(
      socket,
      `* ${index + 1} FETCH (UID ${uid} RFC822.SIZE ${mail.source.length} INTERNALDATE "${
        dateText(mail.arrived)
      }" BODY[]<${start}> {${part.length}}`,
      `${part})`
    )
    return undefined
  }

  const answer = (socket: Socket, tag: string, name: string, rest: string) => {
    const ok = (text = "Done") => send(socket, `${tag} OK ${text}`)
    switch (name) {
      case "CAPABILITY":
        send(socket, `* CAPABILITY IMAP4rev1${faults.idle ? " IDLE" : ""}`)
        return ok()
      case "LOGIN":
        logins++
        return faults.refuseLogin ? send(socket, `${tag} NO [AUTHENTICATIONFAILED] secret words`) : ok()
      case "LIST":
      case "LSUB":
        if (/inbox/i.test(rest)) send(socket, `* ${name} () "/" "INBOX"`)
        return ok()
      case "SELECT":
        if (!/INBOX/i.test(rest)) return send(socket, `${tag} NO [NONEXISTENT] Unknown mailbox`)
        send(
          socket,
          "* FLAGS (\\Seen)",
          `* ${mails.length} EXISTS`,
          "* 0 RECENT",
          `* OK [UIDVALIDITY ${uidValidity}] valid`,
          `* OK [UIDNEXT ${nextUid}] next`
        )
        return ok("[READ-WRITE] Done")
      case "UID SEARCH":
        send(socket, `* SEARCH ${mails.flatMap((mail) => isFound(mail, rest) ? [mail.uid] : []).join(" ")}`.trim())
        return ok()
      case "UID FETCH":
        fetch(socket, Number(/^\d+/.exec(rest)?.[0]), rest)
        return ok()
      case "UID STORE": {
        if (faults.refuseStore) return send(socket, `${tag} NO not now`)
        const uid = Number(/^\d+/.exec(rest)?.[0])
        for (const mail of mails) if (mail.uid === uid) mail.seen = true
        return ok()
      }
      case "IDLE":
        idlers.set(socket, tag)
        return send(socket, "+ idling")
      case "LOGOUT":
        send(socket, "* BYE", `${tag} OK Done`)
        return socket.end()
      default:
        return ok()
    }
  }

  const receive = (socket: Socket, line: string) => {
    const idle = idlers.get(socket)
    if (idle !== undefined && line.toUpperCase() === "DONE") {
      idlers.delete(socket)
      return send(socket, `${idle} OK Done`)
    }
    const [, tag = "*", name = "", rest = ""] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? []
    answer(socket, tag, name.toUpperCase(), rest)
  }

  const port = yield* listening(createServer({ noDelay: true }, (socket) => {
    let rest = ""
    socket.on("error", () => {})
    socket.on("close", () => idlers.delete(socket))
    if (faults.isSilent) return
    send(socket, "* OK ready")
    socket.on("data", (chunk: Buffer) => {
      rest += chunk.toString("latin1")
      const lines = rest.split("\r\n")
      rest = lines.pop() ?? ""
      for (const line of lines) receive(socket, line)
    })
  }))

  return {
    port,
    mails,
    faults,
    deliver: (source, arrived = DateTime.unsafeNow()) => {
      const uid = nextUid++
      mails.push({ uid, source: source.replaceAll(/\r?\n/g, "\r\n"), arrived, seen: false, fetched: 0 })
      for (const socket of idlers.keys()) send(socket, `* ${mails.length} EXISTS`)
      return uid
    },
    renumber: () => {
      uidValidity++
      for (const [index, mail] of mails.entries()) mails[index] = { ...mail, uid: nextUid++ }
    },
    logins: () => logins,
    idling: () => idlers.size,
    settings: (overrides = {}) => ({
      host: "127.0.0.1",
      port,
      secure: "false",
      user: "troupe",
      password: Redacted.make("p4ss"),
      mailbox: "INBOX",
      ...overrides
    })
  }
})
