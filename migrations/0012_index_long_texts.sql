-- GiST keeps all sequences of three characters of a text in one entry of at most 8,191 bytes: a request with more than
-- about 2,700 different ones, such as a pasted key or log, was refused. GIN has an entry for each sequence. What its list of
-- pending entries holds is moved into it by the insert that passes the limit, in kilobytes: a small one keeps that short.
drop index if exists tasks_by_words;

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index tasks_by_words on tasks
      using gin (lower(coalesce(title, '') || ' ' || description) gin_trgm_ops) with (gin_pending_list_limit = 512)
      where task_type = 'task' and char_length(lower(coalesce(title, '') || ' ' || description)) > 400;
  end if;
end $$;
