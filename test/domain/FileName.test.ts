import { assert, describe, it } from "@effect/vitest"
import { fileNameOf, maxFileNameBytes } from "@troupe/domain/FileName"
import { Either, FastCheck as fc } from "effect"

const accepted = (name: string) => Either.isRight(fileNameOf(name))

const names = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.fullUnicodeString({ maxLength: 300 }),
  fc.array(fc.constantFrom("..", ".", "/", "\\", "\0", "con", ".txt", " ", "é", "e\u0301", "\u{1F600}", "\uD83D"), {
    maxLength: 8
  }).map((parts) => parts.join(""))
)

describe("fileNameOf", () => {
  it("keeps usual names as they are", () => {
    for (
      const name of ["report.md", "Q3 figures (final).xlsx", ".hidden", "日本語.txt", "a..b", "console.log", "com10"]
    ) {
      assert.deepStrictEqual(fileNameOf(name), Either.right(name))
    }
  })

  it("composes characters, so that one name is one file", () => {
    assert.deepStrictEqual(fileNameOf("Cafe\u0301.txt"), Either.right("Caf\u00E9.txt"))
  })

  it("refuses names that lead to another folder", () => {
    for (const name of ["", ".", "..", "a/b", "/etc/passwd", "..\\x", "C:\\x.txt", "a\0.txt"]) {
      assert.isFalse(accepted(name), JSON.stringify(name))
    }
  })

  it("refuses control characters, halves of characters and line breaks of any kind", () => {
    for (const name of ["a\nb", "a\u001Bb", "a\u007Fb", "a\u0085b", "a\u2028b", "a\uD800b"]) {
      assert.isFalse(accepted(name), JSON.stringify(name))
    }
  })

  it("refuses characters that change the direction of text, and says so", () => {
    const marks = ["061C", "200E", "200F", "202A", "202B", "202C", "202D", "202E", "2066", "2067", "2068", "2069"]
    for (const mark of marks) {
      assert.deepStrictEqual(
        fileNameOf(`a${String.fromCodePoint(Number.parseInt(mark, 16))}gnp.exe`),
        Either.left("a file name must not contain invisible characters that change the direction of text")
      )
    }
    for (const name of ["דוח.txt", "تقرير.md"]) assert.isTrue(accepted(name), name)
  })

  it("refuses names that Windows reserves, in any case and with any extension", () => {
    for (const name of ["CON", "con.txt", "Nul.tar.gz", "com1", "LPT9.md", "AUX .txt", "COM\u00B2.txt", "conout$"]) {
      assert.isFalse(accepted(name), name)
    }
    for (const name of ["file.txt.", "file.txt ", "...", " "]) assert.isFalse(accepted(name), JSON.stringify(name))
  })

  it("counts the length in bytes", () => {
    assert.isTrue(accepted("a".repeat(maxFileNameBytes)))
    assert.isFalse(accepted("a".repeat(maxFileNameBytes + 1)))
    assert.isTrue(accepted("é".repeat(127)))
    assert.isFalse(accepted("é".repeat(128)))
    assert.isTrue(accepted("e\u0301".repeat(127)))
    assert.isFalse(accepted("a".repeat(10_000_000)))
  })

  it.prop("what it accepts is one composed name of at most 255 bytes, and stays as it is", [names], ([given]) => {
    const result = fileNameOf(given)
    if (Either.isLeft(result)) {
      assert.notStrictEqual(result.left, "")
      return
    }
    const name = result.right
    assert.strictEqual(name, given.normalize("NFC"))
    assert.deepStrictEqual(fileNameOf(name), result)
    assert.isTrue(name.length > 0 && Buffer.byteLength(name) <= maxFileNameBytes)
    assert.isFalse(/[/\\\0]/.test(name) || name === "." || name === "..")
    assert.strictEqual(Buffer.from(name).toString(), name)
  })
})
