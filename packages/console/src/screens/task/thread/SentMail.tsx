import { FactList } from "../../../parts/FactList.tsx"
import { JsonText } from "../../../parts/JsonView.tsx"
import { RichText } from "../../../parts/RichText.tsx"
import { fieldsIn } from "../../../service/ParsedJson.ts"

const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : Array.isArray(value) && value.length > 0 ? value.join(", ") : null

/** The arguments of a mail as its reader sees it; those that are no mail, as they are. */
export const SentMail = ({ text }: { readonly text: string }) => {
  const fields = fieldsIn(text)
  const fact = (name: string) => textOf(fields.get(name))
  const body = fact("body")
  return body === null ? <JsonText text={text} /> : (
    <div className="rounded-md border bg-surface px-3 py-2">
      <FactList
        facts={{ To: fact("to"), Copy: fact("cc"), Subject: fact("subject"), Attachments: fact("attachments") }}
      />
      <div className="mt-2 border-t pt-2">
        <RichText text={body} />
      </div>
    </div>
  )
}
