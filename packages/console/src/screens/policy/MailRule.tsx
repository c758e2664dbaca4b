import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Rule } from "@troupe/client"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { policyQuery, useSavePolicy } from "../../service/PolicyQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import type { PolicyEditing } from "./PolicyDraft.ts"

const mailTool = "send_email"

/** The rule by which a person reads each mail before it is sent. */
const asksBeforeMail = ({ effect, tool, when }: Rule): boolean =>
  effect === "ask" && tool === mailTool && when === undefined

const askBeforeMail: Rule = { effect: "ask", tool: mailTool }

/** The most asked rule as a switch. */
export const MailRule = ({ editing: { change, policy: { rules } }, mayChange }: {
  readonly editing: PolicyEditing
  readonly mayChange: boolean
}) => (
  <Panel title="Mail">
    <Checkbox
      hint="While this is off, the agent sends mails to members of the team and to addresses in the request without asking, with every preset."
      isChecked={rules.some(asksBeforeMail)}
      isDisabled={!mayChange}
      onChange={(isAsked) =>
        change({ rules: isAsked ? [...rules, askBeforeMail] : rules.filter((rule) => !asksBeforeMail(rule)) })}
    >
      Show me every mail before it is sent
    </Checkbox>
  </Panel>
)

const namesAddress = (text: string): boolean => /[^\s@<>]@[^\s@<>]+\.[a-z]/i.test(text)

/** Says that a mail to an address of the request needs no approval, with the way to change that. */
export const MailNote = ({ message }: { readonly message: string }) => {
  const policy = useQuery(policyQuery).data
  const save = useSavePolicy()
  const mayOperate = useMayOperate() === true
  if (policy === undefined || !namesAddress(message)) return null
  const { classes, preset, revision, rules } = policy
  if (rules.some(asksBeforeMail)) {
    return <p className="text-muted">You read each mail before it is sent.</p>
  }
  return (
    <>
      <p className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-wait-soft px-3 py-1.5">
        A mail to an address in this text is sent without a question.
        {mayOperate
          ? (
            <Button
              size="small"
              disabled={save.isPending}
              onClick={() =>
                save.mutate({ classes, preset, revision, rules: [...rules, askBeforeMail] }, {
                  onSuccess: () =>
                    toast.success("Each mail is now shown before it is sent", {
                      description: "For everybody; Policy has the switch"
                    })
                })}
            >
              Show me each mail first
            </Button>
          )
          : <Link to="/policy" className="text-accent underline">Policy</Link>}
      </p>
      {save.error !== null && <Problem error={save.error} title="The rule was not saved" />}
    </>
  )
}
