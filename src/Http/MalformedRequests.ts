import { ProblemError, problemMediaType } from "@troupe/api/Problem"
import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

const answers: Record<string, ProblemError> = {
  HPE_HEADER_OVERFLOW: ProblemError.of("headers-too-large", "The request line and headers exceed 16 KiB."),
  ERR_HTTP_REQUEST_TIMEOUT: ProblemError.of("request-timeout", "The request arrived too slowly.")
}
const malformed = ProblemError.of("invalid-request", "This is not a complete HTTP/1.1 request.")

/** How long a refused sender may continue before its connection is closed. */
const lingerMillis = 2000

/** Answers what node's parser refuses with a problem, and reads on for a moment so that the sender gets the answer. */
export const rejectMalformed = (error: Error & { readonly code?: string }, socket: Duplex | Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable || socket.writableEnded) {
    if (error.code === "ECONNRESET") socket.destroy()
    return
  }
  const problem = answers[error.code ?? ""] ?? malformed
  const id = randomUUID()
  const body = JSON.stringify(problem.body(id))
  socket.end([
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    "Connection: close",
    "",
    body
  ].join("\r\n"))
  setTimeout(() => socket.destroy(), lingerMillis)
  socket.resume()
}
