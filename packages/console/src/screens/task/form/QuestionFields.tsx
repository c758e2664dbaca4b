import type { QuestionForm, Task } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../../parts/Button.tsx"
import { Form } from "../../../parts/Form.tsx"
import { FormControls } from "../../../parts/FormControls.tsx"
import { fieldsOf, initialValues } from "../../../parts/FormValues.ts"
import { fieldError, unplacedError } from "../../../parts/Outcome.ts"
import { Problem } from "../../../parts/Problem.tsx"
import { useFields } from "../../../service/TaskQueries.ts"

/** The form of a tool server's question. */
export const QuestionFields = ({ form, task }: { readonly form: QuestionForm; readonly task: Task }) => {
  const [values, setValues] = useState(() => initialValues(form))
  const answer = useFields(task)
  const names = Object.keys(form.properties)
  const unplaced = unplacedError(answer.error, names.map((name) => `fields.${name}`)) ?? null
  return (
    <Form
      aria-label="Form of the question"
      className="mt-3 flex flex-col gap-3"
      onSubmit={() => answer.mutate(fieldsOf(form, values))}
    >
      <FormControls
        form={form}
        values={values}
        errorOf={(name) => fieldError(answer.error, `fields.${name}`)}
        onChange={setValues}
      />
      {unplaced !== null && <Problem error={unplaced} title="The answer was not accepted" />}
      <div className="flex justify-end">
        <Button kind="primary" type="submit" disabled={answer.isPending}>Answer</Button>
      </div>
    </Form>
  )
}

/** The page that a tool server asks to open, with its host; nothing opens it but a person. */
export const QuestionPage = ({ url }: { readonly url: string }) => (
  <p className="mt-3 break-words">
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      Open the page at {URL.canParse(url) ? new URL(url).host : url}
    </a>
    <span className="mt-1 block text-xs break-all text-muted">{url}</span>
  </p>
)
