import * as RpcMiddleware from "@effect/rpc/RpcMiddleware"
import { NotAllowed, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { Schema } from "effect"
import { CurrentUser } from "./Authentication.ts"
import { ProblemError } from "./Problem.ts"

/**
 * What every call of a procedure passes on the server: authentication as over HTTP, and limits. What no procedure
 * declares fails with the problem that HTTP would answer.
 */
export class RpcGate extends RpcMiddleware.Tag<RpcGate>()("@troupe/api/RpcGate", {
  wrap: true,
  provides: CurrentUser,
  failure: Schema.Union(ProblemError, Unauthenticated, NotAllowed, SignInUnavailable)
}) {}
