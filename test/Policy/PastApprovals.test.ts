import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import type { CallRequester } from "@troupe/domain/PolicyDecision"
import { Effect } from "effect"
import { v7 } from "uuid"
import { pastApprovals } from "../../src/Policy/Grants.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const by = (given: Partial<CallRequester> = {}): CallRequester => ({
  requester: "member",
  source: "api",
  task: "t1",
  person: "alice",
  agent: null,
  project: null,
  schedule: null,
  ...given
})

/** A decided call of a task of this person, agent and project. */
const given = (
  n: number,
  { agent = null, creator = "alice", project = null, status = "approved", tool = "crm__post" }: {
    readonly agent?: string | null
    readonly creator?: string
    readonly project?: string | null
    readonly status?: string
    readonly tool?: string
  } = {}
) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const id = v7({ msecs: n })
    yield* query(
      `insert into tasks (id, created_at, creator, title, description, task_type, agent, project_id)
values ($1, now(), $2, 'T', 'T', 'task', $3, $4)`,
      [id, creator, agent, project]
    )
    yield* query(
      `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, status, created_at)
values ($1, $1, 'c', $2, 'outside', $3, '[]', '{}', 'balanced', 'b', '{admin}', $4, now())`,
      [id, tool, JSON.stringify({ n }), status]
    )
  })

const numbers = (requester: Partial<CallRequester> = {}, tool = "crm__post") =>
  Effect.flatMap(SqlClient, (sql) => pastApprovals(sql)(by(requester), tool)).pipe(
    Effect.map((found) => found.map((one) => [one.arguments["n"], one.isApproved]))
  )

inWorld("Past approvals", (test) => {
  test("are those of the tool that were decided, newest first", function*() {
    yield* given(1)
    yield* given(2, { status: "denied" })
    yield* given(3, { status: "open" })
    yield* given(4, { status: "cancelled" })
    yield* given(5, { tool: "crm__other" })
    yield* given(6)
    assert.deepStrictEqual(yield* numbers(), [[6, true], [2, false], [1, true]])
    assert.deepStrictEqual(yield* numbers({}, "crm__other"), [[5, true]])
  })

  test("are of the same agent or, without one, of the same person and project, as a grant would be", function*() {
    yield* given(1)
    yield* given(2, { creator: "bob" })
    yield* given(3, { project: "apollo" })
    yield* given(4, { agent: "sales" })
    yield* given(5, { agent: "sales", creator: "bob" })
    assert.deepStrictEqual(yield* numbers(), [[1, true]])
    assert.deepStrictEqual(yield* numbers({ person: "bob" }), [[2, true]])
    assert.deepStrictEqual(yield* numbers({ project: "apollo" }), [[3, true]])
    assert.deepStrictEqual(yield* numbers({ agent: "sales" }), [[5, true], [4, true]])
  })
})
