// Sends a webhook signed by Standard Webhooks. An equal id is one delivery, however often it is sent.
// WEBHOOK_SECRET=whsec_... node send-webhook.mjs [address] [id]
import { createHmac, randomUUID } from "node:crypto"
import process from "node:process"

const [address = "http://127.0.0.1:8000/webhook/orders", id = `msg_${randomUUID()}`] = process.argv.slice(2)
const secret = process.env.WEBHOOK_SECRET ?? "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const body = JSON.stringify({ order: 1042, status: "paid" })
const timestamp = Math.floor(Date.now() / 1000)
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")

const response = await fetch(address, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`
  },
  body
})
process.stdout.write(`${response.status} ${await response.text()}\n`)
if (!response.ok) process.exitCode = 1
