import { assert, describe, it } from "@effect/vitest"
import { equalApprovals, type PastApproval, sameText } from "@troupe/domain/EqualApprovals"

const given = { to: "a@x.example", subject: "Report", body: "new" }

const approved = (more: object = {}): PastApproval => ({ arguments: { ...given, ...more }, isApproved: true })
const denied = (more: object = {}): PastApproval => ({ ...approved(more), isApproved: false })

const times = (count: number, call: PastApproval): ReadonlyArray<PastApproval> =>
  Array.from({ length: count }, () => call)

describe("Equal approvals", () => {
  it("are proposed from the fifth on, by all arguments that were the same", () => {
    assert.isNull(equalApprovals(given, times(4, approved())))
    assert.deepStrictEqual(equalApprovals(given, times(5, approved())), {
      same: ["to", "subject", "body"],
      approved: 5,
      of: 5
    })
    const reports = Array.from({ length: 6 }, (_, at) => approved({ body: `report ${at}` }))
    assert.deepStrictEqual(
      equalApprovals(given, [...reports, ...times(3, approved({ to: "b@x.example", subject: "Other" }))]),
      {
        same: ["to", "subject"],
        approved: 6,
        of: 9
      }
    )
  })

  it("are one argument where the calls have no more in common", () => {
    const calls = [
      ...times(3, approved({ body: "1" })),
      ...times(2, approved({ subject: "2" }))
    ]
    assert.deepStrictEqual(equalApprovals(given, calls)?.same, ["to"])
  })

  it("are not proposed where one of them was denied", () => {
    assert.isNull(equalApprovals(given, [denied(), ...times(9, approved())]))
    const other = [denied({ subject: "Secrets" }), ...times(9, approved({ body: "old" }))]
    assert.deepStrictEqual(equalApprovals(given, other)?.same, ["to", "subject"])
  })

  it("are not proposed for calls that have nothing in common", () => {
    assert.isNull(equalApprovals(given, times(9, approved({ to: "b", subject: "c", body: "d" }))))
  })

  it("compare values as JSON, and know an argument that is missing", () => {
    const args = { where: { b: 1, a: [2] }, flag: undefined }
    const calls = times(5, { arguments: { where: { a: [2], b: 1 } }, isApproved: true })
    assert.deepStrictEqual(equalApprovals(args, calls)?.same, ["where"])
  })

  it("of calls without arguments are all of them", () => {
    const calls = times(5, { arguments: {}, isApproved: true })
    assert.deepStrictEqual(equalApprovals({}, calls), { same: [], approved: 5, of: 5 })
    assert.isNull(equalApprovals(given, calls))
  })

  it("look at the last fifty calls only", () => {
    const calls = [...times(47, approved({ to: "b", subject: "c", body: "d" })), ...times(9, approved())]
    assert.isNull(equalApprovals(given, calls))
  })

  it("are named in words", () => {
    assert.strictEqual(sameText(["to"]), "with the same to")
    assert.strictEqual(sameText(["to", "subject", "cc"]), "with the same to, subject and cc")
  })
})
