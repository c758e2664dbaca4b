// Absurd: a task is a task of its own, and each model and tool call a step. Its tables are not in the package of npm: ABSURD_SQL
// is the file `sql/absurd.sql` of the release of https://github.com/earendil-works/absurd that belongs to the package.
import { Absurd } from "absurd-sdk"
import { readFileSync } from "node:fs"
import { Pool } from "pg"
import { agentLoop, bench, concurrency } from "../harness.mjs"

await bench("absurd", async (url) => {
  const pool = new Pool({ connectionString: url, max: Math.min(concurrency + 4, 40) })
  await pool.query(readFileSync(process.env.ABSURD_SQL ?? "absurd.sql", "utf8"))
  const app = new Absurd({
    db: pool,
    queueName: "bench",
    log: { log() {}, info() {}, warn() {}, error() {} }
  })
  await app.createQueue("bench")
  const ends = new Map()
  app.registerTask({ name: "agent" }, async ({ id, input }, context) => {
    const answer = await agentLoop(input, (name, run) => context.step(name, run))
    ends.get(id)?.()
    ends.delete(id)
    return answer
  })
  await app.startWorker({ concurrency, pollInterval: 0.01 })
  return (id, input) =>
    new Promise((resolve, reject) => {
      ends.set(id, resolve)
      app.spawn("agent", { id, input }).catch(reject)
    })
})
