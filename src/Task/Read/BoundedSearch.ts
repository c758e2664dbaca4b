import type { Caller } from "@troupe/domain/Caller"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Schema } from "effect"
import type { Query, Row } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { allOf, type Conditions, conditionsOf, idAt, type Indexed, type ListedTasks } from "./TaskConditions.ts"
import { isKeyed, lastInBlock, maxTasks } from "./WordBlocks.ts"

/** So much is read for a page at most. What may be found beyond it is found by the next page, from where this one has ended. */
const max = {
  /** Of the rarest filter, so many of the newest tasks are looked at, whatever the others have. */
  newest: 250,
  /** Entries of all indexes together that are compared with one another. */
  compared: 160_000,
  /** Rows of one table in the order of its index. */
  read: 4_000,
  /** Rows that are looked up by their ids, or as many as the page has. */
  lookedUp: 400,
  /** Blocks with the keys of a text. */
  blocks: 32
}

/** Ids of the tasks that match, the newest first, and where the search has ended if it has not looked at all tasks. */
const foundIds = rowsOf(
  Schema.Struct({ ids: Schema.Array(TaskId), end: Schema.NullOr(TaskId) }).annotations({ identifier: "FoundIds" })
)

/** The ids in the order of the list, by the range of the column. */
export const newestOf = (one: Indexed, within: Conditions["within"], columns = `${one.id} as id`): string =>
  `select ${columns} from ${one.from} where ${one.range}${within(one.id)} order by ${orderOf(one)}`

const orderOf = ({ column, id }: Indexed): string => `${column === null ? "" : `${column} desc, `}${id} desc`

/** The same as a plan can compare them with others: in the order of the ids alone. */
export const idsOf = ({ from, id, where }: Indexed, within: Conditions["within"]): string =>
  `select ${id} as id from ${from} where ${where}${within(id)} order by ${id} desc`

/** The ids that all have among so many of each, as a table with the column `id`. */
export const inAll = (
  streams: ReadonlyArray<Indexed>,
  within: Conditions["within"],
  each: (one: Indexed) => number
): string =>
  streams.map((one, place) => `(${idsOf(one, within)} limit ${each(one)}) s${place}${place === 0 ? "" : " using (id)"}`)
    .join(" join ")

/** Whether the rows of the task with this id are as wanted: scalar subqueries, so that no plan reads another row. */
export const lookUp = ({ a, t }: Conditions["rest"], id = "c.id"): ReadonlyArray<string> => {
  const ofActor = a.length === 0
    ? []
    : [`(select ${allOf(a)} from actors a where a.task_id = ${t.length === 0 ? id : "t.id"})`]
  return t.length === 0 ? ofActor : [`(select ${allOf([...t, ...ofActor])} from tasks t where t.id = ${id})`]
}

/**
 * Of the filter with the fewest tasks, the newest ones: a filter that few tasks match is answered by these, and one that most
 * match, too. `end` is where the search of all goes on.
 */
const searchNewest = ({ limit, ...query }: ListedTasks & { readonly limit: number }, reader: Caller | null): Query => {
  const { all, streams, values, within } = conditionsOf(query, reader, [limit])
  const heads = streams.map((one, place) => `(${place}, array(${newestOf(one, within)} limit ${max.newest}))`)
  return {
    name: "tasks_search_newest",
    text: `with heads as materialized (
  select place, ids from (values ${heads.join(", ")}) h (place, ids)
), rarest as materialized (
  select ids from heads order by cardinality(ids), place limit 1
)
select array(
  select c.id::text from unnest((select ids from rarest)) with ordinality c (id, place)
  where c.place < ${max.newest} and ${allOf(lookUp(all))} order by c.place limit $1::integer
) as ids, (
  select least((select ids[${max.newest}] from rarest), (select min(ids[1]::text)::uuid from heads))::text
  from rarest where cardinality(ids) = ${max.newest}
) as end`,
    values
  }
}

/** The streams that are compared with one another, and what is left to look up. */
export const comparedOf = ({ isListed, rest, streams }: Pick<Conditions, "isListed" | "rest" | "streams">) => {
  const others = isListed ? streams.slice(0, -1) : streams
  const [only] = others
  const isEnough = others.length > 1 || only !== undefined && rest[only.table].length > 0
  return isListed && isEnough
    ? { streams: others, rest: { ...rest, t: ["t.task_type = 'task' and t.archived_at is null", ...rest.t] } }
    : { streams, rest }
}

/** Whether more than one index is read for the filter. */
const isCompared = (query: ListedTasks, reader: Caller | null): boolean =>
  comparedOf(conditionsOf(query, reader, [])).streams.length > 1

/**
 * The tasks that all indexes of the filter have, of which the rows are as wanted: the indexes are read side by side in the order of
 * the list, and no row for what one of them does not have.
 */
