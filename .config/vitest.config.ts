import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./LongestFirst.ts"

// Not "module": node gets these conditions too, and packages use it for code that only bundlers can read.
const conditions = ["@troupe/source", "node", "development|production"]

const root = fileURLToPath(new URL("..", import.meta.url))

// Vite does not understand the exports of chrono-node, which have two patterns.
const alias = { "chrono-node/en": `${root}node_modules/chrono-node/dist/esm/locales/en/index.js` }

export default defineConfig({
  root,
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/methods.ts", "test/support/equality.ts", "test/support/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Each process loads the modules once for all files: that would take more time than most files. On two processors
    // there are three, because many tests wait for processes or for time. All stay until the end: when the pool ends those
    // that are idle, it fails now and then.
    // Much of what a test allocates lives as long as the test: less often collected, it takes a tenth less processor time.
    poolOptions: {
      forks: {
        minForks: 3,
        maxForks: 3,
        isolate: false,
        execArgv: ["--max-semi-space-size=64", "--min-semi-space-size=32"]
      }
    },
    sequence: { sequencer: LongestFirst },
    cache: false
  }
})
