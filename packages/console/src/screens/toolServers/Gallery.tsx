import { Button } from "../../parts/Button.tsx"
import { emptyServer, type ServerFields } from "./ServerFields.ts"

/** A well-known server as its own documentation sets it up; what is missing, the person types. */
export interface KnownServer {
  readonly title: string
  readonly text: string
  /** What it needs beside what is filled in. */
  readonly needs: string
  readonly fields: ServerFields
}

const signIn = "a sign-in with your account, after it is saved"

const remote = (name: string, url: string, secrets = ""): ServerFields => ({
  ...emptyServer,
  name,
  kind: "url",
  url,
  secrets
})

const program = (name: string, command: string, ...args: ReadonlyArray<string>): ServerFields => ({
  ...emptyServer,
  name,
  command,
  args: args.join("\n")
})

export const knownServers: ReadonlyArray<KnownServer> = [
  {
    title: "GitHub",
    text: "Repositories, issues and pull requests",
    needs: "a personal access token of GitHub, after “Bearer”",
    fields: remote("github", "https://api.githubcopilot.com/mcp/", "Authorization: Bearer ")
  },
  {
    title: "Notion",
    text: "Pages and databases of a workspace",
    needs: signIn,
    fields: remote("notion", "https://mcp.notion.com/mcp")
  },
  {
    title: "Linear",
    text: "Issues, projects and comments",
    needs: signIn,
    fields: remote("linear", "https://mcp.linear.app/mcp")
  },
  {
    title: "Atlassian",
    text: "Jira and Confluence",
    needs: signIn,
    fields: remote("atlassian", "https://mcp.atlassian.com/v1/mcp")
  },
  {
    title: "Sentry",
    text: "Errors and performance of your programs",
    needs: signIn,
    fields: remote("sentry", "https://mcp.sentry.dev/mcp")
  },
  {
    title: "Stripe",
    text: "Customers, payments and invoices",
    needs: "a sign-in after it is saved, or a restricted API key as “Authorization: Bearer …”",
    fields: remote("stripe", "https://mcp.stripe.com")
  },
  {
    title: "Hugging Face",
    text: "Models, datasets and papers",
    needs: "nothing; with a token as “Authorization: Bearer …”, also what is private",
    fields: remote("hugging-face", "https://huggingface.co/mcp")
  },
  {
    title: "Context7",
    text: "Current documentation of programming libraries",
    needs: "nothing; with a key as “CONTEXT7_API_KEY: …”, more requests",
    fields: remote("context7", "https://mcp.context7.com/mcp")
  },
  {
    title: "Playwright",
    text: "A browser that agents control",
    needs: "npx and a browser on this machine",
    fields: program("playwright", "npx", "-y", "@playwright/mcp@latest", "--headless")
  },
  {
    title: "Web pages",
    text: "Reads the text of web pages",
    needs: "uvx on this machine",
    fields: program("fetch", "uvx", "mcp-server-fetch")
  }
]

/** Servers that are a few clicks away. */
export const Gallery = ({ onChoose, taken }: {
  /** The names of the servers that are there. */
  readonly taken: ReadonlyArray<string>
  readonly onChoose: (server: KnownServer) => void
}) => (
  <ul aria-label="Well-known servers" className="grid gap-2 sm:grid-cols-2">
    {knownServers.filter(({ fields }) => !taken.includes(fields.name)).map((server) => (
      <li key={server.title} className="flex items-center gap-3 rounded-lg border bg-surface p-3">
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">{server.title}</h3>
          <p>{server.text}</p>
          <p className="text-xs text-muted">Needs: {server.needs}</p>
        </div>
        <Button
          size="small"
          aria-label={`Add ${server.title}`}
          onClick={() =>
            onChoose(server)}
        >
          Add
        </Button>
      </li>
    ))}
  </ul>
)
