import { lazy, Suspense } from "react"

const renderer = () => import("./Markdown.tsx")

/** While the service is away the renderer can't be loaded, so it is asked for again. */
const load = (): ReturnType<typeof renderer> =>
  renderer().catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return load()
  })

const Markdown = lazy(load)

/** Markdown, and its source until the renderer is loaded. */
export const RichText = ({ text }: { readonly text: string }) => (
  <Suspense fallback={<div className="prose-text whitespace-pre-wrap">{text}</div>}>
    <Markdown text={text} />
  </Suspense>
)
