-- What a task shows its model from its beginning on, beyond the words of its people: JSON of what the tasks that it comes from had
-- seen (a parent, an earlier task), or of what came with its request. Null: nothing.
alter table tasks add column shown text;

-- The steps that showed a task's model the first thing from outside, and the first private thing. 0: its request. Null: none so far.
alter table actors add column outside_since integer;
alter table actors add column private_since integer;

-- Tasks that wait or run: what came beside their requests, of which nothing was recorded.
update tasks t set shown = '{"outside":"what came with the request","private":true}' from actors a
where a.task_id = t.id and a.completed_at is null and t.task_type = 'task' and coalesce(t.context, '') <> '' and t.source in ('email', 'webhook');

-- 'outside': saved by a task whose model had seen something from outside. Null: by one that had not. Of earlier memories, those of
-- tasks of webhooks, mails and unknown senders count as outside, as far as their tasks are still there; the others do not, because
-- the tasks of every user would ask for what they did unasked.
alter table memories add column origin text;
update memories m set origin = 'outside' from tasks t
where t.id = m.task_id and (t.source in ('email', 'webhook') or t.tool_access <> 'all');
