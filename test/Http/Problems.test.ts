import { HttpApiSchema } from "@effect/platform"
import { assert, it } from "@effect/vitest"
import * as Problems from "@troupe/api/Problems"

it("every error of the domain leaves with the status of the contract", () => {
  const statuses = Object.fromEntries(
    Object.entries(Problems).map(([name, { ast }]) => [name, HttpApiSchema.getStatusErrorAST(ast)])
  )
  assert.deepStrictEqual(statuses, {
    taskNotFound: 404,
    taskStateConflict: 409,
    idempotencyConflict: 409,
    taskRequestInvalid: 400,
    searchUnfinished: 503,
    skillNotFound: 404,
    skillNameTaken: 409,
    skillReadOnly: 409,
    skillInvalid: 400,
    skillsUnwritable: 503,
    skillModelUnavailable: 503,
    skillNotGenerated: 502,
    toolServersInvalid: 400,
    userNotFound: 404,
    notificationNotFound: 404
  })
})
