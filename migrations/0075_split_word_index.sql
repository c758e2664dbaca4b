-- The words of tasks, for searches. A long text stays in the index of its sequences of three characters, which takes log
-- in proportion to the text. Of a short one, as most requests are, the new index keeps a signature of 96 bytes, which is
-- a third of that; it leads to some texts in vain, and comparing those costs little. Both extensions come with PostgreSQL
-- and need no superuser; without one of them, a search reads all tasks.
do $$
begin
  begin
    create extension if not exists intarray;
  exception when others then
    raise notice 'Searches of tasks have no index: %', sqlerrm;
  end;

  -- What contains a text also has the text's keys.
  create function search_keys(words text) returns integer[] language sql immutable strict parallel safe cost 1000 return (
    select coalesce(array_agg(hashtext(three)), '{}') from (
      select one || lead(one) over following || lead(one, 2) over following as three
      from string_to_table(words, null) as characters (one)
      window following as (rows between current row and 2 following)
    ) sequences where three is not null
  );

  if exists (select from pg_extension where extname = 'intarray') then
    create index tasks_by_keys on tasks
      using gist (search_keys(lower(coalesce(title, '') || ' ' || description)) gist__intbig_ops (siglen = 96))
      where task_type = 'task' and char_length(lower(coalesce(title, '') || ' ' || description)) <= 400;
  end if;

  drop index if exists tasks_by_words;
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index tasks_by_words on tasks
      using gist (lower(coalesce(title, '') || ' ' || description) gist_trgm_ops (siglen = 64))
      where task_type = 'task' and char_length(lower(coalesce(title, '') || ' ' || description)) > 400;
  end if;
end $$;
