import type { Caller } from "@troupe/domain/Caller"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Schema } from "effect"
import type { Query, Row } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { allOf, type Conditions, conditionsOf, idAt, type Indexed, type ListedTasks } from "./TaskConditions.ts"
import { isKeyed, lastInBlock, maxTasks } from "./WordBlocks.ts"

/** Limits of what a search reads for one page. The next page continues where this one has ended. */
const max = {
  /** The newest tasks of the condition with the fewest tasks, each of which is looked up for the other conditions. */
  newest: 250,
  /** Index entries, of all indexes together, that are compared with one another. */
  compared: 160_000,
  /** Rows of one table in the order of its index. */
  read: 4_000,
  /** Rows that are looked up by their ids, unless the page has more. */
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

/** The same in the order of the ids alone, in which a plan can merge them with those of other indexes. */
export const idsOf = ({ from, id, where }: Indexed, within: Conditions["within"]): string =>
  `select ${id} as id from ${from} where ${where}${within(id)} order by ${id} desc`

/** A table with the column `id`: the ids that all of the streams contain, among the first `each` of every stream. */
export const inAll = (
  streams: ReadonlyArray<Indexed>,
  within: Conditions["within"],
  each: (one: Indexed) => number
): string =>
  streams.map((one, place) => `(${idsOf(one, within)} limit ${each(one)}) s${place}${place === 0 ? "" : " using (id)"}`)
    .join(" join ")

/** Conditions that the rows of the task with this id match the filter: scalar subqueries, so that every plan reads only these rows. */
export const lookUp = ({ a, t }: Conditions["rest"], id = "c.id"): ReadonlyArray<string> => {
  const ofActor = a.length === 0
    ? []
    : [`(select ${allOf(a)} from actors a where a.task_id = ${t.length === 0 ? id : "t.id"})`]
  return t.length === 0 ? ofActor : [`(select ${allOf([...t, ...ofActor])} from tasks t where t.id = ${id})`]
}

/**
 * Looks up the newest tasks of the condition with the fewest tasks. That answers a filter whose rarest condition few tasks match, and
 * one that most of these tasks match. `end` is where `searchAll` continues.
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
 * Reads all indexes of the filter side by side in the order of the list, and looks up only the rows of tasks that all of them contain.
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

/** `compared`: the candidates in the order of the list. `left`: conditions of their rows. `ends`: where each index may have been cut. */
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
 * The same for a text: the tasks before `cursor` in the blocks that have the keys of the text; none while `cursor` is newer than
 * every block. The keys of a block are stored apart from its row, which the planner does not count as a cost: the `exists` makes it prefer
 * the index. It can't know how many tasks a block has either: the limit for each block keeps it from reading the whole table of tasks.
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
