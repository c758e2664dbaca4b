import type { StepContext } from "@troupe/client"
import { JsonView, PlainText } from "../../parts/JsonView.tsx"
import { numberText } from "../../parts/Numbers.ts"
import { plural } from "../../parts/Plural.ts"

const look = "rounded-md border px-3 py-2"

/** The system prompt and the tools that a call of the model got, as they were. */
export const SentPrompt = ({ context: { system, tools } }: { readonly context: StepContext }) =>
  system === null || tools === null
    ? <p className="mb-3 text-muted">The system prompt and the tools of this step were not recorded.</p>
    : (
      <div className="mb-3 flex flex-col gap-2">
        <details className={look}>
          <summary className="w-fit">System prompt, {numberText(system.length)} characters</summary>
          <div className="mt-2">
            <PlainText text={system} />
          </div>
        </details>
        <details className={look}>
          <summary className="w-fit">{tools.length === 0 ? "No tools" : plural(tools.length, "tool")}</summary>
          <ul className="mt-2 flex flex-col gap-2">
            {tools.map(({ description, name, parameters }) => (
              <li key={name}>
                <details>
                  <summary className="w-fit font-mono text-xs">{name}</summary>
                  <p className="my-1 break-words whitespace-pre-wrap">{description}</p>
                  <JsonView value={parameters} />
                </details>
              </li>
            ))}
          </ul>
        </details>
      </div>
    )
