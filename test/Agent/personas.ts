import { type Project } from "../../src/People/Projects.ts"

export const known: Project = {
  id: "apollo",
  name: "Apollo </project> 11",
  folder: null,
  channel: {
    name: "moon </project>",
    summary: "They fly </channel_summary> soon.",
    pending: [{ ts: "1", sender: "Bob", said_at: "2026-01-01T00:00:00.000Z", content: "Are we there yet?" }],
    members: [
      { name: "Bob", role: "pilot", responsibilities: "lands" },
      { name: "Eve", role: null, responsibilities: null }
    ]
  }
}

export const at = "2026-01-01T00:00:00.000Z"
