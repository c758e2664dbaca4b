import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { Modelled, Resulted, Step } from "@troupe/domain/Step"
import { stepText } from "@troupe/domain/StepText"
import { Arbitrary, FastCheck, Schema } from "effect"

const read = Schema.decodeUnknownSync(Schema.parseJson(Step))

describe("The text of a step", () => {
  it("decodes to the same step, with any content", () =>
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(Schema.Union(Modelled, Resulted))), (step) =>
        // JSON itself knows neither what is undefined nor a negative zero.
        assert.deepStrictEqual(read(stepText(step)), JSON.parse(JSON.stringify(step))))
    ))

  it("omits the role of a message, and still reads one that is stored", () => {
    const said = { role: "assistant", content: "Done.", tool_calls: [] } as const
    const step: Step = { kind: "model", message: said, tokens: [3, 1], millis: 7, end: "answered" }
    assert.strictEqual(
      stepText(step),
      "{\"kind\":\"model\",\"message\":{\"content\":\"Done.\"},\"tokens\":[3,1],\"millis\":7,\"end\":\"answered\"}"
    )
    assert.deepStrictEqual(read(JSON.stringify(step)), step)
    assert.notInclude(
      stepText({
        kind: "results",
        results: [{
          message: { role: "tool", tool_call_id: ToolCallId.make("c1"), name: "wait", content: "" },
          millis: 1
        }]
      }),
      "role"
    )
  })

  it("omits what is usual of a decision, and still reads a decision that is stored whole", () => {
    const decided = (revision: number, effect: "allow" | "ask"): Step => ({
      kind: "results",
      results: [],
      decided: { revision, preset: "balanced", calls: [{ id: "c1", class: "read", effect, cause: "preset" }] }
    })
    assert.strictEqual(
      stepText(decided(0, "allow")),
      "{\"kind\":\"results\",\"results\":[],\"decided\":{\"calls\":[{\"id\":\"c1\",\"class\":\"read\"}]}}"
    )
    for (const step of [decided(0, "allow"), decided(3, "ask")]) {
      assert.deepStrictEqual(read(stepText(step)), step)
      assert.deepStrictEqual(read(JSON.stringify(step)), step)
    }
  })
})
