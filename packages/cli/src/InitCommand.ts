import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { join, resolve } from "node:path"
import { optional } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"
import { folderOf, serviceOption } from "./Installation.ts"
import { Screen } from "./Screen.ts"

const name = ".env"

const Port = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 65_535))

const isPort = Schema.is(Schema.compose(Schema.String, Port, { strict: false }))

const isDatabase = (text: string): boolean => /^postgres(?:ql)?:\/\/[^\s/]+/.test(text) && URL.canParse(text)

const mistyped = "postgresql://user:password@host:5432/database"

/** In quotes that it does not have itself. The reader of `.env` puts variables in place of `$NAME`, also in quotes. */
const quoted = (text: string): string => {
  if (/^[\w./:@%+-]*$/.test(text)) return text
  const quote = ["'", "\"", "`"].find((one) => !text.includes(one)) ?? ""
  return `${quote}${text.replaceAll("$", "\\$")}${quote}`
}

interface Answers {
  readonly dataDir: string
  readonly port: string
  /** Empty: the embedded one. */
  readonly database: string
}

/** The file. Without an embedded database nobody makes a key for stored secrets, so it gets one. */
const contentOf = ({ dataDir, database, port }: Answers, key: string): string =>
  [
    "# Settings of this Troupe, which the environment takes precedence over. .env.example of the package lists all of them.",
    `DATA_DIR=${quoted(dataDir)}`,
    ...(port === "8000" ? [] : [`PORT=${port}`]),
    ...(database === "" ? [] : [
      `DATABASE_URL=${quoted(database)}`,
      "# Encrypts stored secrets. Keep it: without it they can't be read, also not after a restore.",
      `SECRETS_KEY=${key}`
    ]),
    ""
  ].join("\n")

const asked = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.mapError(
    Prompt.run(prompt),
    () => new CommandFailed({ reason: "interrupted", message: "Nothing was written." })
  )

const checked = (isValid: (text: string) => boolean, expected: string) => (text: string) =>
  isValid(text.trim()) ? Effect.succeed(text.trim()) : Effect.fail(`It must be ${expected}.`)

/** Asks for what was not given, if somebody can be asked; else the defaults count. */
const answersFrom = (
  folder: string,
  given: {
    readonly dataDir: Option.Option<string>
    readonly port: Option.Option<number>
    readonly database: Option.Option<Redacted.Redacted>
  }
) =>
  Effect.gen(function*() {
    const { isInteractive } = yield* Screen
    const answer = (value: Option.Option<string>, fallback: string, prompt: Prompt.Prompt<string>) =>
      Option.match(value, {
        onNone: () => isInteractive ? asked(prompt) : Effect.succeed(fallback),
        onSome: Effect.succeed
      })
    const dataDir = yield* answer(
      given.dataDir,
      ".data",
      Prompt.text({ message: "Folder of the data (database, files, projects)", default: ".data" })
    )
    const port = yield* answer(
      Option.map(given.port, String),
      "8000",
      Prompt.text({ message: "Port", default: "8000", validate: checked(isPort, "a number from 1 to 65535") })
    )
    const database = yield* answer(
      Option.map(given.database, Redacted.value),
      "",
      Prompt.text({
        message: "Address of a PostgreSQL (empty: the embedded one)",
        validate: checked((text) => text === "" || isDatabase(text), mistyped)
      })
    )
    if (database !== "" && !isDatabase(database)) {
      return yield* wrongUsage(`--database-url must be ${mistyped}.`)
    }
    return { dataDir: resolve(folder, dataDir), port, database }
  })

const present = (file: string) =>
  new CommandFailed({
    reason: "refused",
    message: `${file} exists already, and is kept. Change it with an editor, or remove it first.`
  })

export const init = Command.make(
  "init",
  {
    service: serviceOption,
    dataDir: optional(Options.text("data-dir"), "Folder of the data; default: .data in the folder of the service"),
    port: optional(
      Options.integer("port").pipe(
        Options.withSchema(Schema.Int.pipe(Schema.between(1, 65_535, { message: () => "a number from 1 to 65535" })))
      ),
      "Port of the service; default: 8000"
    ),
    database: optional(
      Options.redacted("database-url"),
      "Address of a PostgreSQL; default: the embedded one. Other users can list it while the command runs"
    )
  },
  ({ service, ...given }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const files = yield* FileSystem.FileSystem
      const folder = yield* folderOf(service)
      const file = join(folder, name)
      if (yield* Effect.orElseSucceed(files.exists(file), () => false)) return yield* present(file)
      const answers = yield* answersFrom(folder, given)
      const key = yield* Effect.sync(() => randomBytes(32).toString("hex"))
      yield* files.writeFileString(file, contentOf(answers, key), { flag: "wx", mode: 0o600 }).pipe(
        Effect.catchTags({
          SystemError: (error) =>
            error.reason === "AlreadyExists"
              ? present(file)
              : new CommandFailed({ reason: "failed", message: `${file} can't be written: ${error.message}` }),
          BadArgument: ({ message }) => new CommandFailed({ reason: "failed", message })
        })
      )
      const { dataDir, database, port } = answers
      yield* screen.note(
        `Wrote ${safeLine(file, 1000)}. The data goes to ${safeLine(dataDir, 1000)}`
          + `${database === "" ? "" : " and to the given PostgreSQL"}.\n`
          + `Start it in this folder: ${screen.program} start. As a service of this machine: ${screen.program} service print.\n`
          + (port === "8000" ? "" : `For other commands: export TROUPE_URL=http://127.0.0.1:${port}\n`)
      )
    })
).pipe(Command.withDescription("Writes .env of a new service in this folder; asks for what is not given"))
