-- A model step whose text is blank tells of no plan: the plan of a task that 0011 found there is in a later step.
update actors a set plan_seq = (
  select min(s.seq) from steps s
  where s.task_id = a.task_id and s.seq > a.plan_seq
    and s.body like '{"kind":"model"%' and s.body like '%,"tool_calls":[{%'
    and s.body !~ '^{"kind":"model","message":{("role":"assistant",)?"content":"([[:space:]]|\\[nrtf])*"'
)
where exists (
  select from steps p where p.task_id = a.task_id and p.seq = a.plan_seq
    and p.body ~ '^{"kind":"model","message":{("role":"assistant",)?"content":"([[:space:]]|\\[nrtf])*"'
);
