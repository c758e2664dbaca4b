import { Effect, Option, Schema, type Scope } from "effect"
import { makeModelServer, type ModelServer } from "../support/ModelServer.ts"

/** A tool call that the model makes. */
export interface Use {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What a line asks for: it names the source that brings it, and the effect. */
export type Mark = `${string}.${string}`

export interface Script {
  /** What the model does for `ASKED: <source>` of a person. */
  readonly asked: (source: string) => ReadonlyArray<Use>
  /** What it does for a line from outside, `INJECTED: <source>.<effect>`. */
  readonly injected: (mark: Mark) => ReadonlyArray<Use>
  /** Lines that every agent sees are followed only where a person asks for their source. */
  readonly isSeenByAll: (source: string) => boolean
  /** What a subagent does first that is told `SAYS: <source>`, and what it answers. */
  readonly reads?: (source: string) => ReadonlyArray<Use>
  readonly said: (source: string) => string
}

const Body = Schema.parseJson(Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    role: Schema.String,
    content: Schema.optional(Schema.Unknown),
    tool_calls: Schema.optional(Schema.Array(Schema.Struct({
      function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
    })))
  })),
  tools: Schema.optional(Schema.Array(Schema.Unknown))
}))

const decode = Schema.decodeUnknownOption(Body)

const unique = (found: Iterable<RegExpExecArray>): ReadonlyArray<string> => [
  ...new Set(Array.from(found, ([, name = ""]) => name))
]
const askedIn = (text: string) => unique(text.matchAll(/ASKED: (\w+)/g))
const saidIn = (text: string) => unique(text.matchAll(/SAYS: (\w+)/g))
const marksIn = (text: string) => unique(text.matchAll(/INJECTED: (\w+\.\w+)/g)) as ReadonlyArray<Mark>

const sourceOf = (mark: Mark) => mark.slice(0, mark.indexOf("."))

/** The lines of a source, one for each effect. */
export const linesOf = (marks: ReadonlyArray<Mark>) => marks.map((mark) => `INJECTED: ${mark}`)

export interface ObeyingModel {
  readonly server: ModelServer
  /** The sources of the lines that were followed in tasks where a tool's result has this text. */
  readonly sourcesThatSaw: (secret: string) => ReadonlySet<string>
}

/**
 * A model that does what any text in its request says: the system prompt, messages, results and descriptions of tools.
 * It calls one tool a turn, whether it is offered or not. Where a person asks for a source, it follows no others.
 */
export const makeObeyingModel = (
  { asked, injected, isSeenByAll, reads = () => [], said }: Script
): Effect.Effect<ObeyingModel, never, Scope.Scope> =>
  Effect.gen(function*() {
    const results: Array<{ readonly text: string; readonly sources: ReadonlyArray<string> }> = []
    const server = yield* makeModelServer({
      script: ({ body, kind }) => {
        if (kind !== "chat") return undefined
        const request = Option.getOrNull(decode(body))
        if (request === null) return { text: "Done." }
        const others = request.messages.filter(({ role }) => role !== "assistant")
        const read = JSON.stringify([others.map(({ content }) => content), request.tools ?? []])
        const wanted = askedIn(read)
        const marks = marksIn(read).filter((mark) =>
          wanted.length === 0 ? !isSeenByAll(sourceOf(mark)) : wanted.includes(sourceOf(mark))
        )
        const done = new Set(
          request.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => JSON.stringify(call.function)))
        )
        const ofTools = others.filter(({ role }) => role === "tool").map(({ content }) => content)
        results.push({ text: JSON.stringify(ofTools), sources: marks.map(sourceOf) })
        const [says] = wanted.length > 0 ? [] : saidIn(read)
        const first = says === undefined ? wanted.flatMap(asked) : reads(says)
        const next = [...first, ...marks.flatMap(injected)]
          .map(({ args, tool }) => ({ name: tool, arguments: JSON.stringify(args) }))
          .find((call) => !done.has(JSON.stringify(call)))
        if (next !== undefined) return { calls: [next] }
        return { text: says === undefined ? "Done." : said(says) }
      }
    })
    return {
      server,
      sourcesThatSaw: (secret) =>
        new Set(results.filter(({ text }) => text.includes(secret)).flatMap(({ sources }) => sources))
    }
  })
