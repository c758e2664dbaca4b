import { toast } from "sonner"

/** Pages over plain http have no clipboard. */
export const copyText = (text: string, onCopied: () => void): void => {
  const failed = () => void toast.error("The browser does not allow copying here")
  if ("clipboard" in navigator) void navigator.clipboard.writeText(text).then(onCopied, failed)
  else failed()
}
