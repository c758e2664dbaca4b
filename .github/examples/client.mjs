// Submits a task that asks a question, prints its steps as they happen, and answers.
// node client.mjs [address of the service]
import { createTroupe } from "@troupe/client"
import process from "node:process"

const troupe = createTroupe({ url: process.argv[2] ?? "http://127.0.0.1:8000" })

const task = await troupe.submit({
  message: "use ask_human {\"question\": \"Which colour?\", \"choices\": [\"Red\", \"Blue\"]}",
  live: true
})
process.stdout.write(`Task ${task.id}\n`)

for await (const event of troupe.watch(task.id)) {
  if (event._tag === "log") process.stdout.write(`${event.entry.event}: ${event.entry.message}\n`)
  if (event._tag === "status" && event.status === "waiting_input") {
    const { choices, question } = await troupe.get(task.id)
    process.stdout.write(`${question} (${choices.join(", ")})\n`)
    await troupe.answer(task.id, choices[1] ?? "Blue")
  }
}

const { outputs, status } = await troupe.get(task.id)
process.stdout.write(`${status}: ${outputs.map(({ content }) => content).join("\n")}\n`)
