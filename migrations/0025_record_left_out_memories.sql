-- When a task of the user last began without its memories, because searching them failed or took too long: health reports it.
alter table memory_owners add column left_out_at timestamptz(3);
