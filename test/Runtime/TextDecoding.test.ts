import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import iconv from "iconv-lite"
import { decodeAs, decodeText, wideEncodingOf } from "../../src/Runtime/TextDecoding.ts"

/** Windows-1252 differs from ISO 8859-1 in these bytes (encoding.spec.whatwg.org/index-windows-1252.txt). */
const western: ReadonlyArray<readonly [number, string]> = [
  [0x80, "€"],
  [0x82, "‚"],
  [0x83, "ƒ"],
  [0x84, "„"],
  [0x85, "…"],
  [0x86, "†"],
  [0x87, "‡"],
  [0x88, "ˆ"],
  [0x89, "‰"],
  [0x8a, "Š"],
  [0x8b, "‹"],
  [0x8c, "Œ"],
  [0x8e, "Ž"],
  [0x91, "‘"],
  [0x92, "’"],
  [0x93, "“"],
  [0x94, "”"],
  [0x95, "•"],
  [0x96, "–"],
  [0x97, "—"],
  [0x98, "˜"],
  [0x99, "™"],
  [0x9a, "š"],
  [0x9b, "›"],
  [0x9c, "œ"],
  [0x9e, "ž"],
  [0x9f, "Ÿ"]
]

const utf8 = (text: string) => new TextEncoder().encode(text)

describe("TextDecoding", () => {
  it("reads the 27 characters that windows-1252 has beside latin1, by each of its labels", () => {
    for (const label of ["windows-1252", "CP1252", "latin1", "iso-8859-1", "ISO8859-1", "us-ascii", " ascii "]) {
      for (const [byte, character] of western) {
        assert.strictEqual(decodeText(Uint8Array.of(0x4d, byte, 0xfc), label), `M${character}ü`, `${label} ${byte}`)
      }
    }
  })

  it("reads bytes without a label as UTF-8, else as windows-1252", () => {
    assert.strictEqual(decodeText(utf8("Müller 12,50 €")), "Müller 12,50 €")
    assert.strictEqual(decodeText(Uint8Array.of(0x4d, 0xfc, 0x20, 0x80)), "Mü €")
    assert.strictEqual(decodeText(new Uint8Array()), "")
  })

  it("reads UTF-8 under the label of another encoding with one byte a character", () => {
    for (const label of ["iso-8859-1", "us-ascii", "windows-1252", "koi8-r", "cp850", "utf-8", "x-unknown"]) {
      assert.strictEqual(decodeText(utf8("Müller – 100 €"), label), "Müller – 100 €", label)
    }
  })

  it("believes the label of an encoding with several bytes a character", () => {
    assert.strictEqual(decodeText(Uint8Array.of(0xc4, 0xa3), "gb2312"), "模")
    assert.strictEqual(decodeText(Uint8Array.of(0x83, 0x65), "shift_jis"), "テ")
    assert.strictEqual(decodeText(Uint8Array.of(0x1b, 0x24, 0x42, 0x25, 0x46, 0x1b, 0x28, 0x42), "iso-2022-jp"), "テ")
  })

  it("reads encodings of older programs", () => {
    assert.strictEqual(decodeText(Uint8Array.of(0x4d, 0x81, 0x6c), "cp850"), "Mül")
    assert.strictEqual(decodeText(Uint8Array.of(0x4d, 0x81, 0x6c), "IBM437"), "Mül")
    for (const label of ["utf-7", "UNICODE-1-1-UTF-7"]) {
      assert.strictEqual(decodeText(utf8("M+APw-ller"), label), "Müller")
    }
    assert.strictEqual(decodeText(Uint8Array.of(0xf0, 0xd2, 0xc9), "koi8-r"), "При")
  })

  it("follows a byte order mark, whatever the label says", () => {
    assert.strictEqual(decodeText(Uint8Array.of(0xff, 0xfe, 0x41, 0, 0xac, 0x20), "utf-8"), "A€")
    assert.strictEqual(decodeText(Uint8Array.of(0xfe, 0xff, 0, 0x41), "latin1"), "A")
    assert.strictEqual(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41), "latin1"), "A")
  })

  it("keeps damaged UTF-8 readable, and reads windows-1252 that is labelled as UTF-8", () => {
    assert.strictEqual(decodeText(utf8("Größe: 5 €").subarray(0, -1), "utf-8"), "Größe: 5 \uFFFD")
    assert.strictEqual(decodeText(Uint8Array.of(0x93, 0x48, 0x69, 0x94), "utf-8"), "“Hi”")
  })

  it("reads UTF-16 without a byte order mark, and takes no binary data for it", () => {
    assert.strictEqual(decodeText(Buffer.from("Name;Müller €\r\n", "utf16le")), "Name;Müller €\r\n")
    assert.strictEqual(decodeText(Buffer.from("第一行;1\n\n", "utf16le")), "第一行;1\n\n")
    assert.strictEqual(decodeText(Buffer.from("Имя;1\n", "utf16le").swap16()), "Имя;1\n")
    for (const bytes of [[0, 0, 0, 1], [1, 0, 2, 0], [0x61, 0, 0x62], [0x50, 0x4b, 3, 4, 0, 0]]) {
      assert.isNull(wideEncodingOf(Uint8Array.from(bytes)))
    }
  })

  it("tells cp850 without a label by its words, and quotes in windows-1252 from them", () => {
    const cp850 = (text: string) => iconv.encode(text, "cp850")
    for (const text of ["Müller;12,50\r\n", "Straße, Öl, möglich", "résumé ça été", "el niño allí"]) {
      assert.strictEqual(decodeText(cp850(text)), text)
    }
    for (const text of ["“Hi” – it’s €100", "„Größe“", "naïve café", "Ça été", "mañana—allá", "l’été…oui", "±5"]) {
      assert.strictEqual(decodeText(iconv.encode(text, "windows-1252")), text)
    }
  })

  it("answers nothing for an encoding that nobody knows, and reads its text as one without a label", () => {
    assert.isTrue(Option.isNone(decodeAs(utf8("a"), "x-nonsense")))
    assert.strictEqual(decodeText(Uint8Array.of(0x80), "x-nonsense"), "€")
  })

  it("keeps UTF-8 with a few zeros", () => {
    for (const text of ["PORT=7000\0", "a,b\0", "Müller\0\0x"]) assert.strictEqual(decodeText(utf8(text)), text)
    assert.strictEqual(decodeText(Uint8Array.of(0x41, 0, 0x42, 0)), "AB")
  })
})
