// An MCP server with one tool, over standard input and output. `readOnlyHint` says that the tool changes nothing, so a call may be repeated.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { z } from "zod"

const server = new McpServer({ name: "words", version: "1.0.0" })

server.registerTool(
  "word_count",
  {
    description: "Counts the words of a text.",
    inputSchema: { text: z.string().describe("The text") },
    annotations: { readOnlyHint: true }
  },
  ({ text }) => ({ content: [{ type: "text", text: `${text.split(/\s+/).filter(Boolean).length} words` }] })
)

await server.connect(new StdioServerTransport())
