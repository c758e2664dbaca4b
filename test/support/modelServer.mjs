// A scripted model provider over real HTTP: chat-completions, the Responses API (both whole and streamed), the stream of
// Anthropic's Messages API, embeddings
// and the list of models. Without a script the conversation itself decides: as long as it holds fewer tool results
// than there are rounds, the answer is a tool call, then text. A model name such as `fake-r40-l20` means 40 rounds
// and 20 ms latency. With `strict` it refuses what the strictest providers refuse (modelDemands.mjs). As a process:
//   node modelServer.mjs [--port 0] [--latency 0] [--rounds 3] [--tool get_data] [--arguments '{"a": 1}']
import http from "node:http"
import { fileURLToPath } from "node:url"
import { chatStream, chatWhole, messageStream, responseStream, responseWhole, textOf } from "./modelAnswers.mjs"

const filler = "The figures for this step are in; the next step needs the following part of the data before an answer "
  + "can be given to the user. "

const countOf = (text, needle) => {
  let count = 0
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) count++
  return count
}

/** The turn that the conversation itself asks for. */
const roundOf = (body, results, options) => {
  const model = /"model":\s*"([^"]*)"/.exec(body)?.[1] ?? ""
  const number = (letter, fallback) => Number(new RegExp(`-${letter}(\\d+)`).exec(model)?.[1] ?? fallback)
  const delay = number("l", options.latency)
  return results >= number("r", options.rounds)
    ? { text: `Final answer after ${results} tool results. ${filler}`, delay }
    : {
      text: filler,
      delay,
      calls: [{ name: options.tool, arguments: options.arguments ?? { query: `part ${results}.0`, limit: 10 } }]
    }
}

const streams = { chat: chatStream, messages: messageStream, responses: responseStream }

