import { isValidElement, type ReactNode } from "react"
import ReactMarkdown, { type Components } from "react-markdown"
import rehypeSanitize, { defaultSchema } from "rehype-sanitize"
import remarkGfm from "remark-gfm"
import { Code } from "./Code.tsx"

const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) =>
    !["details", "picture", "source", "summary"].includes(name)
  ),
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"] }
}

/** A fenced block that names its language. */
const fenced = (block: ReactNode) => {
  if (!isValidElement<{ readonly className?: unknown; readonly children?: unknown }>(block)) return null
  const { children: text, className } = block.props
  const [, name] = /^language-([\w-]+)/.exec(typeof className === "string" ? className : "") ?? []
  return name === undefined || typeof text !== "string" ? null : { name, text }
}

const Block = ({ children }: { readonly children?: ReactNode }) => {
  const code = fenced(children)
  return <pre tabIndex={0}>{code === null ? children : <code><Code {...code} /></code>}</pre>
}

const components: Components = {
  // An image of another server would tell it that the text was read.
  img: ({ alt, src }) => (
    <span className="text-muted">
      [image{alt === undefined || alt === "" ? "" : `: ${alt}`} {typeof src === "string" && /^https?:/.test(src)
        ? <a href={src} target="_blank" rel="noopener noreferrer nofollow">open</a>
        : null}]
    </span>
  ),
  a: ({ children, href }) =>
    href === undefined || !/^(?:https?|mailto):/.test(href)
      ? <span>{children}</span>
      : (
        <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
          {children}
        </a>
      ),
  pre: ({ children }) => <Block>{children}</Block>
}

const plugins = [remarkGfm]
const rehypePlugins: NonNullable<Parameters<typeof ReactMarkdown>[0]["rehypePlugins"]> = [[rehypeSanitize, schema]]

/** Text that others wrote: nothing in it runs, loads or navigates by itself. */
const Markdown = ({ text }: { readonly text: string }) => (
  <div className="prose-text">
    <ReactMarkdown remarkPlugins={plugins} rehypePlugins={rehypePlugins} components={components}>{text}</ReactMarkdown>
  </div>
)

export default Markdown
