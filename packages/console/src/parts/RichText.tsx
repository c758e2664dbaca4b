import { lazy, Suspense } from "react"

const Markdown = lazy(() => import("./Markdown.tsx"))

/** Markdown, and its source until the renderer is loaded. */
export const RichText = ({ text }: { readonly text: string }) => (
  <Suspense fallback={<div className="prose-text whitespace-pre-wrap">{text}</div>}>
    <Markdown text={text} />
  </Suspense>
)
