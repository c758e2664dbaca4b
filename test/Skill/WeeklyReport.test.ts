import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { freshFolder } from "../support/FreshFolder.ts"

const script = fileURLToPath(new URL("../../skills/weekly-report-from-csv/scripts/weekly.mjs", import.meta.url))

interface Ended {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Runs the script as a skill's script runs: on its own, beside a file. */
const run = (content: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    fs.writeFileSync(join(folder, "data.csv"), content)
    return yield* runIn(folder, "data.csv", ...args)
  })

const runIn = (folder: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.async((resume) => {
    execFile(
      process.execPath,
      [script, ...args],
      { cwd: folder, env: {} },
      (error, out, stderr) =>
        resume(Effect.succeed({ code: typeof error?.code === "number" ? error.code : 0, out, error: stderr }))
    )
  })

const sales = `Date,Region,Order ID,Amount,Units
2025-02-03,North,1,"1,000.50",2
2025-02-09T23:59:00Z,South,2,99.50,1
2025-02-10,North,3,100,1
2025-02-12,"South, East",4,"$1,100.00",4
2025-02-16,"say ""hi""",5,-100,1
`

describe("the weekly report", () => {
  it.scoped("counts and adds up by week, and compares with the week before", () =>
    Effect.gen(function*() {
      const { code, error, out } = yield* run(sales)
      assert.deepStrictEqual([code, error], [0, ""])
      assert.include(out, "## 2025-W07 (2025-02-10 to 2025-02-16)")
      assert.include(out, "| Week | Rows | Amount | Units |")
      assert.include(out, "| 2025-W06 | 2 | 1100 | 3 |")
      assert.include(out, "| 2025-W07 | 3 | 1100 | 6 |")
      assert.include(out, "| Change | +50% | 0% | +100% |")
      assert.include(out, "Rows: 5, of which without a readable date in \"Date\": 0.")
    }))

  it.scoped("breaks a week down, greatest first, by the columns it is told", () =>
    Effect.gen(function*() {
      const { out } = yield* run(sales, "--by", "region", "--sum", "amount")
      assert.include(
        out,
        "| South, East | 1 | 1100 |\n| North | 1 | 100 |\n| say \"hi\" | 1 | -100 |"
      )
      const earlier = yield* run(sales, "--week", "2025-w06")
      assert.include(earlier.out, "## 2025-W06")
      assert.include(earlier.out, "| Change | n/a | n/a | n/a |")
      assert.notInclude(earlier.out, "2025-W07")
    }))

  it.scoped("reads semicolons with decimal commas, a byte order mark and CRLF", () =>
    Effect.gen(function*() {
      const text = "\uFEFFTag;Umsatz\r\n03.02.2025;1.000,50\r\n10.02.2025;20,5\r\n"
      assert.include((yield* run(text)).out, "| 2025-W06 | 1 | 1000.5 |\n| 2025-W07 | 1 | 20.5 |")
    }))

  it.scoped("names weeks by ISO 8601 at the turn of the year, and shows weeks without rows", () =>
    Effect.gen(function*() {
      const { out } = yield* run("day,n\n2024-12-29,1\n2024-12-30,2\n2025-01-13,4\n")
      assert.include(
        out,
        "| 2024-W52 | 1 | 1 |\n| 2025-W01 | 1 | 2 |\n| 2025-W02 | 0 | 0 |\n| 2025-W03 | 1 | 4 |"
      )
      assert.include(out, "Weeks without rows: 2025-W02.")
    }))

  it.scoped("counts what it can't use instead of guessing", () =>
    Effect.gen(function*() {
      const { out } = yield* run(
        "day,n\n2025-02-10,1\n2025-02-30,1\n02/14/2025,1\n2025-02-11,many\n",
        "--sum",
        "n",
        "--date",
        "day"
      )
      assert.include(out, "| 2025-W07 | 2 | 1 |")
      assert.include(out, "without a readable date in \"day\": 2.")
      assert.include(out, "Fields that are no number, counted as 0: 1.")
    }))

  it.scoped("says what is wrong with a file or with an argument", () =>
    Effect.gen(function*() {
      const refusal = (content: string, ...args: ReadonlyArray<string>) =>
        Effect.map(run(content, ...args), ({ code, error, out }) => {
          assert.deepStrictEqual([code, out], [1, ""])
          assert.match(error, /^Error: .+\n$/)
          return error
        })
      assert.include(yield* refusal(""), "no rows")
      assert.include(yield* refusal("a,b\n"), "no rows")
      assert.include(yield* refusal("a,b\n1,2\n"), "no column has dates")
      assert.include(yield* refusal("a,b\n\"1,2\n"), "never closed")
      assert.include(yield* refusal(sales, "--sum", "Price"), "no column \"Price\"; there are: Date, Region")
      assert.include(yield* refusal(sales, "--week", "2024-W01"), "the weeks are 2025-W06 to 2025-W07")
      assert.include(yield* refusal(sales, "another.csv"), "one file is needed")
      assert.include(yield* refusal(sales, "--nonsense"), "nonsense")
    }))

  it.scoped("reads no file outside of its folder, by whatever path or link", () =>
    Effect.gen(function*() {
      const outside = yield* freshFolder
      fs.writeFileSync(join(outside, "salaries.csv"), sales)
      const folder = yield* freshFolder
      fs.symlinkSync(outside, join(folder, "way"))
      fs.mkdirSync(join(folder, "reports"))
      fs.writeFileSync(join(folder, "reports", "sales.csv"), sales)
      fs.symlinkSync(join(outside, "salaries.csv"), join(folder, "link.csv"))
      const by = (path: string) => runIn(folder, path)
      const other = basename(outside)
      for (
        const path of [`../${other}/salaries.csv`, join(outside, "salaries.csv"), `reports/../../${other}/salaries.csv`]
      ) {
        assert.include((yield* by(path)).error, "must lie in the working folder")
      }
      for (const path of ["way/salaries.csv", "link.csv"]) assert.include((yield* by(path)).error, "is a link")
      assert.strictEqual((yield* by("reports/../reports/sales.csv")).code, 0)
    }))
})
