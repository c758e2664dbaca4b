import type { Message } from "@troupe/client"
import { JsonText } from "../../parts/JsonView.tsx"
import { RichText } from "../../parts/RichText.tsx"

const roles = { assistant: "The agent", system: "System", user: "User" } as const

/** Messages as the model gets them. */
export const Conversation = ({ messages }: { readonly messages: ReadonlyArray<Message> }) => (
  <ol className="flex flex-col gap-2">
    {messages.map((message, index) => (
      <li key={index} className="rounded-md border p-2">
        <p className="mb-1 text-xs font-medium text-muted">
          {message.role === "tool" ? `Result of ${message.name}` : roles[message.role]}
        </p>
        {message.role === "assistant"
          ? <RichText text={message.content} />
          // As plain text: Markdown would drop the tags around untrusted text.
          : <JsonText text={message.content} />}
        {(message.role === "assistant" ? message.tool_calls : []).map((call) => (
          <div key={call.id} className="mt-1">
            <p className="text-xs text-muted">Call of {call.name}</p>
            <JsonText text={call.arguments} />
          </div>
        ))}
      </li>
    ))}
  </ol>
)
