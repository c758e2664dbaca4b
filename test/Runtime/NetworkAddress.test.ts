import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { addressNamed, basePathOf } from "../../src/Runtime/NetworkAddress.ts"

describe("The address that a proxy names", () => {
  it("is the same in every spelling", () => {
    const spellings: Readonly<Record<string, ReadonlyArray<string>>> = {
      "203.0.113.7": [
        "203.0.113.7",
        " 203.0.113.7 ",
        "203.0.113.7:51824",
        "\"203.0.113.7:51824\"",
        "::ffff:203.0.113.7",
        "[::FFFF:cb00:7107]:443"
      ],
      "2001:db8::7": [
        "2001:db8::7",
        "2001:DB8:0:0:0:0:0:7",
        "[2001:db8::7]",
        "[2001:db8::7]:51824",
        "\"[2001:db8::7]:51824\"",
        "2001:db8:0:0:0:0:0:7:51824"
      ],
      "fe80::1": ["fe80::1%eth0", "[fe80::1%25eth0]:443"]
    }
    for (const [address, texts] of Object.entries(spellings)) {
      for (const text of texts) assert.strictEqual(addressNamed(text), address, text)
    }
  })

  it("is none for anything else", () => {
    const others = [
      "",
      "unknown",
      "_hidden",
      "example.org:443",
      "203.0.113.7:",
      "203.0.113.7:x",
      "203.0.113.999:1",
      "[203.0.113.7]:1",
      "[2001:db8::7",
      "2001:db8::7]",
      "[]",
      "[:1",
      "010.0.0.1",
      "127.1",
      "0x7f000001",
      "for=203.0.113.7"
    ]
    for (const text of others) assert.isNull(addressNamed(text), text)
  })

  it.prop("is itself again, whatever the text", [
    FastCheck.oneof(FastCheck.string(), FastCheck.ipV4(), FastCheck.ipV6())
  ], ([text]) => {
    const address = addressNamed(text)
    if (address !== null) assert.strictEqual(addressNamed(address), address)
  })
})

describe("The path of a public address", () => {
  it("has no slash at its end, and is empty for a whole host", () => {
    for (const [address, path] of [["https://a.example", ""], ["https://a.example/b/c//", "/b/c"]] as const) {
      assert.strictEqual(basePathOf(new URL(address)), path)
    }
  })
})
