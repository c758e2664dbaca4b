import { TransactionConnection } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { CurrentUser } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { type Caller, isSelfHosted } from "@troupe/domain/Caller"
import { Context, Effect, Exit, Option, Predicate, Stream } from "effect"
import { escapeLiteral, type Pool, type PoolClient, type QueryConfig } from "pg"

/** The role of statements that run for a caller; row-level security holds for it (migration 0009). */
export const requestRole = "troupe_requests"

class StatementsFor extends Context.Reference<StatementsFor>()("troupe/Runtime/Database/Isolation/StatementsFor", {
  defaultValue: (): "caller" | "caller-or-service" | "service" => "caller-or-service"
}) {}

/** Runs a request in hosted mode: a statement without a caller is a defect, unless it runs `asService`. */
export const requireCaller: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  StatementsFor,
  "caller"
)

/** Runs statements with the rights of the service: for facts about it, and allowed changes to others' data. */
export const asService: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  StatementsFor,
  "service"
)

/** For whom the statements of this fiber run; null for the service itself, and if self-hosted. */
export const statementCaller: Effect.Effect<Caller | null> = Effect.contextWithEffect((context) => callerIn(context))

/** A stream is read after the handler has ended, but as its caller. */
export const readFor = <A, E, R>(caller: Caller | null, stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
  caller === null ? stream : Stream.provideService(stream, CurrentUser, caller)

const callerIn = (context: Context.Context<never>): Effect.Effect<Caller | null> => {
  const who = Context.get(context, StatementsFor)
  const caller = who === "service" ? null : signedIn(Context.getOption(context, CurrentUser))
  return who === "caller" && caller === null ? noCaller : Effect.succeed(caller)
}

const noCaller = Effect.dieMessage(
  "A statement of a request has no caller: run it after authentication, or asService if it may read everything"
)

const signedIn = (caller: Option.Option<Caller>): Caller | null =>
  Option.getOrNull(Option.filter(caller, (one) => !isSelfHosted(one)))

/** Fails for a caller who has lost the seat or the role meanwhile: see `orNotAllowed`. */
export const beginAs = ({ id, role }: Caller): string => {
  const [caller, given] = [escapeLiteral(id), escapeLiteral(role)]
  return `begin; select check_seat(${caller}, ${given}); select set_config('role', '${requestRole}', true),
set_config('troupe.caller', ${caller}, true), set_config('troupe.caller_role', ${given}, true)`
}

/** What `check_seat` raises. */
const seatLost = "TR403"

const notAllowed = ProblemError.of(
  "forbidden",
  "Your seat in the team, or its role, has changed since this request was signed in. Send it again."
)

/** A request without its seat ends with 403, whatever its statement was for. */
export const orNotAllowed: <A, R>(begun: Effect.Effect<A, SqlError, R>) => Effect.Effect<A, SqlError, R> = Effect
  .catchIf(({ cause }) => Predicate.hasProperty(cause, "code") && cause.code === seatLost, () => Effect.die(notAllowed))

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

const transaction = Effect.serviceOption(TransactionConnection)

/** Without a caller and outside of a transaction, a statement may be part of one for several fibers. */
export const mayShareStatement: Effect.Effect<boolean> = Effect.zipWith(
  statementCaller,
  transaction,
  (caller, open) => caller === null && Option.isNone(open)
)

/** Runs statements that must outlive a rollback of the transaction of this fiber. */
export const outsideTransaction: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E> = Effect.mapInputContext(
  ({ unsafeMap }: Context.Context<never>) => {
    const kept = new Map(unsafeMap)
    kept.delete(TransactionConnection.key)
    return Context.unsafeMake<never>(kept)
  }
)

/** Uses the fiber's transaction if there is one, else for a caller its own; then it succeeds after the commit. */
export const send = (pool: Pool, query: QueryConfig, failure = "Statement failed"): Effect.Effect<Rows, SqlError> =>
  Effect.withFiberRuntime(({ currentContext: context }) => {
    if (isPlain(context)) return sendTo(pool, query, failure)
    const open = Context.getOption(context, TransactionConnection)
    const sent = Option.isSome(open)
      ? open.value[0].executeUnprepared(query.text, query.values ?? [], undefined)
      : Effect.flatMap(
        callerIn(context),
        (caller) => caller === null ? sendTo(pool, query, failure) : sendAs(pool, query, caller)
      )
    return Effect.mapError(sent, ({ cause }) => new SqlError({ cause, message: failure }))
  })

/** Neither a transaction nor a caller: a statement of the service itself, as are most of a task's. */
const isPlain = ({ unsafeMap }: Context.Context<never>): boolean =>
  !unsafeMap.has(TransactionConnection.key) && !unsafeMap.has(CurrentUser.key) && !unsafeMap.has(StatementsFor.key)

const sendTo = (target: Pool | PoolClient, query: QueryConfig, failure?: string): Effect.Effect<Rows, SqlError> =>
  Effect.async((resume) => {
    target.query<Rows[number]>(query, (cause: Error | null | undefined, result) => {
      resume(cause === undefined || cause === null ? Effect.succeed(result.rows) : failed(cause, failure))
    })
  })

const failed = (cause: Error | undefined, message = "Statement failed") => Effect.fail(new SqlError({ cause, message }))

const sendAs = (pool: Pool, query: QueryConfig, caller: Caller): Effect.Effect<Rows, SqlError> =>
  Effect.acquireUseRelease(
    connect(pool),
    (client) =>
      orNotAllowed(sendTo(client, { text: beginAs(caller) })).pipe(
        Effect.zipRight(sendTo(client, query)),
        Effect.zipLeft(sendTo(client, { text: "commit" }))
      ),
    (client, exit) => {
      const release = (isBroken: boolean) =>
        Effect.sync(() => {
          client.off("error", ignore)
          client.release(isBroken)
        })
      // A connection whose transaction can't be ended is closed.
      return Exit.isSuccess(exit) ? release(false) : Effect.matchEffect(sendTo(client, { text: "rollback" }), {
        onFailure: () => release(true),
        onSuccess: () => release(false)
      })
    }
  )

const connect = (pool: Pool): Effect.Effect<PoolClient, SqlError> =>
  Effect.async((resume) => {
    pool.connect((cause, client) => {
      if (client === undefined) return resume(failed(cause))
      // The statement fails with the error too; without a listener the process would end.
      client.on("error", ignore)
      resume(Effect.succeed(client))
    })
  })

const ignore = () => {}