const searchAll = ({ limit, ...query }: ListedTasks & { readonly limit: number }, reader: Caller | null): Query => {
  const { values, within, ...conditions } = conditionsOf(query, reader, [limit])
  const { rest, streams } = comparedOf(conditions)
  const [only] = streams.length === 1 ? streams : []
  const inline = only !== undefined && rest[only.table].length > 0 ? only.table : null
  const left = lookUp(inline === null ? rest : { ...rest, [inline]: [] })
  const each = inline === null ? Math.floor(max.compared / streams.length) : max.read
  const compared = only === undefined
    ? `select id from ${inAll(streams, within, () => each)} order by id desc`
    : inline === null
    ? newestOf(only, within)
    : `select ${only.id} as id from (${newestOf(only, within, `${inline}.*`)} limit ${each}) ${inline} where ${
      allOf(rest[inline])
    } order by ${orderOf(only)}`
  const ends = only === undefined || inline !== null
    ? streams.map((one) => `(${idsOf(one, within)} offset ${each - 1} limit 1)`)
    : []
  return { name: "tasks_search", text: pageOf({ compared, left, ends }), values }
}

/** Ids of tasks in the order of the list, from which those are found whose rows are as wanted, and where each may have been cut. */
const pageOf = (
  { compared, ends, left, tables = "" }: {
    readonly compared: string
    readonly left: ReadonlyArray<string>
    readonly ends: ReadonlyArray<string>
    readonly tables?: string
  }
): string => {
  const wanted = left.length === 0 ? "$1::integer" : `greatest($1::integer, ${max.lookedUp})`
  return `with ${tables}candidates as materialized (
  select array(${compared} limit ${wanted}) as ids
), found as materialized (
  select array(
    select c.id::text from unnest((select ids from candidates)) with ordinality c (id, place)
    where ${allOf(left)} order by c.place limit $1::integer
  ) as ids
)
select ids, case when cardinality(ids) < $1::integer then
  coalesce((select c.ids[${wanted}] from candidates c), ${
    ends.length === 0 ? "null" : `greatest(${ends.join(", ")})`
  })::text end as end
from found`
}

/**
 * The same for a text: of the blocks that have its keys, the tasks before `cursor`. It finds none there while tasks that are in no block
 * yet are newer. The planner does not know what it takes to read the keys of a block, which are apart from its row: what else it asks of
 * each lets it prefer the index. The limit of a block keeps the planner from reading a whole table: it can't know how many tasks a block has.
 */
const searchBlocks = (
  { limit, ...query }: ListedTasks & { readonly q: string; readonly cursor: TaskId; readonly limit: number },
  reader: Caller | null
): Query => {
  const { all, parameter, values, within } = conditionsOf(query, reader, [limit])
  const cursor = parameter(query.cursor, "uuid")
  const keys = `word_keys(lower(${parameter(query.q, "text")}))`
  const from = query.created_from === undefined ? "" : ` and last >= ${parameter(idAt(query.created_from), "uuid")}`
  return {
    name: "tasks_search_blocks",
    text: pageOf({
      // The extension intarray, which older migrations have created, has an operator of this name for another kind of index.
      tables: `blocks as materialized (
  select after, last from task_word_blocks b
  where keys operator(pg_catalog.@>) ${keys} and after < ${cursor}${from} and ${cursor} <= ${lastInBlock}
    and exists (select from tasks t where t.id > b.after and t.id <= b.last offset 0)
  order by last desc limit ${max.blocks}
), `,
      compared: `select t.id from blocks b cross join lateral (
    select * from tasks t where t.id > b.after and t.id <= b.last${within("t.id")} order by t.id desc limit ${maxTasks}
  ) t where ${allOf(all.t)} order by b.last desc, t.id desc`,
      left: lookUp({ t: [], a: all.a }),
      ends: [
        `(select t.id from tasks t
      where t.id > (select min(after::text)::uuid from blocks having count(*) = ${max.blocks}) order by t.id limit 1)`,
        `(select ${cursor} where ${cursor} > ${lastInBlock})`
      ]
    }),
    values
  }
}

interface Found {
  readonly ids: ReadonlyArray<TaskId>
  /** Where the search has ended if it has not looked at all tasks. */
  readonly end: TaskId | null
}

/** The newest tasks of a list, up to a limit. */
export const searchIds = <E>(execute: (query: Query) => Effect.Effect<ReadonlyArray<Row>, E>) => {
  const found = (query: Query) => Effect.map(foundIds(execute(query)), ([one = { ids: [], end: null }]): Found => one)
  return (query: ListedTasks & { readonly limit: number }, reader: Caller | null) =>
    Effect.gen(function*() {
      const newest = isCompared(query, reader) ? yield* found(searchNewest(query, reader)) : null
      if (newest !== null && (newest.ids.length === query.limit || newest.end === null)) return newest
      const { ids = [], end: start = undefined } = newest ?? {}
      const more = yield* found(
        searchAll({ ...query, start: start ?? undefined, limit: query.limit - ids.length }, reader)
      )
      const all = { ids: [...ids, ...more.ids], end: more.end }
      const { q } = query
      const left = query.limit - all.ids.length
      if (q === undefined || !isKeyed(q) || all.end === null || left === 0) return all
      const older = yield* found(searchBlocks({ ...query, q, cursor: all.end, limit: left }, reader))
      return { ids: [...all.ids, ...older.ids], end: older.end }
    })
}
