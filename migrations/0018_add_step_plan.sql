-- The plan that a step contains, so that lists of tasks read no JSON. Only the step in `actors.plan_seq` has one.
alter table steps add column plan text;

-- JSON allows what a PostgreSQL text does not: NUL characters and lone surrogates become U+FFFD. JavaScript escapes a
-- surrogate only when it is alone, so every escaped one is replaced. The expression is slow on large texts, and few
-- texts have such an escape.
with plans as materialized (
  select p.task_id, p.seq, (case when strpos(p.body, '\u') = 0 then p.body else regexp_replace(
      p.body, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'gi'
    ) end)::json as body
  from actors a join steps p on p.task_id = a.task_id and p.seq = a.plan_seq
)
update steps s set plan = case b.body ->> 'kind'
    when 'model' then btrim(b.body #>> '{message,content}', E' \t\n\r\f\v')
    else (
      select string_agg(format('%s. %s', w.number, w.step), E'\n' order by w.number)
      from json_array_elements_text(b.body -> 'steps') with ordinality as w(step, number)
    )
  end
from plans b
where s.task_id = b.task_id and s.seq = b.seq;

-- A claim may be the first one after a retry ('retried').
alter table actors drop constraint actors_claim_kind_check;
alter table actors add constraint actors_claim_kind_check
  check (claim_kind in ('recovered', 'moved', 'alone', 'retried'));
