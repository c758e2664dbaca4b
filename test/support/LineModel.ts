import { Effect, type Scope } from "effect"
import { makeModelServer, type ModelRequestSeen, type ModelServer, type ModelTurn } from "./ModelServer.ts"
import type { Environment } from "./Processes.ts"

/** A task that adds a line of its own to a file in each of some turns, and then ends with an answer. */
export interface LineTask {
  readonly name: string
  readonly turns: number
}

/** The file in the user's sandbox to which all of a user's tasks add their lines. */
export const linesFile = "lines.txt"

export const messageOf = ({ name, turns }: LineTask): string => `append-lines ${name} ${turns}`

export const lineOf = (name: string, turn: number): string => `${name}.${turn}`

export const answerOf = ({ name, turns }: LineTask): string => `${name} has its ${turns} lines.`

/** Which model asked for a call, for which task and in which turn: the call's id says all of it. */
export interface LineCall {
  readonly label: string
  readonly name: string
  readonly turn: number
}

export const parseCallId = (id: string): LineCall | null => {
  const match = /^(\w+):([\w-]+):(\d+):\w+:\d+$/.exec(id)
  return match === null ? null : { label: match[1] ?? "", name: match[2] ?? "", turn: Number(match[3]) }
}

export const callsPerTurn = 2

export interface LineModel {
  readonly server: ModelServer
  readonly label: string
  /** Settings that lead a process to this model, in either dialect. */
  readonly environment: (dialect: "chat" | "responses") => Environment
}

/**
 * A model that adds a line and lists the folder, both in one turn, for as many turns as its task says. Every answer
 * carries `label`, which shows which of several models was asked, and an id that no other answer has.
 */
export const makeLineModel = (options: {
  readonly label: string
  /** Milliseconds until it answers; also more of the turn: how it is streamed. */
  readonly latency: (work: LineTask, turn: number, body: string) => number
  readonly style?: Partial<ModelTurn>
}): Effect.Effect<LineModel, never, Scope.Scope> =>
  Effect.gen(function*() {
    let made = 0
    const script = ({ body }: ModelRequestSeen): ModelTurn | undefined => {
      const work = /\bappend-lines ([\w-]+) (\d+)/.exec(body)
      if (work === null) return undefined
      const name = work[1] ?? ""
      const turns = Number(work[2])
      const results = body.match(/"role":"tool"|"type":"function_call_output"/g)?.length ?? 0
      const turn = Math.floor(results / callsPerTurn)
      const delay = options.latency({ name, turns }, turn, body)
      if (turn >= turns) return { ...options.style, text: answerOf({ name, turns }), delay }
      const id = (kind: string) => `${options.label}:${name}:${turn}:${kind}:${++made}`
      return {
        ...options.style,
        text: `Line ${turn} of ${turns} comes next.`,
        delay,
        calls: [
          {
            id: id("write"),
            name: "write_file",
            arguments: { path: linesFile, content: `${lineOf(name, turn)}\n`, append: true }
          },
          { id: id("list"), name: "list_directory", arguments: { path: "." } }
        ]
      }
    }
    const server = yield* makeModelServer({ script })
    return {
      server,
      label: options.label,
      environment: (dialect) =>
        dialect === "responses"
          ? { OPENAI_BASE_URL: server.url, OPENAI_MODEL: "lines" }
          : { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: server.url, LOCAL_MODEL: "lines" }
    }
  })
