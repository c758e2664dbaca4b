-- The version of Troupe that had this migration when it was applied. Null: a version before 0.2.0.
alter table troupe_migrations add column version text;
