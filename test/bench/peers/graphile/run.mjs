// graphile-worker: a task is a job and a row, and each model and tool call is appended to a table of steps.
import { Logger, makeWorkerUtils, run as startRunner } from "graphile-worker"
import { Pool } from "pg"
import { agentLoop, bench, concurrency } from "../harness.mjs"

await bench("graphile", async (url) => {
  const pool = new Pool({ connectionString: url, max: Math.min(concurrency + 2, 40) })
  await pool.query(`create table task (id text primary key, input text, status text default 'pending', output text);
create table step (task text, number integer, body jsonb, primary key (task, number))`)
  const utils = await makeWorkerUtils({ connectionString: url })
  await utils.migrate()
  const ends = new Map()
  const agent = async ({ id }) => {
    const { rows: [{ input }] } = await pool.query({
      name: "begin",
      text: "update task set status = 'running' where id = $1 returning input",
      values: [id]
    })
    let number = 0
    const output = await agentLoop(input, async (_, run) => {
      const body = await run()
      await pool.query({
        name: "step",
        text: "insert into step values ($1, $2, $3)",
        values: [id, number++, JSON.stringify(body)]
      })
      return body
    })
    await pool.query({
      name: "end",
      text: "update task set status = 'completed', output = $2 where id = $1",
      values: [id, output]
    })
    ends.get(id)?.()
    ends.delete(id)
  }
  await startRunner({
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    taskList: { agent },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: concurrency,
        maxPoolSize: Math.min(concurrency + 2, 20),
        ...(concurrency > 1
          ? { localQueue: { size: concurrency + 1 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
          : {})
      }
    }
  })
  return (id, input) =>
    new Promise((resolve, reject) => {
      ends.set(id, resolve)
      pool.query({
        name: "add",
        text: `with t as (insert into task (id, input) values ($1, $2) returning id)
select graphile_worker.add_job('agent', json_build_object('id', id)) from t`,
        values: [id, input]
      }).catch(reject)
    })
})
