import { it } from "@effect/vitest"
import { Layer } from "effect"
import * as MemoryIndexLayer from "../../src/Memory/MemoryIndexLayer.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { busyAtFirst } from "../support/BusyDatabase.ts"
import * as Database from "../support/Database.ts"

it.scopedLive("A start that gets no connection to look for pgvector tries again", () =>
  Layer.build(
    MemoryIndexLayer.layer({ cacheBytes: 1_000 }).pipe(
      Layer.provide(busyAtFirst()),
      Layer.provide(Sql.layer({ maxConnections: 1 })),
      Layer.provide([Layer.mock(MemoryRepo, {}), Layer.mock(SearchStatements, {}), Database.layer])
    )
  ))
