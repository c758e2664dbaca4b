-- What a retry undoes of the end of its task: the sums of usage count it no longer, as its next end adds it again, and the notifications of its
-- failure are read. Whoever may retry a task may change neither the sums nor the notifications of its creator. A run of the job that adds
-- ends to the sums has committed, or begins after the retry: hence the lock, and a second statement that sees what was committed.
create function undo_end(task uuid, ended timestamptz, failures uuid[]) returns void
language plpgsql security definer set search_path from current as $$
begin
  perform from usage_sums for share;

  update user_hours u set
    tasks = u.tasks - (t.task_type = 'task')::integer,
    unpriced_tasks = u.unpriced_tasks - (a.model_calls > 0 and a.cost is null)::integer,
    input_tokens = u.input_tokens - a.input_tokens, output_tokens = u.output_tokens - a.output_tokens,
    model_calls = u.model_calls - a.model_calls, tool_calls = u.tool_calls - a.tool_calls,
    cost = coalesce(u.cost - a.cost, u.cost)
  from tasks t join actors a on a.task_id = t.id
  where t.id = task and ended < (select until from usage_sums)
    and u.user_id = t.creator and u.hour = date_trunc('hour', t.created_at, 'UTC');

  update notifications n set read_at = now()
  from tasks t where t.id = task and n.user_id = t.creator and n.id = any(failures) and n.read_at is null;
end $$;

drop function uncount_usage(uuid, timestamptz);
drop function add_usage(text, user_hours);
drop function settle_notification(text, uuid);

-- Requests may read and lock the row, so that a deletion knows which ends the sums have until it commits. They may not change it.
drop function usage_until();
alter table usage_sums enable row level security;
create policy all_read on usage_sums for select using (caller_id() is not null);
create policy all_lock on usage_sums for update using (caller_id() is not null) with check (false);

-- Nothing calls these any more.
drop function has_subscriptions();
drop function search_keys(text);
