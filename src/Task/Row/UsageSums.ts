/** What a task `t` with the actor `a` adds to its user's usage: the columns of `user_hours`. */
export const usageSums = {
  tasks: "(t.task_type = 'task')::integer",
  unpriced_tasks: "(a.model_calls > 0 and a.cost is null)::integer",
  input_tokens: "a.input_tokens",
  output_tokens: "a.output_tokens",
  model_calls: "a.model_calls",
  tool_calls: "a.tool_calls",
  cost: "a.cost"
}

export const usageColumns = Object.keys(usageSums).join(", ")

/** Adds those tasks to the sums of their users. */
export const addUsage = (from: string): string =>
  `insert into user_hours as u (user_id, hour, ${usageColumns})
  select t.creator, date_trunc('hour', t.created_at, 'UTC'), ${
    Object.entries(usageSums).map(([name, value]) => `sum(${value}) as ${name}`).join(", ")
  }
  from ${from} group by 1, 2 order by 1, 2
  on conflict (user_id, hour) do update set (${usageColumns}) = (${
    Object.keys(usageSums).map((name) =>
      name === "cost" ? "coalesce(u.cost + excluded.cost, u.cost, excluded.cost)" : `u.${name} + excluded.${name}`
    ).join(", ")
  })`

/** Of an actor, what the history sums up of its task's end; also columns of `deleted_ends`. */
export const endColumns = "status, started_at, completed_at, model_calls, input_tokens, output_tokens, cost"
