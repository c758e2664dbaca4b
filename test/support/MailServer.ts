import { Effect, Option, Queue, Redacted, type Scope } from "effect"
import { readFileSync } from "node:fs"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { SmtpSettings } from "../../src/Wire/Smtp.ts"

/** A key and a certificate for localhost: a client that trusts it trusts the tests' server. */
export const localhost = readFileSync(new URL("localhost.pem", import.meta.url), "utf8")

export const password = "p4ss-of-the-tests"

/** What arrived: the envelope and the mail. */
export interface Arrival {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly encrypted: boolean
  readonly raw: string
  readonly mail: Effect.Effect<Email>
}

export interface MailServer {
  readonly port: number
  readonly arrivals: Queue.Dequeue<Arrival>
  /** Every mail that was handed over so far, taken or not. */
  readonly count: () => number
  readonly connections: () => number
  /** Settings that lead to this server and sign in to it. */
  readonly settings: (overrides?: Partial<SmtpSettings>) => SmtpSettings
}

export interface MailServerOptions extends SMTPServerOptions {
  /** A free one by default. */
  readonly port?: number
  /** What to do with a mail once all of it is there; taken by default. */
  readonly answer?: (done: (error?: Error) => void, to: ReadonlyArray<string>) => void
}

/** The refusal of a server, with its status. */
export const status = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })

/** An SMTP server on a real socket, which knows the user `troupe` and offers STARTTLS. */
export const makeMailServer = (options: MailServerOptions = {}): Effect.Effect<MailServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { answer = (done) => done(), port: wanted = 0, ...rest } = options
    const arrivals = yield* Queue.unbounded<Arrival>()
    let count = 0
    const server = yield* Effect.acquireRelease(
      Effect.async<SMTPServer>((resume) => {
        const made = new SMTPServer({
          key: localhost,
          cert: localhost,
          logger: false,
          closeTimeout: 100,
          onAuth: (auth, _session, done) =>
            auth.username === "troupe" && auth.password === password
              ? done(null, { user: "troupe" })
              : done(status(535, `No such user or password: ${auth.username} ${auth.password}`)),
          onData: (stream, session, done) => {
            const chunks: Array<Buffer> = []
            stream.on("data", (chunk: Buffer) => chunks.push(chunk))
            stream.on("end", () => {
              count++
              const raw = Buffer.concat(chunks).toString("latin1")
              const to = session.envelope.rcptTo.map(({ address }) => address)
              arrivals.unsafeOffer({
                from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
                to,
                encrypted: session.secure,
                raw,
                mail: Effect.promise(() => PostalMime.parse(raw))
              })
              answer(done, to)
            })
          },
          ...rest
        })
        // Clients of these tests break off at will.
        made.on("error", () => {})
        made.listen(wanted, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (running) => Effect.async<void>((resume) => running.close(() => resume(Effect.void)))
    )
    const address = server.server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      port,
      arrivals,
      count: () => count,
      connections: () => server.connections.size,
      settings: (overrides = {}) => ({
        host: "127.0.0.1",
        port,
        secure: "starttls",
        login: Option.some({ user: "troupe", password: Redacted.make(password) }),
        from: { name: "Troupe", address: "troupe@example.org" },
        ...overrides
      })
    }
  })
