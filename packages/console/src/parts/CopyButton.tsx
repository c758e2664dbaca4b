import { useEffect, useState } from "react"
import { Button } from "./Button.tsx"
import { copyText } from "./Clipboard.ts"
import { Check, Copy } from "./Icons.ts"

/** Copies a text; `name` says which one, for those who do not see what it stands beside. */
export const CopyButton = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => copyText(text, () => setIsCopied(true))
  return (
    <Button kind="ghost" size="icon" aria-label={`Copy ${name}`} title={`Copy ${name}`} onClick={copy}>
      {isCopied ? <Check aria-hidden className="text-good" /> : <Copy aria-hidden />}
    </Button>
  )
}
