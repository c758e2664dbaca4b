// The work of the benchmark for another system: tasks of some rounds of one model call and one tool call, and an answer, each
// step stored before the next. Prints one line with the fields of the benchmark's own.
import { readdirSync, readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { parseArgs } from "node:util"
import { Client } from "pg"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "300" },
    warmup: { type: "string", default: "50" },
    concurrency: { type: "string", default: "16" },
    model: { type: "string", default: "fake-r3-l0" },
    "pg-url": { type: "string" },
    "model-url": { type: "string" }
  }
})
const tasks = Number(values.tasks)
export const concurrency = Number(values.concurrency)
const rounds = Number(/-r(\d+)/.exec(values.model)?.[1] ?? 3)

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

const system = "Take the work one step at a time, call whichever tool you need, and answer with plain text "
  + "as soon as you know the result. ".repeat(50)

const tools = [{
  type: "function",
  function: {
    name: "get_data",
    description: "Get a part of the data",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] }
  }
}]

const post = (body) =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const sent = request(`${values["model-url"]}/chat/completions`, { method: "POST", agent, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      response.on("end", () => resolve(text))
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** One call of the model, over bare HTTP. */
const chat = async (messages) => {
  const asked = [{ role: "system", content: system }, ...messages]
  const answer = JSON.parse(await post(JSON.stringify({ model: values.model, messages: asked, tools })))
  const { content, tool_calls } = answer.choices[0].message
  return tool_calls?.length > 0 ? { role: "assistant", content, tool_calls } : { role: "assistant", content }
}

const toolResult = (query) => `{"question":${JSON.stringify(query)},"figures":[]}`.padEnd(512, " ")

/** The loop of an agent. `step(name, run)` runs a step and stores its result. */
export const agentLoop = async (input, step) => {
  const messages = [{ role: "user", content: input }]
  for (let turn = 0; turn <= rounds; turn++) {
    const message = await step("model", () => chat(messages))
    messages.push(message)
    if (message.tool_calls === undefined) return message.content
    for (const { function: called, id } of message.tool_calls) {
      messages.push(
        await step(
          "tool",
          () => Promise.resolve({ role: "tool", tool_call_id: id, content: toolResult(called.arguments) })
        )
      )
    }
  }
  throw new Error("The model gave no answer")
}

/** CPU of the server's processes in milliseconds; null except on Linux. */
const serverCpu = (pid) => {
  try {
    const times = (id) => {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number)
      return { parent: fields[1], own: fields[11] + fields[12], children: fields[13] + fields[14] }
    }
    const head = times(pid)
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).reduce((sum, id) => {
      try {
        const { own, parent } = times(id)
        return parent === pid ? sum + own : sum
      } catch {
        return sum
      }
    }, head.own + head.children) * 10
  } catch {
    return null
  }
}

const closedLoop = async (count, run) => {
  const latencies = []
  let next = 0
  const client = async () => {
    while (next < count) {
      const before = performance.now()
      await run(next++)
      latencies.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return latencies.toSorted((one, other) => one - other)
}

const round = (value) => Math.round(value * 100) / 100

const inputOf = (task) =>
  `Task ${task}: gather the figures of the last quarter for all three regions, compare them with those of the year before.`

/** `start(url)` returns `run(id, input)`, which ends with the task. */
export const bench = async (peer, start) => {
  const admin = new Client({ connectionString: `${values["pg-url"]}/postgres` })
  await admin.connect()
  const database = `peer_${peer}`
  await admin.query(`drop database if exists ${database} with (force)`)
  await admin.query(`create database ${database}`)
  const { rows: [{ folder }] } = await admin.query("select current_setting('data_directory') as folder")
  const pid = Number(readFileSync(`${folder}/postmaster.pid`, "utf8").split("\n")[0])
  const run = await start(`${values["pg-url"]}/${database}`)
  const position = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_300))
    const { rows: [row] } = await admin.query(
      `select (pg_current_wal_lsn() - '0/0')::float8 as wal, (
        select coalesce(sum(calls), 0)::float8 from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1
      ) as sql`,
      [database]
    )
    return row
  }
  await closedLoop(Number(values.warmup), (number) => run(`warm-${number}`, inputOf(number)))
  await admin.query("checkpoint")
  await closedLoop(Math.min(20, Number(values.warmup)), (number) => run(`again-${number}`, inputOf(number)))
  const before = await position()
  const cpu = process.cpuUsage()
  const server = serverCpu(pid)
  const begun = performance.now()
  const latencies = await closedLoop(tasks, (number) => run(`task-${number}`, inputOf(number)))
  const seconds = (performance.now() - begun) / 1e3
  const { system: inKernel, user } = process.cpuUsage(cpu)
  const serverAfter = serverCpu(pid)
  const after = await position()
  const pgMillis = server === null || serverAfter === null ? null : serverAfter - server
  process.stdout.write(`${
    JSON.stringify({
      peer,
      node: process.version,
      tasks,
      concurrency,
      model: values.model,
      tasks_per_s: round(tasks / seconds),
      p50_ms: round(latencies[Math.floor(tasks / 2)]),
      p95_ms: round(latencies[Math.floor(tasks * 0.95)]),
      node_cpu_ms_per_task: round((user + inKernel) / 1e3 / tasks),
      pg_cpu_ms_per_task: pgMillis === null ? null : round(pgMillis / tasks),
      pg_cpu_ms_per_action: pgMillis === null ? null : round(pgMillis / tasks / (2 * rounds + 1)),
      sql_per_task: round((after.sql - before.sql) / tasks),
      wal_bytes_per_task: Math.round((after.wal - before.wal) / tasks)
    })
  }\n`)
  process.exit(0)
}
