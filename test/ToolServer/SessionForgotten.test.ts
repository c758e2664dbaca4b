import { assert, describe, it } from "@effect/vitest"
import { ProtocolError } from "@modelcontextprotocol/client"
import { isForgotten, saysForgotten } from "../../src/ToolServer/SessionForgotten.ts"

const rpc = (message: string) => JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null })

describe("A server has forgotten a session", () => {
  it("if it says so, with whatever status of a refusal and in whichever words", () => {
    for (
      const [status, body] of [
        [404, ""],
        [404, rpc("Session not found")],
        [404, "Could not find session"],
        [410, ""],
        [400, rpc("Bad Request: No valid session ID provided")],
        [400, rpc("Bad Request: No valid session ID or not an initialize request")],
        [400, rpc("Not Found: Unknown Mcp-Session-Id header")],
        [400, rpc("Bad Request: Mcp-Session-Id header is required")],
        [400, rpc("Bad Request: Server not initialized")],
        [400, "Invalid or missing session ID"],
        [400, "Invalid session ID"],
        [400, "No transport found for sessionId"],
        [400, "{\"error\": \"session_expired\"}"],
        [400, "{\"code\": \"SessionNotFound\"}"],
        [400, "Session 4711 doesn't exist"],
        [400, "The session has expired"],
        [401, "Unauthorized: Session not found"],
        [403, "session terminated"],
        [422, "Unexpected message, expect initialize request"]
      ] as const
    ) assert.isTrue(saysForgotten(status, body), `${status} ${body}`)
  })

  it("not if it refuses a message for another reason, or may have taken it", () => {
    for (
      const [status, body] of [
        [400, rpc("Invalid params: text is required")],
        [400, "{\"error\": {\"code\": -32602, \"message\": \"Invalid arguments: sessionId is required\"}}"],
        [400, ""],
        [401, "Unauthorized"],
        [403, "Forbidden"],
        [413, "Payload too large"],
        [429, "Too many requests"],
        [500, rpc("Session not found")],
        [502, "Bad gateway"],
        [503, "Unknown session"]
      ] as const
    ) assert.isFalse(saysForgotten(status, body), `${status} ${body}`)
  })

  it("if an error of the protocol says so, and not if a tool speaks of a session of its own", () => {
    for (
      const [code, message] of [
        [-32_001, "Session not found"],
        [-32_600, "Session terminated"],
        [-32_000, "Bad Request: No valid session ID provided"],
        [-32_000, "Server not initialized"],
        [-32_000, "Invalid or expired session"]
      ] as const
    ) assert.isTrue(isForgotten(new ProtocolError(code, message)), message)
    for (
      const [code, message] of [
        [-32_603, "Session not found"],
        [-32_602, "Invalid session"],
        [-32_000, "The browser session 7 was not found"],
        [-32_000, "Connection closed"],
        [-32_001, "Request timed out"]
      ] as const
    ) assert.isFalse(isForgotten(new ProtocolError(code, message)), message)
    assert.isFalse(isForgotten(new Error("Session not found")))
  })
})