/** Unit vectors of hashed words: texts that share words are near each other. */
const vectorOf = (text, dimensions) => {
  const vector = new Float32Array(dimensions)
  for (const word of String(text).toLowerCase().match(/[a-z0-9]+/g) ?? [""]) {
    let hash = 2166136261
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16777619)
    vector[(hash >>> 0) % dimensions] += hash & 65536 ? 1 : -1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

const embeddingsOf = (body) => {
  const { dimensions = 256, encoding_format, input, model } = JSON.parse(body)
  const encoded = (vector) =>
    encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : Array.from(vector)
  const data = [input].flat().map((text, index) => ({
    object: "embedding",
    index,
    embedding: encoded(vectorOf(text, dimensions))
  }))
  return { object: "list", model, data, usage: { prompt_tokens: body.length >> 2, total_tokens: body.length >> 2 } }
}

const models = { object: "list", data: [{ id: "fake", object: "model", created: 0, owned_by: "fake" }] }

/** Starts a server on 127.0.0.1; see modelServer.d.mts. */
export const startModelServer = async (given = {}) => {
  const refusalOf = given.strict === true ? (await import("./modelDemands.mjs")).refusalOf : () => null
  const options = { port: 0, latency: 0, rounds: 3, tool: "get_data", record: false, ...given }
  const requests = []
  let made = 0
  const newId = (prefix) => `${prefix}_${process.pid.toString(36)}${(++made).toString(36).padStart(6, "0")}`

  const write = (response, status, headers, body) => {
    const bytes = Buffer.from(body)
    response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length, ...headers })
    response.end(bytes)
  }

  const cut = (response, contentType, body) => {
    response.writeHead(200, { "content-type": contentType })
    response.write(body.slice(0, body.length >> 1), () => setImmediate(() => response.destroy()))
  }

  const play = (response, body, turn, dialect) => {
    if (turn.hang) return
    if (turn.reset) return response.destroy()
    if (turn.status !== undefined || turn.body !== undefined) {
      return write(response, turn.status ?? 200, turn.headers ?? {}, textOf(turn.body ?? ""))
    }
    const isStream = !turn.unstreamed && /"stream":\s*true/.test(body)
    if (!isStream) {
      const text = JSON.stringify((dialect === "chat" ? chatWhole : responseWhole)(turn, body, newId))
      if (turn.cut) return cut(response, "application/json", text)
      return write(response, 200, turn.headers ?? {}, text)
    }
    const events = streams[dialect](turn, body, newId)
    const text =
      events.map((event) => `${dialect === "chat" ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`)
        .join("") + (dialect === "chat" ? "data: [DONE]\n\n" : "")
    if (turn.cut) return cut(response, "text/event-stream", text)
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
    // Odd borders on purpose: a network does not cut where an event ends, nor where a character does.
    const bytes = Buffer.from(text)
    const size = turn.packet ?? bytes.length
    const send = (from) => {
      for (let at = from; at < bytes.length; at += size) {
        response.write(bytes.subarray(at, at + size))
        if (turn.pace > 0) return setTimeout(send, turn.pace, at + size)
      }
      response.end()
    }
    send(0)
  }

  const dialects = [
    ["/chat/completions", "chat", "\"role\":\"tool\""],
    ["/messages", "messages", "\"type\":\"tool_result\""],
    ["/responses", "responses", "\"type\":\"function_call_output\""]
  ]

  const answer = (request, response, body) => {
    const path = request.url.split("?")[0]
    const found = dialects.find(([end]) => path.endsWith(end))
    const kind = found?.[1] ??
      (path.endsWith("/embeddings") ? "embeddings" : path.endsWith("/models") ? "models" : "other")
    const recorded = { method: request.method, path, kind, headers: request.headers, body }
    if (options.record) {
      requests.push(recorded)
      options.onRequest?.(recorded)
      response.on("close", () => {
        if (!response.writableFinished) options.onHangUp?.(recorded)
      })
    }
    const refusal = found === undefined || body === "" ? null : refusalOf(kind, JSON.parse(body))
    if (refusal !== null) {
      const error = { message: `Strict: ${refusal}`, type: "invalid_request_error", param: null, code: null }
      return write(response, 400, {}, JSON.stringify({ error }))
    }
    const scripted = kind === "other" ? undefined : options.script?.(recorded)
    const turn = scripted ?? (found === undefined ? undefined : roundOf(body, countOf(body, found[2]), options))
    const go = () => {
      if (scripted === undefined && kind === "other") {
        return write(response, 404, {}, "{}")
      }
      if (found !== undefined || scripted !== undefined && scripted.text === undefined) {
        return play(response, body, turn, kind)
      }
      write(response, 200, {}, JSON.stringify(kind === "embeddings" ? embeddingsOf(body) : models))
    }
    const delay = turn?.delay ?? 0
    if (delay > 0) setTimeout(go, delay)
    else go()
  }

  const server = http.createServer((request, response) => {
    const chunks = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      const body = chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString()
      try {
        answer(request, response, body)
      } catch (cause) {
        write(response, 400, {}, JSON.stringify({ error: { message: String(cause), type: "invalid_request_error" } }))
      }
    })
  })
  server.keepAliveTimeout = 120_000
  server.headersTimeout = 125_000

  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, "127.0.0.1", 4096, () => {
      const { port } = server.address()
      resolve({
        port,
        url: `http://127.0.0.1:${port}/v1`,
        requests,
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          })
      })
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const argument = (name, fallback) => {
    const at = process.argv.indexOf(`--${name}`)
    return at > 0 ? process.argv[at + 1] : fallback
  }
  const server = await startModelServer({
    port: Number(argument("port", 0)),
    latency: Number(argument("latency", 0)),
    rounds: Number(argument("rounds", 3)),
    tool: argument("tool", "get_data"),
    arguments: JSON.parse(argument("arguments", "null"))
  })
  process.stdout.write(`${JSON.stringify({ listening: server.port, url: server.url, pid: process.pid })}\n`)
}
