import { Copy } from "lucide-react"
import { toast } from "sonner"
import { Button } from "./Button.tsx"

const copy = (text: string): void =>
  void navigator.clipboard.writeText(text).then(
    () => toast.success("Copied"),
    () => toast.error("The browser does not allow to copy here")
  )

/** Text to take elsewhere, with the button that copies it. */
export const CopyText = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className="flex items-start gap-2">
    <pre
      tabIndex={0}
      aria-label={label}
      role="group"
      className="min-w-0 flex-1 rounded-md border bg-raised px-2 py-1.5 font-mono text-xs break-all whitespace-pre-wrap"
    >
      {text}
    </pre>
    <Button size="icon" aria-label={`Copy ${label}`} title={`Copy ${label}`} onClick={() => copy(text)}>
      <Copy aria-hidden />
    </Button>
  </div>
)
