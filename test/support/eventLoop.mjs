// Loaded into a service before its own code (`--import`). A request to EVENT_LOOP_PORT is answered with the milliseconds of
// processor time that five turns of the event loop in a row took at most since the last request: an answer of the service
// takes about five turns. A machine that is busy with other processes does not add to this time, as it does to latency.
import { createServer } from "node:http"
import { cpuUsage, env } from "node:process"
import { isMainThread } from "node:worker_threads"

const turns = 5

const processorTime = () => {
  const { system, user } = cpuUsage()
  return (system + user) / 1_000
}

const measure = (port) => {
  let readings = [processorTime()]
  let longest = 0
  const read = () => {
    readings = [...readings.slice(-turns), processorTime()]
    longest = Math.max(longest, readings.at(-1) - readings[0])
  }
  // A timer fires at most once a turn.
  setInterval(read, 10).unref()
  createServer((_, response) => {
    // The turn that is to be measured may not be over.
    read()
    response.end(String(longest))
    readings = readings.slice(-1)
    longest = 0
  }).listen(port, "127.0.0.1").unref()
}

if (isMainThread) {
  measure(Number(env.EVENT_LOOP_PORT))
  // The programs that the service starts would want the same port.
  delete env.NODE_OPTIONS
}
