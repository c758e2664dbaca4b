import { argv, exit, kill, memoryUsage, pid, stdin, stdout } from "node:process"
import { Worker } from "node:worker_threads"

// The main thread of a guarded process. It stays responsive, and loads only Node to start fast.

const [module = "", ...numbers] = argv.slice(2)
const [jobBytes = 0, heapMegabytes = 0, memoryMegabytes = 0, seconds = 0] = numbers.map(Number)

const abort = () => kill(pid, "SIGKILL")

const thread = new Worker(module, {
  resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  env: {},
  execArgv: [],
  stdout: true,
  stderr: true
})
thread.stdout.resume()
thread.stderr.resume()
thread.once("message", (reply: Uint8Array) => {
  thread.removeAllListeners("exit")
  stdout.write(reply, () => exit(0))
})
thread.once(
  "error",
  (error: NodeJS.ErrnoException) => error.code === "ERR_WORKER_OUT_OF_MEMORY" ? abort() : exit(1)
)
thread.once("exit", () => exit(1))

// The thread's own limit covers its heap only; buffers lie beside it.
setInterval(() => {
  if (memoryUsage.rss() > memoryMegabytes * 1_000_000) abort()
}, 10)
setTimeout(abort, seconds * 1_000)

const job = new Uint8Array(jobBytes)
let filled = 0
stdin.on("data", (chunk: Buffer) => {
  job.set(chunk, filled)
  filled += chunk.length
  if (filled === jobBytes) thread.postMessage(job, [job.buffer])
})
// The service keeps the pipe open until it has the reply, so its end means that the service is gone.
stdin.once("close", abort)
stdin.once("error", abort)
