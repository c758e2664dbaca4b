import type { ElicitResult } from "@modelcontextprotocol/client"
import type { Fields } from "@troupe/domain/QuestionForm"
import { Deferred, Duration, Effect, Either, Fiber, Queue, Record, Runtime, type Scope } from "effect"
import { elicitation, maxRounds } from "./InputRequired.ts"
import type { Asking } from "./ServerCall.ts"

type Json = Readonly<Record<string, unknown>>

/** How long a call of an older version of the protocol waits for a person. */
const answerTime = Duration.minutes(5)

interface Question {
  readonly key: string
  readonly params: Json
}

type Ended = Either.Either<Json, Question>

interface LiveCall<E> {
  /** Of the round that goes on: each question has an id of its own. */
  asking: Asking | undefined
  readonly done: Deferred.Deferred<Json, E>
  readonly asked: Queue.Queue<Question>
  readonly replies: Map<string, (answer: ElicitResult) => void>
  /** Why questions were declined. */
  readonly notes: Array<string>
  questions: number
  readonly stop: Effect.Effect<void>
}

/** Calls over a connection during which the server may ask. They go on in this process while a person is asked. */
export interface LiveCalls<E> {
  /** Answers a question of the server, at once where no person can be asked. */
  readonly onQuestion: (params: Json) => Promise<ElicitResult>
  /** Makes a call, or goes on with the one that asked; ends with the result or with its next question. */
  readonly run: (call: Effect.Effect<Json, E>, timeout: Duration.Duration, asking?: Asking) => Effect.Effect<Json, E>
}

export const makeLiveCalls = <E>(
  server: string,
  failures: { readonly timedOut: (timeout: Duration.Duration) => E; readonly gone: () => E }
): Effect.Effect<LiveCalls<E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const fork = Runtime.runFork(yield* Effect.runtime())
    const running = new Set<LiveCall<E>>()
    const held = new Map<string, LiveCall<E>>()

    const begin = (call: Effect.Effect<Json, E>, asking: Asking | undefined) =>
      Effect.gen(function*() {
        const done = yield* Deferred.make<Json, E>()
        // It ends with its connection, which says why.
        const fiber = yield* Effect.forkDaemon(Effect.intoDeferred(call, done))
        const live: LiveCall<E> = {
          asking,
          done,
          asked: yield* Queue.unbounded<Question>(),
          replies: new Map(),
          notes: [],
          questions: 0,
          stop: Effect.suspend(() => {
            running.delete(live)
            if (asking !== undefined && held.get(asking.id) === live) held.delete(asking.id)
            return Fiber.interruptFork(fiber)
          })
        }
        running.add(live)
        return live
      })

    const next = (live: LiveCall<E>, timeout: Duration.Duration): Effect.Effect<Json, E> =>
      Effect.raceFirst(
        Effect.map(Deferred.await(live.done), (result): Ended => Either.right(withNotes(result, live.notes))),
        Effect.map(Queue.take(live.asked), (question): Ended => Either.left(question))
      ).pipe(
        Effect.timeoutFail({ duration: timeout, onTimeout: () => failures.timedOut(timeout) }),
        Effect.onInterrupt(() => live.stop),
        Effect.tapError(() => live.stop),
        Effect.flatMap((ended) => Either.isLeft(ended) ? hold(live, ended.left) : Effect.as(live.stop, ended.right))
      )

    const hold = (live: LiveCall<E>, { key, params }: Question) =>
      Effect.gen(function*() {
        if (live.asking !== undefined) held.set(live.asking.id, live)
        // It outlives the connection, so that the task is woken in any case.
        yield* Effect.forkDaemon(expire(live, key))
        return {
          resultType: "input_required",
          live: true,
          inputRequests: { [key]: { method: "elicitation/create", params } }
        }
      })

    /** Ends the wait of the task when the time is over or the call has ended; its result is kept for the task that wakes. */
    const expire = (live: LiveCall<E>, key: string) =>
      Effect.gen(function*() {
        const isOver = yield* Effect.isSuccess(Effect.exit(Deferred.await(live.done))).pipe(
          Effect.timeoutTo({ duration: answerTime, onTimeout: () => true, onSuccess: () => false }),
          Effect.raceFirst(Effect.as(live.asking?.cancelled ?? Effect.never, null))
        )
        if (!live.replies.has(key)) return
        if (isOver === null) {
          answer(live, key, { action: "decline" })
          return yield* live.stop
        }
        if (isOver) {
          live.notes.push(
            `Nobody answered a question of the server within ${Duration.format(answerTime)}, so it was declined.`
          )
        }
        answer(live, key, { action: "decline" })
        yield* live.asking?.expired ?? Effect.void
        yield* Effect.sleep(answerTime)
        if (held.get(live.asking?.id ?? "") === live) yield* live.stop
      })

    const answer = (live: LiveCall<E>, key: string, result: ElicitResult) => {
      live.replies.get(key)?.(result)
      live.replies.delete(key)
    }

    const declined = (reason: string, calls: Iterable<LiveCall<E>>): Promise<ElicitResult> => {
      for (const { notes } of calls) notes.push(`A question of the server was declined: ${reason}.`)
      fork(Effect.logWarning(`A question of tool server ${server} was declined: ${reason}`))
      return Promise.resolve({ action: "decline" })
    }

    return {
      onQuestion: (params) => {
        const silent = [...running].filter(({ replies }) => replies.size === 0)
        const [live, another] = silent.length === 0 ? running : silent
        if (live === undefined) return declined("no call runs that it could belong to", [])
        if (another !== undefined) {
          return declined("several calls run, and it does not say to which it belongs", running)
        }
        if (live.asking === undefined) return declined("a subagent can't ask a person", [live])
        const question = elicitation(server, params)
        if (Either.isLeft(question)) return declined(question.left, [live])
        const key = String(++live.questions)
        if (live.questions > maxRounds) return declined(`a call may ask at most ${maxRounds} questions`, [live])
        return new Promise((resolve) => {
          live.replies.set(key, resolve)
          live.asked.unsafeOffer({ key, params })
        })
      },
      run: (call, timeout, asking) =>
        Effect.suspend(() => {
          if (asking?.input?.live !== true) return Effect.flatMap(begin(call, asking), (live) => next(live, timeout))
          const live = held.get(asking.id)
          if (live === undefined) return Effect.fail(failures.gone())
          held.delete(asking.id)
          live.asking = asking
          for (const [key, { action, content }] of asking.input.answers) {
            answer(live, key, { action, ...(content === undefined ? {} : { content: mutable(content) }) })
          }
          return next(live, timeout)
        })
    }
  })

const mutable = (fields: Fields) => Record.map(fields, (value) => typeof value === "object" ? [...value] : value)

/** The agent reads why a question was declined. */
const withNotes = (result: Json, notes: ReadonlyArray<string>): Json => {
  const content = result["content"]
  return notes.length === 0 || !Array.isArray(content)
    ? result
    : { ...result, content: [...content, ...notes.map((text) => ({ type: "text", text: `[${text}]` }))] }
}
