import { assert, describe, it } from "@effect/vitest"
import { dispositionOf } from "../../src/Http/FormFileName.ts"

/** What programs send as the name of Müller's file, and like it. */
const names: ReadonlyArray<readonly [sent: string, name: string]> = [
  ["filename=\"Müller.csv\"", "Müller.csv"],
  ["filename=plain.csv", "plain.csv"],
  ["filename*=UTF-8''M%C3%BCller.csv", "Müller.csv"],
  ["filename=\"M_ller.csv\"; filename*=utf-8'de'M%C3%BCller.csv", "Müller.csv"],
  ["filename*=UTF-8''M%C3%BCller.csv; filename=\"M_ller.csv\"", "Müller.csv"],
  ["filename*=iso-8859-1''M%FCller%20%80.csv", "Müller €.csv"],
  ["filename*=\"UTF-8''M%C3%BCller.csv\"", "Müller.csv"],
  ["filename*=UTF-8''M%FCller.csv", "Müller.csv"],
  ["filename=\"=?UTF-8?Q?M=C3=BCller_12.csv?=\"", "Müller 12.csv"],
  ["filename=\"=?utf-8?B?TcO8bGxlci5jc3Y=?=\"", "Müller.csv"],
  ["filename=\"=?windows-1252?Q?M=FCller_=80.csv?=\"", "Müller €.csv"],
  ["filename=\"=?UTF-8?B?TcM=?= =?UTF-8?B?vGxsZXIuY3N2?=\"", "Müller.csv"],
  ["filename=\"=?UTF-8?Q?100%=20?=sure.csv\"", "100% sure.csv"],
  ["filename*=UTF-8''100%2525.csv", "100%25.csv"],
  ["filename=\"M%C3%BCller%201.csv\"", "Müller 1.csv"],
  ["filename=\"100%.csv\"", "100%.csv"],
  ["filename=\"5%AB.csv\"", "5%AB.csv"],
  ["filename=\"..%2Fa.csv\"", "..%2Fa.csv"],
  ["filename=\"a%22b%22.csv\"", "a\"b\".csv"],
  ["filename=\"a\\\"b\\\".csv\"", "a\"b\".csv"],
  ["filename=\"C:\\Users\\ann\\Müller.csv\"", "Müller.csv"],
  ["filename=\"\\\\server\\share\\Müller.csv\"", "Müller.csv"],
  ["filename=\"../a.csv\"", "../a.csv"]
]

describe("The disposition of a part of a form", () => {
  it.each(names)("with %s names the file %s", (sent, name) => {
    const disposition = dispositionOf(`form-data; name="file"; ${sent}`)
    assert.deepStrictEqual(disposition, { key: "file", filename: name })
  })

  it("without a file name is that of a field", () => {
    assert.deepStrictEqual(dispositionOf("form-data; name=\"user_id\""), { key: "user_id", filename: undefined })
  })
})
