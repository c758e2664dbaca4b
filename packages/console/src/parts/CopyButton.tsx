import { Check, Copy } from "lucide-react"
import { useEffect, useState } from "react"
import { toast } from "sonner"
import { Button } from "./Button.tsx"

/** Copies a text; `name` says which one, for those who do not see what it stands beside. */
export const CopyButton = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => toast.error("The browser does not allow to copy here")
    )
  return (
    <Button kind="ghost" size="icon" aria-label={`Copy ${name}`} title={`Copy ${name}`} onClick={copy}>
      {isCopied ? <Check aria-hidden className="text-good" /> : <Copy aria-hidden />}
    </Button>
  )
}
