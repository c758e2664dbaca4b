-- A memory's vector in a quarter of its size, in the bytes that a scan compares (src/Memory/Sketch.ts): what a process
-- reads of all of a user's memories before it compares the vectors of the few that may be nearest. Null in rows of
-- before; whoever first reads such a row adds it.
alter table memories add column sketch bytea;

-- Beside its row, not apart like the vector: all of a user's are read at once.
alter table memories alter column sketch set storage main;
