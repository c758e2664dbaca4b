-- The words of tasks (GET /tasks?q=). An entry for each task has to be small, so that an insert costs little, and then it says little: a
-- search for a rare word read half of the index, 6,000 pages of a million tasks. Here some hundred tasks of consecutive ids share an entry, which
-- a job makes (WordBlocks.ts) once they are a few minutes old. A search reads the tasks of those blocks that have the keys of its
-- text, and those that are in no block yet.

-- The sequences of three characters without a space, and of five. A word that contains a text also has the text's keys. By three alone,
-- a search for a rare word of common syllables would read a third of the blocks; by five it reads 3 %.
create function word_keys(words text) returns integer[] language sql immutable strict parallel safe cost 1000 return array(
  select distinct hashtext(sequence) from (
    select three, three || lead(one, 3) over following || lead(one, 4) over following as five from (
      select one, place, one || lead(one) over following || lead(one, 2) over following as three
      from string_to_table((select string_agg(distinct word, ' ') from string_to_table(words, ' ') as w (word)), null)
        with ordinality as characters (one, place)
      window following as (order by place)
    ) threes
    window following as (order by place)
  ) sequences cross join lateral (values (three), (five)) as s (sequence)
  where sequence is not null and position(' ' in sequence) = 0
);

-- The tasks after `after` up to `last`, those that were deleted included, and how many they were when the block was made.
create table task_word_blocks (after uuid not null, last uuid primary key, tasks integer not null, keys integer[] not null);
-- Only the service reads it.
alter table task_word_blocks enable row level security;

-- A search also scans the index's pending list: the entries that GIN has not merged into the index yet. The limit (1024 kB) bounds that scan.
create index task_word_blocks_by_key on task_word_blocks using gin (keys) with (gin_pending_list_limit = 1024);

-- Processes of the version before call search_keys until they end: it stays.
drop index if exists tasks_by_keys;
drop index if exists tasks_by_words;
drop statistics if exists tasks_words;
