import { assert, it } from "@effect/vitest"
import { mayDecide } from "../../packages/console/src/screens/task/approvals/ApprovalText.ts"

const task = { creator: "alice", assignee: null }
const ofNobody = { creator: "system", assignee: null }
const person = (id: string, role = "member", signed_in_by = "session") => ({ role, signed_in_by, user: { id } })

it.each(
  [
    ["its creator", person("alice"), task, ["requester"], true],
    ["another member", person("bob"), task, ["requester", "admin"], false],
    ["an admin", person("bob", "admin"), task, ["requester", "admin"], true],
    ["an admin whom the rule leaves out", person("bob", "admin"), task, ["requester", "carol"], false],
    ["whom the rule lists", person("carol"), task, ["carol"], true],
    ["an admin about a task of nobody", person("bob", "admin"), ofNobody, ["requester"], true],
    ["the operator of a self-hosted service", person("default", "owner", "none"), task, ["carol"], true]
  ] as const
)("A call has buttons for who may decide about it: %s", (_, who, of, approvers, expected) => {
  assert.strictEqual(mayDecide(who, of, { who: [...approvers] }), expected)
})
