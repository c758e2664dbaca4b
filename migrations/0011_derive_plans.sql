-- A task's plan stands in one of its steps: the row of the actor, which changes with each step, only says in which.
alter table actors add column plan_seq integer;

update actors a set plan_seq = (
  select min(s.seq) from steps s
  where s.task_id = a.task_id and (
    s.body like '{"kind":"prepared"%' and s.body like '%"steps":[%'
    or s.body like '{"kind":"model"%' and s.body like '%"tool_calls":[{%' and s.body not like '%"content":"","tool_calls"%')
)
where a.plan is not null;

alter table actors drop column plan;
