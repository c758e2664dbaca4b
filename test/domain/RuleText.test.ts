import { assert, describe, it } from "@effect/vitest"
import { Rule } from "@troupe/domain/Policy"
import { ruleText } from "@troupe/domain/RuleText"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(Rule)

describe("A rule is read aloud", () => {
  it.each([
    [{ effect: "deny", tool: "*" }, "Deny every tool."],
    [{ effect: "allow", tool: "send_email", because: "  " }, "Allow send_email."],
    [{ effect: "ask", tool: "crm__*" }, "Ask the requester or an owner or admin before crm__*."],
    [
      { effect: "ask", tool: "github__merge*", who: ["requester"], because: "merges are released at once." },
      "Ask the requester before github__merge*, because merges are released at once."
    ],
    [{ effect: "deny", tool: "a__b", because: "GDPR forbids it" }, "Deny a__b, because GDPR forbids it."],
    [
      {
        effect: "ask",
        tool: "pay__*",
        who: ["u1", "u2", "admin"],
        when: { args: { "/amount": { over: 100, under: 500 } } }
      },
      "Ask u1, u2 or an owner or admin before pay__* if /amount is over 100 and /amount is under 500."
    ],
    [
      {
        effect: "allow",
        tool: "send_email",
        when: {
          args: {
            "/to": { domain_in: ["example.org", "*.example.org"] },
            "/subject": { glob: "Report *" },
            "/cc": { in: ["a", 1] },
            "": { is: null }
          }
        }
      },
      "Allow send_email if /to is in the domain example.org or *.example.org and /subject is like \"Report *\" and /cc is \"a\" or 1 and its input is null."
    ],
    [
      {
        effect: "deny",
        tool: "*",
        when: {
          class: ["outside", "destructive"],
          context: "outside",
          source: "webhook",
          requester: ["guest", "unknown"],
          agent: "sales",
          project: "apollo",
          schedule: "s1"
        }
      },
      "Deny every tool if its class is outside or destructive and the context is outside and the source is webhook and the requester is guest or unknown and the agent is sales and the project is apollo and the schedule is s1."
    ]
  ])("%j", (rule, text) => assert.strictEqual(ruleText(decode(rule)), text))
})
