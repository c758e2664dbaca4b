import type { Task } from "@troupe/client"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { Paperclip } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { RichText } from "../../parts/RichText.tsx"

/** What the agent was asked to do. */
export const Request = ({ task }: { readonly task: Task }) =>
  task.description === "" ?
    null :
    (
      <Panel title="Request" actions={<CopyButton name="the request as it was sent" text={task.description} />}>
        <div className="max-h-72 overflow-y-auto" tabIndex={0} role="group" aria-label="Text of the request">
          <RichText isTyped text={task.description} />
        </div>
        {task.attachments.length > 0 && (
          <ul className="mt-2 flex flex-wrap gap-2 text-xs text-muted">
            {task.attachments.map((name) => (
              <li key={name} className="inline-flex items-center gap-1">
                <Paperclip aria-hidden className="size-3.5" />
                {name}
              </li>
            ))}
          </ul>
        )}
      </Panel>
    )
