import type { ToolServerTool, ToolTested } from "@troupe/client"
import { useId, useState } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Form } from "../../parts/Form.tsx"
import { FormControls } from "../../parts/FormControls.tsx"
import { initialValues } from "../../parts/FormValues.ts"
import { JsonText, JsonView } from "../../parts/JsonView.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useTestTool } from "../../service/ToolServerQueries.ts"
import { argumentsOf, toolFormOf } from "./ToolForm.ts"

const titles = {
  answered: "The tool answered",
  failed: "The tool failed",
  asks: "The policy asks before this call; nothing was sent",
  denied: "The policy denies this call; nothing was sent",
  needs_sign_in: "A sign-in is needed first"
} as const

const tones = { answered: "good", failed: "bad", asks: "wait", denied: "bad", needs_sign_in: "wait" } as const

const Tested = ({ args, result, onApprove, isPending }: {
  readonly args: Readonly<Record<string, unknown>>
  readonly result: ToolTested
  readonly isPending: boolean
  readonly onApprove: () => void
}) => {
  const { detail, latency_ms, may_approve, outcome, structured, text } = result
  return (
    <div role="status" aria-label="Result of the test" className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tones[outcome]}>{titles[outcome]}</Badge>
        <span className="text-xs text-muted">
          Class: {result.class}
          {latency_ms === null ? "" : ` · ${latency_ms} ms`}
        </span>
      </p>
      {detail !== "" && <p className="break-words whitespace-pre-wrap">{detail}</p>}
      {outcome === "asks" && (
        <>
          <JsonView value={args} />
          {may_approve
            ? (
              <Button kind="primary" className="self-start" disabled={isPending} onClick={onApprove}>
                Approve and call
              </Button>
            )
            : <p className="text-wait">You may not approve it.</p>}
        </>
      )}
      {text !== null && <JsonText text={text} />}
      {structured !== null && text !== JSON.stringify(structured) && (
        <details>
          <summary className="w-fit text-muted hover:text-text">Structured result</summary>
          <JsonView value={structured} />
        </details>
      )}
    </div>
  )
}

/** A call of a tool by the person, with a form from its schema. What is asked about is approved as it was shown. */
export const ToolTest = ({ server, tool: { input_schema, name } }: {
  readonly server: string
  readonly tool: ToolServerTool
}) => {
  const toolForm = toolFormOf(input_schema)
  const [isOpen, setIsOpen] = useState(false)
  const [values, setValues] = useState(() => initialValues(toolForm.form))
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>(new Map())
  const test = useTestTool(server, name)
  const heading = useId()
  const send = () => {
    if (test.isPending) return
    const given = argumentsOf(toolForm, values)
    setMistakes(given.mistakes)
    if (given.mistakes.size === 0) test.mutate({ arguments: given.args })
  }
  const sent = test.variables?.arguments ?? {}
  if (!isOpen) {
    return <Button size="small" className="self-start" onClick={() => setIsOpen(true)}>Test this tool</Button>
  }
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-3 rounded-md bg-raised p-3">
      <div>
        <h3 id={heading} className="font-medium">Test this tool</h3>
        <p className="text-xs text-muted">
          A real call, made for you: what the tool changes is changed. The policy applies, and the service logs who
          called.
        </p>
      </div>
      <Form onSubmit={send}>
        <FormControls
          form={toolForm.form}
          values={values}
          errorOf={(field) => mistakes.get(field)}
          onChange={(changed) => {
            setValues(changed)
            setMistakes(new Map())
            if (!test.isPending) test.reset()
          }}
        />
        {Object.keys(toolForm.form.properties).length === 0 && <p className="text-muted">It takes no arguments.</p>}
        <div className="flex gap-2">
          <Button type="submit" disabled={test.isPending}>{test.isPending ? "Calling …" : "Call it"}</Button>
          <Button onClick={() => setIsOpen(false)}>Close the test</Button>
        </div>
      </Form>
      {test.error !== null && <Problem error={test.error} title="The tool was not called" />}
      {test.data !== undefined && (
        <Tested
          args={sent}
          result={test.data}
          isPending={test.isPending}
          onApprove={() => test.mutate({ arguments: sent, approved: true })}
        />
      )}
    </section>
  )
}
