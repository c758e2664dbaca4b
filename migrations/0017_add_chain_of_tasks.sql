-- The tasks that a continuation follows, newest first, 20 at most (`chainLength` in src/Task/TaskRow.ts): what a further one
-- is told of them is read by their keys, however long the chain is, and a deleted one does not hide those before it. Null: it
-- continues none.
alter table tasks add column chain uuid[];

with recursive links as (
  select id, continued_from as link, 1 as place from tasks where continued_from is not null
  union all
  select l.id, t.continued_from, l.place + 1 from links l join tasks t on t.id = l.link
  where t.continued_from is not null and l.place < 20
)
update tasks t set chain = c.chain
from (select id, array_agg(link order by place) as chain from links group by id) c
where t.id = c.id;
