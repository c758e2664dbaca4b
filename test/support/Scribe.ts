import { Effect, type Scope } from "effect"
import { makeModelServer, type ModelRequestSeen, type ModelServer, type ModelTurn } from "./ModelServer.ts"
import type { Environment } from "./Processes.ts"

/** Work for the scribe: in each of some turns a line of its own is added to a file, then the answer is given. */
export interface Scribing {
  readonly name: string
  readonly turns: number
}

/** The file, in the sandbox of the task's user, that all of them add to. */
export const scribeFile = "lines.txt"

export const messageOf = ({ name, turns }: Scribing): string => `scribe ${name} ${turns}`

export const lineOf = (name: string, turn: number): string => `${name}.${turn}`

export const answerOf = ({ name, turns }: Scribing): string => `${name} has its ${turns} lines.`

/** By whom, for what and for which turn a call was asked for: all of it stands in the call's id. */
export interface ScribeCall {
  readonly sign: string
  readonly name: string
  readonly turn: number
}

export const parseCallId = (id: string): ScribeCall | null => {
  const match = /^(\w+):([\w-]+):(\d+):\w+:\d+$/.exec(id)
  return match === null ? null : { sign: match[1] ?? "", name: match[2] ?? "", turn: Number(match[3]) }
}

export const callsPerTurn = 2

export interface Scribe {
  readonly server: ModelServer
  readonly sign: string
  /** Settings that lead a process to this model, in either dialect. */
  readonly environment: (dialect: "chat" | "responses") => Environment
}

/**
 * A model that adds a line and lists the folder, both in one turn, for as many turns as its task says. Every answer
 * carries `sign`, so that of several scribes it shows who was asked, and an id that no other answer has.
 */
export const makeScribe = (options: {
  readonly sign: string
  /** Milliseconds until it answers; also more of the turn: how it is streamed. */
  readonly latency: (work: Scribing, turn: number) => number
  readonly style?: Partial<ModelTurn>
}): Effect.Effect<Scribe, never, Scope.Scope> =>
  Effect.gen(function*() {
    let made = 0
    const script = ({ body }: ModelRequestSeen): ModelTurn | undefined => {
      const work = /\bscribe ([\w-]+) (\d+)/.exec(body)
      if (work === null) return undefined
      const name = work[1] ?? ""
      const turns = Number(work[2])
      const results = body.match(/"role":"tool"|"type":"function_call_output"/g)?.length ?? 0
      const turn = Math.floor(results / callsPerTurn)
      const delay = options.latency({ name, turns }, turn)
      if (turn >= turns) return { ...options.style, text: answerOf({ name, turns }), delay }
      const id = (kind: string) => `${options.sign}:${name}:${turn}:${kind}:${++made}`
      return {
        ...options.style,
        text: `Line ${turn} of ${turns} comes next.`,
        delay,
        calls: [
          {
            id: id("write"),
            name: "write_file",
            arguments: { path: scribeFile, content: `${lineOf(name, turn)}\n`, append: true }
          },
          { id: id("list"), name: "list_directory", arguments: { path: "." } }
        ]
      }
    }
    const server = yield* makeModelServer({ script })
    return {
      server,
      sign: options.sign,
      environment: (dialect) =>
        dialect === "responses"
          ? { OPENAI_BASE_URL: server.url, OPENAI_MODEL: "scribe" }
          : { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: server.url, LOCAL_MODEL: "scribe" }
    }
  })
