import { lazy, Suspense } from "react"

const renderer = () => import("./Markdown.tsx")

/** While the service is away the renderer can't be loaded, so it is asked for again. */
const load = (): ReturnType<typeof renderer> =>
  renderer().catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return load()
  })

const Markdown = lazy(load)

const withHardBreaks = (text: string): string => text.replaceAll(/(?<=\S)[ \t]*\r?\n(?=[^\r\n])/g, "  \n")

/** Markdown, and its source until the renderer is loaded. `isTyped`: what people write as plain text keeps its lines apart. */
export const RichText = ({ isTyped = false, text }: { readonly text: string; readonly isTyped?: boolean }) => (
  <Suspense fallback={<div className="prose-text whitespace-pre-wrap">{text}</div>}>
    <Markdown text={isTyped ? withHardBreaks(text) : text} />
  </Suspense>
)
