// DBOS Transact: a task is a workflow, and each model and tool call a step.
import { DBOS } from "@dbos-inc/dbos-sdk"
import { agentLoop, bench, concurrency } from "../harness.mjs"

await bench("dbos", async (url) => {
  const agent = DBOS.registerWorkflow(
    (input) => agentLoop(input, (name, run) => DBOS.runStep(run, { name })),
    { name: "agent" }
  )
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: Math.min(concurrency + 4, 40),
    logLevel: "error",
    runAdminServer: false
  })
  await DBOS.launch()
  return async (id, input) => {
    const handle = await DBOS.startWorkflow(agent, { workflowID: id })(input)
    await handle.getResult()
  }
})
