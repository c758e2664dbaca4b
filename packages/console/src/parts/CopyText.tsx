import { CopyButton } from "./CopyButton.tsx"

/** Text to take elsewhere, with the button that copies it. */
export const CopyText = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className="flex items-start gap-1">
    <pre
      tabIndex={0}
      aria-label={label}
      role="group"
      className="min-w-0 flex-1 rounded-md border bg-raised px-2 py-1.5 font-mono text-xs break-all whitespace-pre-wrap"
    >
      {text}
    </pre>
    <CopyButton name={label} text={text} />
  </div>
)
